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

"""Public names that the other tests use through something else only."""

import logging
from pathlib import Path
import sys

import ament_index_python as index
from geometry_msgs.msg import PointStamped
from geometry_msgs.msg import PoseStamped
from geometry_msgs.msg import PoseWithCovarianceStamped
from geometry_msgs.msg import Vector3Stamped
import launch
from launch import conditions
from launch import frontend
from launch import launch_description_sources as sources
from launch.logging import get_logger
from launch.logging import get_output_loggers
from launch.utilities import ensure_argument_type
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions
import launch_ros
from launch_ros import substitutions
import numpy as np
import pytest
import tf2_geometry_msgs
import tf2_py
import tf2_ros
from tf2_ros.buffer_core import as_message


@pytest.fixture(autouse=True)
def log_directory(tmp_path, monkeypatch):
    """Have launches in this process log below a directory of the test."""
    monkeypatch.setattr(launch.logging.launch_config, '_log_dir', str(tmp_path))


def said_by(ros2, path, *words, env=None):
    launched = ros2('launch', path, *words, env=env)
    assert launched.finish() == 0, launched.text
    return [line.removeprefix('[INFO] [launch.user]: ') for line in launched.lines
            if line.startswith('[INFO] [launch.user]: ')]


def test_environment_and_configurations_one_by_one(ros2, launch_file, tmp_path):
    show = ("LogInfo(msg=[EnvironmentVariable('V', default_value='-'), ' ', "
            "LaunchConfiguration('c', default='-')])")
    path = launch_file(
        "SetEnvironmentVariable('V', 'a')", "SetLaunchConfiguration('c', '1')", show,
        "SetLaunchConfiguration('front', 'true')",
        'PushEnvironment()', 'PushLaunchConfigurations()',
        "AppendEnvironmentVariable('V', 'b', separator='+')",
        "AppendEnvironmentVariable('V', 'z', prepend=LaunchConfiguration('front'), "
        "separator=['+'])",
        "SetLaunchConfiguration('c', '2')", show,
        "UnsetEnvironmentVariable('V')", "UnsetLaunchConfiguration('c')", show,
        'PopEnvironment()', 'PopLaunchConfigurations()', show,
        'ResetEnvironment()', 'ResetLaunchConfigurations()', show,
        f"SetLaunchLogDir({str(tmp_path / 'elsewhere')!r})", 'LogInfo(msg=LaunchLogDir())',
        'LogInfo(msg=ThisLaunchFile())')
    assert said_by(ros2, path, env={'V': 'outside'}) == [
        'a 1', 'z+a+b 2', '- -', 'a 1', 'outside -', str(tmp_path / 'elsewhere'), str(path)]


def test_handlers_that_are_taken_away_and_events_by_class(ros2, launch_file):
    path = launch_file(
        'RegisterEventHandler(once)', 'RegisterEventHandler(gone)',
        'UnregisterEventHandler(gone)',
        'RegisterEventHandler(EventHandler(matcher=lambda e: isinstance(e, TimerEvent), '
        "entities=[LogInfo(msg='timer')]))",
        'RegisterEventHandler(EventHandler(matcher=lambda e: isinstance(e, ExecutionComplete) '
        "and isinstance(e.action, EmitEvent), entities=[LogInfo(msg='executed')]))",
        'EmitEvent(event=Mine())', 'EmitEvent(event=Mine())',
        'TimerAction(period=0.0, actions=[])',
        before='from launch import Event, EventHandler\n'
        'from launch.events import ExecutionComplete, TimerEvent\n'
        'class Mine(Event):\n    name = "mine"\n'
        'is_mine = lambda event: isinstance(event, Mine)\n'
        'once = EventHandler(matcher=is_mine, entities=[LogInfo(msg="mine")], handle_once=True)\n'
        'gone = EventHandler(matcher=is_mine, entities=[LogInfo(msg="never")])\n')
    said = said_by(ros2, path)
    assert sorted(said) == ['executed', 'executed', 'mine', 'timer']


