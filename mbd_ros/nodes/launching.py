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

"""Shared code of the launch files: robots by name, arguments, and their checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import json
import os
from pathlib import Path
import re
from typing import Any

from ament_index_python.packages import (
    get_package_prefix, get_package_share_directory, PackageNotFoundError)
from launch import LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, GroupAction
from launch.logging import launch_config
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node, PushRosNamespace, SetRemap
from launch_ros.parameter_descriptions import ParameterValue
from rclpy.exceptions import InvalidNamespaceException
from rclpy.validate_namespace import validate_namespace

from mbd_ros.description import read
from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.description.urdf.camera import whole_robot
from mbd_ros.description.urdf.mesh_names import with_absolute_meshes
from mbd_ros.description.urdf.visuals import FOLDERS
from mbd_ros.description.xml.packages import file_path
from mbd_ros.description.xml.roots import around
from mbd_ros.description.xml.xacro_arguments import argument_words
from mbd_ros.errors import InvalidValueError
from mbd_ros.nodes.launch_domain import own_domain
from mbd_ros.on_demand import former

BOOLEAN = ('true', 'false')
TRUSTED = DeclareLaunchArgument(
    'trusted', default_value='false', choices=BOOLEAN,
    description='Whether a xacro file may do all that xacro allows, which includes running code '
                'and reading any file; otherwise it is read within bounds.')
XACRO_ARGS = DeclareLaunchArgument(
    'xacro_args', default_value='',
    description="Arguments of a xacro file, as words: xacro_args:='ur_type:=ur5e name:=ur'.")
ROTORS = DeclareLaunchArgument(
    'rotor_inertia', default_value='described', choices=('described', 'transmissions'),
    description='Whether <transmission> of a URDF gives joints the inertia of their motors, times '
                'the square of the gear ratio.')
DESCRIPTION = (
    DeclareLaunchArgument(
        'description', default_value='', description='URDF or xacro file of another robot.'),
    TRUSTED, XACRO_ARGS, ROTORS)
ALWAYS = (
    DeclareLaunchArgument(
        'namespace', default_value='',
        description='Namespace of all nodes, topics and transforms (tf and tf_static in it '
                    'instead of /tf and /tf_static, unless there is a frame_prefix), for several '
                    'robots in one graph.'),
    DeclareLaunchArgument(
        'frame_prefix', default_value='',
        description='Text in front of the names of all frames, as robot_state_publisher has it: '
                    'left/ for one of several robots whose transforms are all on /tf.'),
    DeclareLaunchArgument(
        'autostart', default_value='true', choices=BOOLEAN,
        description='Whether the nodes of this package configure and activate themselves; else '
                    'they wait for ros2 lifecycle.'))
TIME_TO_END = LaunchConfiguration('sigterm_timeout', default='20')
"""
Time [s] from Ctrl-C to SIGTERM for a node that has not ended. Launch gives 5 s, which a node that
is still being loaded on a busy machine exceeds: it then dies by SIGTERM, which looks like a crash.
"""
VIEWER = (
    DeclareLaunchArgument(
        'viewer', default_value='true', choices=BOOLEAN,
        description='Whether to show the robot on a page in the browser.'),
    DeclareLaunchArgument(
        'port', default_value='8080',
        description='Port of that page; the next free one if it is taken.'),
    DeclareLaunchArgument(
        'rviz', default_value='auto', choices=('auto', *BOOLEAN),
        description='Whether to start RViz; auto: where it is installed and there is no viewer.'))


def share(*parts: str) -> Path:
    """Return the path of something this package has installed."""
    return Path(get_package_share_directory('mbd_ros'), *parts)


def robot_file(value: Mapping[str, str]) -> Path:
    """
    Return the file of the robot that the arguments ``robot`` and ``description`` name.

    Raises
    ------
    InvalidValueError
        If there is no such file.

    """
    files = ([file_path(value['description'])] if value['description'] else
             [share('urdf', f'{value["robot"]}{end}') for end in ('.urdf', '.urdf.xacro')])
    for file in files:
        if file.is_file():
            return file
    raise InvalidValueError("argument 'description'", str(files[0]), 'the path of a file')


def robot(value: Mapping[str, str]) -> Mechanism:
    """
    Return the robot that the arguments name.

    Raises
    ------
    DescriptionError
        If its file cannot be read; xacro may run code with the argument ``trusted`` only.
    InvalidValueError
        If ``xacro_args`` are no words ``NAME:=VALUE``.

    """
    file = robot_file(value)
    if value.get('description'):
        _offer(around(file))
    return read(file, xacro='trusted' if value['trusted'] == 'true' else 'checked',
                arguments=argument_words(value.get('xacro_args', '')),
                rotor_inertia='transmissions' if value.get('rotor_inertia') == 'transmissions'
                else 'described')


def _offer(folder: Path) -> None:
    """Let the nodes, which get a robot as text, find meshes in its package or folder."""
    for name in ('ROS_PACKAGE_PATH', FOLDERS):
        known = list(filter(None, os.environ.get(name, '').split(os.pathsep)))
        if str(folder) not in known:
            os.environ[name] = os.pathsep.join([str(folder), *known])


def robot_or_modules(value: Mapping[str, str]) -> Mechanism:
    """Return the robot that the arguments name, which may be one of modules; errors likewise."""
    graph = Path(value.get('graph') or share('config', 'modules', f'{value["robot"]}.yaml'))
    if value.get('description') or not graph.is_file():
        return robot({'description': '', 'trusted': 'false', **value})
    return read(graph)


def description(value: Mapping[str, str]) -> ParameterValue:
    """Return the robot that the arguments name as the parameter ``robot_description``."""
    return ParameterValue(with_absolute_meshes(robot(value)), value_type=str)


def in_namespace(value: Mapping[str, str], nodes: Sequence[LaunchDescriptionEntity]
                 ) -> list[LaunchDescriptionEntity]:
    """
    Return nodes in the namespace that the arguments name, with transforms of their own.

    Where the domain of default has a robot in that namespace, they are in another domain.
    """
    name = value['namespace']
    if not name:
        return [*own_domain(''), *nodes]
    try:
        validate_namespace(name if name.startswith('/') else f'/{name}')
    except InvalidNamespaceException as error:
        raise InvalidValueError("argument 'namespace'", name, (
            'letters, digits, _ and / between them, no digit at the begin of a part')) from error
    transforms = [] if value['frame_prefix'] else [
        SetRemap('/tf', 'tf'), SetRemap('/tf_static', 'tf_static')]
    return [*own_domain(name), GroupAction([PushRosNamespace(name), *transforms, *nodes])]


def number(value: Mapping[str, str], name: str, lowest: float = 0.0,
           highest: float = 1e6) -> float:
    """
    Return a launch argument as a number.

    Raises
    ------
    InvalidValueError
        If it is none, or out of its bounds.

    """
    bounds = f'a number from {lowest:g} to {highest:g}'
    try:
        found = float(value[name])
    except ValueError:
        raise InvalidValueError(f"argument '{name}'", value[name], bounds) from None
    if not lowest <= found <= highest:
        raise InvalidValueError(f"argument '{name}'", value[name], bounds)
    return found


def frame_prefix(value: Mapping[str, str]) -> dict[str, ParameterValue]:
    """Return the parameter of every node that names frames, a text whatever it looks like."""
    return {'frame_prefix': ParameterValue(value['frame_prefix'], value_type=str)}


def package_node(value: Mapping[str, str], executable: str, *parameters: Any) -> Node:
    """Return a node of this package under the name of its executable."""
    return Node(package='mbd_ros', executable=executable, name=executable, output='screen',
                sigterm_timeout=TIME_TO_END,
                parameters=[*parameters, {'autostart': value['autostart'] == 'true'},
                            frame_prefix(value)])


ours = former('ours', package_node)


def viewer(value: Mapping[str, str], **parameters: Any) -> list[Node]:
    """Return the page in the browser with parameters, if it is wanted."""
    if value['viewer'] != 'true':
        return []
    return [package_node(value, 'viewer', {
        'port': round(number(value, 'port', 1, 65535)), **parameters})]


def rviz(value: Mapping[str, str], frame: str = '', **parameters: Any) -> list[Node]:
    """
    Return RViz with parameters, if it is wanted; it shows a frame, that of the root link.

    Its configuration takes no arguments: a copy with the prefix, and with a camera that shows the
    whole robot, and follows one that is shown in another frame than its own, is with the logs.
    """
    if not wants_rviz(value):
        return []
    config = Path(launch_config.log_dir, 'mbd_ros.rviz')
    text, fixed = rviz_config(value, frame)
    config.write_text(text, encoding='utf-8')
    return [Node(
        package='rviz2', executable='rviz2', name='rviz2', output='screen',
        parameters=[parameters], arguments=['-d', str(config), '-f', fixed])]


def rviz_config(value: Mapping[str, str], frame: str = '') -> tuple[str, str]:
    """Return the text of RViz's configuration for a launch, and its fixed frame; see ``rviz``."""
    prefix = value['frame_prefix']
    text = share('config', 'mbd_ros.rviz').read_text(encoding='utf-8').replace(
        'TF Prefix: ""', f'TF Prefix: {json.dumps(prefix.removesuffix("/"))}')   # RViz adds one
    shown = robot_or_modules(value)
    floats = [joint.child for joint in shown.joints
              if joint.parent == shown.root and joint.kind == 'floating']   # the base of modules
    followed = (floats or [shown.root])[0] if frame else ''
    return with_camera(text, shown, followed, prefix), prefix + (frame or shown.root)


