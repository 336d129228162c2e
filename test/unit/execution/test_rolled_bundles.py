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

"""Large subtrees in lanes, by loops over bodies."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import random_state, urdf

import mbd_ros
from mbd_ros.dynamics.algorithms.crba import MASS_MATRIX
from mbd_ros.dynamics.algorithms.forward_dynamics import FORWARD_DYNAMICS
from mbd_ros.dynamics.algorithms.rnea import INVERSE_DYNAMICS
from mbd_ros.execution import Lanes
from mbd_ros.execution.rolled.bundles import Bundle, bundled, rolled_bundles_of, SMALLEST

# The same operations on the same numbers but for the order of sums at the trunk.
TOLERANCE = 1e-12


def branched(legs, length, seed, trunk=0):
    """Return legs on the last body of a trunk, of types that repeat along each leg."""
    period = ('revolute', 'prismatic', 'revolute', 'revolute')
    parents = list(range(trunk))
    kinds = ['revolute'] * trunk
    for _ in range(legs):
        first = len(parents) + 1
        parents += [trunk, *range(first, first + length - 1)]
        kinds += [period[k % 4] for k in range(length)]
    return urdf(parents, kinds, seed)


def check(model, width, name, seed=0):
    q, v, third = random_state(model, seed)
    for program, function in ((FORWARD_DYNAMICS, mbd_ros.forward_dynamics),
                              (INVERSE_DYNAMICS, mbd_ros.inverse_dynamics)):
        assert Lanes(width).kernel(program, model).name == name
        found = function(model, q, v, third, executor=Lanes(width))
        expected = function(model, q, v, third, executor='rolled')
        np.testing.assert_allclose(found, expected, rtol=0.0,
                                   atol=TOLERANCE * max(1.0, np.abs(expected).max()))
        np.testing.assert_array_equal(
            found, function(model, q, v, third, executor=Lanes(width)))


@pytest.mark.parametrize('width', [2, 4, 8])
@pytest.mark.parametrize('floating', [False, True])
def test_legs(width, floating):
    check(mbd_ros.load(branched(3, 45, 1), floating_base=floating), width,
          f'rolled, {min(width, 4)} lanes')


def test_halves_beyond_a_trunk():
    check(mbd_ros.load(branched(2, 50, 2, trunk=5)), 2, 'rolled, 2 lanes')


@settings(max_examples=5, deadline=None, derandomize=True)
@given(st.integers(0, 2**16))
def test_twins_of_random_trees(seed):
    """Two equal trees, one on the ground, one on a body of the first's kind of trunk."""
    rng = np.random.default_rng(seed)
    inside = [int(rng.integers(max(0, i - 3), i)) for i in range(1, 60)]
    kinds = list(rng.choice(['revolute', 'prismatic'], size=60))
    parents = [0, *(1 + p for p in inside), 0, *(61 + p for p in inside)]
    model = mbd_ros.load(urdf(parents, kinds * 2, seed))
    if rolled_bundles_of(FORWARD_DYNAMICS, model, 2) is not None:
        check(model, 2, 'rolled, 2 lanes', seed)


def test_which_subtrees():
    """A trunk of one, twins of ten, a third that differs, and twins too small."""
    ten = [0, *range(1, 10)]
    parents = [-1, *ten, 0, *range(11, 20), 0, *range(21, 30), 0, 31, 0, 33]
    kinds = ['r'] * 31 + ['r'] * 4
    kinds[25] = 'p'
    assert bundled(parents, kinds, 4) == [Bundle((1, 11, 1, 1), 2, 10)]
    assert SMALLEST > 2


def fingers(count, length, seed, hubs=1):
    """Return hubs on the ground, each with fingers, which are small, and one that differs."""
    parents, kinds = [], []
    for _ in range(hubs):
        hub = len(parents) + 1   # urdf counts links, the base is 0
        parents.append(0)
        kinds.append('revolute')
        for k in range(count + 1):
            first = len(parents) + 1
            parents += [hub, *range(first, first + length - 1)]
            kinds += ['prismatic' if k == count else 'revolute'] * length
    return urdf(parents, kinds, seed)


@pytest.mark.parametrize('width', [2, 4, 8])
@pytest.mark.parametrize('length', [1, 3])
def test_many_small_subtrees_on_one_body(width, length):
    """One more than lanes have room for, and one of another kind: they stay in the trunk."""
    model = mbd_ros.load(fingers(640 // length + 1, length, 7), floating_base=True)
    check(model, width, f'rolled, {width} lanes')


def test_swarms_within_large_subtrees_that_are_alike():
    check(mbd_ros.load(fingers(41, 1, 3, hubs=2)), 2, 'rolled, 2 lanes')


def test_a_swarm_on_the_ground_in_water():
    text = '<robot name="r" xmlns:mbd="urn:mbd_ros"><link name="sea"/>' + ''.join(
        f'<link name="m{k}"><inertial><origin xyz="0.01 0.02 {k}e-3"/><mass value="{k + 1}"/>'
        f'<inertia ixx="1" iyy="{1 + 0.01 * k}" izz="1" ixy="0" ixz="0.1" iyz="0"/></inertial>'
        f'<mbd:fluid><volume value="{k}e-3"/><fluid_added_mass xx="1" yy="2" zz="{k}"/>'
        f'<quadratic_drag force="1 {k} 3"/></mbd:fluid></link><joint name="j{k}" type="floating">'
        f'<parent link="sea"/><child link="m{k}"/></joint>' for k in range(70)) + '</robot>'
    model, rng = mbd_ros.load(text), np.random.default_rng(0)
    q, v = mbd_ros.random_configuration(model, rng), rng.normal(size=model.nv)
    water = mbd_ros.Fluid(current=(0.3, 0.1, -0.2), surface=0.2)
    for function in (mbd_ros.forward_dynamics, mbd_ros.inverse_dynamics):
        expected, found = (function(model, q, v, v, fluid=water, executor=executor)
                           for executor in ('rolled', Lanes(8)))
        np.testing.assert_allclose(found, expected, rtol=0.0,
                                   atol=TOLERANCE * np.abs(expected).max())


def test_which_swarms():
    """Rows of as many for each lane; what is taken already or differs is left alone."""
    alone = [-1] * 21
    assert bundled(alone, ['f'] * 21, 2) == [Bundle((0, 10), 2, 10)]
    assert bundled(alone, ['f'] * 21, 2, swarms=False) == []
    assert bundled(alone, ['f'] * 10 + ['r'] + ['f'] * 10, 2) == []
    pairs = [parent for k in range(20) for parent in (-1, 2 * k)]
    assert bundled(pairs, ['r', 'p'] * 20, 2) == [Bundle((0, 20), 2, 20)]
    hubs = [-1] + [0] * 20 + [-1] + [21] * 20
    assert bundled(hubs, ['r'] * 42, 2) == [Bundle((0, 21), 2, 21)]
    assert bundled(hubs, ['p'] + ['r'] * 41, 2) == [
        Bundle((1, 11), 2, 10), Bundle((22, 32), 2, 10)]


def test_what_does_not_run_in_lanes():
    model = mbd_ros.load(branched(2, 50, 2))
    assert rolled_bundles_of(MASS_MATRIX, model, 2) is None
    uneven = mbd_ros.load(branched(2, 20, 2, trunk=60))
    assert rolled_bundles_of(FORWARD_DYNAMICS, uneven, 2) is None
