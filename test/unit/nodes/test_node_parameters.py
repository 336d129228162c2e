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

"""Parameter files: what is declared, what is refused, and that the documentation holds them."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from rcl_interfaces.msg import ParameterType
import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
import yaml

from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.nodes.every_node import parameters

ROOT = Path(__file__).resolve().parents[3]
NODES = ('dynamics_server', 'simulator', 'controller', 'gait', 'module_manager', 'viewer')
FILE = """
robot:
  rate: {type: double, default_value: 10.0, description: 'How often [Hz]',
         validation: {"bounds<>": [1.0, 20.0]}}
  joints: {type: string_array, default_value: [], validation: {"unique<>": null}}
  mode: {type: string, default_value: fast, read_only: true,
         validation: {"one_of<>": [[fast, slow]]}}
  gains:
    kp: {type: double_array, default_value: [1.0, 2.0],
         validation: {"fixed_size<>": 2, "lower_element_bounds<>": 0.0}}
  count: {type: int, default_value: 3, validation: {"gt<>": 0}}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / 'robot_parameters.yaml'
    path.write_text(FILE)
    return path


@pytest.fixture
def declare(file, monkeypatch):
    """Return a function that makes a node with overrides and declares its parameters."""
    monkeypatch.setattr(parameters, 'parameters_file', lambda name: file)
    context = rclpy.Context()
    rclpy.init(context=context)
    nodes = []

    def make(**overrides):
        node = Node('robot', context=context, parameter_overrides=[
            Parameter(name.replace('__', '.'), value=value) for name, value in overrides.items()])
        nodes.append(node)
        return node, parameters.declare_parameters(node, 'robot')
    yield make
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown(context=context)


def test_file_is_read_with_groups_types_and_defaults(file):
    read = {one.name: one for one in parameters.read_declarations(file)}
    assert list(read) == ['rate', 'joints', 'mode', 'gains.kp', 'count']
    assert read['rate'].type is Parameter.Type.DOUBLE
    assert read['count'].type is Parameter.Type.INTEGER
    assert read['joints'].type is Parameter.Type.STRING_ARRAY
    assert read['mode'].read_only
    assert read['rate'].allowed == 'from 1.0 to 20.0'


@pytest.mark.parametrize(('text', 'message'), [
    ('robot: {x: {type: float}}', "no type of parameter 'x' named 'float'"),
    ('robot: {x: {type: int, validation: {"above<>": 1}}}',
     "no validation of parameter 'x' named 'above<>'"),
])
def test_what_a_file_may_not_say(tmp_path, text, message):
    path = tmp_path / 'wrong.yaml'
    path.write_text(text)
    with pytest.raises(UnknownNameError, match=message):
        parameters.read_declarations(path)


def test_values_come_from_defaults_and_overrides(declare):
    node, values = declare(rate=5.0, joints=['a', 'b'])
    assert values.rate == 5.0
    assert values.joints == ['a', 'b']
    assert values.gains.kp == [1.0, 2.0]
    assert values.mode == 'fast'
    described = node.describe_parameter('rate')
    assert described.type == ParameterType.PARAMETER_DOUBLE
    assert described.description == 'How often [Hz]'
    assert described.floating_point_range[0].to_value == 20.0


def test_an_empty_array_stays_empty(declare):
    _, values = declare()
    assert values.joints == []


@pytest.mark.parametrize(('override', 'message'), [
    ({'mode': 'medium'}, "parameter 'mode' is 'medium'; allowed: one of"),
    ({'joints': ['a', 'a']}, "parameter 'joints' is .*; allowed: entries that differ"),
    ({'gains__kp': [1.0]}, "parameter 'gains.kp' is .*; allowed: 2 entries"),
    ({'gains__kp': [1.0, -1.0]}, 'entries of at least 0.0'),
    ({'count': 0}, "parameter 'count' is 0; allowed: greater than 0"),
])
def test_values_that_are_not_allowed_are_explained(declare, override, message):
    with pytest.raises(InvalidValueError, match=message):
        declare(**override)


def test_changes_are_checked_and_then_seen(declare):
    node, values = declare()
    (good,) = node.set_parameters([Parameter('gains.kp', value=[3.0, 4.0])])
    assert good.successful
    assert values.gains.kp == [3.0, 4.0]
    (bad,) = node.set_parameters([Parameter('gains.kp', value=[3.0])])
    assert not bad.successful
    assert '2 entries' in bad.reason
    assert values.gains.kp == [3.0, 4.0]
    (fixed,) = node.set_parameters([Parameter('mode', value='slow')])
    assert not fixed.successful
    assert values.mode == 'fast'


@pytest.mark.parametrize(('name', 'value'), [
    ('link', 'x' * 10**7), ('link', 'x' * (parameters.LONGEST_TEXT + 1)),
    ('joints', ['x' * 60, 'y' * 10**5]), ('joints', [str(i) for i in range(10_001)]),
    ('weights', [0.0] * 10_001)])
