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

"""Nodes of a launch: program, names, remappings, parameters."""

import json
from pathlib import Path

import pytest
import yaml


@pytest.fixture
def shown(ros2, launch_file, prefix):
    """Launch the program and return what it was given."""
    def run(*entities, words=(), before=''):
        launched = ros2('launch', launch_file(*entities, before=before), *words,
                        env={'AMENT_PREFIX_PATH': str(prefix)})
        launched.status = launched.finish()
        # In the order in which they were started, whichever of them was quicker.
        found = [json.loads(line.partition('] ')[2]) for line in sorted(launched.lines)
                 if line.startswith('[show-')]
        for item in found:
            item['parameters'] = [yaml.safe_load(text) for text in item['files']]
        launched.shown = found
        return launched
    return run


def node(**kwargs):
    more = ''.join(f', {key}={value}' for key, value in kwargs.items())
    return f"Node(package='shows', executable='show', output='screen'{more})"


def test_plain_node(shown):
    (item,) = shown(node(arguments="['--flag', 'x']")).shown
    assert item['argv'] == ['--flag', 'x']


def test_names_and_remappings(shown):
    (item,) = shown(node(name="'n'", namespace="'/a/b'", remappings="[('x', '/y')]",
                         ros_arguments="['--log-level', 'debug']")).shown
    assert item['argv'] == ['--ros-args', '-r', '__node:=n', '-r', '__ns:=/a/b', '-r', 'x:=/y',
                            '--log-level', 'debug']


def test_pushed_namespace_parameter_and_remapping_hold_in_their_group(shown):
    inner = node(name="'n'", namespace="'c'")
    launched = shown(
        "GroupAction([PushRosNamespace('a'), PushRosNamespace('b'), SetRemap('x', 'z'), "
        f"SetParameter('use_sim_time', True), {inner}])", node())
    first, second = launched.shown
    assert first['argv'] == ['--ros-args', '-r', '__node:=n', '-r', '__ns:=/a/b/c',
                             '-p', 'use_sim_time:=true', '-r', 'x:=z']
    assert second['argv'] == []


def test_parameters_keep_their_types(shown):
    (item,) = shown(
        "SetLaunchConfiguration('gain', '2.5')", "SetLaunchConfiguration('id', '007')",
        node(parameters="[{'whole': 1, 'real': 1.0, 'small': 1e-9, 'yes': True, 'text': 'true', "
             "'group': {'inner': {'list': [1, 2.5]}}, 'names': ['a', 'b'], 'flags': [True], "
             "'computed': LaunchConfiguration('gain'), 'joined': ['x', LaunchConfiguration('id')],"
             " 'forced': ParameterValue(LaunchConfiguration('id'), value_type=str), "
             "'xml': ParameterValue(Command('echo \"<robot: a>\"'), value_type=str)}]")).shown
    assert item['parameters'] == [{'/**': {'ros__parameters': {
        'whole': 1, 'real': 1.0, 'small': 1e-9, 'yes': True, 'text': 'true',
        'group.inner.list': [1.0, 2.5], 'names': ['a', 'b'], 'flags': [True],
        'computed': 2.5, 'joined': 'x007', 'forced': '007', 'xml': '<robot: a>\n'}}}]
    assert isinstance(item['parameters'][0]['/**']['ros__parameters']['real'], float)


def test_parameters_of_a_named_node_are_for_that_node(shown):
    (item,) = shown(node(name="'n'", namespace="'/a'", parameters="[{'x': 1}]")).shown
    assert item['parameters'] == [{'/a/n': {'ros__parameters': {'x': 1}}}]


def test_parameter_files_keep_their_place(shown, prefix):
    path = prefix / 'share' / 'shows' / 'config' / 'p.yaml'
    path.write_text('/**: {ros__parameters: {x: 5}}\n')
    (item,) = shown(node(
        parameters="[PathJoinSubstitution([FindPackageShare('shows'), 'config', 'p.yaml']), "
                   f"{{'x': 6}}, ParameterFile('{path}')]")).shown
    values = [list(entry.values())[0]['ros__parameters']['x'] for entry in item['parameters']]
    assert values == [5, 6, 5]
    assert item['argv'][2] == str(path)


def test_parameter_file_with_substitutions(shown, prefix):
    path = prefix / 'share' / 'shows' / 'config' / 'p.yaml'
    path.write_text('/**: {ros__parameters: {x: $(var n), y: "$(env HOME)"}}\n')
    (item,) = shown("SetLaunchConfiguration('n', '7')", node(
        parameters=f"[ParameterFile('{path}', allow_substs=True)]")).shown
    values = item['parameters'][0]['/**']['ros__parameters']
    assert values['x'] == 7
    assert values['y'].startswith('/')
    launched = shown(node(parameters=f"[ParameterFile('{path}', allow_substs=True)]"))
    assert launched.status == 1
    assert "launch configuration 'n' does not exist" in launched.text


def test_parameters_for_all_nodes_that_follow(shown, prefix):
    path = prefix / 'share' / 'shows' / 'config' / 'p.yaml'
    path.write_text('/**: {ros__parameters: {x: 5}}\n')
    (item,) = shown("SetParameter('y', 2)", f"SetParametersFromFile('{path}')",
                    "SetROSLogDir('/tmp/elsewhere')",
                    "LogInfo(msg=['y is ', Parameter('y'), ', ', Parameter('z', default='-')])"
                    .replace('Parameter(', 'launch_ros.substitutions.Parameter('),
                    node(arguments="[EnvironmentVariable('ROS_LOG_DIR')]"),
                    before='import launch_ros.substitutions').shown
    assert item['argv'] == ['/tmp/elsewhere', '--ros-args', '-p', 'y:=2', '--params-file',
                            str(path)]


