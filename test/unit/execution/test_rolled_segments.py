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

"""Segments of long chains in the lanes of a vector, where there are loops."""

from maximal_coordinates import body_accelerations
import numpy as np
import pytest
from tied_chains import tied_chains, twin_rods

import mbd_ros
from mbd_ros.dynamics.algorithms.forward_dynamics import (
    closed_loop_dynamics, closed_loop_reactions, FORWARD_DYNAMICS)
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.execution import Lanes
from mbd_ros.execution.executors.compiled import compiled_kernel, long_way
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.execution.rolled.segments import Segments, segments_of
from mbd_ros.model import state

pytestmark = pytest.mark.filterwarnings('ignore::mbd_ros.errors.LoopsOpenWarning')
CUT = (('revolute', 'a59', 'b59'),)
TWINS = (('a', 'ground', 60), ('b', 'ground', 60))
# Sums in another order along chains of some sixty joints, whose condition is 1e4 or so.
TOLERANCE = 1e-10


def program_of(model):
    return closed_loop_dynamics(tree_of(model).slots)


def check(model, width):
    """Check one state after the other and their bits against the interpreted sweeps."""
    rng = np.random.default_rng(width)
    q = np.array([state.random_configuration(model, rng) for _ in range(2)])
    v, tau = rng.normal(size=(2, 2, model.nv))
    way = segments_of(program_of(model), model, width)
    kernel = compiled_kernel(program_of(model), model, True, way)
    assert kernel.name == f'folded, {len(way.firsts)} segments in lanes'
    expected = mbd_ros.forward_dynamics(model, q, v, tau, executor='interpreted')
    found, again = np.empty((2, 2, model.nv))
    gravity = np.array([0.0, 0.0, -9.81])
    for k in range(2):
        for out in (found, again):
            assert kernel.run([q[k:k + 1], v[k:k + 1], tau[k:k + 1]], gravity, out[k:k + 1])
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=TOLERANCE * np.abs(expected).max())
    np.testing.assert_array_equal(found, again)


@pytest.mark.parametrize('width', [2, 4, 8])
@pytest.mark.parametrize('plane', [True, False])
def test_a_ring(width, plane):
    """In a plane rows across it vanish from the code."""
    check(tied_chains(TWINS, CUT, plane=plane), width)


def test_springs_and_a_tail():
    model = tied_chains((*TWINS, ('c', 'b59', 44)), (('spherical', 'a59', 'b59'),),
                        (('a59', 'b59'), ('c43', 'ground')))
    check(model, 4)


def test_rings_that_share_a_chain():
    model = tied_chains((*TWINS, ('c', 'ground', 61), ('d', 'c60', 20)),
                        (('spherical', 'a59', 'b59'), ('distance', 'b59', 'd19')))
    check(model, 8)


def test_a_ring_on_a_body_that_moves():
    model = tied_chains((('p', 'ground', 1), ('a', 'p0', 60), ('b', 'p0', 60)), CUT,
                        kinds=('continuous', 'prismatic'))
    check(model, 4)


@pytest.mark.parametrize('width', [4, 8])
@pytest.mark.parametrize('curve', ['straight', 'arcs that coincide', 'circle'])
def test_redundant_rows(width, curve):
    """Of a pin in a plane two rows count; where the ring is stretched out one does."""
    model = twin_rods(60)
    turn = np.full(59, {'straight': 0.0, 'arcs that coincide': 0.05, 'circle': np.pi / 60}[curve])
    side = -1.0 if curve == 'circle' else 1.0
    q = np.concatenate([[-0.3], turn, [side * -0.3], side * turn])
    v, tau = np.zeros(120), np.random.default_rng(0).normal(size=120)
    gravity = np.array([0.0, -9.81, 0.0])
    kernel = compiled_kernel(program_of(model), model, True,
                             segments_of(program_of(model), model, width))
    found = np.empty((1, 120))
    assert kernel.run([q[None], v[None], tau[None]], gravity, found)  # no doubt about the rank
    dyn = mbd_ros.compile(model, gravity=gravity, executor='interpreted')
    expected = dyn.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(found[0], expected, rtol=0.0,
                               atol=TOLERANCE * np.abs(expected).max())
    rows = dyn.loop_rows(q, v)
    A, bias = rows[:, VALUES:], rows[:, VALUES - 1]
    # Accelerations along levers of 60 m add up to what a row is: rounding of their sum.
    sums = np.abs(A).max() * np.abs(found).sum()
    assert np.abs(A @ found[0] + bias).max() < 1e-13 * sums
    assert mbd_ros.constrained_dynamics(model, q, v, tau, gravity=gravity).rank == (
        1 if curve == 'straight' else 2)


