"""Machine code of a step gives what the operations give one after the other."""

import numpy as np
import pytest

from mbd_ros.control import (
    constraints_from_data, default_task, Stack, ToolPosition, TracedConstraint,
    TracedVelocityConstraint, TrackingLaw)
from mbd_ros.control.approach import Approach
from mbd_ros.control.constrained_motion import ConstrainedMotion
from mbd_ros.control.nominal_model import NominalModel
from mbd_ros.control.task import motion_for


def plain(motion):
    """Return the same motion without machine code."""
    other = ConstrainedMotion(motion.dyn, motion.constraint, applied=motion.applied,
                              elimination=motion.elimination)
    other._fused_motion = lambda: None
    return other


@pytest.mark.parametrize('robot', ['urdf_arm', 'puma'])
def test_fifty_steps_are_the_same(robot, request):
    """From a start on the path, and by an approach, to rounding."""
    dyn = request.getfixturevalue(robot)
    task = default_task(dyn.model.name)
    motion = motion_for(dyn, task)
    assert motion._fused_motion() is not None
    begin = NominalModel(motion, task.start_positions, start='project').state
    away = begin.q + 0.02
    approach = ConstrainedMotion(
        dyn, Approach(motion.constraint, away, begin.v, 0.0, 0.08), applied=motion.applied,
        elimination=motion.elimination)
    assert approach._fused_motion() is not None
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


HOLDING = {
    'pose': [{'kind': 'tool_orientation', 'link': 'tool', 'orientation': {
        'start': [0.1, 0.7, 0, 0.7], 'end': [0, 1, 0.3, 0.2], 'duration': 1.0}}],
    'mixed': [{'kind': 'joint_coupling', 'coefficients': {'joint2': 1.0, 'joint3': 2.0}},
              {'kind': 'joint_speed', 'coefficients': {'joint4': 1.0}, 'value': 0.1}],
    'surface': [{'kind': 'on_surface', 'link': 'tool', 'point': [0.1, 0, 0.05], 'surfaces': [
        {'kind': 'sphere', 'center': [0.6, 0.1, 0.2], 'radius': 0.5}]}],
    'direction': [{'kind': 'tool_direction', 'link': 'tool', 'axis': [0, 0.1, 1],
                   'direction': [0, 0.3, -1]}],
    'sideslip': [{'kind': 'no_sideslip', 'link': 'link3', 'axis': [0.2, 1, 0]}],
}


@pytest.mark.parametrize('kind', [*HOLDING, 'functions'])
def test_every_kind_of_constraint_has_the_same_step(kind, puma):
    """A path with one more constraint, from 0.1 rad away: the approach and what follows."""
    task = default_task('puma560')
    path = motion_for(puma, task)
    if kind == 'functions':
        more = [TracedConstraint(puma.model, lambda q, t: [q[3] - 0.3 * t]),
                TracedVelocityConstraint(puma.model, lambda q, v, t: [v[5] - 0.1 * q[4] * t])]
    else:
        more = constraints_from_data(puma, HOLDING[kind])
    axes = 'x' if kind == 'surface' else 'xyz'
    tool = ToolPosition(puma, 'tool', path.constraint.path, axes=axes)
    q = np.array(task.start_positions)
    both = Stack([tool, *more], q, np.zeros(6))
    motion = ConstrainedMotion(puma, Approach(both, q, np.zeros(6), 0.0, 1.0),
                               applied=path.applied, elimination=path.elimination)
    assert motion._fused_motion() is not None
    fast, slow = (NominalModel(each, q) for each in (motion, plain(motion)))
    for k in range(1, 41):
        a, b = fast.advance_to(0.002 * k), slow.advance_to(0.002 * k)
        # Rounding of 1e-16, forty times, with accelerations of up to 100 rad/s^2.
        np.testing.assert_allclose(a.q, b.q, rtol=0, atol=1e-12)
        np.testing.assert_allclose(a.accelerations, b.accelerations, rtol=0, atol=1e-8)
        assert a.rank == b.rank
    assert motion.regular_step(0.08, a.q, a.v, a.accelerations, 0.082) is not None


def test_equal_constraints_share_machine_code(puma):
    """A new goal compiles nothing: another path of the same tool."""
    task = default_task('puma560')
    one, other = motion_for(puma, task), motion_for(puma, task)
    q = np.array(task.start_positions)
    away = ConstrainedMotion(puma, Approach(other.constraint, q, np.zeros(6), 0.0, 1.0),
                             applied=other.applied, elimination=other.elimination)
    assert one._fused_motion()._step is away._fused_motion()._step


@pytest.mark.parametrize('rate', [0.0, 60.0])
def test_the_law_is_the_same_in_machine_code(puma, rate):
    """Near the path, far from it, at its limits; with a robust term that reaches its bound."""
    rng = np.random.default_rng(3)
    state = NominalModel(motion_for(puma, default_task('puma560')), rng.uniform(-1, 1, 6)).state
    fast, slow = (TrackingLaw(puma, robust_rate=rate) for _ in range(2))
    slow._machine_code = lambda: None
    for size in (1e-3, 0.1, 1.0, 30.0):
        q, v = state.q + rng.uniform(-size, size, 6), state.v + rng.uniform(-size, size, 6)
        for a, b in zip(fast.efforts(state, q, v), slow.efforts(state, q, v)):
            if a is None or isinstance(a, tuple):
                assert a == b
            else:   # 1e-13 of efforts of up to 1e4 N m before they are cut
                np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-9)
