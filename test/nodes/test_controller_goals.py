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

"""What the controller is asked for while it runs: actions, topics, services."""

import math
from pathlib import Path
import re

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from control_msgs.srv import QueryTrajectoryState
from controlled import ControlledRobot
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Inertia, Vector3, Vector3Stamped
from mbd_msgs.action import FollowPath
from mbd_msgs.msg import ControllerState
from mbd_msgs.srv import SetPayload
import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

pytestmark = pytest.mark.nodes

CONFIG = Path(__file__).resolve().parents[2] / 'config' / 'three_link_arm.yaml'
NAMES = ['joint1', 'joint2', 'joint3']
START = [math.pi / 4.0, -math.pi / 4.0, math.pi / 2.0]
Codes = FollowJointTrajectory.Result


def trajectory(*rows, names=NAMES, velocities=None):
    """Return a trajectory: rows of (time, positions)."""
    message = JointTrajectory(joint_names=names)
    for moment, positions in rows:
        point = JointTrajectoryPoint(positions=[float(x) for x in positions])
        point.time_from_start.sec = int(moment)
        point.time_from_start.nanosec = round((moment % 1) * 1e9)
        message.points.append(point)
    if velocities is not None:
        message.points[-1].velocities = velocities
    return message


def goal(*rows, **more):
    return FollowJointTrajectory.Goal(trajectory=trajectory(*rows, **more))


REJECTED = [
    (goal((1.0, (0, 0)), names=['joint1', 'joint2']),
     "joints of the trajectory are ['joint1', 'joint2']; allowed: each of"),
    (goal(), 'the trajectory has no points'),
    (goal((1.0, START), (1.0, START)), 'time_from_start of point 1'),
    (goal((0.0, (0, 0, 0)), (1.0, START)),
     "the first point is due at once, but joint 'joint3' is 1.57"),
    (goal((1.0, START), velocities=[0.0, 0.1, 0.0]),
     "the velocity of joint 'joint2' at the last point is 0.1 rad/s; allowed: 0 within 1.2e-07"),
    (goal((1.0, (0, math.nan, 0))), 'positions of point 0 are not finite'),
    (goal((0.2, (START[0] + 1.0, *START[1:]))), "s after its begin: joint 'joint1' would need "),
]


@pytest.fixture(scope='class')
def arm(run_shared, shared_graph, urdf):
    description = {'robot_description': str(urdf('three_link_arm'))}
    simulator = run_shared('simulator', {
        **description, 'lockstep': 'true', 'publish_rate': '500.0', 'lockstep_timeout': '60.0'},
        '--params-file', str(CONFIG))
    controller = run_shared('controller', {
        **description, 'path.kind': 'none', 'start': 'approach', 'state_timeout': '60.0'},
        '--params-file', str(CONFIG))
    controller.wait_for('generation 1')
    arm = ControlledRobot(shared_graph, controller)
    yield arm
    assert simulator.up
    assert controller.up


