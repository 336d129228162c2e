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

"""What the ros2 command says about actions and managed nodes, in the form of ROS 2."""

import re
import signal
import sys

import pytest

SERVER = """
import time
import rclpy
from example_interfaces.action import Fibonacci
from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.qos import qos_profile_system_default
from rclpy.service_introspection import ServiceIntrospectionState

class Managed(LifecycleNode):
    def on_activate(self, state):
        return TransitionCallbackReturn.FAILURE

def execute(goal):
    sequence = [0, 1]
    while len(sequence) < goal.request.order:
        if goal.is_cancel_requested:
            goal.canceled()
            print('canceled', flush=True)
            return Fibonacci.Result(sequence=sequence)
        sequence.append(sequence[-1] + sequence[-2] if len(sequence) < 40 else 0)
        goal.publish_feedback(Fibonacci.Feedback(sequence=sequence))
        time.sleep(0.05)
    if goal.request.order == 4:
        goal.abort()
    else:
        goal.succeed()
    return Fibonacci.Result(sequence=sequence)

def decide(goal):
    if goal.order < 0:
        node.get_logger().error(f'order is {goal.order}; allowed: 1 and more')
    return GoalResponse.ACCEPT if goal.order > 0 else GoalResponse.REJECT

rclpy.init()
node = Node('fibonacci_server', namespace='/demo')
node.get_logger().error('said before any goal')
server = ActionServer(
    node, Fibonacci, 'fibonacci', execute,
    goal_callback=decide,
    cancel_callback=lambda goal: CancelResponse.ACCEPT)
server.configure_introspection(
    node.get_clock(), qos_profile_system_default, ServiceIntrospectionState.METADATA)
client = ActionClient(node, Fibonacci, 'other')
managed = Managed('managed')
hidden = LifecycleNode('_hidden')
executor = MultiThreadedExecutor(3)
for each in (node, managed, hidden):
    executor.add_node(each)
print('ready', flush=True)
try:
    executor.spin()
except (KeyboardInterrupt, ExternalShutdownException):
    pass
rclpy.try_shutdown()
"""
TYPE = 'example_interfaces/action/Fibonacci'


@pytest.fixture(scope='module')
def server(environment, tmp_path_factory, running_type):
    """Run an action server and managed nodes."""
    folder = tmp_path_factory.mktemp('server')
    (folder / 'server.py').write_text(SERVER)
    process = running_type([sys.executable, str(folder / 'server.py')], environment, folder)
    process.wait_for('ready')
    yield process
    process.stop()


@pytest.fixture
def said(ros2, server):
    """Run a command to its end and return what it wrote."""
    def run(*words, status=0):
        command = ros2(*words)
        found = command.finish()
        assert found == status, command.text
        return command.text
    return run


def test_action_list(together, server):
    assert together(('action', 'list'), ('action', 'list', '-t'), ('action', 'list', '-c')) == [
        '/demo/fibonacci\n/demo/other', f'/demo/fibonacci [{TYPE}]\n/demo/other [{TYPE}]', '2']


def test_action_info(said):
    assert said('action', 'info', '/demo/fibonacci') == (
        'Action: /demo/fibonacci\nAction clients: 0\nAction servers: 1\n'
        '    /demo/fibonacci_server')
    assert said('action', 'info', '-t', '/demo/other') == (
        f'Action: /demo/other\nAction clients: 1\n    /demo/fibonacci_server [{TYPE}]\n'
        'Action servers: 0')
    assert said('action', 'info', '-c', '/nothing') == (
        'Action: /nothing\nAction clients: 0\nAction servers: 0')


def test_action_type_and_find(together, said):
    assert together(
        ('action', 'type', '/demo/fibonacci'), ('action', 'find', TYPE),
        ('action', 'find', '-c', 'no_pkg/action/Nothing'),
    ) == [TYPE, '/demo/fibonacci\n/demo/other', '0']
    assert said('action', 'type', '/nothing', status=1) == ''


def test_action_echo(ros2, said):
    echo = ros2('action', 'echo', '/demo/fibonacci')
    said('topic', 'info', '/demo/fibonacci/_action/feedback')  # as long as the echo may need
    said('action', 'send_goal', '/demo/fibonacci', TYPE, '{order: 3}')
    echo.wait_for('^interface: STATUS_TOPIC\nstatus_list:$')
    echo.wait_for('^interface: FEEDBACK_TOPIC\ngoal_id:$')
    echo.wait_for('^interface: GOAL_SERVICE\ninfo:\n  event_type: REQUEST_RECEIVED$')
    echo.wait_for('^interface: RESULT_SERVICE\ninfo:\n  event_type: RESPONSE_SENT$')
    assert said('action', 'echo', '-i', 'X', '/demo/fibonacci', status=1) == \
        '"X" is incorrect interface name.'


def test_actions_in_node_info(said):
    text = said('node', 'info', '/demo/fibonacci_server')
    assert f'  Action Servers:\n    /demo/fibonacci: {TYPE}\n' in text
    assert f'  Action Clients:\n    /demo/other: {TYPE}' in text
    assert '_action/' not in text


