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

"""Where rows of a task conflict, closed loops hold and the task yields: one answer everywhere."""

from flexible_robots import four_bar, four_bar_state
import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import ConstrainedMotion
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES


class Rows:
    """Constant rows of a task."""

    def __init__(self, A, b):
        self._A, self._b = A, b
        self.counts = (0, 0, len(b))

    def matrix(self, q, v, t):
        return self._A

    def right_side(self, q, v, t):
        return self._b

    def violation(self, q, t):
        return None

    def violation_rate(self, q, v, t):
        return np.zeros(len(self._b))


CONFLICTING = np.eye(3)[:2], np.array([1.0, 5.0])


def closed(model):
    """Return a state of a four-bar linkage in motion."""
    q, v = np.array([1.0, -0.5, -1.5]), np.array([2.0, 0.0, 0.0])
    return mbd_ros.close_loops(model, q, v, known=['j0'])


def test_the_loops_of_a_four_bar_hold():
    """Two joints of a linkage with one freedom: a compromise of the task's rows alone."""
    model = mbd_ros.load(four_bar(), flexible=False)
    (q, v), (A, b) = closed(model), CONFLICTING
    found = mbd_ros.udwadia_kalaba(model, q, v, np.zeros(3), A, b)
    rows = mbd_ros.compile(model).loop_rows(q, v)
    loops, drift = rows[:, VALUES:], rows[:, VALUES - 1]
    assert found.conflicting
    scale = np.abs(found.accelerations).max()
    np.testing.assert_allclose(loops @ found.accelerations + drift, 0.0, atol=1e-12 * scale)
    # the least squares of the task among what the loops leave: one number
    N = np.linalg.svd(loops)[2][-1]
    p = -np.linalg.pinv(loops) @ drift
    z = (A @ N) @ (b - A @ p) / ((A @ N) @ (A @ N))
    np.testing.assert_allclose(found.accelerations, p + N * z, rtol=1e-11)
    np.testing.assert_allclose(found.residual[:2], A @ found.accelerations - b, rtol=1e-12)
    M, h = mbd_ros.mass_matrix(model, q), mbd_ros.bias_forces(model, q, v)
    np.testing.assert_allclose(found.constraint_force, M @ found.accelerations + h, rtol=1e-9)
    # all joints have drives, so that rows and loops may share the force in several ways
    np.testing.assert_allclose(np.vstack([A, loops]).T @ found.multipliers,
                               found.constraint_force, rtol=1e-9, atol=1e-9)


def test_the_motion_under_constraints_says_the_same():
    """``ConstrainedMotion`` and ``udwadia_kalaba`` have one text."""
    model = mbd_ros.load(four_bar(), flexible=False)
    (q, v), (A, b) = closed(model), CONFLICTING
    motion = ConstrainedMotion(mbd_ros.compile(model), Rows(A, b))
    other = mbd_ros.udwadia_kalaba(model, q, v, np.zeros(3), A, b)
    solution = motion.solve(0.0, q, v).solution
    np.testing.assert_allclose(solution.accelerations, other.accelerations, rtol=1e-10)
    np.testing.assert_allclose(solution.constraint_force, other.constraint_force, rtol=1e-9)


@pytest.mark.parametrize('flexible', [False, True])
def test_drives_of_a_linkage(flexible):
    """With one drive the force is what it and the loops can give, and the row is kept."""
    model = mbd_ros.load(four_bar(), flexible=flexible)
    if flexible:
        q, v, _ = four_bar_state(model)
    else:
        q, v = closed(model)
    A, b = np.eye(model.nv)[:1], np.array([3.0])
    found = mbd_ros.udwadia_kalaba(model, q, v, np.zeros(model.nv), A, b, actuated=['j0'])
    loops = mbd_ros.compile(model).loop_rows(q, v)
    bias = loops[:, VALUES:] @ found.accelerations + loops[:, VALUES - 1]
    np.testing.assert_allclose(bias, 0.0, atol=1e-9)
    assert found.accelerations[0] == pytest.approx(3.0, rel=1e-9)
    left = np.linalg.svd(loops[:, VALUES:])[2][np.linalg.matrix_rank(loops[:, VALUES:], 1e-6):]
    drive = np.zeros(model.nv)
    drive[0] = mbd_ros.inverse_dynamics(
        model, q, v, found.accelerations, actuated=['j0'])[0]
    np.testing.assert_allclose(left @ found.constraint_force, left @ drive, atol=1e-8)
