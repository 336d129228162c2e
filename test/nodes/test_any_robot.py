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

"""Robots of no common kind: loops on a base that floats, and a ball joint outside loops."""

import json

from described import on_platform
from mbd_msgs.msg import ControllerState
from nav_msgs.msg import Odometry
import numpy as np
import pytest
from sensor_msgs.msg import JointState, MultiDOFJointState
from std_msgs.msg import Float64MultiArray

pytestmark = [pytest.mark.nodes, pytest.mark.slow]

SILENT = ('viewer:=false', 'rviz:=false', 'use_sim_time:=true', 'real_time_factor:=0',
          'composed:=true', 'rate:=250')
HANGING = """<robot name="hanging"><link name="root"/>
  <joint name="slide" type="prismatic"><parent link="root"/><child link="cart"/>
    <axis xyz="1 0 0"/><limit effort="500" velocity="5" lower="-2" upper="2"/></joint>
  <link name="cart"><inertial><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="ball" type="spherical"><parent link="cart"/><child link="bob"/></joint>
  <link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="1.5"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial></link>
</robot>"""


@pytest.fixture
def follow(launch, graph, tmp_path):
    """Let a robot follow a path and return the states on it, after 1.3 s on it."""
    def begin(text, simulator, controller):
        robot, config = tmp_path / 'robot.urdf', tmp_path / 'robot.yaml'
        robot.write_text(text)
        config.write_text(json.dumps({
            'simulator': {'ros__parameters': {
                **simulator, 'robot_description': str(robot), 'lockstep_timeout': 60.0}},
            'controller': {'ros__parameters': {
                **controller, 'robot_description': str(robot), 'start': 'approach',
                'state_timeout': 60.0}},
            'dynamics_server': {'ros__parameters': {}}}))
        states = graph.hear(ControllerState, 'controller/state', 100)
        launch('track.launch.py', f'description:={robot}', f'config:={config}', *SILENT)

        def late():
            return [one for one in list(states)
                    if one.mode == ControllerState.MODE_TRACKING and one.path_time > 0.3]
        graph.wait_until(lambda: late() and late()[-1].path_time > 1.3, 'it follows', 300.0)
        assert not any(one.saturated or one.message for one in late())
        return late()
    return begin


def test_a_five_bar_robot_on_a_platform_that_floats(follow, graph, urdf):
    """Only its drives and the base are measured; the elbows follow, and the base gives way."""
    measured = graph.hear(JointState, 'joint_states')
    bases = graph.hear(Odometry, 'odom')
    text = urdf('five_bar').read_text()
    drives = {'joints': ['left_drive', 'right_drive'], 'floating_base': True,
              'gravity': [0.0, 0.0, 0.0]}
    states = follow(
        on_platform(text),
        {**drives, 'measured': drives['joints']},
        {**drives, 'actuated': drives['joints'], 'link': 'tool', 'axes': 'xz', 'path': {
            'kind': 'ellipse', 'center': [0.0, 0.0, 0.42], 'a': [0.05, 0.0, 0.0],
            'b': [0.0, 0.0, 0.03], 'period': 2.0}})
    assert list(measured[-1].name) == drives['joints']
    assert {one.constraint_rank for one in states} == {4}   # two of the loop, two of the path
    # Efforts that are held for 4 ms cost some 0.1 mm at 0.16 m/s with a base that gives way.
    far = [(one.path_time, one.tool_error) for one in states if one.tool_error >= 3e-4]
    assert not far, (len(states), far[:20])
    base = bases[-1].pose.pose.position
    assert np.hypot(base.x, base.z) > 1e-3


def test_a_pendulum_on_a_ball_joint_is_carried(follow, graph):
    """
    The bob swings; where it is comes by multi_dof_joint_states, and the cart is on its path.

    URDF itself has no ball joints, so that robot_state_publisher gives up: the nodes have a file.
    """
    balls = graph.hear(MultiDOFJointState, 'multi_dof_joint_states')
    states = follow(HANGING, {'joints': ['slide']}, {
        'joints': ['slide'], 'actuated': ['slide'], 'link': 'cart', 'axes': 'x',
        'path': {'kind': 'ellipse', 'center': [0.0, 0.0, 0.0], 'a': [0.3, 0.0, 0.0],
                 'b': [0.0, 0.0, 0.1], 'period': 2.0}})
    assert max(one.tool_error for one in states) < 8e-4   # efforts held for 4 ms at 0.9 m/s
    assert list(balls[-1].joint_names) == ['ball']
    assert max(abs(one.twist[0].angular.y) for one in list(balls)) > 0.1   # it swings
    turn = balls[-1].transforms[0].rotation
    assert turn.x**2 + turn.y**2 + turn.z**2 + turn.w**2 == pytest.approx(1.0, abs=1e-12)


def test_without_its_ball_joint_nothing_begins(run_node, graph, tmp_path):
    """The log says what is missing."""
    file = tmp_path / 'hanging.urdf'
    file.write_text(HANGING)
    running = run_node('controller', {'robot_description': str(file), 'path.kind': 'none'})
    running.wait_for('generation 1')
    publisher = graph.node.create_publisher(JointState, 'joint_states', 10)
    commands = graph.hear(Float64MultiArray, 'effort_controller/commands')

    def said():
        publisher.publish(JointState(name=['slide'], position=[0.0], velocity=[0.0]))
        return 'waiting: no multi_dof_joint_states' in running.output
    graph.wait_until(said, 'it says what is missing')
    assert not commands
