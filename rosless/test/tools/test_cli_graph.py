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

"""What the ros2 command says about a running node, in the form of ROS 2."""

from pathlib import Path
import re
import signal
import sys
import time

import pytest
import yaml

TALKER = """
import rclpy
from rclpy.duration import Duration
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import QoSProfile, DurabilityPolicy, qos_profile_system_default
from rclpy.service_introspection import ServiceIntrospectionState
from geometry_msgs.msg import PointStamped, Twist
from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor
from std_msgs.msg import String, Float64MultiArray
from std_srvs.srv import SetBool

rclpy.init()
node = Node('talker', namespace='/demo')
node.declare_parameter('gain', 2.5, ParameterDescriptor(
    description='How much', floating_point_range=[FloatingPointRange(
        from_value=0.0, to_value=10.0)]))
node.declare_parameter('group.names', ['a', 'b'])
node.declare_parameter('spare', 7, ParameterDescriptor(dynamic_typing=True))
node.declare_parameter('fixed', 1, ParameterDescriptor(read_only=True))
words = node.create_publisher(String, 'chatter', 10)
long = node.create_publisher(Float64MultiArray, 'long', 10)
latched = node.create_publisher(
    Twist, 'latched', QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))
stamped = node.create_publisher(PointStamped, 'stamped', 10)
twist = Twist()
twist.linear.x = 1.5
latched.publish(twist)

def tick():
    words.publish(String(data='hello'))
    long.publish(Float64MultiArray(data=[0.5] * 200))
    point = PointStamped()
    point.header.stamp = (node.get_clock().now() - Duration(seconds=2.0)).to_msg()
    stamped.publish(point)

def answer(request, response):
    response.success, response.message = request.data, 'as you wish'
    return response

node.create_timer(0.05, tick)
service = node.create_service(SetBool, '~/set', answer)
service.configure_introspection(
    node.get_clock(), qos_profile_system_default, ServiceIntrospectionState.CONTENTS)
node.create_subscription(String, 'heard', lambda m: print('heard', m.data, flush=True), 10)
print('ready', flush=True)
try:
    rclpy.spin(node)
except (KeyboardInterrupt, ExternalShutdownException):
    pass
node.destroy_node()
rclpy.try_shutdown()
"""


@pytest.fixture(scope='module')
def talker(environment, tmp_path_factory, running_type):
    """Run a node with a bit of everything."""
    folder = tmp_path_factory.mktemp('talker')
    (folder / 'talker.py').write_text(TALKER)
    process = running_type([sys.executable, str(folder / 'talker.py')], environment, folder)
    process.wait_for('ready')
    yield process
    process.stop()


@pytest.fixture
def said(ros2, talker):
    """Run a command to its end and return what it wrote."""
    def run(*words, status=0):
        command = ros2(*words)
        found = command.finish()
        assert found == status, command.text
        return command.text
    return run


def test_node_list_is_quick_and_complete(ros2, talker):
    def is_quick() -> bool:
        begin = time.monotonic()
        command = ros2('node', 'list')
        command.finish()
        assert command.lines == ['/demo/talker']
        return time.monotonic() - begin < 6.0

    # 0.6 s on an idle machine; ten times as much on one that runs other tests, or a stall.
    assert any(is_quick() for _ in range(5))


def test_node_info(said):
    text = said('node', 'info', '/demo/talker')
    assert text.startswith('/demo/talker\n  Subscribers:\n    /demo/heard: std_msgs/msg/String\n'
                           '  Publishers:\n    /demo/chatter: std_msgs/msg/String\n')
    assert '  Service Servers:\n    /demo/talker/describe_parameters: ' in text
    assert '    /demo/talker/set: std_srvs/srv/SetBool\n' in text
    assert '  Service Clients:\n' in text
    assert said('node', 'info', 'nobody', status=1) == "Unable to find node 'nobody'"


def test_topic_list(said):
    plain = said('topic', 'list').splitlines()
    assert {'/demo/chatter', '/demo/heard', '/demo/latched', '/parameter_events',
            '/rosout'} <= set(plain)
    assert '/demo/chatter [std_msgs/msg/String]' in said('topic', 'list', '-t').splitlines()
    assert said('topic', 'list', '-c') == str(len(plain))
    assert ' * /demo/chatter [std_msgs/msg/String] 1 publisher\n' in said('topic', 'list', '-v')


