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

"""All nodes in one process: the same run, parameters of each, one Ctrl-C for all."""

from pathlib import Path
import sys

from diagnostic_msgs.msg import DiagnosticArray
from mbd_msgs.msg import ControllerState
from mbd_msgs.srv import MassMatrix
import pytest
from rcl_interfaces.srv import GetParameters
from trajectory_msgs.msg import JointTrajectoryPoint
import yaml

from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.nodes import composed

pytestmark = pytest.mark.nodes


def parameters(graph, node, *names):
    return graph.call(GetParameters, f'{node}/get_parameters',
                      GetParameters.Request(names=list(names))).values


def test_one_process_tracks_answers_and_ends(launch, graph, patient):
    running = launch('track.launch.py', patient('three_link_arm'), 'composed:=true',
                     'viewer:=false', 'rviz:=false', 'use_sim_time:=true', 'real_time_factor:=0',
                     'rate:=400', 'sigterm_timeout:=50')
    states = graph.hear(ControllerState, 'controller/state', 100)

    def late():
        return [one for one in states
                if one.mode == ControllerState.MODE_TRACKING and one.path_time > 2.0]
    graph.wait_until(lambda: len(late()) > 10, 'the arm tracks')
    # As in separate processes: efforts held for 2.5 ms cost some 0.1 mm. 400 Hz do not divide the
    # 1000 Hz of the integration; every state has to be answered all the same.
    assert max(one.tool_error for one in late()) < 1e-3
    assert max(one.constraint_violation_after for one in late()) < 1e-12
    answer = graph.call(MassMatrix, 'dynamics_server/mass_matrix', MassMatrix.Request(
        joint_names=['joint1', 'joint2', 'joint3'],
        points=[JointTrajectoryPoint(positions=[0.1, 0.2, 0.3])]))
    assert answer.success, answer.message
    # RViz would hear all that its configuration names.
    text = (Path(__file__).resolve().parents[2] / 'config' / 'mbd_ros.rviz').read_text()
    for display in yaml.safe_load(text)['Visualization Manager']['Displays']:
        for topic in (display[key] for key in ('Topic', 'Description Topic') if key in display):
            offered = graph.node.get_publishers_info_by_topic(topic['Value'])
            assert {one.qos_profile.durability.name.replace('_', ' ').title()
                    for one in offered} == {topic['Durability Policy']}, topic
            assert {one.qos_profile.reliability.name.title()
                    for one in offered} == {topic['Reliability Policy']}
    # What is meant for one node reaches that one only.
    rate, follows = parameters(graph, 'controller', 'rate', 'use_sim_time')
    assert (rate.double_value, follows.bool_value) == (400.0, True)
    publish, lockstep, follows = parameters(graph, 'simulator', 'publish_rate', 'lockstep',
                                            'use_sim_time')
    assert (publish.double_value, lockstep.bool_value, follows.bool_value) == (400.0, True, False)
    names = [name for name in running.processes().values() if 'composed ' in name]
    assert len(names) == 1, running.processes()
    running.interrupt()
    assert 'escalating' not in running.output
    assert 'Traceback' not in running.output
    assert 'composed-2]: process has finished cleanly' in running.output
    assert not running.processes()


def test_a_node_that_cannot_start_leaves_the_others(start, graph, urdf):
    running = start(sys.executable, '-m', 'mbd_ros.nodes.composed', 'dynamics_server', 'simulator',
                    '--ros-args', '-p', 'dynamics_server:executor:=gpu', '-p',
                    f'simulator:robot_description:={urdf("three_link_arm")}')
    running.wait_for("cannot start: parameter 'executor' is 'gpu'")
    status = graph.hear(DiagnosticArray, '/diagnostics')
    graph.wait_until(lambda: status, 'diagnostics of the simulator')
    assert {one.name for message in status for one in message.status} == {'/simulator'}
    running.interrupt()
    assert running.process.returncode == 1
    assert 'Traceback' not in running.output


def test_names_are_checked():
    assert [make.__name__ for make in composed.chosen(['simulator', 'controller'])] == [
        'Simulator', 'Controller']
    with pytest.raises(UnknownNameError, match=r"no node named 'simulater'.*'simulator'"):
        composed.chosen(['simulater'])
    for names in ([], ['viewer', 'viewer']):
        with pytest.raises(InvalidValueError, match='each of controller, dynamics_server, '):
            composed.chosen(names)
