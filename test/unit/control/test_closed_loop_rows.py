"""Constraints of a task together with the closed loops of a robot."""

from loop_models import body_order, case_model, cases
import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.loop_kinematics import VALUES
from mbd_ros.errors import ShapeError

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