def test_values_of_any_size_are_refused(declare, file, name, value):
    """A payload's link of 10 MB was kept, since without a mass nobody looks for the link."""
    file.write_text(FILE + '  link: {type: string, default_value: ""}\n'
                    '  weights: {type: double_array, default_value: []}\n')
    node, values = declare()
    result = node.set_parameters([Parameter(name, value=value)])[0]
    assert not result.successful
    assert 'at most 100000 characters and 10000 entries' in result.reason
    assert len(result.reason) < 300
    assert not getattr(values, name)
    assert node.set_parameters([Parameter('link', value='x' * parameters.LONGEST_TEXT)])[
        0].successful


@pytest.mark.parametrize('node', NODES)
def test_shipped_files_are_sound_and_documented(node):
    declarations = parameters.read_declarations(ROOT / 'config' / f'{node}_parameters.yaml')
    for one in declarations:
        assert one.description.endswith('.'), one.name
        if one.default is not None:
            one.check(one.default)
    documentation = (ROOT / 'docs' / 'interfaces.md').read_text(encoding='utf-8')
    assert parameters.table(declarations) in documentation, (
        'run python -m mbd_ros.nodes.every_node.parameters and copy the table')


@pytest.mark.parametrize('robot', ['three_link_arm', 'puma560', 'panda'])
def test_shipped_settings_fit_their_declarations(robot):
    settings = yaml.safe_load((ROOT / 'config' / f'{robot}.yaml').read_text(encoding='utf-8'))
    for node, content in settings.items():
        known = {one.name: one for one in parameters.read_declarations(
            ROOT / 'config' / f'{node.removeprefix("/**/")}_parameters.yaml')}
        for name, value in flattened(content['ros__parameters']):
            known[name].check(value)


def flattened(content, group=''):
    for name, value in content.items():
        if isinstance(value, dict):
            yield from flattened(value, f'{group}{name}.')
        else:
            yield group + name, value


@pytest.mark.parametrize('name', NODES)
def test_every_declared_parameter_has_a_value_and_keeps_its_descriptor(name):
    """One without a value would empty the answer to whoever asks for several at once."""
    declarations = parameters.read_declarations(parameters.parameters_file(name))
    required = [Parameter(one.name, one.type, 'x') for one in declarations if one.default is None]
    context = rclpy.Context()
    rclpy.init(context=context)
    try:
        node = Node('robot', context=context, parameter_overrides=required)
        parameters.declare_parameters(node, name)
        for one in declarations:
            assert node.get_parameter(one.name).type_ is one.type, one.name
            read_only = node.describe_parameter(one.name).read_only
            assert read_only is (one.name in parameters.FOR_LIFE), one.name
        fixed = [one for one in declarations if one.read_only and one.default == []]
        for one in fixed:
            (result,) = node.set_parameters([Parameter(one.name, one.type, [])])
            assert not result.successful and 'read-only' in result.reason
        node.destroy_node()
    finally:
        rclpy.try_shutdown(context=context)


def test_files_and_addresses_are_named_at_the_start_only():
    """A request must not let an unconfigured node open a path, nor serve its page elsewhere."""
    named = {one.name for file in sorted((ROOT / 'config').glob('*_parameters.yaml'))
             for one in parameters.read_declarations(file)
             if one.type is Parameter.Type.STRING and any(
                 word in one.description for word in ('path of', 'file', 'Address'))}
    assert {'robot_description', 'graph', 'ground.heights', 'host'} <= named
    assert named <= set(parameters.FOR_LIFE), named - set(parameters.FOR_LIFE)


def test_parameters_of_other_nodes_below_the_wildcard_are_no_news(declare, tmp_path, monkeypatch):
    """Those that no node has are, and those that are given for this one."""
    said, given = [], tmp_path / 'given.yaml'
    given.write_text("""
/**: {ros__parameters: {frame_prefix: left/, payload: {mass: 1.0}, bandwith: 3.0}}
/robot: {ros__parameters: {bandwidth: 3.0}}
""")
    monkeypatch.setattr(parameters.sys, 'argv', ['robot', '--ros-args', '--params-file',
                                                 str(given), '--params-file', '/nowhere.yaml'])
    monkeypatch.setattr(parameters, 'known_elsewhere', lambda: frozenset(
        ('frame_prefix', 'payload.mass', 'bandwidth')))
    monkeypatch.setattr(Node, 'get_logger', lambda node: SimpleNamespace(warning=said.append))
    declare(frame_prefix='left/', payload__mass=1.0, bandwith=3.0, bandwidth=3.0)
    assert [line.split("'")[1] for line in said] == ['bandwith', 'bandwidth']


def test_all_nodes_are_known_beside_one_another():
    known = parameters.known_elsewhere()
    assert {'frame_prefix', 'payload.mass', 'bandwidth', 'gait'} <= known
