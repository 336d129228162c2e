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

"""Trajectories of joints stamped ahead of the path of a tool: it goes on until then."""

from control_msgs.action import FollowJointTrajectory
from hypothesis import given, Phase, settings, strategies as st
from mbd_msgs.action import FollowPath
import numpy as np
import pytest
from timed_arm import TimedArm

from mbd_ros.errors import InfeasibleError
from mbd_ros.messages.trajectories.way_points import GoalError

Codes = FollowJointTrajectory.Result
START = (0.785, -0.785, 1.571)
ELLIPSE = ('{link: tool, path: {kind: ellipse, center: [1, 0, 1], a: [0.25, 0.3, 0], '
           'b: [0, 1, 0.5]}}')
NO_SHRINKING = (Phase.explicit, Phase.generate)   # an example takes seconds of control


def drawing(begun):
    """Return an arm whose tool is on its way, some time [s] after the end of its approach."""
    arm = TimedArm(start=START)
    handle = arm.send(FollowPath.Goal(task=ELLIPSE), '~/follow_path')
    arm.run(begun - arm.tracker.path_time)
    return arm, handle


def leaps(arm, begin, count):
    """Return the largest change of an acceleration in a step, of some steps."""
    return np.abs(np.diff(arm.a[begin - 1:begin + count], axis=0)).max()


@settings(max_examples=3, deadline=None, phases=NO_SHRINKING)
@given(begun=st.sampled_from([-0.2, 0.5, 1.7]), wait=st.floats(0.05, 0.8),
       first=st.floats(0.8, 1.5), topic=st.booleans())
def test_the_path_goes_on_until_the_stamp_and_is_joined_smoothly(begun, wait, first, topic):
    (alone, _), (arm, path) = drawing(begun), drawing(begun)
    end = np.add(arm.measured.q, (0.2, 0.1, -0.2))
    steps, begin = int(wait / 0.002), len(arm.q)
    points = (first, {'positions': end})
    if topic:
        arm.publish(arm.trajectory(points, stamp=wait))
    else:
        handle = arm.send(arm.goal(points, stamp=wait))
    assert (path.status, path.result) == ('aborted', None)
    arm.run(wait + first + 0.1)
    alone.run(wait)
    for k in range(begin, begin + steps):
        assert arm.q[k] == pytest.approx(alone.q[k], abs=1e-12)
        assert arm.v[k] == pytest.approx(alone.v[k], abs=1e-12)
    assert path.result.error_code == FollowPath.Result.STOPPED
    assert arm.measured.q == pytest.approx(end, abs=1e-9)
    if not topic:
        assert (handle.status, handle.result.error_code) == ('succeeded', Codes.SUCCESSFUL)
    # The spline's jerk: a change of velocity v and a way s in the time T: 36 v / T^2, 60 s / T^3.
    fastest = np.abs(arm.v[begin + steps]).max()
    # At its end a spline through positions has an acceleration, which ends there.
    jerk = 40.0 * fastest / first**2 + 60.0 * 0.8 / first**3 + 40.0
    assert leaps(arm, begin + steps, int(first / 0.002) - 2) < 0.002 * jerk


def test_what_cannot_be_joined_within_limits_is_said_before():
    """And the path goes on, as if nobody had asked."""
    (alone, _), (arm, path) = drawing(0.5), drawing(0.5)
    far = np.add(arm.measured.q, (2.0, 0.0, 0.0))
    with pytest.raises(InfeasibleError, match=(
            r"the trajectory cannot be followed .* velocity .* of joint 'joint1' is beyond")):
        arm.send(arm.goal((0.2, {'positions': far}), stamp=0.4))
    with pytest.raises(InfeasibleError, match="joint 'joint1' would need"):
        arm.send(arm.goal((0.45, {'positions': far}), stamp=0.4))
    with pytest.raises(GoalError, match="the first point is due at once, but joint 'joint1' is"):
        arm.send(arm.goal((0.0, {'positions': far}), (2.0, {'positions': far}), stamp=0.4))
    arm.run(0.6)
    alone.run(0.6)
    assert path.result is None
    assert arm.q[-1] == pytest.approx(alone.q[-1], abs=1e-12)


def test_what_waits_is_cancelled_preempted_and_dropped_as_others_are():
    arm, _ = drawing(0.5)
    wish = arm.goal((1.0, {'positions': START}), stamp=0.5)
    handle = arm.send(wish)
    arm.run(0.1)
    handle.is_cancel_requested = True
    arm.run(1.0)
    assert handle.status == 'canceled'
    assert np.abs(arm.v[-1]).max() == 0.0   # the robot holds, as after each cancel
    arm, _ = drawing(0.5)
    handle = arm.send(arm.goal((1.0, {'positions': START}), stamp=0.5))
    other = arm.send(arm.goal((1.0, {'positions': START}), stamp=0.3))
    arm.run(1.4)
    assert handle.result.error_string == 'Current goal preempted by new incoming action.'
    assert other.status == 'succeeded'
    arm, _ = drawing(0.5)
    handle = arm.send(arm.goal((1.0, {'positions': START}), stamp=0.5))
    again = arm.send(FollowPath.Goal(task=ELLIPSE), '~/follow_path')
    arm.run(1.0)
    assert handle.status == 'aborted'
    assert again.result is None
    assert arm.tracker.follows_task
    arm.goals.drop('the robot was replaced')
    arm.run(0.1)
    assert again.result.error_string == 'the robot was replaced'


def test_without_replacement_the_robot_comes_to_rest_before():
    arm, _ = drawing(0.5)
    arm.settings.allow_trajectory_replacement = False
    handle = arm.send(arm.goal((1.0, {'positions': START}), stamp=1.0))
    arm.run(0.9)
    assert np.abs(arm.v[-1]).max() < 1e-9
    arm.run(1.2)
    assert handle.status == 'succeeded'