class TestOneArm:
    """One arm does all of it, one thing after the other."""

    def test_goals_are_rejected_superseded_and_cancelled(self, arm):
        """What cannot be followed is explained, and the robot stays weightless."""
        for wrong, words in REJECTED:
            arm.assert_rejected(arm.joints, wrong, words)
        late = goal((1.0, START))
        late.trajectory.header.stamp.sec = 1
        arm.assert_rejected(arm.joints, late, 'the trajectory ended ')
        health = arm.graph.hear(DiagnosticArray, '/diagnostics')
        arm.graph.wait_until(lambda: any(
            value.key == 'last error' and 'the trajectory ended' in value.value
            for message in health for value in message.status[0].values), 'diagnostics say why')
        assert arm.states[-1].mode == ControllerState.MODE_WEIGHTLESS
        far = goal((20.0, (0.0, 0.0, 0.5)))
        first = arm.send(arm.joints, far)
        arm.wait_for_mode(ControllerState.MODE_TRACKING)
        second = arm.send(arm.joints, far)
        status, result = arm.result(first)
        assert status == GoalStatus.STATUS_ABORTED
        assert result.error_string == 'Current goal preempted by new incoming action.'
        assert result.error_code == Codes.INVALID_GOAL
        assert len(arm.wait(second.cancel_goal_async(), 'cancelled').goals_canceling) == 1
        status, result = arm.result(second)
        assert status == GoalStatus.STATUS_CANCELED
        state = arm.wait_for_mode(ControllerState.MODE_HOLDING)
        assert state.message == 'cancelled'
        arm.graph.wait_until(lambda: max(abs(v) for v in arm.joint_states[-1].velocity) < 1e-3,
                             'it rests')

    def test_a_trajectory_is_followed_to_its_end(self, arm):
        """By joint names in another order, with feedback; then the robot holds."""
        status, result = arm.carried_out(arm.joints, goal(
            (0.4, (1.6, 0.8, -0.8)), (0.8, (1.4, 1.0, -0.6)),
            names=['joint3', 'joint1', 'joint2']))
        assert (status, result.error_code, result.error_string) == (
            GoalStatus.STATUS_SUCCEEDED, Codes.SUCCESSFUL, '')
        arm.wait_for_mode(ControllerState.MODE_HOLDING)
        arm.graph.wait_until(lambda: list(arm.joint_states[-1].position) == pytest.approx(
            [1.0, -0.6, 1.4], abs=1e-4), 'it arrives')
        assert arm.feedback
        assert list(arm.feedback[-1].joint_names) == NAMES
        assert max(abs(error) for error in arm.feedback[-1].error.positions) < 1e-3
        standard = arm.standard[-1]
        assert list(standard.joint_names) == NAMES
        assert len(standard.output.effort) == 3
        assert list(standard.reference.positions) == pytest.approx([1.0, -0.6, 1.4])
        publisher = arm.graph.node.create_publisher(
            JointTrajectory, 'controller/joint_trajectory', 10)
        arm.graph.publish_until(publisher, trajectory((0.3, (1.0, -0.7, 1.4))), lambda:
                                arm.joint_states[-1].position[1] < -0.601, 'it moves')
        arm.graph.wait_until(
            lambda: arm.joint_states[-1].position[1] == pytest.approx(-0.7, abs=1e-6),
            'it arrives')
        request = QueryTrajectoryState.Request(time=arm.joint_states[-1].header.stamp)
        answer = arm.graph.call(QueryTrajectoryState, 'controller/query_state', request)
        assert answer.success
        assert dict(zip(answer.name, answer.position)) == pytest.approx(
            dict(zip(NAMES, (1.0, -0.7, 1.4))), abs=1e-5)

    def test_a_shaped_trajectory_takes_a_period_longer(self, arm):
        """The way back and forth; the reference arrives later, and then the goal is reached."""
        place = list(arm.joint_states[-1].position)
        there = goal((0.5, (place[0] + 0.2, *place[1:])))
        change = Parameter(name='shaping.frequencies', value=ParameterValue(
            type=ParameterType.PARAMETER_DOUBLE_ARRAY, double_array_value=[1.0]))
        set_parameters = arm.graph.call(SetParameters, 'controller/set_parameters',
                                        SetParameters.Request(parameters=[change]))
        assert set_parameters.results[0].successful, set_parameters.results[0].reason
        begin = len(arm.standard)
        status, result = arm.carried_out(arm.joints, there)
        assert (status, result.error_string) == (GoalStatus.STATUS_SUCCEEDED, '')
        moving = [one for one in arm.standard[begin:] if any(one.reference.velocities)]
        stamps = [one.header.stamp.sec + 1e-9 * one.header.stamp.nanosec for one in moving]
        # 0.5 s and the period of 1 Hz; states come every 20 ms or so, some may be lost.
        assert 1.3 < stamps[-1] - stamps[0] < 1.55
        change.value.double_array_value = []
        assert arm.graph.call(SetParameters, 'controller/set_parameters', SetParameters.Request(
            parameters=[change])).results[0].successful
        status, _ = arm.carried_out(arm.joints, goal((0.5, place)))
        assert status == GoalStatus.STATUS_SUCCEEDED

    def test_a_tolerance_that_is_violated_ends_the_goal(self, arm):
        """A payload that the controller learns of too much of pushes the arm away."""
        answer = arm.graph.call(SetPayload, 'controller/set_payload', SetPayload.Request(
            link='tool', payload=Inertia(m=0.3)))
        assert (answer.success, answer.message) == (True, '')
        strict = goal((5.0, START))
        strict.path_tolerance = [JointTolerance(name='joint2', position=1e-3)]
        status, result = arm.carried_out(arm.joints, strict)
        assert (status, result.error_code) == (
            GoalStatus.STATUS_ABORTED, Codes.PATH_TOLERANCE_VIOLATED)
        # How far it is by then, a few milliradians, is a matter of when the goal comes.
        assert re.match("Aborted due to path tolerance violation: position of joint 'joint2' is "
                        'off by 0[.]00[0-9]+ rad, allowed is 0.001 rad, at ',
                        result.error_string), result.error_string
        assert arm.graph.call(SetPayload, 'controller/set_payload', SetPayload.Request(
            link='tool', payload=Inertia(m=0.0))).success
        # On another link it needs machine code of its own, for which no step waits.
        for link in ('link2', 'tool'):
            assert arm.graph.call(SetPayload, 'controller/set_payload', SetPayload.Request(
                link=link, payload=Inertia(m=0.1))).success
        assert arm.graph.call(SetPayload, 'controller/set_payload', SetPayload.Request(
            link='tool', payload=Inertia(m=0.0))).success
        refused = arm.graph.call(SetPayload, 'controller/set_payload', SetPayload.Request(
            link='tol', payload=Inertia(m=0.3)))
        assert not refused.success
        assert "did you mean 'tool'" in refused.message

    def test_a_path_in_space_is_followed_with_progress(self, arm):
        arm.feedback.clear()
        line = ('{link: tool, path: {kind: line, start: [1, 0.7, 1.2], end: [1, 1, 1], '
                'duration: 0.6}}')
        status, result = arm.carried_out(arm.paths, FollowPath.Goal(task=line))
        assert (status, result.error_code, result.error_string) == (
            GoalStatus.STATUS_SUCCEEDED, FollowPath.Result.SUCCESSFUL, '')
        assert arm.states[-1].tool_error < 5e-3
        assert [x.progress for x in arm.feedback] == sorted(x.progress for x in arm.feedback)
        assert arm.feedback[0].path_time < 0.0 < arm.feedback[-1].path_time
        for text, words in (
                ('{link: tol}', 'also with path'),
                ('{link: tool, pth: 1}', "did you mean 'path'"),
                (line.replace('1, 1, 1', '9, 1, 1').replace('1, 0.7, 1.2', '9, 1, 1'),
                 'the path cannot be followed 0 s after its begin: it is out of reach'),
                (line.replace('1, 1, 1', '1, 3, 1'),   # it begins within reach
                 's after its begin: it is out of reach, the nearest state found still violates '
                 'the constraints by'), ('{link: tool, path: {kind: line, start: [9, 1, 1], end: '
                                         '[9, 1, 1.1], duration: 1}}', ' [m, rad]; allowed: ')):
            arm.assert_rejected(arm.paths, FollowPath.Goal(task=text), words)
        publisher = arm.graph.node.create_publisher(Vector3Stamped, 'controller/gravity', 10)
        count, before = len(arm.states), arm.states[-1].effort_nominal[1]
        # The arm, which stands under full gravity, begins to fall; the first states still tell.
        arm.graph.publish_until(publisher, Vector3Stamped(vector=Vector3(z=-4.905)), lambda: any(
            len(one.effort_nominal) == 3 and abs(one.effort_nominal[1]) < 0.7 * abs(before)
            for one in arm.states[count:]), 'it is told')
