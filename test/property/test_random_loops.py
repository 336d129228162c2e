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

"""Random mechanisms with several loops against a dense solve in maximal coordinates."""

from hypothesis import given, settings, strategies as st
from maximal_coordinates import body_accelerations
import numpy as np
from random_loops import random_loops

import mbd_ros
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.model import state


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), bodies=st.integers(3, 10), loops=st.integers(1, 4),
       springs=st.integers(0, 2))
def test_accelerations_of_all_bodies(seed, bodies, loops, springs):
    """Cut and tree joints of all kinds, nested, coupled and redundant loops, springs."""
    model, q, v = random_loops(seed, bodies, loops, springs)
    q, v = mbd_ros.close_loops(model, q, v, executor='interpreted')
    tau = np.random.default_rng(seed).normal(size=model.nv)
    dyn = mbd_ros.compile(model, executor='interpreted')
    solution = mbd_ros.constrained_dynamics(model, q, v, tau, executor='interpreted')
    found = [dyn.link_motion(q, v, name, solution.accelerations) for name in model.body_names]
    twists = np.array([np.roll(motion.velocity, 3) for motion in found])
    expected = body_accelerations(model, dyn.body_poses(q), twists, tau, (0.0, 0.0, -9.81))
    A = dyn.loop_rows(q, v)[:, VALUES:]
    # Rows that nearly depend on each other cost digits on both sides, and below an angle of 3e-5
    # the two decide differently: such mechanisms are asked for consistency only.
    scaled = A / np.maximum(np.linalg.norm(A, axis=1, keepdims=True), 1e-9)
    sigma = np.linalg.svd(scaled, compute_uv=False)
    unclear = sigma[(sigma > 1e-11) & (sigma < 3e-3)]
    if unclear.size == 0:
        np.testing.assert_allclose(
            np.array([np.roll(motion.acceleration, 3) for motion in found]), expected,
            rtol=0.0, atol=1e-8 * max(1.0, np.abs(expected).max()))
        assert solution.rank == np.linalg.matrix_rank(scaled, tol=1e-6)
    assert np.abs(solution.residual).max() < 1e-5 * max(1.0, np.abs(expected).max())


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), bodies=st.integers(2, 8), loops=st.integers(1, 3))
def test_rows_are_derivatives(seed, bodies, loops):
    """Of phi along the manifold, away from zero too, where all branches end at the ground."""
    model, q, v = random_loops(seed, bodies, loops)
    dyn = mbd_ros.compile(model, executor='interpreted')
    step = 1e-5
    ends = [dyn.loop_rows(state.integrate(model, q, sign * step * v), v) for sign in (1, -1)]
    rows = dyn.loop_rows(q, v)
    # Central differences: the error is of order step^2 |v|^3.
    np.testing.assert_allclose((ends[0][:, 0] - ends[1][:, 0]) / (2 * step), rows[:, 1],
                               atol=1e-7 * (1 + np.abs(v).max()) ** 3)
    np.testing.assert_allclose((ends[0][:, 1] - ends[1][:, 1]) / (2 * step), rows[:, 2],
                               atol=1e-6 * (1 + np.abs(v).max()) ** 4)


@settings(max_examples=2, deadline=None)  # each is compiled for seconds
@given(seed=st.integers(0, 10**6), loops=st.integers(1, 3))
def test_machine_code_agrees_with_the_interpreter(seed, loops):
    model, q, v = random_loops(seed, 5, loops, 1, joints=('prismatic',))
    q, v = mbd_ros.close_loops(model, q, v, executor='interpreted')
    tau = np.ones(model.nv)
    expected = mbd_ros.forward_dynamics(model, q, v, tau, executor='interpreted')
    for executor in ('rolled', 'unrolled'):
        found = mbd_ros.forward_dynamics(model, q, v, tau, executor=executor)
        # The same sums in another order; rows that nearly depend on each other cost digits.
        np.testing.assert_allclose(found, expected, rtol=0.0,
                                   atol=1e-7 * max(1.0, np.abs(expected).max()))
