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

"""Constraints of a task together with the closed loops of a robot."""

from pathlib import Path

from loop_models import body_order, case_model, cases
import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import (
    Actuation, ConstrainedMotion, Ellipse, FunctionConstraint, NominalModel, ToolPosition)
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import ShapeError

URDF = Path(__file__).parents[3] / 'urdf'
CASE, MODEL = cases()['spatial10_spherical'], case_model('spatial10_spherical')
Q, V = (np.array(CASE[name])[body_order(MODEL)] for name in ('q', 'qd'))
TAU = np.ones(MODEL.nv)


def test_loops_alone_are_the_recursion():
    solution = mbd_ros.udwadia_kalaba(MODEL, Q, V, TAU, np.zeros((0, MODEL.nv)), [])
    expected = mbd_ros.constrained_dynamics(MODEL, Q, V, TAU)
    np.testing.assert_allclose(solution.accelerations, expected.accelerations, atol=1e-10)
    np.testing.assert_allclose(solution.multipliers, expected.multipliers, atol=1e-10)
    assert solution.rank == 3


def test_a_task_and_loops_hold_together():
    A, b = np.eye(MODEL.nv)[:2], np.array([0.5, -0.25])
    solution = mbd_ros.udwadia_kalaba(MODEL, np.tile(Q, (2, 1)), V, TAU, A, b)
    rows = mbd_ros.compile(MODEL).loop_rows(Q, V)
    for qdd in solution.accelerations:
        np.testing.assert_allclose(qdd[:2], b, atol=1e-10)
        np.testing.assert_allclose(rows[:, VALUES:] @ qdd + rows[:, VALUES - 1], 0.0, atol=1e-10)
    assert solution.multipliers.shape == (2, 5)
    with pytest.raises(ShapeError, match='as many states'):
        mbd_ros.udwadia_kalaba(MODEL, np.tile(Q, (2, 1)), V, TAU, np.zeros((3, 1, MODEL.nv)), [0])


def test_loops_hold_where_a_task_cannot():
    """Accelerations that no motion of the loops has: the compromise is among the task's rows."""
    dyn = mbd_ros.compile(MODEL)
    wanted = 5.0 * np.cos(np.arange(1.0, MODEL.nv + 1.0))
    motion = ConstrainedMotion(dyn, FunctionConstraint(
        lambda q, v, t: np.eye(MODEL.nv), lambda q, v, t: wanted))
    solution = motion.solve(0.0, Q, V).solution
    assert solution.conflicting
    rows = dyn.loop_rows(Q, V)
    free, bias = rows[:, VALUES:], rows[:, VALUES - 1]
    # Rounding of accelerations of 10 rad/s^2; a compromise with the loops misses them by 1.
    np.testing.assert_allclose(free @ solution.accelerations, -bias, rtol=0, atol=1e-10)
    nearest = wanted + np.linalg.lstsq(free, -bias - free @ wanted, rcond=1e-9)[0]
    np.testing.assert_allclose(solution.accelerations, nearest, rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.whole.matrix(Q, V, 0.0).T @ solution.multipliers,
                               solution.constraint_force, rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        solution.constraint_force,
        dyn.mass_matrix(Q) @ solution.accelerations + dyn.bias_forces(Q, V), rtol=0, atol=1e-9)


def test_a_path_out_of_reach_does_not_tear_loops_open():
    """Elimination ends at a compromise of 1.5 m; it left the loops 31 mm open."""
    dyn = mbd_ros.compile(mbd_ros.load(URDF / 'five_bar.urdf'))
    q, _ = mbd_ros.close_loops(dyn.model, [0.3, -0.2, 0.1, 0.4], np.zeros(4))
    far = ToolPosition(dyn, 'tool', Ellipse([0.3, 0, 2], [0.1, 0, 0], [0, 0, 0.05]), axes='xz')
    state = NominalModel(ConstrainedMotion(dyn, far), q).advance_to(0.002)
    assert state.violation > 1.0
    phi, rate = dyn.loop_rows(state.q, state.v)[:, :2].T
    assert np.abs(phi).max() < 1e-13   # the tolerance of the elimination
    assert np.abs(rate).max() < 1e-13


@pytest.mark.parametrize('joints', [1, 2])
def test_loops_may_leave_drives_nothing_to_push(joints):
    """A hinge with a drive that a loop holds, alone and beside one that is free."""
    parts = ['<robot name="held"><link name="base"/>']
    for i in range(joints):
        parts.append(
            f'<link name="l{i}"><inertial><origin xyz="0.3 0 0"/><mass value="1"/><inertia '
            'ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="j{i}" type="continuous"><parent link="base"/><child link="l{i}"/>'
            '<axis xyz="0 1 0"/></joint>')
    model = mbd_ros.load(''.join([*parts, (
        '<loop_joint name="held" type="fixed"><link1 link="l0"/><link2 link="base"/></loop_joint>'
        '</robot>')]))
    dyn, rest = mbd_ros.compile(model), np.zeros(joints)
    wanted = FunctionConstraint(lambda q, v, t: np.eye(joints), lambda q, v, t: np.ones(joints))
    for actuation in (None, Actuation(model, ['j0'])):
        found = ConstrainedMotion(dyn, wanted, actuation=actuation).solve(0.0, rest, rest).solution
        assert found.conflicting
        # The free hinge does what is asked, or falls: m g l / (I + m l^2).
        other = 1.0 if actuation is None else 9.81 * 0.3 / 0.19
        np.testing.assert_allclose(found.accelerations, [0.0, other][:joints], atol=1e-13)
