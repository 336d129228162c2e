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

"""Tolerances, clips and margins of control, each at both of its sides."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import (
    constrained_acceleration, DirectElimination, NominalModel, Payload, ToolPosition, TrackingLaw,
    trajectory)
from mbd_ros.control.control_step.constrained_motion import ConstrainedMotion
from mbd_ros.control.references.joint_trajectories import stopping
from mbd_ros.control.references.paths import Line, quintic
from mbd_ros.control.references.scalars import clipped, smallest
from mbd_ros.control.tasks.goal_watch import (
    JointTolerances, JointWatch, Outcome, PathWatch)
from mbd_ros.control.tracking.adaptation import Adaptation
from mbd_ros.control.udwadia_kalaba.rank_facts import clear, FACTS
from mbd_ros.errors import InvalidValueError, SingularMassError

ONE = np.eye(2)
NONE = np.zeros(2)


@pytest.fixture(scope='module')
def dyn():
    return mbd_ros.compile(mbd_ros.load('urdf/three_link_arm.urdf'))


def test_a_mass_matrix_is_singular_below_1e_14_of_its_diagonal():
    constrained_acceleration([[1.0, 1.0], [1.0, 1.0 + 2e-14]], NONE, np.zeros((0, 2)), [])
    with pytest.raises(SingularMassError, match="joint 'number 1'"):
        constrained_acceleration([[1.0, 1.0], [1.0, 1.0 + 5e-15]], NONE, np.zeros((0, 2)), [])


@pytest.mark.parametrize('tolerance', [1e-10, 1e-6])
def test_rows_are_dependent_below_the_tolerance(tolerance):
    for part, rank in ((0.5, 1), (2.0, 2)):
        rows = [[1.0, 0.0], [1.0, part * tolerance]]
        assert constrained_acceleration(ONE, NONE, rows, NONE, tolerance=tolerance).rank == rank


def test_rows_are_none_below_1e_12_of_the_longest():
    for length, rank in ((0.5e-12, 1), (2e-12, 2)):
        assert constrained_acceleration(ONE, NONE, [[1, 0], [0, length]], NONE).rank == rank


def test_rows_conflict_beyond_1e_8_of_their_scale():
    # qdd is between them: half of the difference is left, of a scale |A| |qdd| + |b| = 2.
    for apart, conflicting in ((3.6e-8, False), (4.4e-8, True)):
        found = constrained_acceleration(ONE, NONE, [[1, 0], [1, 0]], [1.0, 1.0 + apart])
        assert found.conflicting is conflicting


@pytest.mark.parametrize('tolerance', [0.0, 1.0, -1e-10, math.nan])
def test_a_tolerance_of_the_rank_is_between_zero_and_one(tolerance):
    with pytest.raises(InvalidValueError, match='between 0 and 1'):
        constrained_acceleration(ONE, NONE, [[1, 0]], [0.0], tolerance=tolerance)
    constrained_acceleration(ONE, NONE, [[1, 0]], [0.0], tolerance=1.0 - 1e-9)


def test_a_rank_is_clear_within_its_bounds():
    facts = dict(zip(range(FACTS), (2.0, 1.0, 0.0, 0.0, 1.0)))
    assert clear([*facts.values()], 1e-8)
    for entry, inside, outside in ((1, 1.01e-8, 0.99e-8), (2, 0.99e-22, 1.01e-22),
                                   (4, 1.01e-8, 0.99e-8)):
        assert clear([*{**facts, entry: inside}.values()], 1e-8)
        assert not clear([*{**facts, entry: outside}.values()], 1e-8)


@pytest.mark.parametrize(('name', 'least', 'below'), [
    ('tolerance', 1e-300, 0.0), ('max_step', 1e-300, 0.0), ('max_velocity_step', 1e-300, 0.0),
    ('rank_tolerance', 1e-300, 0.0), ('position_iterations', 0, -1),
    ('velocity_iterations', 0, -1)])
def test_settings_of_the_elimination(name, least, below):
    assert getattr(DirectElimination(**{name: least}), name) == least
    for wrong in (below, math.nan):
        with pytest.raises(InvalidValueError, match=name):
            DirectElimination(**{name: wrong})


def test_stops_take_a_twentieth_of_a_second_or_as_long_as_a_fifth_of_the_speed(dyn):
    top = np.full(3, 2.0)
    for speed, duration in ((0.0, 0.05), (0.24, 0.05), (0.26, 0.052), (2.0, 0.4)):
        for sign in (1.0, -1.0):
            path = stopping(dyn.model, dyn.model.joint_names, NONE.repeat(2)[:3],
                            np.array((0.0, sign * speed, 0.0)), np.zeros(3), top)
            assert path.duration == pytest.approx(duration, rel=1e-12)
    path = stopping(dyn.model, dyn.model.joint_names, np.zeros(3), top, np.zeros(3), top, 0.3)
    assert path.duration == 0.3


def test_times_of_a_trajectory_increase():
    trajectory([0.0, 1e-12], [[0.0], [1.0]])
    for times in ([0.0, 0.0], [0.0, -1e-12]):
        with pytest.raises(InvalidValueError, match='times that increase'):
            trajectory(times, [[0.0], [1.0]])


def test_a_quintic_rests_outside_its_time():
    for time, value in ((-1e-9, 0.0), (0.0, 0.0), (2.0, 1.0), (2.0 + 1e-9, 1.0)):
        assert quintic(time, 2.0) == (value, 0.0, 0.0)
    assert quintic(1.0, 2.0) == (0.5, pytest.approx(0.9375), 0.0)


def test_values_are_clipped_at_both_sides_and_not_by_an_infinite_limit():
    for value, expected in ((1.5, 1.0), (1.0, 1.0), (0.5, 0.5), (-1.0, -1.0), (-1.5, -1.0)):
        assert clipped(value, 1.0) == expected
        assert clipped(value, math.inf) == value
    assert smallest([2.0, -3.0, 1.0]) == -3.0


def test_a_payload_may_be_a_thin_plate_and_no_more(dyn):
    for largest, fine in ((2.0, True), (2.0 + 1e-9, True), (2.0 + 1e-8, False)):
        payload = Payload('tool', 1.0, inertia=((1.0, 0, 0), (0, 1.0, 0), (0, 0, largest)))
        if fine:
            payload.check(dyn.model)
        else:
            with pytest.raises(InvalidValueError, match='principal moments'):
                payload.check(dyn.model)
    Payload('tool', 0.0).check(dyn.model)
    with pytest.raises(InvalidValueError, match='mass of the payload'):
        Payload('tool', -1e-300).check(dyn.model)


def test_the_law_uses_half_of_the_speed_limits_and_a_fifth_of_the_effort_limits(dyn):
    top, most = dyn.model.velocity_limits, dyn.model.effort_limits
    law = TrackingLaw(dyn, approach_speed=100.0)
    np.testing.assert_array_equal(law.approach_speeds, 0.5 * top)
    np.testing.assert_array_equal(law.robust_efforts, 0.2 * most)
    np.testing.assert_array_equal(TrackingLaw(dyn, approach_speed=1.0).approach_speeds, 1.0)
    TrackingLaw(dyn, robust_rate=0.0, effort_limits=np.zeros(3))
    for wrong in ({'robust_rate': -1e-9}, {'bandwidth': 0.0}, {'approach_speed': 0.0},
                  {'effort_limits': -np.ones(3)}, {'robust_efforts': -np.ones(3)}):
        with pytest.raises(InvalidValueError):
            TrackingLaw(dyn, **wrong)


def test_learning_stays_within_its_bounds_and_takes_short_steps(dyn):
    Y, q = np.array([[1.0, 0.5], [0.5, 1.0], [0.0, 0.2]]), np.array((0.3, -0.5, 1.0))

    def learned(gap, s):
        adaptation = Adaptation(dyn, 'tool', 2.0, payload=3.0)
        adaptation.learn(dyn, 0.0, q, Y, np.zeros(3), 15.0)
        adaptation.learn(dyn, gap, q, Y, s, 15.0)
        return adaptation.estimate
    small = np.array((1e-4, 1e-4, 1e-4))
    np.testing.assert_array_equal(learned(0.02, small), learned(1.0, small))
    assert (learned(0.019, small) < learned(0.02, small)).all()
    np.testing.assert_array_equal(learned(-1.0, small), np.zeros(2))
    huge = np.array((1e9, 1e9, 1e9))
    np.testing.assert_array_equal(learned(0.01, huge), [0.5, 3.0])
    np.testing.assert_array_equal(learned(0.01, -huge), [-0.5, 0.0])


def test_times_closer_than_a_nanosecond_count_as_equal(dyn):
    line = Line([1.0, 0.0, 1.0], [1.0, 0.2, 1.0], 1.0)
    nominal = NominalModel(ConstrainedMotion(dyn, ToolPosition(dyn, 'tool', line)),
                           [0.0, -0.7, 1.5], start='project')
    before = nominal.state
    assert nominal.advance_to(0.9e-9) is before
    assert nominal.advance_to(-1.0) is before
    assert nominal.advance_to(1.1e-9).time == 1.1e-9


def test_errors_may_reach_their_tolerance_and_the_end_its_time(dyn):
    def look(time, error=0.0, rate=0.0):
        step = SimpleNamespace(
            nominal=SimpleNamespace(time=time), efforts=SimpleNamespace(
                error=np.array((0.0, error, 0.0)), error_rate=np.array((0.0, 0.0, rate))))
        return watch.look(step, np.zeros(3), np.zeros(3))
    watch = JointWatch(dyn.model, JointTolerances(
        *(np.full(3, allowed) for allowed in (0.1, 0.2, 0.3, 0.4)), goal_time=0.5), end=1.0)
    for time, position, velocity, inside, outside in (
            (0.999, 0.1, 0.2, Outcome.GOES_ON, Outcome.OFF_THE_PATH),
            (1.0, 0.3, 0.4, Outcome.REACHED, Outcome.GOES_ON),
            (1.5, 0.3, 0.4, Outcome.REACHED, Outcome.GOES_ON),
            (1.501, 0.3, 0.4, Outcome.REACHED, Outcome.MISSED_THE_END)):
        for sign in (1.0, -1.0):
            assert look(time, sign * position)[0] is look(time, 0.0, sign * velocity)[0] is inside
            assert look(time, sign * (position + 1e-9))[0] is outside
            assert look(time, 0.0, sign * (velocity + 1e-9))[0] is outside


@pytest.mark.parametrize(('time', 'error', 'said'), [
    (0.5, 0.02, "the tool 'tip' is 0.02 m off the path, allowed is 0.01, at 0.500 s"),
    (2.6, 0.002, "the tool 'tip' is 0.002 m off the path, allowed is 0.001, 0.600 s after its "
     'end')])
def test_a_path_watch_says_how_far_and_when(time, error, said):
    watch = PathWatch(0.01, 0.001, 0.5, 2.0, 1.0)
    assert watch.look(time, [SimpleNamespace(link='tip', error=error)])[1] == said
