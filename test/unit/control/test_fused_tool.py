"""Machine code of a tool on a path gives what the operations give one after the other."""

import numpy as np
import pytest

from mbd_ros.control import default_task
from mbd_ros.control.approach import Approach
from mbd_ros.control.constrained_motion import ConstrainedMotion
from mbd_ros.control.nominal_model import NominalModel
from mbd_ros.control.task import motion_for


def plain(motion):
    """Return the same motion without machine code."""
    other = ConstrainedMotion(motion.dyn, motion.constraint, applied=motion.applied,
                              elimination=motion.elimination)
    other._quick_tool = lambda: None
    other._solve_fused = lambda *state: None
    return other


@pytest.mark.parametrize('robot', ['urdf_arm', 'puma'])
def test_fifty_steps_are_the_same(robot, request):
    """From a start on the path, and by an approach, to rounding."""
    dyn = request.getfixturevalue(robot)
    task = default_task(dyn.model.name)
    motion = motion_for(dyn, task)
    assert motion._quick_tool() is not None
    begin = NominalModel(motion, task.start_positions, start='project').state
    away = begin.q + 0.02
    approach = ConstrainedMotion(
        dyn, Approach(motion.constraint, away, begin.v, 0.0, 0.08), applied=motion.applied,
        elimination=motion.elimination)
    assert approach._quick_tool() is not None
    for one, q in ((motion, begin.q), (approach, away)):
        fast, slow = (NominalModel(each, q, begin.v) for each in (one, plain(one)))
        for k in range(1, 51):
            a, b = fast.advance_to(0.002 * k), slow.advance_to(0.002 * k)
            # Rounding of 1e-16, fifty times, with accelerations of up to 100 rad/s^2.
            np.testing.assert_allclose(a.q, b.q, rtol=0, atol=1e-12)
            np.testing.assert_allclose(a.v, b.v, rtol=0, atol=1e-11)
            np.testing.assert_allclose(a.accelerations, b.accelerations, rtol=0, atol=1e-9)
            np.testing.assert_allclose(a.effort, b.effort, rtol=0, atol=1e-9)
            np.testing.assert_allclose(a.multipliers, b.multipliers, rtol=0, atol=1e-9)
            assert a.rank == b.rank == 3
        assert a.violation < 1e-13


def test_what_is_not_regular_is_left_to_the_general_form(urdf_arm):
    """Straight arm: two independent rows, a finite answer."""
    motion = motion_for(urdf_arm, default_task('three_link_arm'))
    found = motion.solve(0.0, np.array([0.3, -0.5, 0.0]), np.zeros(3)).solution
    assert found.rank == 2
    assert np.isfinite(found.accelerations).all()
