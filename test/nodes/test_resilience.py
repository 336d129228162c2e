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

"""The demo when a process dies, and when it is told to end."""

import os
import re
import signal

from mbd_msgs.msg import ControllerState
from mbd_msgs.srv import MassMatrix
import pytest
from trajectory_msgs.msg import JointTrajectoryPoint

pytestmark = [pytest.mark.nodes, pytest.mark.slow]

NODES = ('robot_state_publisher', 'dynamics_server', 'controller', 'simulator', 'viewer')


def process_of(running, name):
    """Return the process id of a node."""
    (process,) = [number for number, command in running.processes().items()
                  if f'lib/mbd_ros/{name}' in command or f'__node:={name}' in command]
    return process


def test_the_rest_reports_a_killed_simulator_and_stays_up(launch, graph):
    running = launch('track.launch.py', 'viewer:=false', 'rviz:=false')
    states = graph.hear(ControllerState, 'controller/state')
    graph.wait_until(lambda: states and states[-1].mode == ControllerState.MODE_TRACKING,
                     'the controller tracks')

    os.kill(process_of(running, 'simulator'), signal.SIGKILL)
    running.wait_for(r'simulator-\d+ ended with code -9; the other nodes stay up')
    running.wait_for(r'\[controller\]: joint_states stopped coming 0.5 s ago: no efforts are sent')
    lost = graph.wait_until(
        lambda: next((one for one in states if one.mode == ControllerState.MODE_LOST), None),
        'the controller says that joint states are lost')
    assert lost.message.startswith('joint_states stopped coming')
    assert not lost.effort_total

    answer = graph.call(MassMatrix, 'dynamics_server/mass_matrix', MassMatrix.Request(
        joint_names=['joint1', 'joint2', 'joint3'],
        points=[JointTrajectoryPoint(positions=[0.0] * 3)]))
    assert answer.success
    alive = ' '.join(running.processes().values())
    for name in ('robot_state_publisher', 'dynamics_server', 'controller'):
        assert name in alive
    assert running.up


def test_the_controller_takes_up_the_path_when_joint_states_come_back(
        launch, run_node, graph, urdf):
    running = launch('track.launch.py', 'viewer:=false', 'rviz:=false')
    states = graph.hear(ControllerState, 'controller/state')

    def last_mode(mode):
        return lambda: states and states[-1].mode == mode

    graph.wait_until(last_mode(ControllerState.MODE_TRACKING), 'the controller tracks')
    os.kill(process_of(running, 'simulator'), signal.SIGKILL)
    graph.wait_until(last_mode(ControllerState.MODE_LOST), 'joint states are lost')
    run_node('simulator', {'robot_description': str(urdf('three_link_arm')),
                           'initial_positions': '[0.5, -0.8, 1.5]'})
    graph.wait_until(last_mode(ControllerState.MODE_TRACKING), 'the controller tracks again')
    graph.wait_until(lambda: states[-1].tool_error < 1e-3, 'within a millimetre again')


def test_ctrl_c_ends_every_process_and_leaves_none(launch, graph):
    running = launch('track.launch.py', 'port:=8390', 'rviz:=false', 'sigterm_timeout:=50')
    states = graph.hear(ControllerState, 'controller/state')
    graph.wait_until(lambda: states and states[-1].mode == ControllerState.MODE_TRACKING,
                     'the controller tracks')
    commands = ' '.join(running.processes().values())
    for name in NODES:
        assert name in commands
    running.interrupt()
    assert 'escalating' not in running.output   # each ends by itself, and at once
    graph.wait_until(lambda: not running.processes(), 'no process is left')
    assert 'Traceback' not in running.output
    for name in NODES:
        assert re.search(rf'\[INFO\] \[(mbd_)?{name}-', running.output), name
    assert running.output.count('process has finished cleanly') == len(NODES)
