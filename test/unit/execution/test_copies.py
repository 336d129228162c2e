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

"""Swarms as batches of one of their robots."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.algorithms.registry import formulation_for
from mbd_ros.environment.law import Law
from mbd_ros.execution.unrolled.copies import copies_of
from mbd_ros.model import build_model
from mbd_ros.spatial import Vector3, Wrench

LINK = ('<link name="{name}"><inertial><origin xyz="0.1 {y} 0"/><mass value="{mass}"/><inertia '
        'ixx="0.03" iyy="0.06" izz="0.07" ixy="0.001" ixz="0" iyz="0"/></inertial><mbd:fluid>'
        '<volume value="0.006"/><fluid_added_mass xx="2" yy="5" zz="4" pp="0.01" qq="0.04" '
        'rr="0.05"/><quadratic_drag force="10 27 20" moment="0.01 0.02 0.03"/></mbd:fluid>'
        '<mbd:contact><point xyz="0.1 0 0"/><stiffness value="2000"/></mbd:contact></link>')
WATER = {'fluid': mbd_ros.Fluid(current=(0.2, 0.1, 0.0), surface=0.3),
         'ground': mbd_ros.Ground(-0.2)}


def swarm(count, heavy=-1):
    """Return pairs of links that float, of which one may be heavier than the others."""
    text = '<link name="sea"/>'
    for k in range(count):
        mass = 7.0 if k == heavy else 6.0
        text += LINK.format(name=f'a{k}', y=0.0, mass=mass) + LINK.format(
            name=f'b{k}', y=0.02, mass=5.0)
        text += (f'<joint name="f{k}" type="floating"><parent link="sea"/><child link="a{k}"/>'
                 f'</joint><joint name="j{k}" type="revolute"><parent link="a{k}"/><child '
                 f'link="b{k}"/><origin xyz="0.3 0 0"/><axis xyz="0 1 0"/><limit lower="-1" '
                 'upper="1" effort="9" velocity="9"/></joint>')
    return mbd_ros.load(f'<robot name="swarm" xmlns:mbd="urn:mbd_ros">{text}</robot>')


@pytest.mark.parametrize('count', [21, 27])   # the last block of lanes overlaps the one before
def test_results_are_those_of_the_rolled_code(count):
    model, rng = swarm(count), np.random.default_rng(count)
    q = mbd_ros.random_configuration(model, rng)
    v, tau = rng.normal(size=(2, model.nv))
    for function in ('forward_dynamics', 'inverse_dynamics', 'bias_forces'):
        given = (q, v) if function == 'bias_forces' else (q, v, tau)
        dyn = mbd_ros.compile(model, **WATER)
        found = getattr(dyn, function)(*given)
        assert f'{count} copies' in dyn.how(function)
        expected = getattr(mbd_ros.compile(model, executor='rolled', **WATER), function)(*given)
        # Two codes in float64, of results of some hundred.
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-11 * np.abs(expected).max())
        many = getattr(dyn, function)(*(np.tile(one, (9, 1)) for one in given))
        np.testing.assert_allclose(many, np.tile(expected, (9, 1)), rtol=0.0,
                                   atol=1e-11 * np.abs(expected).max())


class Share(NamedTuple):
    """A force that the whole swarm shares [N]."""

    force: float


class Still(NamedTuple):
    """Nothing that changes."""

    unused: float = 0.0


@dataclass(frozen=True)
class Shared(Law):
    """A law that looks at more of the model than the body."""

    name: str = 'shared'
    world: Still = Still()

    def constants(self, model, i):
        return (Share(100.0 / model.nb),)

    def load(self, constants, motion, world):
        push = Vector3(0.0, constants[0].force, 0.0)
        return Wrench(Vector3(0.0, 0.0, 0.0), push)


def test_a_law_that_sees_the_whole_swarm():
    model = swarm(21)
    model = model.with_laws(*model.laws, Shared())
    program = formulation_for(model).programs(model)['forward_dynamics']
    assert copies_of(program, model) is None


def test_one_that_is_none():
    """Robots that differ, hang on each other, or are tied are left to other code."""
    plain = swarm(21)
    program = formulation_for(plain).programs(plain)['forward_dynamics']
    assert copies_of(program, plain).number == 21
    assert copies_of(program, plain).one.nb == 2
    for heavy in (0, 7, 20):
        assert copies_of(program, swarm(21, heavy)) is None
    joints = plain.mechanism.joints
    other = replace(plain.mechanism, joints=(*joints[:-2], replace(
        joints[-2], parent='a3'), joints[-1]))   # the last floats on another
    assert copies_of(program, build_model(other)) is None
    assert copies_of(program, mbd_ros.load(
        '<robot name="one"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia '
        'ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><joint name="j" '
        'type="floating"><parent link="a"/><child link="b"/></joint></robot>')) is None
