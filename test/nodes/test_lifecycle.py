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

"""Every node is managed: ros2 lifecycle drives it, and only what is active acts."""

from pathlib import Path
import shutil
import subprocess
import time

from control_msgs.action import FollowJointTrajectory
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from mbd_msgs.msg import ControllerState, ErrorCode
from mbd_msgs.srv import CheckModel, GetGraph, SetPayload
from processes import PATH
import pytest
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionClient
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from mbd_ros.nodes.every_node import qos

pytestmark = pytest.mark.nodes

ROOT = Path(__file__).resolve().parents[2]
ARM = {'robot_description': str(ROOT / 'urdf' / 'three_link_arm.urdf')}
LEG = ("'{period: 1.0, duty: 0.5, legs: {one: {phase: 0.0, swing: {joint: joint2, rest: 0.0, "
       "amplitude: 0.1}, lift: {joint: joint3, rest: 0.0, amplitude: 0.1}}}}'")
OFFERED = {
    'dynamics_server': (ARM, CheckModel, 'check_model'),
    'simulator': (ARM, SetBool, 'pause'),
    'controller': ({**ARM, 'path.kind': 'none'}, SetPayload, 'set_payload'),
    'gait': ({**ARM, 'gait': LEG}, None, ''),
    'module_manager': ({'graph': str(ROOT / 'config' / 'modules' / 'nine_modules.yaml')},
                       GetGraph, 'get_graph'),
    'viewer': ({**ARM, 'port': '8470'}, None, ''),
}
"""Parameters of each node, and one of its services."""
ROUND = (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE,
         Transition.TRANSITION_DEACTIVATE, Transition.TRANSITION_CLEANUP)


@pytest.fixture
def change(graph):
    """Return a function that makes a transition of a node and returns the state after it."""
    def make(node, transition):
        answer = graph.call(ChangeState, f'{node}/change_state', ChangeState.Request(
            transition=Transition(id=transition)))
        assert answer.success, transition
        return state_of(graph, node)
    return make


def state_of(graph, node):
    return graph.call(GetState, f'{node}/get_state', GetState.Request()).current_state.id


def set_parameter(graph, node, name, value):
    return graph.call(SetParameters, f'{node}/set_parameters', SetParameters.Request(
        parameters=[Parameter(name, value=value).to_parameter_msg()])).results[0]


@pytest.mark.parametrize('name', OFFERED)
def test_a_node_goes_round_twice_and_ends_by_shutdown(name, run_node, graph, change):
    parameters, kind, service = OFFERED[name]
    running = run_node(name, {**parameters, 'autostart': 'false'})
    said = graph.hear(DiagnosticArray, '/diagnostics')

    def answers():
        answer = graph.call(kind, f'{name}/{service}', kind.Request())
        code = getattr(answer, 'error_code', ErrorCode.NOT_ACTIVE)
        refused = not answer.success and code == ErrorCode.NOT_ACTIVE and (
            f'/{name} is not active: ros2 lifecycle set /{name} activate' in answer.message)
        return not refused
    running.wait_for(f'waits to be configured: ros2 lifecycle set /{name} configure')
    assert state_of(graph, name) == State.PRIMARY_STATE_UNCONFIGURED
    for _ in range(2):
        assert change(name, ROUND[0]) == State.PRIMARY_STATE_INACTIVE
        assert kind is None or not answers()
        assert change(name, ROUND[1]) == State.PRIMARY_STATE_ACTIVE
        assert kind is None or answers()
        if name != 'viewer':   # which has no diagnostics
            said.clear()
            graph.wait_until(lambda: said, 'it says how it is')
        assert change(name, ROUND[2]) == State.PRIMARY_STATE_INACTIVE
        assert kind is None or not answers()
        assert change(name, ROUND[3]) == State.PRIMARY_STATE_UNCONFIGURED
        graph.wait_until(lambda: f'/{name}/{service}' not in dict(
            graph.node.get_service_names_and_types_by_node(name, '/')), 'its services are gone')
    answer = graph.call(ChangeState, f'{name}/change_state', ChangeState.Request(
        transition=Transition(id=Transition.TRANSITION_UNCONFIGURED_SHUTDOWN)))
    assert answer.success
    assert running.process.wait(30) == 0
    assert 'Traceback' not in running.output and '[ERROR]' not in running.output, running.output


def lifecycle(*words):
    """Run ``ros2 lifecycle`` and return what it says; it may not discover a node at once."""
    for _ in range(10):
        said = subprocess.run([shutil.which('ros2', path=PATH), 'lifecycle', *words], text=True,
                              capture_output=True, timeout=120)
        if said.stdout or 'Node not found' not in said.stderr:
            break
    return said.stdout


@pytest.fixture(params=['false', 'true'])
def composed(request):
    return request.param


@pytest.fixture
def told(graph, composed):
    """Return a function that makes a transition, of one of the controllers by the command."""
    def tell(node, verb):
        if node == '/controller' and composed == 'false':
            assert 'Transitioning successful' in lifecycle('set', node, verb)
        else:   # a command takes seconds to start on a busy machine
            name = {'shutdown': 'active_shutdown'}.get(verb, verb).upper()
            assert graph.call(ChangeState, f'{node}/change_state', ChangeState.Request(
                transition=Transition(id=getattr(Transition, f'TRANSITION_{name}')))).success
    return tell


