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

"""Elimination of violations: the paper's table, singular starts, metrics."""

import math

import numpy as np
import pytest

from mbd_ros.control import (
    DirectElimination, Ellipse, FunctionConstraint, Line, ToolPosition)
from mbd_ros.errors import InvalidValueError


@pytest.fixture(name='ellipse')
def paper_constraint(arm):
    """Return the constraint of section 3.4."""
    return ToolPosition(arm, 'tool', Ellipse([1, 0, 1], [0.25, 0.3, 0], [0, 1, 0.5]))


@pytest.mark.parametrize('turns', [1, 100, 10_000, 1_000_000])
def test_joints_turned_often_reach_what_others_reach(arm, ellipse, turns):
    """Rounding of large angles, eps |q|, is no reason to call a path out of reach."""
    rng = np.random.default_rng(turns)
    for _ in range(10):
        q = np.radians([45.0, -45, 90]) + 0.1 * rng.standard_normal(3)
        report = DirectElimination(position_iterations=200, nudge=0.02).eliminate(
            arm, ellipse, q + 2 * np.pi * turns * rng.integers(-1, 2, 3), np.zeros(3), 0.0)
        assert report.converged
        # As documented: 16 roundings of the largest angle, 1e-13 where that is less.
        assert report.violation <= max(1e-13, 16 * np.spacing(np.abs(report.q).max()))


@pytest.mark.parametrize('metric', ['mass', 'euclidean'])
def test_reaches_the_constraint_from_afar(arm, ellipse, metric):
    """From 0.74 m away position and velocity end on the manifold."""
    report = DirectElimination(metric=metric).eliminate(
        arm, ellipse, np.radians([45.0, -45, 90]), np.zeros(3), 0.0)
    assert report.violation_before == pytest.approx(0.74330, abs=5e-6)  # printed to five digits
    assert report.rate_before == pytest.approx(1.118, abs=5e-4)  # |xd_dot(0)|, v = 0
    assert report.converged
    assert report.violation <= 1e-13
    assert report.rate < 1e-14  # one step is exact but for rounding
    assert report.moved > 0.5
    assert report.velocity_change > 0.5
    assert report.rank == 3
    # The branch is that of the page: it has to be checked, since Newton may choose another.
    np.testing.assert_allclose(
        report.q, np.radians([13.49573328, -50.00296202, 100.00592404]), rtol=0, atol=1e-9)


@pytest.mark.parametrize('v', [[0.0, 0.0, 0.0], [0.3, -0.2, 0.5]])
def test_the_change_of_velocity_is_reported(arm, ellipse, v):
    report = DirectElimination().eliminate(
        arm, ellipse, np.radians([45.0, -45, 90]), np.array(v), 0.0)
    assert report.velocity_change == np.linalg.norm(report.v - v) > 0.0


def test_a_state_on_the_constraint_stays(arm, ellipse, drift):
    """Nothing moves where nothing is violated."""
    state = np.array(drift['ics']['exact'])
    report = DirectElimination().eliminate(arm, ellipse, state[:3], state[3:], 0.0)
    assert report.iterations == 0
    assert report.moved == 0
    np.testing.assert_array_equal(report.q, state[:3])
    np.testing.assert_allclose(report.v, state[3:], rtol=0, atol=1e-15)


@pytest.mark.parametrize('start', [
    (13.5, -0.5, 1.0),  # almost straight: plain Newton ends with q3 at 4244 degrees
    (13.5, 0.0, 0.0),  # straight: plain Newton ends at -1516 degrees; needs the nudge
    (13.5, -90.0, 0.001),  # almost above the base axis, where joint 1 moves nothing
])
def test_near_singularities_steps_stay_small(arm, ellipse, start):
    """Edge case 2: limited, damped steps reach the ellipse without spinning a joint."""
    q = np.radians(start)
    report = DirectElimination(position_iterations=100, nudge=0.02).eliminate(
        arm, ellipse, q, np.zeros(3), 0.0)
    assert report.converged
    assert np.abs(report.q - q).max() < math.pi
    assert report.moved < 2 * math.pi


@pytest.mark.parametrize('way', [1e-3, 0.1, 0.5, 1.5])
@pytest.mark.parametrize('metric', ['mass', 'euclidean'])
def test_a_stretched_arm_reaches_inward(arm, metric, way):
    """Straight, with the target on its line: the first steps are zero, the nudge leads away."""
    q = np.zeros(3)
    there = arm.pose(q, 'tool')[:3, 3] - (way, 0.0, 0.0)
    inward = ToolPosition(arm, 'tool', Line(there, there + 0.1 * np.eye(3)[1], 5.0))
    report = DirectElimination.from_afar(metric).eliminate(arm, inward, q, np.zeros(3), 0.0)
    assert report.converged
    assert report.moved < 2 * math.pi


def test_exactly_singular_start_without_nudge_is_reported(arm, ellipse):
    """Straight, no small step reduces the violation: the report says so, nothing spins."""
    q = np.radians([13.5, 0, 0])
    report = DirectElimination().eliminate(arm, ellipse, q, np.zeros(3), 0.0)
    assert not report.converged
    assert report.rank == 2
    assert report.moved < 0.01


