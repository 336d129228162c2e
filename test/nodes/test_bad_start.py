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

"""Nodes that are started with something wrong say so in one clear line and stay up."""

import signal

import pytest

pytestmark = pytest.mark.nodes

BROKEN = '<robot name="broken">\n  <link name="a">\n</robot>\n'
MASSLESS = """<robot name="massless">
  <link name="base"/>
  <link name="arm"><inertial><mass value="0"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="elbow" type="continuous"><parent link="base"/><child link="arm"/>
    <axis xyz="0 0 1"/></joint>
</robot>
"""


def check(running, message, *, stays_up=True):
    """Check that a message comes exactly once, without a traceback, and that the node stays up."""
    running.wait_for(message)
    if stays_up:
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(60) == 0, running.output
    assert 'Traceback' not in running.output
    said = [line for line in running.output.splitlines() if '[ERROR]' in line]
    assert len(said) == 1, running.output


@pytest.mark.parametrize(('node', 'text', 'message'), [
    ('dynamics_server', None, 'FILE: there is no such file'),
    ('simulator', BROKEN, 'FILE:[23]: '),   # the line
    ('controller', MASSLESS, ".*joint 'elbow'")])
def test_a_robot_that_is_refused(run_node, node, text, message, tmp_path):
    """By the one reader that all nodes have (``RobotSource``): what it says, and each node."""
    file = tmp_path / 'robot.urdf'
    if text is not None:
        file.write_text(text)
    running = run_node(node, {'robot_description': str(file)})
    check(running, 'robot description refused: ' + message.replace('FILE', str(file)))


@pytest.mark.parametrize(('parameters', 'message'), [
    ({'joints': '[joint1, joint2, elbow]'}, "there is no joint named 'elbow'; known: joint1"),
    ({'initial_positions': '[0.0, 0.0]'},
     r'initial_positions has shape \(2,\); allowed: \(3,\): joint1, joint2, joint3'),
    ({'initial_positions': '[0.0, .nan, 0.0]'}, "initial_positions of joint 'joint2' is nan"),
])
def test_simulator_parameters_that_do_not_fit_the_robot(run_node, urdf, parameters, message):
    running = run_node(
        'simulator', {'robot_description': str(urdf('three_link_arm')), **parameters})
    check(running, message)


@pytest.mark.parametrize(('parameters', 'message'), [
    ({'link': 'tol', 'path.center': '[1.0, 0.0, 1.0]', 'path.a': '[0.1, 0.0, 0.0]',
      'path.b': '[0.0, 0.1, 0.0]'}, "there is no link named 'tol'.*did you mean 'tool'"),
    ({'path.kind': 'circle', 'path.center': '[1.0, 0.0]', 'path.radius': '0.1',
      'path.normal': '[0.0, 0.0, 1.0]'}, r'center has shape \(2,\); allowed: \(3,\)'),
    ({'path.kind': 'line'}, 'path of kind line'),
    ({'path.a': '[.nan, 0.0, 0.0]', 'path.b': '[0.0, 0.1, 0.0]',
      'path.center': '[1.0, 0.0, 1.0]'}, 'a of x is nan'),
])
def test_controller_parameters_that_do_not_fit_the_robot(run_node, urdf, parameters, message):
    running = run_node(
        'controller', {'robot_description': str(urdf('three_link_arm')), **parameters})
    check(running, message)


def test_thrusters_take_no_positions(run_node, urdf):
    running = run_node('controller', {
        'robot_description': str(urdf('rov')), 'floating_base': 'true',
        'command_interface': 'position'})
    check(running, "robot description refused: parameter 'command_interface' is 'position'; "
                   "allowed: 'effort': the robot has thrusters")


@pytest.mark.parametrize(('node', 'parameters', 'message'), [
    ('simulator', {'rate': '-5.0'}, r"cannot start: .*'?rate'?"),
    ('simulator', {'effort_timeout_action': 'fall'},
     r"cannot start: parameter 'effort_timeout_action' is 'fall'; allowed: one of"),
    ('controller', {'hardware': "'a b'"},
     "cannot start: parameter 'hardware' is 'a b'; allowed: the name of a node"),
    ('viewer', {'port': '0'}, r"cannot start: .*'?port'?"),
])
def test_parameters_out_of_bounds_end_the_start_with_one_line(
        run_node, node, parameters, message):
    running = run_node(node, parameters)
    assert running.process.wait(60) == 1
    assert len(running.output.strip().splitlines()) == 1, running.output
    running.wait_for(message)


def test_unknown_parameters_are_said_with_the_nearest(run_node, urdf):
    running = run_node('simulator', {
        'robot_description': str(urdf('three_link_arm')), 'publish_rat': '100.0'})
    running.wait_for("ignored: there is no parameter named 'publish_rat'.*"
                     "did you mean 'publish_rate'")
    running.wait_for('generation 1')