def test_a_robot_tracks_once_it_is_told_so_by_the_command(
        composed, launch, graph, patient, told):
    running = launch('track.launch.py', patient('three_link_arm'), 'viewer:=false', 'rviz:=false',
                     'autostart:=false', f'composed:={composed}')
    nodes = ('/controller', '/dynamics_server', '/simulator')
    efforts = graph.hear(Float64MultiArray, 'effort_controller/commands', 100)
    states = graph.hear(ControllerState, 'controller/state', 100)
    joints = graph.hear(JointState, 'joint_states', 100)
    graph.wait_until(lambda: all(one in lifecycle('nodes').split() for one in nodes), 'they start')
    assert lifecycle('get', '/controller').startswith('unconfigured')
    for one in nodes:
        told(one, 'configure')
    assert '- activate [3]' in lifecycle('list', '/controller')
    assert not (efforts or states or joints)   # configured, with a robot, and silent
    for one in nodes:
        told(one, 'activate')

    def tracks():
        return states and states[-1].mode == ControllerState.MODE_TRACKING and (
            states[-1].path_time > 2.0)   # after the approach
    graph.wait_until(tracks, 'the arm tracks')
    assert max(one.tool_error for one in states if one.path_time > 2.0) < 1e-3
    # A goal ends when the controller is deactivated; the robot stands still.
    client = ActionClient(graph.node, FollowJointTrajectory,
                          'controller/follow_joint_trajectory')
    goal = FollowJointTrajectory.Goal(trajectory=JointTrajectory(
        joint_names=['joint1', 'joint2', 'joint3'], points=[JointTrajectoryPoint(
            positions=list(joints[-1].position))]))
    goal.trajectory.points[0].time_from_start.sec = 60

    def sent():
        future = client.send_goal_async(goal)
        graph.wait_until(future.done, 'an answer to the goal')
        return future.result()
    assert client.wait_for_server(60.0)
    accepted = sent()
    assert accepted.accepted, running.output
    result = accepted.get_result_async()
    told('/controller', 'deactivate')
    graph.wait_until(result.done, 'a result')
    assert 'deactivated' in result.result().result.error_string
    graph.wait_until(lambda: states[-1].mode == ControllerState.MODE_WAITING, 'it says so')
    assert not sent().accepted
    running.wait_for('follow_joint_trajectory rejected: the node /controller is not active')
    efforts.clear()
    states.clear()
    assert state_of(graph, 'controller') == State.PRIMARY_STATE_INACTIVE
    assert not (efforts or states)
    # After a cleanup it reads its parameters anew, the read-only ones, too.
    assert not set_parameter(graph, 'controller', 'state_rate', 20.0).successful
    told('/controller', 'cleanup')
    assert set_parameter(graph, 'controller', 'state_rate', 20.0).successful
    for transition in ('configure', 'activate'):
        told('/controller', transition)
    graph.wait_until(tracks, 'the arm tracks again')
    stamps = [one.header.stamp.sec + 1e-9 * one.header.stamp.nanosec for one in states[-5:]]
    assert stamps[-1] - stamps[0] == pytest.approx(4 * 0.05, abs=1e-6)
    # The simulator lets the robot stand still, and goes on.
    told('/simulator', 'deactivate')

    def quiet():   # what was on its way when the answer came is heard after it
        joints.clear()
        time.sleep(0.5)
        return not joints
    graph.wait_until(quiet, 'no more joint states')
    assert state_of(graph, 'simulator') == State.PRIMARY_STATE_INACTIVE
    assert not joints
    told('/simulator', 'activate')
    graph.wait_until(lambda: joints, 'joint states come again')
    for one in nodes:
        told(one, 'shutdown')
    running.wait_for(r'(composed|simulator)-\d+\S* ended with code 0')
    assert running.interrupt() < 5.0
    assert 'Traceback' not in running.output


def test_a_description_comes_once_and_is_ready_when_the_node_becomes_active(
        run_node, graph, change):
    running = run_node('simulator', {'autostart': 'false'})
    change('simulator', ROUND[0])
    latched = graph.node.create_publisher(String, 'robot_description', qos.LATCHED)
    states = graph.hear(JointState, 'joint_states')
    graph.wait_until(latched.get_subscription_count, 'it listens')
    graph.publish_until(latched, String(data=Path(ARM['robot_description']).read_text()),
                        lambda: 'generation 1' in running.output, 'it takes the robot')
    assert not states
    change('simulator', ROUND[1])
    graph.wait_until(lambda: states, 'joint states come')


def test_what_cannot_be_configured_stays_and_may_be_mended(run_node, graph, tmp_path):
    file = tmp_path / 'graph.yaml'
    running = run_node('module_manager', {'graph': str(file), 'autostart': 'false'})
    request = ChangeState.Request(transition=Transition(id=ROUND[0]))
    assert not graph.call(ChangeState, 'module_manager/change_state', request).success
    running.wait_for(r'cannot configure: .*graph\.yaml')
    assert state_of(graph, 'module_manager') == State.PRIMARY_STATE_UNCONFIGURED
    text = (ROOT / 'config' / 'modules' / 'nine_modules.yaml').read_text()
    shutil.copytree(ROOT / 'config' / 'modules', tmp_path, dirs_exist_ok=True)
    file.write_text(text)
    assert graph.call(ChangeState, 'module_manager/change_state', request).success
