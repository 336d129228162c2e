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

"""Names, types and QoS of the nodes are those that ROS users expect; docs/conventions.md."""

from pathlib import Path
import re
import runpy

from launch.actions import DeclareLaunchArgument
import pytest
import rclpy

from mbd_ros.nodes.composed import chosen, NODES

pytestmark = pytest.mark.nodes

ROOT = Path(__file__).resolve().parents[2]
GLOBAL = ('/tf', '/tf_static', '/clock', '/diagnostics', '/parameter_events', '/rosout')
"""The only names that are those of the whole system, whatever the namespace."""
SERVICES = ('get_parameters', 'set_parameters', 'set_parameters_atomically',
            'describe_parameters', 'get_parameter_types', 'list_parameters', 'change_state',
            'get_state', 'get_available_states', 'get_available_transitions',
            'get_transition_graph')
RELIABLE, BEST_EFFORT, LATCHED, VOLATILE = (
    'RELIABLE', 'BEST_EFFORT', 'TRANSIENT_LOCAL', 'VOLATILE')
TRANSITIONS = '~/transition_event'
PUBLISHED = {
    'simulator': {
        'joint_states': ('JointState', RELIABLE, VOLATILE, 10),
        TRANSITIONS: ('TransitionEvent', RELIABLE, None, None),
        '/diagnostics': ('DiagnosticArray', RELIABLE, VOLATILE, 10)},
    'controller': {
        'effort_controller/commands': ('Float64MultiArray', RELIABLE, VOLATILE, 10),
        '~/controller_state': ('JointTrajectoryControllerState', RELIABLE, VOLATILE, 10),
        '~/markers': ('MarkerArray', RELIABLE, VOLATILE, 10),
        '/diagnostics': ('DiagnosticArray', RELIABLE, VOLATILE, 10)},
    'module_manager': {
        'robot_description': ('String', RELIABLE, LATCHED, 1),
        '/tf_static': ('TFMessage', RELIABLE, LATCHED, 1),
        '/diagnostics': ('DiagnosticArray', RELIABLE, VOLATILE, 10)},
    'dynamics_server': {'/diagnostics': ('DiagnosticArray', RELIABLE, VOLATILE, 10)},
    'gait': {'effort_controller/commands': ('Float64MultiArray', RELIABLE, VOLATILE, 10)},
}
HEARD = {
    'controller': {'joint_states': ('JointState', BEST_EFFORT, VOLATILE, 5),
                   '~/joint_trajectory': ('JointTrajectory', RELIABLE, VOLATILE, 10)},
    'simulator': {'effort_controller/commands': ('Float64MultiArray', RELIABLE, VOLATILE, 10)},
}
OFFERED = {
    'controller': {'~/follow_joint_trajectory/_action/send_goal', '~/query_state',
                   '~/set_payload'},
    'dynamics_server': {'~/forward_dynamics', '~/inverse_dynamics', '~/mass_matrix',
                        '~/check_model'},
    'module_manager': {'~/attach_module', '~/detach_module'},
    'simulator': {'~/set_model'},
}


@pytest.fixture
def made(urdf, request):
    """Return a node, configured, in a namespace, in a context of its own that nobody spins."""
    parameters = {'robot_description': urdf('three_link_arm'), 'port': '8461', 'path.kind': 'none',
                  'graph': ROOT / 'config' / 'modules' / 'nine_modules.yaml'}
    rclpy.init(args=['--ros-args', '-r', '__ns:=/robots', *(
        part for name, value in parameters.items() for part in ('-p', f'{name}:={value}'))])
    node = chosen([request.param])[0]()
    node.start()
    yield node
    node.close()
    node.destroy_node()
    rclpy.shutdown()


def full(name, node):
    """Return a name as it is in the graph."""
    if name.startswith('/'):
        return name
    return f'/robots/{name}'.replace('~', node.get_name())


def assert_like(entities, wanted, node):
    """Assert types and profiles of publishers or subscriptions."""
    found = {one.topic_name: (one.msg_type.__name__, one.qos_profile) for one in entities}
    if TRANSITIONS in wanted:   # a real rclpy makes it in C: only the graph knows of it
        topic = full(TRANSITIONS, node)
        one, = node.get_publishers_info_by_topic(topic)
        found[topic] = one.topic_type.rpartition('/')[2], one.qos_profile
    for name, (kind, reliability, durability, depth) in wanted.items():
        made, qos = found[full(name, node)]
        assert made == kind
        assert qos.reliability.name == reliability
        assert durability in (None, qos.durability.name)
        assert depth in (None, qos.depth)


@pytest.mark.parametrize('made', NODES, indirect=True)
def test_names_types_and_profiles(made):
    name = made.get_name()
    entities = [*made.publishers, *made.subscriptions]
    names = {one.topic_name for one in entities} - {full(TRANSITIONS, made)}
    assert len(names) > 1
    assert {one for one in names if not one.startswith('/robots/')} <= set(GLOBAL)
    assert_like(made.publishers, PUBLISHED.get(name, {}), made)
    assert_like(made.subscriptions, HEARD.get(name, {}), made)
    offered = {one for one, _ in made.get_service_names_and_types_by_node(name, '/robots')}
    assert all(one.startswith('/robots/') for one in offered)
    wanted = {f'~/{one}' for one in SERVICES} | OFFERED.get(name, set())
    assert {full(one, made) for one in wanted} <= offered
    if name == 'controller':
        assert made.has_parameter(
            'qos_overrides./robots/joint_states.subscription.reliability')


@pytest.mark.parametrize('file', sorted((ROOT / 'launch').glob('*.launch.py')),
                         ids=lambda path: path.stem)
def test_every_launch_argument_is_described(file):
    description = runpy.run_path(str(file))['generate_launch_description']()
    arguments = [one for one in description.entities if isinstance(one, DeclareLaunchArgument)]
    assert len(arguments) > 3
    for one in arguments:
        assert len(one.description) > 10 and 'no description' not in one.description, one.name
        assert one.choices or one.name not in ('robot', 'autostart', 'viewer')


def test_the_page_of_conventions_names_tests_that_are_there():
    """Each line that says yes has one that is there."""
    page = (ROOT / 'docs' / 'conventions.md').read_text(encoding='utf-8')
    rows = [[cell.strip() for cell in line.strip('|').split('|')] for line in page.splitlines()
            if re.match(r'\| [^|]*\| (yes|no|partly|not ours)', line)]
    assert len(rows) > 25
    for what, answer, where in rows:
        tests = re.findall(r'`([\w/.]+\.py)(?:::(\w+))?`', where)
        assert tests or (answer.startswith(('no', 'not ours')) and len(where) > 10), what
        for file, test in tests:
            text = (ROOT / file).read_text(encoding='utf-8')
            assert not test or f'def {test}(' in text, f'{what}: {file}::{test}'
