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

"""Watches of goals and of following, and gaps in time, at both sides of each bound."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import default_task
from mbd_ros.control.tasks.goal_watch import chosen, farthest, FollowingWatch, Outcome, PathWatch
from mbd_ros.control.tasks.tracker import Tracker


@pytest.fixture
def watch(urdf_arm):
    return FollowingWatch(urdf_arm.model)


def error(size):
    return np.array([0.0, -size, 0.0])


@pytest.mark.parametrize(('gap', 'said'), [(1.49, True), (1.51, False), (-0.01, False)])
def test_after_a_second_more_than_the_patience_the_robot_may_be_anywhere(watch, gap, said):
    for time in (0.0, 0.4, 0.8):
        watch.look(time, error(0.2), 0.1, 0.5)
    assert bool(watch.look(0.8 + gap, error(0.2), 0.1, 0.5)) == said


@pytest.mark.parametrize(('fall', 'said'), [(0.0099, True), (0.0101, False)])
def test_an_error_falls_by_a_tenth_of_what_is_allowed(watch, fall, said):
    watch.look(0.0, error(0.5), 0.1, 0.5)
    watch.look(0.3, error(0.5 - fall), 0.1, 0.5)
    assert bool(watch.look(0.6, error(0.5 - fall), 0.1, 0.5)) == said


@pytest.mark.parametrize(('then', 'said'), [(0.0501, True), (0.0499, False)])
def test_what_did_not_follow_does_below_half_of_what_is_allowed(watch, then, said):
    for time in (0.0, 0.6):
        watch.look(time, error(0.2), 0.1, 0.5)
    assert bool(watch.look(0.7, error(then), 0.1, 0.5)) == said


def test_the_largest_error_is_named(watch):
    sizes = np.array([0.2, -0.1, -0.7])
    watch.look(0.0, sizes, 0.1, 0.5)
    assert "'joint3' is 0.7 rad or m off the nominal model, allowed is 0.1" in watch.look(
        0.6, sizes, 0.1, 0.5)


@pytest.mark.parametrize(('approach', 'end', 'time', 'share'), [
    (2.0, 6.0, -3.0, 0.0), (2.0, 6.0, -2.0, 0.0), (2.0, 6.0, 0.0, 0.25), (2.0, 6.0, 2.0, 0.5),
    (2.0, 6.0, 6.0, 1.0), (2.0, 6.0, 9.0, 1.0), (0.0, 0.0, 0.0, 1.0), (2.0, math.inf, 5.0, 0.0)])
def test_progress(approach, end, time, share):
    assert PathWatch(0.1, 0.1, 0.1, end, approach).progress(time) == share


@pytest.mark.parametrize(('time', 'off', 'outcome'), [
    (-0.1, 9.0, Outcome.GOES_ON), (0.0, 9.0, Outcome.OFF_THE_PATH), (1.0, 0.02, Outcome.GOES_ON),
    (1.0, 0.0201, Outcome.OFF_THE_PATH), (2.0, 0.01, Outcome.REACHED),
    (2.0, 0.0101, Outcome.GOES_ON), (2.5, 0.0101, Outcome.GOES_ON),
    (2.51, 0.0101, Outcome.MISSED_THE_END), (2.51, 0.01, Outcome.REACHED)])
def test_a_tool_on_a_path(time, off, outcome):
    """The farthest counts; nothing is asked in an approach."""
    tools = [SimpleNamespace(link='near', error=0.001), SimpleNamespace(link='far', error=off)]
    assert PathWatch(0.02, 0.01, 0.5, 2.0, 1.0).look(time, tools)[0] is outcome
    assert farthest(tools).link == 'far'


def test_tolerances_of_messages():
    assert [chosen(value, 0.3) for value in (0.0, -1e-9, -1.0, 1e-9, 2.0)] == [
        0.3, math.inf, math.inf, 1e-9, 2.0]


@pytest.mark.parametrize(('gap', 'anew'), [(0.099, False), (0.101, True)])
def test_a_tenth_of_a_second_behind_it_begins_anew(urdf_arm, gap, anew):
    """The nominal model does not run after the time: it begins where the robot is."""
    task, rest = default_task('three_link_arm'), np.zeros(3)
    q = np.array(task.start_positions)
    tracker = Tracker(urdf_arm, task, q, rest)
    tracker.step(0.0, q, rest)
    tracker.step(0.002, q, rest)
    found = tracker.step(0.002 + gap, q - 0.1, rest).nominal
    assert np.array_equal(found.q, q - 0.1) == anew


def test_a_stop_takes_over_a_reference_but_not_one_that_is_too_fast(urdf_arm):
    task, rest = default_task('three_link_arm'), np.zeros(3)
    top = urdf_arm.model.velocity_limits
    for part, taken in ((0.99, True), (1.01, False)):
        tracker = Tracker(urdf_arm, task, np.array(task.start_positions), rest)
        state = tracker._source.state._replace(v=np.array([0.0, part * top[1], 0.0]))
        tracker._source._reach(state)
        measured = state.q + 0.05
        tracker.stop(0.0, measured, rest, 'asked to')
        begin = state.q if taken else measured
        np.testing.assert_allclose(tracker.preview(0.0)[1].position, begin, rtol=0, atol=1e-15)
        assert tracker.problem == 'asked to'


def test_a_law_reads_what_is_left_of_a_ramp(urdf_arm):
    """Of half a second; time that runs backwards changes nothing."""
    law = mbd_ros.control.TrackingLaw(urdf_arm, robust_rate=4.0)
    law.change_gains(bandwidth=25.0, approach_speed=0.5, robust_rate=8.0)
    for duration, share in ((0.1, 0.2), (-1.0, 0.2), (0.15, 0.5), (0.24, 0.98), (0.02, 1.0),
                            (1.0, 1.0)):
        law.ramp_gains(duration)
        assert law.bandwidth == pytest.approx(15.0 + 10.0 * share, rel=1e-12)
        assert law.robust_rate == pytest.approx(4.0 + 4.0 * share, rel=1e-12)
        np.testing.assert_allclose(law.approach_speeds, 1.5 - share, rtol=1e-12)


def test_a_bound_of_zero_takes_the_robust_term_away(urdf_arm):
    law = mbd_ros.control.TrackingLaw(urdf_arm, robust_efforts=[2.0, 0.0, 1.0])
    np.testing.assert_allclose(law.shortened([1.0, 0.0, -1.0]), [1.0, 0.0, -1.0])
    np.testing.assert_allclose(law.shortened([1.0, 0.0, -4.0]), [0.25, 0.0, -1.0])
    assert np.abs(law.shortened([1.0, 1e-9, 1.0])).max() < 1e-200