def test_temporary_parameter_files_go_with_the_launch(shown):
    (item,) = shown(node(parameters="[{'x': 1}]")).shown
    path = Path(item['argv'][item['argv'].index('--params-file') + 1])
    assert not path.exists()
    assert not path.parent.exists()


@pytest.mark.parametrize(('parameters', 'message'), [
    ("[{'a': {'b': [1, 'x']}}]", "parameter 'a.b': Expected a non-empty sequence, with items of "
     'uniform type. Allowed sequence item types are bool, int, float, str. Got [1, '),
    ("[{'a': []}]", "parameter 'a': Expected a non-empty sequence"),
    ("[{'xml': TextSubstitution(text='a: b')}]", "parameter 'xml': Allowed value types are "),
    ("[{'n': ParameterValue(TextSubstitution(text='x'), value_type=int)}]",
     "parameter 'n': expected a value of type int, got 'x' of type str"),
    ("{'a': 1}", "Expecting list of parameters, got {'a': 1}"),
])
def test_wrong_parameters(shown, parameters, message):
    launched = shown(node(parameters=parameters))
    assert launched.status == 1
    assert message in launched.text


def test_missing_package_and_program(shown):
    launched = shown("Node(package='no_pkg', executable='x')")
    assert launched.status == 1
    assert "package 'no_pkg' not found, searching: [" in launched.text
    launched = shown("Node(package='shows', executable='shw')")
    assert launched.status == 1
    assert "executable 'shw' not found in package 'shows', did you mean 'show'? " \
           '(it has: show)' in launched.text


def test_invalid_node_name(shown):
    launched = shown(node(name="'1 x'"))
    assert launched.status == 1
    assert "Invalid node name: '1 x' must consist of letters, digits and '_'" in launched.text


@pytest.mark.parametrize(('line', 'message'), [
    ('from launch_ros.actions import ComposableNodeContainer',
     'composable nodes are shared libraries in C++'),
])
def test_what_is_absent_says_so(ros2, launch_file, line, message):
    launched = ros2('launch', launch_file(before=line))
    assert launched.finish() == 1
    assert message in launched.text


def test_run_executes_the_program_itself(ros2, prefix):
    running = ros2('run', 'shows', 'show', 'a', '--ros-args', '-r', 'x:=y',
                   env={'AMENT_PREFIX_PATH': str(prefix)})
    assert running.finish() == 0
    assert json.loads(running.text)['argv'] == ['a', '--ros-args', '-r', 'x:=y']


def test_run_of_what_does_not_exist(ros2, prefix):
    env = {'AMENT_PREFIX_PATH': str(prefix)}
    running = ros2('run', 'no_pkg', 'x', env=env)
    assert running.finish() == 1
    assert running.text == "Package 'no_pkg' not found"
    running = ros2('run', 'shows', 'x', env=env)
    assert running.finish() == 1
    assert running.text == \
        "No executable found: executable 'x' not found in package 'shows' (it has: show)"


def test_packages(ros2, prefix):
    env = {'AMENT_PREFIX_PATH': str(prefix)}
    running = ros2('pkg', 'list', env=env)
    running.finish()
    assert {'shows', 'std_msgs', 'tf2_ros', 'robot_state_publisher'} <= set(running.lines)
    running = ros2('pkg', 'prefix', 'shows', env=env)
    running.finish()
    assert running.text == str(prefix)
    running = ros2('pkg', 'executables', 'shows', env=env)
    running.finish()
    assert running.text == 'shows show'
    running = ros2('pkg', 'prefix', 'nothing', env=env)
    assert running.finish() == 1
    assert running.text == 'Package not found'


@pytest.mark.parametrize('text', [
    '\r\n a\tb\x07é😀\u2028 : # "\' \\', ' lead', 'trail ', '\n\n', '007', '1e5', 'null', '~',
    'yes', '2020-01-01', 'a: b', '- x', '\ufeffmark', '', '1_000', '<<', '1:30',
    '<robot name="a">\n' + '  <link name="b"/>\n' * 5000 + '</robot>\n'])
def test_any_text_reaches_a_parameter_file_unchanged(text):
    from launch import LaunchContext
    from launch_ros.utilities.parameter_files import write_parameter_file
    path = Path(write_parameter_file(context := LaunchContext(), '/**', {'text': text}))
    assert yaml.safe_load(path.read_text())['/**']['ros__parameters']['text'] == text
    del context


def test_what_parameters_share_is_written_out():
    from launch import LaunchContext
    from launch_ros.utilities.parameter_files import write_parameter_file
    from rosless.parameter_values import load_file
    shared = [1.0, 2.0]
    path = write_parameter_file(context := LaunchContext(), '/**', {'x': shared, 'y': shared})
    assert load_file(path) == [('/**', {'x': shared, 'y': shared})]
    del context


def test_numbers_of_numpy_become_plain():
    import numpy as np
    from launch import LaunchContext
    from launch_ros.utilities import evaluate_parameters
    (found,) = evaluate_parameters(LaunchContext(), [{
        'a': np.float64(1.5), 'b': np.int64(2), 'c': np.array([1.0, 2.0]), 'd': [np.float64(3)]}])
    assert found == {'a': 1.5, 'b': 2, 'c': [1.0, 2.0], 'd': [3.0]}
    assert yaml.safe_load(yaml.safe_dump(found)) == found


def test_namesakes_are_warned_of(shown):
    one = node(name="'n'", namespace="'/a'")
    launched = shown(one, node(), node())
    assert 'nodes with the name' not in launched.text
    launched = shown(one, one)
    assert ('[WARNING] [launch]: there are now at least 2 nodes with the name /a/n created within '
            'this launch context') in launched.lines