def test_topic_type_and_find(together, said):
    kind, found = together(
        ('topic', 'type', '/demo/chatter'), ('topic', 'find', 'std_msgs/msg/String'))
    assert kind == 'std_msgs/msg/String'
    assert '/demo/chatter' in found.splitlines()
    assert said('topic', 'type', '/nothing', status=1) == ''


def test_topic_info(said):
    assert said('topic', 'info', '/demo/chatter') == \
        'Type: std_msgs/msg/String\nPublisher count: 1\nSubscription count: 0'
    text = said('topic', 'info', '-v', '/demo/latched')
    for line in ('Node name: talker', 'Node namespace: /demo', 'Endpoint type: PUBLISHER',
                 '  Reliability: RELIABLE', '  Durability: TRANSIENT_LOCAL'):
        assert line in text.splitlines()
    assert said('topic', 'info', '/nothing', status=1) == "Unknown topic '/nothing'"


def test_echo_once_in_the_form_of_ros(said):
    assert said('topic', 'echo', '--once', '/demo/chatter') == 'data: hello\n---'


def test_echo_of_latched_data_finds_the_quality_of_service_itself(said):
    text = said('topic', 'echo', '--once', '/demo/latched')
    assert text == ('linear:\n  x: 1.5\n  y: 0.0\n  z: 0.0\n'
                    'angular:\n  x: 0.0\n  y: 0.0\n  z: 0.0\n---')


def test_echo_of_latched_data_with_quality_of_service_by_hand(said):
    text = said('topic', 'echo', '--once', '--qos-durability', 'transient_local',
                '--qos-reliability', 'reliable', '/demo/latched', 'geometry_msgs/msg/Twist')
    assert 'x: 1.5' in text
    # Volatile: nothing is published any more, so nothing comes.
    assert said('topic', 'echo', '--once', '--qos-durability', 'volatile', '--timeout', '1',
                '/demo/latched', status=1) == ''


def test_echo_forms(together, said):
    field, table, flow, long = together(
        ('topic', 'echo', '--once', '--field', 'linear.x', '/demo/latched'),
        ('topic', 'echo', '--once', '--csv', '/demo/latched'),
        ('topic', 'echo', '--once', '--flow-style', '/demo/chatter'),
        ('topic', 'echo', '--once', '/demo/long'))
    assert field == '1.5\n---'
    assert table == '1.5,0.0,0.0,0.0,0.0,0.0'
    assert flow == '{data: hello}\n---'
    assert long.count('- 0.5') == 128
    assert "- '...'" in long
    assert said('topic', 'echo', '--once', '-f', '/demo/long').count('- 0.5') == 200
    assert "data: '<sequence type: double, length: 200>'" in said(
        'topic', 'echo', '--once', '--no-arr', '/demo/long')


def test_echo_errors(said):
    assert said('topic', 'echo', '/nothing', status=1) == (
        'WARNING: topic [/nothing] does not appear to be published yet\n'
        'Could not determine the type for the passed topic')
    text = said('topic', 'echo', '/demo/chatter', 'std_msgs/msg/Strin', status=1)
    assert text.startswith("The passed message type is invalid: 'std_msgs/msg/Strin'")
    text = said('topic', 'echo', '--once', '--field', 'linear.w', '/demo/latched', status=1)
    assert text == "Invalid field 'w' of 'Vector3' (valid fields: x, y, z)"
    text = said('topic', 'echo', '--once', '--timeout', '0.1', '/demo/chatter',
                'std_msgs/msg/Int8', status=1)
    assert text == ('WARNING: topic [/demo/chatter] is also published with the type '
                    '[std_msgs/msg/String], of which nothing is shown')


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_interrupted_echo_is_quiet_and_prompt(ros2, talker, number):
    command = ros2('topic', 'echo', '/demo/chatter')
    command.wait_for('---')
    command.signal(number)
    command.finish()  # in 0.2 s on an idle machine, and never of itself
    assert 'Traceback' not in command.text
    assert set(command.lines) == {'data: hello', '---'}


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_publisher_that_waits_for_subscriptions_ends_on_signals(ros2, number):
    command = ros2('topic', 'pub', '--once', '-w', '7', '/nobody', 'std_msgs/msg/String')
    command.wait_for('Waiting for at least 7 matching')
    command.signal(number)
    command.finish()
    assert 'Traceback' not in command.text


def test_echo_into_a_pipe_that_closes_is_quiet(start, talker):
    command = start('sh', '-c', f'{sys.executable} -m ros2cli topic echo /demo/chatter | head -1')
    assert command.finish() == 0
    assert command.text == 'data: hello'


