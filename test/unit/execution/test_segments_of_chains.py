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

"""Segments of a chain in lanes: the same accelerations as body by body."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from robots import chain, random_state, urdf

import mbd_ros
from mbd_ros.dynamics.algorithms.forward_dynamics import FORWARD_DYNAMICS
from mbd_ros.dynamics.algorithms.rnea import INVERSE_DYNAMICS
from mbd_ros.execution import Compiled, Lanes
from mbd_ros.execution.executors.compiled import LONG_CHAIN
from mbd_ros.execution.rolled.segments import segments_of

# Both ways are backward stable; on these chains they differ by a few roundings of the largest
# acceleration (measured: below 1e-14 up to 600 bodies).
TOLERANCE = 1e-12


def check(model, width, seed=0):
    q, v, tau = random_state(model, seed)
    assert Lanes(width).kernel(FORWARD_DYNAMICS, model).name == (
        f'folded, {width} segments in lanes')
    found = mbd_ros.forward_dynamics(model, q, v, tau, executor=Lanes(width))
    expected = mbd_ros.forward_dynamics(model, q, v, tau, executor='rolled')
    np.testing.assert_allclose(found, expected, rtol=0.0,
                               atol=TOLERANCE * np.abs(expected).max())
    np.testing.assert_array_equal(
        found, mbd_ros.forward_dynamics(model, q, v, tau, executor=Lanes(width)))


@pytest.mark.parametrize('width', [2, 4])
@pytest.mark.parametrize('count', [80, 83])
def test_chains_of_turning_joints(width, count):
    check(mbd_ros.load(chain(count, count)), width)


def test_eight_segments_behind_a_floating_base():
    check(mbd_ros.load(chain(600, 1), floating_base=True), 8)


def test_joints_of_several_types_that_repeat():
    types = ['revolute', 'prismatic', 'continuous'] * 16
    check(mbd_ros.load(urdf(list(range(48)), types, 5)), 2)
    sliding = mbd_ros.load(urdf(list(range(44)), ['prismatic'] * 44, 5))
    check(sliding, 2)


def test_a_tree_with_branches():
    """Two arms on a long trunk, and a body that branches off amid one."""
    parents = [*range(61), 60, *range(62, 92), 70]
    check(mbd_ros.load(urdf(parents, ['revolute'] * len(parents), 1)), 4)


def test_what_is_not_cut():
    chain_of_80 = mbd_ros.load(chain(80, 1))
    assert segments_of(INVERSE_DYNAMICS, chain_of_80, 2) is None
    short = mbd_ros.load(chain(7, 1))
    assert segments_of(FORWARD_DYNAMICS, short, 8) is None
    mixed = mbd_ros.load(urdf(list(range(80)), ['revolute'] * 79 + ['prismatic'], 1))
    assert segments_of(FORWARD_DYNAMICS, mixed, 2) is None


def test_long_chains_are_cut_unasked_and_calls_may_overlap():
    model = mbd_ros.load(chain(LONG_CHAIN, 2))
    assert 'segments' in Compiled().kernel(FORWARD_DYNAMICS, model).name
    dyn = mbd_ros.compile(model)
    states = [random_state(model, seed) for seed in range(4)]
    expected = [dyn.forward_dynamics(*state) for state in states]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            calls = [pool.submit(mbd_ros.forward_dynamics, model, *state) for state in states]
            for call, result in zip(calls, expected):
                np.testing.assert_array_equal(call.result(), result)
