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

"""A robot of the user's own by one argument: weightless at first, then it follows a goal."""

from action_msgs.msg import GoalStatus
from mbd_msgs.action import FollowPath
from mbd_msgs.msg import ControllerState
import numpy as np
import pytest
from rclpy.action import ActionClient
from sensor_msgs.msg import JointState

import mbd_ros

pytestmark = [pytest.mark.nodes, pytest.mark.slow]

SILENT = ('viewer:=false', 'rviz:=false', 'use_sim_time:=true', 'real_time_factor:=0',
          'composed:=true', 'rate:=250')
HELD = """<robot name="mine"><link name="base"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/><limit effort="100" velocity="5" lower="0.3" upper="1.5"/></joint>
  <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="2"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>
    <limit effort="50" velocity="5" lower="0.5" upper="2"/></joint>
  <link name="lower"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <joint name="wrist" type="fixed"><parent link="lower"/><child link="hand"/>
    <origin xyz="0.4 0 0"/></joint><link name="hand"/>
</robot>"""


def test_a_robot_without_a_parameter_file(launch, graph, tmp_path):
    robot = tmp_path / 'my robot.urdf'
    robot.write_text(HELD)
    states = graph.hear(ControllerState, 'controller/state', 100)
    measured = graph.hear(JointState, 'joint_states')
    launch('track.launch.py', f'description:={robot}', 'link:=hand', *SILENT)
    graph.wait_until(lambda: any(one.path_time > 1.0 for one in list(states)), 'it runs', 120.0)
    held = [one for one in list(states) if one.path_time > 0.5][0]
    assert held.mode == ControllerState.MODE_WEIGHTLESS and not held.message
    # Zero is outside the limits of the shoulder: it begins at the nearest position within.
    place = dict(zip(measured[-1].name, measured[-1].position))
    assert place['shoulder'] == pytest.approx(0.3, abs=1e-6)   # of 1 s held by rounded efforts
    model = mbd_ros.load(str(robot))
    q = np.array([place[name] for name in model.joint_names])
    weight = dict(zip(model.joint_names, mbd_ros.gravity_forces(model, q)))
    np.testing.assert_allclose(held.effort_total, [weight[name] for name in held.joint_names],
                               atol=1e-6)

    client = ActionClient(graph.node, FollowPath, 'controller/follow_path')
    assert client.wait_for_server(60.0)
    tip = mbd_ros.pose(model, q, 'hand')[:3, 3]
    end = tip - np.array([0.05, 0.0, 0.05])
    sent = client.send_goal_async(FollowPath.Goal(task=(
        f'{{axes: xz, path: {{kind: line, start: {tip.tolist()}, end: {end.tolist()}, '
        'duration: 0.5}}')))
    graph.wait_until(sent.done, 'the goal is answered', 120.0)
    assert sent.result().accepted
    result = sent.result().get_result_async()
    graph.wait_until(result.done, 'the goal ends', 120.0)
    assert (result.result().status, result.result().result.error_string) == (
        GoalStatus.STATUS_SUCCEEDED, '')