def test_plain_newton_is_wild_near_singularities(arm, ellipse):
    """The same start as the paper would take it, which is why the limit exists."""
    q = np.radians([13.5, -0.5, 1.0])
    report = DirectElimination.as_printed(20).eliminate(arm, ellipse, q, np.zeros(3), 0.0)
    assert np.abs(report.q - q).max() > 10 * math.pi


def test_velocity_step_is_limited(arm, ellipse):
    """Where A is nearly singular a velocity that satisfies the constraint would be absurd."""
    q = np.radians([13.5, -0.5, 0.01])
    settings = DirectElimination(position_iterations=0, max_velocity_step=5.0)
    report = settings.eliminate(arm, ellipse, q, np.zeros(3), 0.0)
    assert np.abs(report.v).max() <= 5.0
    assert report.rate > 0.01


def test_out_of_reach_is_reported_not_hidden(arm):
    """A point 5 m away cannot be reached; the nearest state comes back as not converged."""
    far = ToolPosition(arm, 'tool', Ellipse([5, 0, 1], [0, 0, 0], [0, 0, 0]))
    report = DirectElimination(position_iterations=200).eliminate(
        arm, far, np.radians([30.0, -45, 90]), np.zeros(3), 0.0)
    assert not report.converged
    # The arm is 2 m long from a shoulder at (0, 0, 1): it ends stretched towards the point.
    assert report.violation == pytest.approx(3.0, abs=0.05)


def test_mass_metric_keeps_the_momentum_of_the_free_motion(arm):
    """``w^T M dv = 0`` for w in null(A); the Euclidean step has ``w^T dv = 0`` instead."""
    height = ToolPosition(arm, 'tool', Ellipse([0, 0, 1.2], [0, 0, 0], [0, 0, 0]), axes='z')
    q, v = np.radians([20.0, -40, 70]), np.array([0.3, -0.5, 0.7])
    for metric, weight in (('mass', arm.mass_matrix), ('euclidean', lambda q: np.eye(3))):
        report = DirectElimination(metric=metric).eliminate(arm, height, q, v, 0.0)
        free = np.linalg.svd(height.matrix(report.q, v, 0.0))[2][1:]
        # 1e-15 times entries of M up to 4.
        np.testing.assert_allclose(
            free @ weight(report.q) @ (report.v - v), 0, rtol=0, atol=1e-14)
        assert report.rate < 1e-14


def test_redundant_rows_are_eliminated_like_independent_ones(arm, ellipse):
    """Rows x, y, z, x + y correct as x, y, z do."""
    mix = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]])
    more = FunctionConstraint(
        lambda q, v, t: mix @ ellipse.matrix(q, v, t),
        lambda q, v, t: mix @ ellipse.right_side(q, v, t),
        lambda q, t: mix @ ellipse.violation(q, t),
        lambda q, v, t: mix @ ellipse.violation_rate(q, v, t))
    q, v = np.radians([15.0, -48, 98]), np.zeros(3)
    settings = DirectElimination(max_step=math.inf)
    expected = settings.eliminate(arm, ellipse, q, v, 0.0)
    report = settings.eliminate(arm, more, q, v, 0.0)
    assert report.rank == 3
    np.testing.assert_allclose(report.q, expected.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(report.v, expected.v, rtol=0, atol=1e-12)


def test_velocity_constraint_leaves_the_configuration(arm):
    """A non-holonomic constraint has no phi: only v is corrected (eq. (18))."""
    rolling = FunctionConstraint(
        lambda q, v, t: [[1.0, -0.5, 0]], lambda q, v, t: [0.0],
        phi_dot=lambda q, v, t: [v[0] - 0.5 * v[1]])
    q, v = np.array([0.1, 0.2, 0.3]), np.array([1.0, 0, 0])
    report = DirectElimination().eliminate(arm, rolling, q, v, 0.0)
    np.testing.assert_array_equal(report.q, q)
    assert report.v[0] == pytest.approx(0.5 * report.v[1], abs=1e-15)
    assert report.rate < 1e-15


def test_acceleration_constraint_leaves_the_state(arm):
    """A and b alone say nothing about a violation."""
    bare = FunctionConstraint(lambda q, v, t: [[1.0, 0, 0]], lambda q, v, t: [0.0])
    q, v = np.array([0.1, 0.2, 0.3]), np.array([1.0, 0, 0])
    report = DirectElimination().eliminate(arm, bare, q, v, 0.0)
    assert report.q is q
    assert report.v is v
    assert report.converged


@pytest.mark.parametrize(('name', 'value', 'allowed'), [
    ('metric', 'manhattan', 'mass or euclidean'),
    ('tolerance', 0.0, 'a positive number'),
    ('max_step', -1.0, 'a positive number'),
    ('max_velocity_step', math.nan, 'a positive number'),
    ('position_iterations', -1, 'a count, 0 or more'),
])
def test_settings_are_checked(name, value, allowed):
    """Each setting says what it may be."""
    with pytest.raises(InvalidValueError, match=f'{name} is .*; allowed: {allowed}'):
        DirectElimination(**{name: value})