def test_hz(ros2, talker):
    command = ros2('topic', 'hz', '/demo/chatter')
    command.wait_for_value(r'^average rate: (\d+\.\d{3})$', 15.0, 25.0)  # a timer of 20 Hz
    command.wait_for(r'^\tmin: \d\.\d{3}s max: \d\.\d{3}s std dev: \d\.\d{5}s window: \d+$')


def test_filters(ros2, said, talker):
    assert said('topic', 'echo', '--once', '--filter', 'm.linear.x > 1', '/demo/latched',
                '--field', 'linear.x') == '1.5\n---'
    assert said('topic', 'echo', '--once', '--timeout', '0.5', '--filter', 'm.linear.x > 2',
                '/demo/latched', status=1) == ''
    assert said('topic', 'echo', '--filter', 'm.', '/demo/chatter', status=1).startswith(
        "the filter 'm.' cannot be read: ")
    assert "the filter 'm.x' cannot be evaluated: " in said(
        'topic', 'echo', '--filter', 'm.x', '/demo/chatter', status=1)
    command = ros2('topic', 'hz', '--filter', 'm.data == "hello"', '/demo/chatter')
    command.wait_for('^average rate: ')


def test_bw(ros2, talker):
    command = ros2('topic', 'bw', '/demo/long')
    command.wait_for(r'^Subscribed to \[/demo/long\]$')
    command.wait_for_value(r'^(\d+\.\d\d) KB/s from \d+ messages$', 16.0, 64.0)  # 32
    # Encapsulation, layout and count take 16 octets, 200 numbers 1600; 20 messages a second.
    command.wait_for(r'^\tMessage size mean: 1\.62 KB min: 1\.62 KB max: 1\.62 KB$')


def test_delay(ros2, said, talker):
    command = ros2('topic', 'delay', '/demo/stamped')
    # Stamped two seconds ago; on a fast machine it takes less than half a millisecond more.
    command.wait_for_value(r'^average delay: (\d+\.\d{3})$', 1.9995, 3.0)
    command.wait_for(r'^\tmin: \d\.\d{3}s max: \d\.\d{3}s std dev: \d\.\d{5}s window: \d+$')
    assert said('topic', 'delay', '/demo/chatter', status=1) == 'msg does not have header'


def test_pub(ros2, talker):
    command = ros2('topic', 'pub', '-t', '2', '-r', '20', '/demo/heard', 'std_msgs/msg/String',
                   'data: word')
    assert command.finish() == 0
    waited = 'Waiting for at least 1 matching subscription(s)...\n'  # on a machine that is busy
    assert command.text.replace(waited, '') == (
        'publisher: beginning loop\n'
        "publishing #1: std_msgs.msg.String(data='word')\n\n"
        "publishing #2: std_msgs.msg.String(data='word')\n")
    talker.wait_for('heard word', count=2)


def test_pub_waits_for_a_subscription(ros2, talker):
    command = ros2('topic', 'pub', '--once', '/nobody', 'std_msgs/msg/String', 'data: x')
    command.wait_for(r'Waiting for at least 1 matching subscription\(s\)\.\.\.')
    assert 'publishing' not in command.text


@pytest.mark.parametrize(('words', 'text'), [
    (['/x', 'std_msgs/msg/Nothing'], "The passed message type is invalid: 'std_msgs/msg/Nothing'"),
    (['/x', 'no_pkg/msg/String'], "The passed message type is invalid: 'no_pkg/msg/String'"),
    (['/x', 'std_msgs/msg/String', '{data: ['], 'The passed value is not valid YAML'),
    (['bad//name', 'std_msgs/msg/String'], 'Invalid topic name: topic name must not contain'),
    (['/x', 'std_msgs/msg/String', 'word'],
     "The passed value needs to be a dictionary in YAML format, found 'word'"),
    (['/x', 'geometry_msgs/msg/Twist', '{linea: {}}'],
     "Failed to populate field: 'Twist' has no field 'linea', did you mean 'linear'? "
     '(valid fields: linear, angular)'),
    (['/x', 'geometry_msgs/msg/Twist', '{linear: {w: 1}}'],
     "Failed to populate field: 'Vector3' (field linear) has no field 'w' "
     '(valid fields: x, y, z)'),
    (['/x', 'geometry_msgs/msg/Twist', '{linear: {x: fast}}'],
     "Failed to populate field: linear.x: expected a value of type 'double', found 'fast' of "
     'type str'),
])
def test_pub_errors(ros2, words, text):
    command = ros2('topic', 'pub', '--once', *words)
    assert command.finish() == 1
    assert command.text.startswith(text)