def test_against_maximal_coordinates():
    """Six coordinates a body and every joint as equations: it shares nothing with the sweeps."""
    model = tied_chains((('a', 'ground', 15), ('b', 'ground', 15)), (('spherical', 'a14', 'b14'),),
                        (('a14', 'b7'),))
    rng = np.random.default_rng(3)
    q, (v, tau) = state.random_configuration(model, rng), rng.normal(size=(2, model.nv))
    kernel = compiled_kernel(program_of(model), model, True, Segments((0, 8, 15, 23), 7, 4))
    found, gravity = np.empty((1, model.nv)), np.array([0.0, 0.0, -9.81])
    assert kernel.run([q[None], v[None], tau[None]], gravity, found)
    dyn = mbd_ros.compile(model, executor='interpreted')
    motions = [dyn.link_motion(q, v, name, found[0]) for name in model.body_names]
    twists, accelerations = (np.array([np.roll(getattr(motion, what), 3) for motion in motions])
                             for what in ('velocity', 'acceleration'))
    expected = body_accelerations(model, dyn.body_poses(q), twists, tau, gravity)
    # The dense solve of 180 + 153 unknowns loses some digits.
    np.testing.assert_allclose(accelerations, expected, rtol=0.0,
                               atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize(('sizes', 'width', 'expected'), [
    ((60, 60), 2, ((0, 60), 60)), ((60, 60), 4, ((1, 31, 61, 91), 29)),
    ((59, 59), 4, ((0, 30, 59, 89), 29)), ((60, 61), 4, ((1, 31, 62, 92), 29)),
    ((80, 30), 4, ((0, 27, 54, 84), 26))])
def test_where_the_segments_are(sizes, width, expected):
    """As long as they can be, bodies left over in front; one body between two segments."""
    first, second = sizes
    model = tied_chains((('a', 'ground', first), ('b', 'ground', second)),
                        (('spherical', f'a{first - 1}', f'b{second - 1}'),), plane=True)
    firsts, length = expected
    assert segments_of(program_of(model), model, width) == Segments(
        firsts, length, 1 << (len(firsts) - 1).bit_length())


def test_ties_end_a_segment():
    """Only the last body of a chain may have some, if nothing else hangs on it."""
    model = tied_chains(TWINS, (*CUT, ('spherical', 'a29', 'ground')), (('b30', 'ground'),))
    way = segments_of(program_of(model), model, 4)
    inside = {i for first in way.firsts for i in range(first, first + way.length)}
    assert not inside & {29, 60 + 30}


def test_what_is_not_cut():
    few = tied_chains((('a', 'ground', 3), ('b', 'ground', 3)), (('spherical', 'a2', 'b2'),))
    assert segments_of(program_of(few), few, 8) is None
    ring = tied_chains(TWINS, CUT)
    assert segments_of(closed_loop_reactions(5), ring, 8) is None
    assert segments_of(FORWARD_DYNAMICS, ring, 8) is None
    other = tied_chains(TWINS, CUT, kinds=('continuous', 'prismatic', 'prismatic',
                                           'continuous', 'continuous', 'spherical', 'planar'))
    found = segments_of(program_of(other), other, 8)
    assert found is None or len({other.joint_types[first:first + found.length]
                                 for first in found.firsts}) == 1


def test_who_runs_it():
    """Segments where they take fewer steps than halves; Lanes(2) has the halves."""
    model = tied_chains(TWINS, CUT, plane=True)
    assert isinstance(long_way(program_of(model), model, 4), Segments)
    assert mbd_ros.compile(model, executor=Lanes(4)).how('forward_dynamics', 1) == (
        'folded, 4 segments in lanes')
    assert mbd_ros.compile(model, executor=Lanes(2)).how('forward_dynamics', 1) == (
        'unrolled, 2 lanes')