def test_actions_substitutions_and_conditions_of_ones_own(capsys):
    class Shout(launch.Substitution):
        def perform(self, context):
            return context.launch_configurations['word'].upper()

    class Keep(launch.Action):
        def __init__(self, text, **kwargs):
            super().__init__(**kwargs)
            self.text = normalize_to_list_of_substitutions(text)

        def execute(self, context):
            found.append(perform_substitutions(context, self.text))
            return [launch.actions.SetLaunchConfiguration('word', 'after')]

    found: list[str] = []
    never = launch.Condition(predicate=lambda context: False)
    service = launch.LaunchService()
    service.context.launch_configurations['word'] = 'hey'
    service.include_launch_description(launch.LaunchDescription([
        Keep(['say ', Shout()]), Keep('never', condition=never), Keep(Shout())]))
    assert service.run() == 0
    assert found == ['say HEY', 'AFTER']
    assert issubclass(launch.LaunchDescription, launch.LaunchDescriptionEntity)
    assert launch.SomeSubstitutionsType and launch.SomeEntitiesType
    assert isinstance([], launch.SomeEntitiesType_types_tuple)
    assert isinstance('', launch.SomeSubstitutionsType_types_tuple)
    text = launch.LaunchIntrospector().format_launch_description(
        launch.LaunchDescription([Keep('x')]))
    assert text.splitlines()[1].startswith('└── Keep')


def test_a_program_by_its_description():
    description = launch.descriptions.Executable(cmd=[sys.executable, '-c', 'print(6 * 7)'])
    action = launch.actions.ExecuteLocal(process_description=description, cached_output=True)
    service = launch.LaunchService(noninteractive=True)
    service.include_launch_description(launch.LaunchDescription([action]))
    assert service.run() == 0
    assert (action.return_code, action.get_stdout()) == (0, '42\n')


def test_conditions_by_hand():
    context = launch.LaunchContext()
    parts = normalize_to_list_of_substitutions(' TRUE ')
    assert conditions.evaluate_condition_expression(context, parts) is True
    with pytest.raises(conditions.InvalidConditionExpressionError):
        conditions.evaluate_condition_expression(
            context, normalize_to_list_of_substitutions('maybe'))


def test_files_by_hand(tmp_path):
    python, xml = tmp_path / 'a.launch.py', tmp_path / 'a.launch.xml'
    python.write_text('from launch import LaunchDescription\n'
                      'def generate_launch_description():\n    return LaunchDescription()\n')
    xml.write_text('<launch><log message="x"/></launch>')
    assert sources.get_launch_description_from_python_launch_file(str(python)).entities == []
    assert len(sources.get_launch_description_from_any_launch_file(str(xml)).entities) == 1
    python.write_text('')
    with pytest.raises(sources.InvalidPythonLaunchFileError, match='does not contain'):
        sources.get_launch_description_from_python_launch_file(str(python))
    source = launch.LaunchDescriptionSource(launch.LaunchDescription())
    assert source.get_launch_description(launch.LaunchContext()).entities == []


def test_tags_and_substitutions_of_ones_own(tmp_path, capsys):
    @frontend.expose_action('test-greet')
    class Greet(launch.actions.LogInfo):
        @classmethod
        def parse(cls, entity: frontend.Entity, parser: frontend.Parser):
            return cls, {'msg': parser.parse_substitution(entity.get_attr('whom'))}

    @frontend.expose_substitution('test-twice')
    class Twice(launch.Substitution):
        def __init__(self, value):
            self.value = value

        @classmethod
        def parse(cls, data):
            return cls, {'value': data[0]}

        def perform(self, context):
            return 2 * perform_substitutions(context, self.value)

    path = tmp_path / 'a.launch.xml'
    path.write_text('<launch><test_greet whom="$(test-twice ho)"/></launch>')
    service = launch.LaunchService()
    service.include_launch_description(
        sources.get_launch_description_from_frontend_launch_file(str(path)))
    assert service.run() == 0
    assert '[INFO] [launch.user]: hoho' in capsys.readouterr().out
    path.write_text('<launch><test_greet/></launch>')
    with pytest.raises(frontend.InvalidFrontendLaunchFileError, match="'whom' is missing"):
        sources.get_launch_description_from_frontend_launch_file(str(path))
    assert frontend.parse_if_substitutions(3) == 3
    assert len(frontend.parse_if_substitutions('a$(var b)')) == 2


def test_loggers(capsys):
    get_logger('somebody').warning('careful')
    assert '[WARNING] [somebody]: careful' in capsys.readouterr().out
    out, err = get_output_loggers('program', 'screen')
    out.info('as it is')
    assert capsys.readouterr().out == 'as it is\n'
    assert isinstance(err, logging.Logger)
    with pytest.raises(ValueError, match="'loud' is not a valid output setting"):
        get_output_loggers('program', 'loud')


def test_types_of_arguments():
    ensure_argument_type(1, (int, str), 'count')
    with pytest.raises(TypeError, match="'count' of f must be of type str, found '1' of type int"):
        ensure_argument_type(1, str, 'count', 'f')


