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

"""Rolled code of one robot: constants that its bodies share are followed through the sweeps."""

from dataclasses import dataclass

from described import bare, joint, link, robot
from loop_checks import check, random_motion, TOLERANCE
from loop_models import case_model, many_legs
import numpy as np
import pytest
from random_loops import random_loops

import mbd_ros
from mbd_ros.dynamics.algorithms.forward_dynamics import closed_loop_dynamics, FORWARD_DYNAMICS
from mbd_ros.execution import Compiled, Threads
from mbd_ros.execution.executors.compiled import compiled_kernel
from mbd_ros.execution.ir.straight_line import SCALAR
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.execution.rolled.body_classes import BodyClass, varying
from mbd_ros.execution.rolled.bundles import rolled_bundles_of
from mbd_ros.execution.rolled.code import rolled_code
from mbd_ros.execution.rolled.tables import folds, rolled_kinds
from mbd_ros.execution.rolled.traces import traced
from mbd_ros.execution.threads.subtrees import partition_of

pytestmark = pytest.mark.filterwarnings('ignore::mbd_ros.errors.LoopsOpenWarning')
QUESTIONS = ('forward_dynamics', 'loop_reactions', 'loop_rows', 'position_correction',
             'velocity_correction')


@dataclass(frozen=True)
class Folded:
    """Rolled code of one robot, however different its bodies are."""

    name = 'folded'

    def kernel(self, program, model):
        return compiled_kernel(program, model, True, folded=True)


@dataclass(frozen=True)
class FoldedLanes:
    """The same in two lanes, or on two threads, where it can be."""

    threads: bool = False
    name = 'folded, together'

    def kernel(self, program, model):
        way = (partition_of(program, model, 2) if self.threads
               else rolled_bundles_of(program, model, 2))
        return compiled_kernel(program, model, True, way and way._replace(folded=True))


def wheel(size, axis='0 0 1', cut='revolute'):
    """Return a ring of alike links that turn about parallel axes; two are a bit different."""
    half = size // 2
    parts = [bare('base')]
    for side in 'ab':
        for k in range(half):
            x = 1.0 if side == 'b' or k else 0.0
            parts += [
                link(f'{side}{k:03}', mass=1.0, center='0.5 0 0', moments=(0.1, 0.2, 0.3)),
                joint(f'j{side}{k:03}', 'continuous', f'{side}{k - 1:03}' if k else 'base',
                      f'{side}{k:03}', f'<origin xyz="{x} 0 0"/><axis xyz="{axis}"/>')]
    end, more = f'{half - 1:03}', 'distance="0.5"' if cut == 'distance' else ''
    return mbd_ros.load(robot(
        *parts, f'<loop_joint name="cut" type="{cut}" {more}><link1 link="a{end}" '
        f'xyz="1 0 0"/><link2 link="b{end}" xyz="1 0 0"/></loop_joint>'))


def program_of(model):
    return closed_loop_dynamics(tree_of(model).slots)


def agree(model, executor, q, v, tau):
    """Check all that is asked of loops, one state and a batch, against the interpreter."""
    ours, theirs = (mbd_ros.compile(model, executor=one) for one in (executor, 'interpreted'))
    for question in QUESTIONS:
        arguments = (q, v, tau) if question in QUESTIONS[:2] else (q, v)
        found = getattr(ours, question)(*arguments)
        expected = getattr(theirs, question)(*arguments)
        scale = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=TOLERANCE * scale)
        many = getattr(ours, question)(*(np.tile(one, (9, 1)) for one in arguments))
        np.testing.assert_allclose(many, np.tile(expected, (9,) + (1,) * expected.ndim), rtol=0.0,
                                   atol=TOLERANCE * scale)


@pytest.mark.parametrize('cut', ['revolute', 'spherical', 'distance', 'planar'])
@pytest.mark.parametrize('axis', ['0 0 1', '0 1 0'])
def test_rings(axis, cut):
    model = wheel(12, axis, cut)
    rng = np.random.default_rng(1)
    agree(model, Folded(), *(rng.normal(size=(3, model.nv))))


@pytest.mark.parametrize('name', ['spatial10_universal', 'fourbar_revolute',
                                  'bricard_cube_revolute_cut'])
def test_bodies_that_differ(name):
    """Little is shared; classes with one body are all numbers."""
    model = case_model(name)
    agree(model, Folded(), *random_motion(model))