def test_service_list_type_find(together, said):
    names, types, kind, found = together(
        ('service', 'list'), ('service', 'list', '-t'), ('service', 'type', '/demo/talker/set'),
        ('service', 'find', 'std_srvs/srv/SetBool'))
    assert '/demo/talker/set' in names.splitlines()
    assert '/demo/talker/set [std_srvs/srv/SetBool]' in types.splitlines()
    assert (kind, found) == ('std_srvs/srv/SetBool', '/demo/talker/set')
    assert said('service', 'type', '/nothing', status=1) == ''


def test_service_info(said):
    assert said('service', 'info', '/demo/talker/set') == \
        'Type: std_srvs/srv/SetBool\nClients count: 0\nServices count: 1'
    assert said('service', 'info', '/nothing', status=1) == "Unknown service '/nothing'"


def test_service_call(said):
    assert said('service', 'call', '/demo/talker/set', 'std_srvs/srv/SetBool',
                '{data: true}') == (
        'requester: making request: std_srvs.srv.SetBool_Request(data=True)\n\n'
        "response:\nstd_srvs.srv.SetBool_Response(success=True, message='as you wish')\n")


def test_service_echo(said, ros2):
    """Calls as they reach the server and leave it; the client tells nothing of them."""
    echo = ros2('service', 'echo', '/demo/talker/set')
    other = ros2('service', 'echo', '--csv', '/demo/talker/set', 'std_srvs/srv/SetBool')
    for _ in range(3):  # the first may come before the echoes listen
        said('service', 'call', '/demo/talker/set', 'std_srvs/srv/SetBool', '{data: true}')
    request = (r'^info:\n  event_type: REQUEST_RECEIVED\n  stamp:\n    sec: \d+\n'
               r'    nanosec: \d+\n'
               r'  client_gid:\n(?:  - \d+\n){16}  sequence_number: \d+\n'
               r'request:\n- data: true\nresponse: \[\]\n---$')
    echo.wait_for(request)
    echo.wait_for(r'^  event_type: RESPONSE_SENT$')
    echo.wait_for(r'^request: \[\]\nresponse:\n- success: true\n  message: as you wish\n---$')
    other.wait_for(r'^2,\d+,\d+,.*,as you wish$')
    assert said('service', 'echo', '/nothing', status=1) == \
        "Could not determine the type for the service '/nothing'"


def test_service_call_errors(said, ros2):
    text = said('service', 'call', '/demo/talker/set', 'std_srvs/srv/SetBool', '{dat: true}',
                status=1)
    assert text == ("Failed to populate field: 'SetBool_Request' has no field 'dat', did you mean "
                    "'data'? (valid fields: data)")
    text = said('service', 'call', '/x', 'std_srvs/srv/Nothing', status=1)
    assert text.startswith("The passed service type is invalid: 'std_srvs/srv/Nothing'")
    waiting = ros2('service', 'call', '/nothing', 'std_srvs/srv/Empty')
    waiting.wait_for(r'^waiting for service to become available\.\.\.$')
    waiting.signal(signal.SIGINT)
    assert waiting.finish() != 0
    assert 'Traceback' not in waiting.text


def test_param_list_get_set(said):
    assert said('param', 'list', '/demo/talker').splitlines()[:3] == [
        '  fixed', '  gain', '  group.names']
    assert said('param', 'list').startswith('/demo/talker:\n  fixed\n  gain\n')
    assert '  gain (type: double)' in said('param', 'list', '--param-type', '/demo/talker')
    assert said('param', 'get', '/demo/talker', 'group.names') == "String values are: ['a', 'b']"
    assert said('param', 'set', '/demo/talker', 'gain', '4.5') == 'Set parameter successful'
    assert said('param', 'get', '/demo/talker', 'gain') == 'Double value is: 4.5'
    assert said('param', 'get', '--hide-type', '/demo/talker', 'gain') == '4.5'


def test_param_load(said, tmp_path):
    path = tmp_path / 'p.yaml'
    path.write_text('/**: {ros__parameters: {gain: 3.5}}\n'
                    '/demo/talker: {ros__parameters: {group: {names: [x]}}}\n')
    assert said('param', 'load', '/demo/talker', path) == (
        'Set parameter gain successful\nSet parameter group.names successful')
    assert said('param', 'get', '/demo/talker', 'gain') == 'Double value is: 3.5'
    assert 'gain' not in said('param', 'load', '--no-use-wildcard', '/demo/talker', path)
    path.write_text('/demo/talker: {ros__parameters: {gain: 99.0, group: {names: [a, b]}}}\n')
    text = said('param', 'load', '/demo/talker', path, status=1)
    assert 'Setting parameter gain failed: ' in text
    assert 'Set parameter group.names successful' in text
    path.write_text('/other: {ros__parameters: {gain: 1.0}}\n')
    assert said('param', 'load', '/demo/talker', path, status=1) == (
        'Param file does not contain parameters for /demo/talker, only for nodes: [/other]')


