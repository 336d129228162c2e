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

"""Goals that come faster than they can be prepared: each has an answer, and control goes on."""

import re

from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from controlled import ControlledRobot
from mbd_msgs.action import FollowPath
from mbd_msgs.msg import ControllerState
import pytest
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

pytestmark = pytest.mark.nodes

GOALS, PERIOD = 200, 0.03   # s

ENDED = {GoalStatus.STATUS_ABORTED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_SUCCEEDED}


def goal(number):
    """Return a goal, of the two actions by turns, each another one."""
    if number % 2:
        return FollowPath.Goal(
            task='constraints: [{kind: joint_coupling, coefficients: {joint1: 1.0, joint2: 1.0}, '
            f'value: {0.2 + 0.001 * number}}}]')
    return FollowJointTrajectory.Goal(trajectory=JointTrajectory(
        joint_names=['joint1', 'joint2', 'joint3'], points=[JointTrajectoryPoint(
            positions=[0.001 * number, -0.5, 1.0], time_from_start=Duration(sec=20))]))


def test_every_one_of_many_preempting_goals_has_an_answer(run_node, graph, urdf):
    description = {'robot_description': str(urdf('three_link_arm'))}
    controller = run_node('controller', {
        **description, 'path.kind': 'none', 'state_timeout': '60.0'})
    controller.wait_for('generation 1')
    run_node('simulator', {**description, 'initial_positions': '[0.0, -0.5, 1.0]'})
    robot = ControlledRobot(graph, controller)
    for client in (robot.joints, robot.paths):
        assert client.wait_for_server(60.0)
    sent, handles, results = [], [], {}

    def answered(future):
        handles.append(future.result())
        if handles[-1].accepted:
            results[handles[-1].get_result_async()] = handles[-1]

    def send():
        if len(sent) < GOALS:
            client = robot.paths if len(sent) % 2 else robot.joints
            sent.append(client.send_goal_async(goal(len(sent))))
            sent[-1].add_done_callback(answered)
    timer = graph.node.create_timer(PERIOD, send)
    graph.wait_until(lambda: len(sent) == GOALS, 'all goals are sent')
    timer.cancel()
    graph.wait_until(lambda: len(handles) == GOALS, 'all goals are answered')
    assert results
    graph.wait_until(lambda: sum(not one.done() for one in results) == 1,
                     'all that were taken over have results')
    robot.wait_for_mode(ControllerState.MODE_TRACKING)
    (last,) = (one for one in results if not one.done())
    robot.wait(results[last].cancel_goal_async(), 'the last one is cancelled')
    assert robot.wait(last, 'the last one ends').status == GoalStatus.STATUS_CANCELED
    assert {one.result().status for one in results} <= ENDED
    assert not re.search('internal error|Traceback', controller.output)