@pytest.mark.parametrize('seed', range(6))
def test_random_mechanisms(seed):
    """Joints and cuts of all kinds, several loops, springs, floating branches."""
    model, q, v = random_loops(seed, 6, 1 + seed % 3, 1)
    tau = np.ones(model.nv)
    expected, found = (mbd_ros.forward_dynamics(model, q, v, tau, executor=executor)
                       for executor in ('interpreted', Folded()))
    # Rows that nearly depend on each other cost digits, as between any two executors.
    np.testing.assert_allclose(found, expected, rtol=0.0,
                               atol=1e-7 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize('threads', [False, True])
@pytest.mark.parametrize('legs', [2, 3])
def test_legs_side_by_side(legs, threads):
    """Legs of one shape, whose bodies differ, on a platform; with springs between."""
    model = many_legs(legs, 18, 4, legs - 1, 'distance')
    executor = FoldedLanes(threads)
    what = 'threads' if threads else 'lanes'
    check(model, executor, f'folded, 2 {what}')


@pytest.mark.parametrize('executor', [FoldedLanes(), FoldedLanes(threads=True)])
def test_halves_of_a_ring(executor):
    model = wheel(60)
    rng = np.random.default_rng(2)
    q, v, tau = 0.3 * rng.normal(size=(3, model.nv))
    expected, found = (mbd_ros.compile(model, executor=one)
                       for one in ('interpreted', executor))
    assert found.how('loop_reactions').startswith('folded, 2')
    for question in ('forward_dynamics', 'loop_reactions'):
        answers = [getattr(dyn, question)(q, v, tau) for dyn in (expected, found)]
        np.testing.assert_allclose(*answers, rtol=0.0,
                                   atol=10 * TOLERANCE * np.abs(answers[0]).max())


@pytest.mark.parametrize('executor', [Folded(), FoldedLanes()])
def test_an_angle_too_large_for_the_polynomials(executor):
    """Then all of its register go to the C library; the sines of the last bodies overlap."""
    model = wheel(60)
    rng = np.random.default_rng(3)
    q, v, tau = 0.3 * rng.normal(size=(3, model.nv))
    q[[7, 57]] = 3e5, -1e6
    expected, found = (mbd_ros.forward_dynamics(model, q, v, tau, executor=one)
                       for one in ('interpreted', executor))
    np.testing.assert_allclose(found, expected, rtol=0.0,
                               atol=10 * TOLERANCE * np.abs(expected).max())


def test_a_planar_ring_stays_planar():
    """Of a pose the plane's two directions and the angle are handed on; of six rows two."""
    model = wheel(60)
    kinds, _, shapes, _ = rolled_kinds(model, program_of(model), folded=True)
    see, _, _, out = (code for code in traced(
        program_of(model), [BodyClass(*kind) for kind in kinds], shapes))
    assert sum(fixed is None for fixed in _leaves(see.shape.pose.rotation)) == 4
    assert see.shape.velocity.linear[2] == 0.0
    assert out.shape.acceleration.angular[:2] == (0.0, 0.0)
    assert len(out.codes[0].hand) <= 5  # an angular and two linear accelerations, two multipliers
    folded, general = (rolled_code(program_of(model), kinds, SCALAR, shapes, 5)
                       for kinds, _, shapes, _ in (rolled_kinds(model, program_of(model), folds)
                                                   for folds in (True, False)))
    assert len(folded.ir) < 0.3 * len(general.ir)
    assert folded.row < 0.7 * general.row


def _leaves(record):
    return [leaf for part in record for leaf in part]


def test_walks_read_all_that_is_kept():
    """The mass matrix and its like, which are not folded by themselves."""
    model = wheel(12)
    q, v, _ = 0.3 * np.random.default_rng(4).normal(size=(3, model.nv))
    for question in (mbd_ros.mass_matrix, mbd_ros.bias_forces):
        arguments = (q,) if question is mbd_ros.mass_matrix else (q, v)
        expected, found = (question(model, *arguments, executor=one)
                           for one in ('interpreted', Folded()))
        np.testing.assert_allclose(found, expected, rtol=0.0,
                                   atol=TOLERANCE * np.abs(expected).max())


def test_where_it_is_used():
    """By loops beyond what is unrolled, where bodies are alike; never by what all robots share."""
    ring, legs = wheel(60), many_legs(2, 48, 5, cut='distance')
    assert folds(program_of(ring), ring)
    assert not folds(FORWARD_DYNAMICS, ring)  # no ties
    assert not folds(program_of(legs), legs)
    assert Compiled().kernel(program_of(ring), ring).how(1).startswith('folded, ')
    assert Compiled().kernel(program_of(ring), ring).how(9).startswith('unrolled')
    assert Compiled('rolled').kernel(program_of(ring), ring).how(1) == 'rolled'
    long = wheel(320)
    assert Compiled().kernel(program_of(long), long).how(9).startswith('folded')
    assert Threads(8, within_state=True).kernel(program_of(long), long).how(1) == (
        'folded, 7 threads')  # fewer take longer than segments in lanes
    small = wheel(12)
    assert Compiled().kernel(program_of(small), small).how(1) == 'unrolled, 2 lanes'


def test_nothing_is_known_of_what_varies():
    """Code for all robots reads every constant and every record."""
    model = wheel(12)
    kinds, _, shapes, _ = rolled_kinds(model, program_of(model))
    classes = [BodyClass(*kind) for kind in kinds]
    for code in traced(program_of(model), classes, shapes):
        if hasattr(code, 'shape'):
            assert len(varying(code.shape, code.shape)) == len(code.start)
            assert len(code.codes[0].hand) == len(code.start)
