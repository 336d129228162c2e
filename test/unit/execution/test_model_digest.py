# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

"""
Whatever changes in a model changes the digest by which machine code is found, or no code.

Cases are generated: each number, text and missing record in each field of the model, and of all
records in it, is changed by itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from pathlib import Path

import numpy as np
import pytest
from random_compositions import random_robot, urdf

import mbd_ros
from mbd_ros.description.records.mechanism import Limits
from mbd_ros.dynamics.algorithms import registry
from mbd_ros.environment import Law
from mbd_ros.environment.fluid_law import FluidLaw
from mbd_ros.environment.load import LoadLaw
from mbd_ros.execution.ir.model_digest import (
    model_digest, NotKnownError, REMARKS, WITHOUT_EFFECT, WORDING)
from mbd_ros.execution.ir.straight_line import Width
from mbd_ros.execution.unrolled.code import unrolled_ir

URDF = Path(__file__).parents[3] / 'urdf'


def nested(value, path=(), free=False):
    """Yield the path of each leaf and each empty part of a record, and whether it counts not."""
    if isinstance(value, REMARKS):
        return
    if isinstance(value, Enum) or value is None or isinstance(value, (str, int, float)):
        yield path, free
    elif isinstance(value, np.ndarray):
        for place in sorted({0, value.size - 1} - {-1}):
            yield (*path, ('entry', place)), free
    elif isinstance(value, Mapping):
        for key in value:
            yield from nested(value[key], (*path, ('key', key)), free)
    elif is_dataclass(value) or hasattr(value, '_fields'):
        for name in value._fields if hasattr(value, '_fields') else (
                one.name for one in fields(value)):
            yield from nested(getattr(value, name), (*path, ('field', name)),
                              free or name in WORDING.get(type(value), ()))
    elif isinstance(value, tuple):
        if not value:
            yield path, free
        for k, one in enumerate(value):
            yield from nested(one, (*path, ('item', k)), free)
    else:
        raise AssertionError(f'{path}: what is {type(value)}')


def other(value):
    """Return another value of the same kind, as little different as can be."""
    if value is None or (isinstance(value, tuple) and not value):
        return (1.0,)
    if isinstance(value, Enum):
        return next(one for one in type(value) if one is not value)
    if isinstance(value, (bool, np.bool_)):
        return not value
    if isinstance(value, str):
        return value + 'x'
    if isinstance(value, (int, np.integer)):
        return value + 1
    return np.nextafter(value, np.inf) if np.isfinite(value) else 1.0


def changed(value, path):
    """Return a record with another value at a path."""
    if not path:
        return other(value)
    (how, where), *rest = path
    if how == 'entry':
        array = value.copy()
        array.flat[where] = other(array.flat[where])
        return array
    if how == 'key':
        return {**value, where: changed(value[where], rest)}
    if how == 'item':
        return (*value[:where], changed(value[where], rest), *value[where + 1:])
    part = changed(getattr(value, where), rest)
    if hasattr(value, '_replace'):
        return value._replace(**{where: part})
    return replace(value, **{where: part})


def robots():
    """Return robots that together have every kind of record that a model may hold."""
    drawn = mbd_ros.load(urdf(random_robot(np.random.default_rng(7))))
    return [mbd_ros.load(URDF / 'flexible_arm.urdf'), mbd_ros.load(URDF / 'four_bar.urdf'),
            drawn.with_laws(FluidLaw(), LoadLaw(drawn.body_names[0]))]


ROBOTS = robots()


def test_the_robots_have_every_kind_of_record():
    for name in ('loops', 'springs', 'fluids', 'laws', 'contacts', 'thrusters', 'elastic'):
        assert any(getattr(robot, name) for robot in ROBOTS), name


@pytest.mark.parametrize('robot', ROBOTS, ids=lambda robot: robot.name)
def test_whatever_changes_counts(robot):
    """But for the fields that say why not; those of the description where nothing bends."""
    before, count = model_digest(robot), 0
    for path, free in nested(robot):
        first = path[0][1]
        if first == 'mechanism' and robot.elastic is None:
            continue   # the next test has another one as a whole
        free = free or first in set(WITHOUT_EFFECT) - {'mechanism'}
        assert (model_digest.__wrapped__(changed(robot, path)) == before) == free, path
        count += not free
    assert count > 60


def altered(robot):
    """Return a robot that differs in all that has no effect."""
    values = {'name': 'other', 'generation': 9, 'findings': (), **{
        name: getattr(robot, name) + 0.5
        for name in ('lower', 'upper', 'velocity_limits', 'effort_limits')}}
    mechanism = ROBOTS[1].mechanism if robot.elastic is None else replace(
        robot.mechanism, name='other', findings=(), file='other', text='', generation=9,
        packages=(('a', 'b'),),
        joints=tuple(replace(joint, limits=Limits()) for joint in robot.mechanism.joints))
    assert {*values, 'mechanism'} == set(WITHOUT_EFFECT)
    return replace(robot, **values, mechanism=mechanism)


@pytest.mark.parametrize('robot', ROBOTS, ids=lambda robot: robot.name)
def test_what_does_not_count_has_no_effect(robot):
    """All programs of all formulations are the same text."""
    twin, count = altered(robot), 0
    assert model_digest(twin) == model_digest(robot)
    for formulation in registry.formulations(robot):
        for program in formulation.programs(robot).values():
            try:
                text = unrolled_ir(program, robot, Width(1))
            except TypeError:   # stacks of arrays, which are no text of one robot
                continue
            assert unrolled_ir(program, twin, Width(1)) == text, formulation.name
            count += 1
    assert count > 4


@dataclass(frozen=True)
class Odd(Law):
    """A law that holds something whose content cannot be told."""

    inside: object
    name: str = 'odd'
    world: tuple[()] = ()

    def constants(self, model, i):
        """Act on nothing."""
        return ()

    def load(self, constants, motion, world):
        """Act on nothing."""


def test_what_cannot_be_told_has_no_digest():
    with pytest.raises(NotKnownError):
        model_digest(ROBOTS[1].with_laws(Odd(lambda: None)))
    known = [model_digest.__wrapped__(replace(ROBOTS[1], laws=(Odd(one),))) for one in (
        1, 1.0, True, '1', None, (), (1,), ((1,),), frozenset((1, 2)), frozenset((1, 3)), b'1',
        np.float64(1.0), np.float32(1.0), range(3))]
    assert len(set(known)) == len(known)
