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

"""Subtrees in lanes give the answers of the interpreted sweeps."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import chain, random_state, trees, urdf

import mbd_ros
from mbd_ros.dynamics.algorithms.forward_dynamics import FORWARD_DYNAMICS
from mbd_ros.dynamics.algorithms.rnea import INVERSE_DYNAMICS
from mbd_ros.errors import InvalidValueError
from mbd_ros.execution import Compiled, Interpreted, Lanes
from mbd_ros.execution.ir.trace import Trace
from mbd_ros.execution.unrolled.side_by_side import lane, lanes_of, pack

FUNCTIONS = (mbd_ros.forward_dynamics, mbd_ros.inverse_dynamics)
# Other orders of sums and fused products: some 20 roundings of 1e-16, amplified by the condition
# of the mass matrix, which stays below 1e5 here.
TOLERANCE = 1e-10


def many_legged(legs, joints, seed, kind='revolute'):
    """Return a body with legs of equal shape, whose masses and placements are random."""
    parents = [i for leg in range(legs)
               for i in (0, *(1 + leg * joints + k for k in range(joints - 1)))]
    return urdf(parents, [kind] * len(parents), seed)


def check(model, executor, seed=0):
    q, v, third = random_state(model, seed)
    for function in FUNCTIONS:
        found = function(model, q, v, third, executor=executor)
        expected = function(model, q, v, third, executor='interpreted')
        scale = max(1.0, np.abs(expected).max(initial=0.0))
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=TOLERANCE * scale)
        again = function(model, q, v, third, executor=executor)
        np.testing.assert_array_equal(found, again)


@pytest.mark.parametrize('width', [2, 4, 8])
@pytest.mark.parametrize('legs', [2, 3, 4, 5])
def test_legs(width, legs):
    for floating in (True, False):
        model = mbd_ros.load(many_legged(legs, 2, legs), floating_base=floating)
        check(model, Lanes(width))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(text=trees(max_joints=12), floating=st.booleans(), width=st.sampled_from([2, 4, 8]),
       seed=st.integers(0, 2**16))
def test_random_trees(text, floating, width, seed):
    check(mbd_ros.load(text, floating_base=floating), Lanes(width), seed)


def test_bias_forces_and_results_of_bodies():
    model = mbd_ros.load(many_legged(4, 2, 1), floating_base=True)
    q, v, _ = random_state(model, 3)
    ours, theirs = (mbd_ros.compile(model, executor=how) for how in (Lanes(4), Interpreted()))
    np.testing.assert_allclose(ours.bias_forces(q, v), theirs.bias_forces(q, v), rtol=1e-11)
    np.testing.assert_allclose(ours.energies(q, v), theirs.energies(q, v), rtol=1e-12)


def test_lanes_are_used_unasked_where_they_pay():
    quadruped = mbd_ros.load(many_legged(4, 3, 1), floating_base=True)
    arm = mbd_ros.load(chain(5, 1))
    for program in (FORWARD_DYNAMICS, INVERSE_DYNAMICS):
        assert 'lanes' in Compiled().kernel(program, quadruped).name
        assert Compiled().kernel(program, arm).name == 'unrolled'
        assert Compiled('unrolled').kernel(program, quadruped).name == 'unrolled'
        assert Lanes(4).kernel(program, quadruped).name == 'unrolled, 4 lanes'


def test_batches_run_in_as_many_lanes_as_asked():
    model = mbd_ros.load(many_legged(2, 2, 1))
    q, v, tau = np.random.default_rng(0).normal(size=(3, 21, 4))
    expected = mbd_ros.forward_dynamics(model, q, v, tau, executor='interpreted')
    for width in (2, 4, 8):
        found = mbd_ros.forward_dynamics(model, q, v, tau, executor=Lanes(width))
        np.testing.assert_allclose(found, expected, rtol=TOLERANCE)


def test_an_angle_too_large_for_the_polynomials_in_one_lane():
    model = mbd_ros.load(many_legged(4, 2, 2))
    q, v, tau = random_state(model, 0)
    q[3] = 1e9
    np.testing.assert_allclose(
        mbd_ros.forward_dynamics(model, q, v, tau, executor=Lanes(4)),
        mbd_ros.forward_dynamics(model, q, v, tau, executor='interpreted'), rtol=TOLERANCE)


def test_width():
    with pytest.raises(InvalidValueError, match='width is 3; allowed: 2, 4 or 8 lanes'):
        Lanes(3)
    assert Lanes(4).name == '4 lanes'


def test_the_number_of_lanes_of_a_long_sum():
    """Every value is used twice; to ask both operands would take 2^200 steps."""
    trace = Trace()
    value = pack(trace, [trace.input(0, k) for k in range(4)])
    for _ in range(200):
        value = value + value
    assert lanes_of(value) == 4
    assert lanes_of(trace.record('half', value, 0)) == 2
    assert lanes_of(2.0 * lane(value, 3)) == 1
    assert pack(trace, [lane(value, k) for k in range(4)]) is value