def test_directories_and_names_of_packages(prefix, monkeypatch):
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(prefix))
    context = launch.LaunchContext()
    assert substitutions.FindPackagePrefix('shows').perform(context) == str(prefix)
    assert substitutions.ExecutableInPackage('show', 'shows').perform(context) == str(
        prefix / 'lib' / 'shows' / 'show')
    assert issubclass(substitutions.FindPackageShare, substitutions.FindPackage)
    assert launch_ros.actions.PushROSNamespace is launch_ros.actions.PushRosNamespace
    assert launch_ros.actions.ROSTimer is launch_ros.actions.RosTimer
    one, two = launch_ros.utilities.normalize_remap_rules([('a', 'b'), ('c', 'd')])
    assert one[0][0].text == 'a' and two[1][0].text == 'd'
    with pytest.raises(TypeError, match='expected a remapping as a pair'):
        launch_ros.utilities.normalize_remap_rule('a')
    assert launch_ros.utilities.make_namespace_absolute('a') == '/a'
    assert launch_ros.utilities.prefix_namespace('/a', 'b') == '/a/b'


def test_the_index(prefix, monkeypatch):
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(prefix))
    assert index.get_search_paths()[0] == str(prefix)
    assert index.get_package_prefix('shows') == str(prefix)
    assert index.get_package_share_directory('shows') == str(prefix / 'share' / 'shows')
    assert index.get_package_share_path('shows') == Path(prefix, 'share', 'shows')
    assert index.get_packages_with_prefixes()['shows'] == str(prefix)
    assert index.get_resource('packages', 'shows') == ('', str(prefix))
    assert index.get_resources('packages')['shows'] == str(prefix)
    assert 'packages' in index.get_resource_types()
    assert index.has_resource('packages', 'shows') == str(prefix)
    assert index.has_resource('packages', 'nothing') is False
    with pytest.raises(index.PackageNotFoundError, match="package 'nothing' not found"):
        index.get_package_prefix('nothing')
    with pytest.raises(index.InvalidResourceNameError):
        index.has_resource('packages', 'a/b')
    with pytest.raises(index.InvalidResourceTypeNameError):
        index.get_resources('a/b')
    with pytest.raises(LookupError, match="Could not find the resource 'x'"):
        index.get_resource('packages', 'x')


def test_names_of_tf2():
    for name in tf2_py.__all__:
        assert getattr(tf2_py, name) is getattr(tf2_ros, name)
    assert issubclass(tf2_ros.Buffer, tf2_ros.BufferCore)
    assert issubclass(tf2_ros.TimeoutException, tf2_ros.TransformException)
    with pytest.raises(tf2_ros.NotImplementedException):
        tf2_ros.BufferInterface().lookup_transform('a', 'b', None)
    point = PointStamped()
    assert tf2_ros.convert(point, PointStamped) is point
    with pytest.raises(tf2_ros.TypeException):
        tf2_ros.convert(point, int)


def test_functions_of_tf2_geometry_msgs():
    step = as_message('to', 'from', 5, ((1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.0)))  # half turn on x
    point, vector = PointStamped(), Vector3Stamped()
    point.point.y = vector.vector.y = 4.0
    moved = tf2_geometry_msgs.do_transform_point(point, step)
    assert (moved.point.x, moved.point.y, moved.point.z) == (1.0, -2.0, 3.0)
    assert moved.header == step.header
    turned = tf2_geometry_msgs.do_transform_vector3(vector, step)
    assert (turned.vector.x, turned.vector.y) == (0.0, -4.0)
    assert step.transform.translation.x == 1.0  # not touched
    pose = tf2_geometry_msgs.do_transform_pose_stamped(PoseStamped(), step).pose
    assert (pose.position.z, pose.orientation.x) == (3.0, 1.0)
    known = PoseWithCovarianceStamped()
    known.pose.covariance = np.arange(36.0)
    found = tf2_geometry_msgs.do_transform_pose_with_covariance_stamped(known, step)
    sign = np.array([1.0, -1.0, -1.0, 1.0, -1.0, -1.0])
    expected = np.arange(36.0).reshape(6, 6) * np.outer(sign, sign)
    np.testing.assert_array_equal(np.reshape(found.pose.covariance, (6, 6)), expected)
    np.testing.assert_array_equal(
        tf2_geometry_msgs.transform_covariance(known.pose.covariance, step), expected.ravel())
    assert tf2_geometry_msgs.to_msg_msg(point) is point
    assert tf2_geometry_msgs.from_msg_msg(point) is point