def test_send_goal(said):
    text = said('action', 'send_goal', '/demo/fibonacci', TYPE, '{order: 3}')
    assert re.sub('[0-9a-f]{32}', 'ID', text) == (
        'Waiting for an action server to become available...\n'
        'Sending goal:\n     order: 3\n\n'
        'Goal accepted with ID: ID\n\n'
        'Result:\n    sequence:\n- 0\n- 1\n- 1\n\n'
        'Goal finished with status: SUCCEEDED')


def test_send_goal_with_feedback(said):
    text = said('action', 'send_goal', '--feedback', '/demo/fibonacci', TYPE, '{order: 4}')
    assert text.count('Feedback:\n    sequence:\n- 0\n- 1\n') == 2
    assert text.index('Feedback') < text.index('Result')
    assert text.endswith('Goal finished with status: ABORTED')


def test_a_rejected_goal(said):
    text = said('action', 'send_goal', '/demo/fibonacci', TYPE, '{order: 0}')
    assert text.endswith('Goal was rejected.')   # and that is all the server says
    text = said('action', 'send_goal', 'demo/fibonacci', TYPE, '{order: -1}')
    assert text.endswith('Goal was rejected.\n'
                         '[ERROR] [demo.fibonacci_server]: order is -1; allowed: 1 and more')


def test_send_goal_is_cancelled_by_an_interrupt(ros2, server):
    command = ros2('action', 'send_goal', '-f', '/demo/fibonacci', TYPE, '{order: 1000}')
    command.wait_for('Feedback:', count=3)
    command.signal(signal.SIGINT)
    assert command.finish() == 2
    assert 'Canceling goal...' in command.lines
    assert command.text.endswith('Goal canceled.')
    server.wait_for('canceled')


@pytest.mark.parametrize('words', [
    ('action', 'send_goal', '-f', '/demo/fibonacci', TYPE, '{order: 200}'),
    ('action', 'send_goal', '/nothing', TYPE, '{}'),
])
def test_send_goal_ends_at_once_when_it_is_terminated(ros2, server, words):
    command = ros2(*words)
    command.wait_for('Feedback:' if '-f' in words else 'Waiting for an action server')
    command.signal(signal.SIGTERM)
    assert command.finish() == 1  # at the end of the goal, 10 s later, it would be 0
    assert 'Traceback' not in command.text


def test_send_goal_errors(said, ros2):
    text = said('action', 'send_goal', '/demo/fibonacci', TYPE, '{ordr: 3}', status=1)
    assert text == ("Failed to populate field: 'Fibonacci_Goal' has no field 'ordr', did you mean "
                    "'order'? (valid fields: order)")
    text = said('action', 'send_goal', '/x', 'example_interfaces/action/No', '{}', status=1)
    assert text.startswith("The passed action type is invalid: 'example_interfaces/action/No'")
    waiting = ros2('action', 'send_goal', '/nothing', TYPE, '{}')
    waiting.wait_for(r'^Waiting for an action server to become available\.\.\.$')
    waiting.signal(signal.SIGINT)
    assert waiting.finish() != 0
    assert 'Traceback' not in waiting.text


def test_lifecycle_nodes(said):
    assert said('lifecycle', 'nodes') == '/managed'
    assert said('lifecycle', 'nodes', '-a') == '/_hidden\n/managed'
    assert said('lifecycle', 'nodes', '-a', '-c') == '2'


def test_lifecycle_list(said):
    text = said('lifecycle', 'list', '/_hidden', '--include-hidden-nodes')
    assert text == ('- configure [1]\n\tStart: unconfigured\n\tGoal: configuring\n'
                    '- shutdown [5]\n\tStart: unconfigured\n\tGoal: shuttingdown')
    text = said('lifecycle', 'list', 'managed', '-a')
    assert text.count('- ') == 25
    assert text.startswith('- configure [1]\n\tStart: unconfigured\n\tGoal: configuring\n'
                           '- transition_success [10]\n\tStart: configuring\n\tGoal: inactive\n')
    assert text.endswith('- transition_error [62]\n\tStart: errorprocessing\n\tGoal: finalized')


def test_lifecycle_get_and_set(said):
    assert said('lifecycle', 'get', '/managed') == 'unconfigured [1]'
    assert said('lifecycle', 'set', '/managed', 'configure') == 'Transitioning successful'
    assert said('lifecycle', 'get') == '/managed: inactive [2]'
    assert said('lifecycle', 'set', '/managed', 'activate') == 'Transitioning failed'
    assert said('lifecycle', 'get', 'managed') == 'inactive [2]'
    assert said('lifecycle', 'set', '/managed', 'noop', status=1) == (
        'Unknown transition requested, available ones are:\n- cleanup [2]\n- activate [3]\n'
        '- shutdown [6]')
    assert said('lifecycle', 'set', '/managed', '2') == 'Transitioning successful'
    assert said('lifecycle', 'get', '/managed') == 'unconfigured [1]'


@pytest.mark.parametrize('words', [
    ('get', '/nobody'), ('set', '/nobody', 'configure'), ('list', '/nobody'), ('get', '/_hidden'),
    ('get', '/demo/fibonacci_server'),
])
def test_lifecycle_errors(said, words):
    assert said('lifecycle', *words, status=1) == 'Node not found'