def test_param_delete(said):
    assert said('param', 'delete', '/demo/talker', 'spare') == 'Deleted parameter successfully'
    assert 'spare' not in said('param', 'list', '/demo/talker')
    assert said('param', 'delete', '/demo/talker', 'fixed', status=1).startswith(
        'Deleting parameter failed: ')


def test_param_dump_into_a_file(said, tmp_path):
    path = tmp_path / 'demo__talker.yaml'
    assert said('param', 'dump', '--output-dir', tmp_path, '/demo/talker') == \
        f'Saving to:  {path}'
    assert yaml.safe_load(path.read_text())['/demo/talker']['ros__parameters']['fixed'] == 1


def test_param_errors(together, talker):
    wrong = (('gain', '99.0'), ('gain', 'word'), ('fixed', '2'), ('nothing', '1'))
    no_node, not_set, *failed = together(
        ('param', 'get', '/nobody', 'gain'), ('param', 'get', '/demo/talker', 'nothing'),
        *(('param', 'set', '/demo/talker', *words) for words in wrong), status=1)
    assert (no_node, not_set) == ('Node not found', 'Parameter not set')
    for text in failed:
        assert text.startswith('Setting parameter failed: ')


def test_param_describe(said):
    assert said('param', 'describe', '/demo/talker', 'gain') == (
        'Parameter name: gain\n  Type: double\n  Description: How much\n  Constraints:\n'
        '    Min value: 0.0\n    Max value: 10.0')
    assert '    Read only: true' in said('param', 'describe', '/demo/talker', 'fixed')
    assert said('param', 'describe', '/demo/talker', 'gain', 'gian', status=1).startswith(
        'Parameter not set: gian (set: ')


def test_param_dump_can_be_read_as_a_parameter_file(said):
    content = yaml.safe_load(said('param', 'dump', '/demo/talker'))
    parameters = content['/demo/talker']['ros__parameters']
    assert parameters['group'] == {'names': ['a', 'b']}
    assert parameters['fixed'] == 1


@pytest.mark.parametrize(('words', 'reason'), [
    (('bag', 'convert'), 'it needs rosbag2'),
    (('doctor',), 'there is no ROS 2 installation to check'),
    (('component', 'list'), 'components are shared libraries in C++'),
    (('daemon', 'start'), 'there is no daemon: each command joins the graph itself'),
])
def test_what_is_not_there_says_so_and_why(ros2, words, reason):
    command = ros2(*words)
    assert command.finish() == 1
    assert f'not available in rosless: {reason}' in command.text


def test_daemon_is_not_running(ros2):
    for verb in ('status', 'stop'):
        command = ros2('daemon', verb)
        assert command.finish() == 0
        assert command.text == 'The daemon is not running'


def test_help_and_mistyped_commands(ros2):
    command = ros2('--help')
    assert command.finish() == 0
    for name in ('launch', 'topic', 'param', 'interface'):
        assert re.search(rf'^  {name} ', command.text, flags=re.MULTILINE)
    for words in (('topic',), ('topic', 'echo', '-h'), ('launch', '-h'), ('run', '-h')):
        command = ros2(*words)
        assert command.finish() == 0
        assert command.text.startswith(f'usage: ros2 {words[0]}')
    command = ros2('topc')
    assert command.finish() == 1
    assert "invalid choice: 'topc', did you mean 'topic'?" in command.text
    command = ros2('topic', 'ech')
    assert command.finish() == 1
    assert "invalid choice: 'ech', did you mean 'echo'?" in command.text


def test_every_module_of_a_verb_exists():
    from ros2cli import cli
    from ros2cli.commands import COMMANDS
    folder = Path(cli.__file__).parent / 'command'
    found = {path.relative_to(folder).with_suffix('') for path in folder.rglob('*.py')
             if path.name != '__init__.py'}
    listed = {Path(name, verb) for name, command in COMMANDS.items() for verb in command.verbs}
    listed |= {Path(name) for name, command in COMMANDS.items() if not command.verbs}
    assert found == listed