def wants_rviz(value: Mapping[str, str]) -> bool:
    """Return whether the arguments ask for RViz."""
    if value['rviz'] != 'auto' or value['viewer'] != 'false':
        return value['rviz'] == 'true'
    try:
        get_package_prefix('rviz2')
    except PackageNotFoundError:
        return False
    return True


def with_camera(config: str, mechanism: Mechanism, followed: str, prefix: str = '') -> str:
    """Return a configuration of RViz whose camera shows a robot, and follows a link, if any."""
    camera = whole_robot(mechanism, followed)
    here: dict[str, object] = {
        'Distance': camera.distance, **dict(zip('XYZ', camera.focus)),
        **({'Target Frame': json.dumps(prefix + followed)} if followed else {})}
    others, begin, views = config.partition('\n  Views:\n')
    for name, value in here.items():
        before, old, after = re.split(rf'(?<=\n)( *{name}:) .*', views, maxsplit=1)
        views = f'{before}{old} {value}{after}'
    return f'{others}{begin}{views}'


def state_publisher(value: Mapping[str, str], *parameters: Any) -> Node:
    """
    Return robot_state_publisher, which owns the description.

    It hears the simulator's own topic: up to 50 messages a second, also in pauses and while the
    robot is compiled, each of which it answers whatever its stamp is.
    """
    return Node(package='robot_state_publisher', executable='robot_state_publisher',
                name='robot_state_publisher', output='screen', sigterm_timeout=TIME_TO_END,
                parameters=[*parameters, {'robot_description': description(value),
                                          'ignore_timestamp': True}, frame_prefix(value)],
                remappings=[('joint_states', 'simulator/joint_states')])
