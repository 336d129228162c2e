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

"""A robot tracks a path: simulator, controller, dynamics services and a page to look at."""

from collections.abc import Mapping
from pathlib import Path

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.logging import launch_config
from launch_ros.actions import Node
import yaml

from mbd_ros.errors import InvalidValueError
from mbd_ros.nodes import launching

ROBOTS = ('three_link_arm', 'puma560', 'panda', 'five_bar', 'delta', 'dual_arm',
          'space_robot', 'flexible_arm')
BOOLEAN = launching.BOOLEAN

ARGUMENTS = (
    DeclareLaunchArgument(
        'robot', default_value=ROBOTS[0], choices=ROBOTS,
        description='Robot of this package, with its path and its initial state.'),
    DeclareLaunchArgument(
        'description', default_value='',
        description='URDF or xacro file of another robot. Without config: gravity '
                    'compensation, free to be pushed, until it gets a goal.'),
    DeclareLaunchArgument(
        'config', default_value='',
        description='Parameter file of simulator and controller; empty: that of robot, none for '
                    'description.'),
    DeclareLaunchArgument(
        'link', default_value='',
        description='Link whose origin follows paths, of goals too; empty: as in config, else '
                    'tool.'),
    launching.TRUSTED, launching.XACRO_ARGS, *launching.ALWAYS, *launching.VIEWER,
    DeclareLaunchArgument(
        'rate', default_value='500.0',
        description='Joint states and control steps per second [Hz].'),
    DeclareLaunchArgument(
        'mass_scale', default_value='',
        description='Factor of all masses of the simulated robot, of which the controller does '
                    'not know: 1.2 for one that is 20 % heavier than described. Empty, here and '
                    'below: as in config, else none.'),
    DeclareLaunchArgument(
        'payload', default_value='',
        description='Point mass at the tool of the simulated robot, likewise [kg].'),
    DeclareLaunchArgument(
        'friction', default_value='',
        description='Dry friction at the joints of the simulated robot, likewise [N m or N].'),
    DeclareLaunchArgument(
        'robust_rate', default_value='',
        description='Rate of the term of the controller against such differences [1/s]; 60 makes '
                    'the error five times smaller.'),
    DeclareLaunchArgument(
        'lockstep', default_value='true', choices=BOOLEAN,
        description='Whether simulated time waits for the controller at every step, so that a '
                    'busy machine makes the run slower but not different.'),
    DeclareLaunchArgument(
        'composed', default_value='false', choices=BOOLEAN,
        description='Whether the nodes of this package run in one process.'),
    DeclareLaunchArgument(
        'use_sim_time', default_value='false', choices=BOOLEAN,
        description='Whether the simulator publishes /clock and the other nodes follow it.'),
    DeclareLaunchArgument(
        'real_time_factor', default_value='1.0',
        description='Simulated seconds per second, with use_sim_time; 0 with lockstep: as fast '
                    'as possible.'),
)


def given(value: Mapping[str, str], parameters: Mapping[str, str]) -> dict[str, float]:
    """Return parameters for the arguments that are not empty."""
    return {parameter: launching.number(value, argument)
            for argument, parameter in parameters.items() if value[argument]}


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes, now that the arguments are known."""
    value = context.launch_configurations
    configs = [value['config']] if value['config'] else [] if value['description'] else [
        str(launching.share('config', f'{value["robot"]}.yaml'))]
    for config in configs:
        if not Path(config).is_file():
            raise InvalidValueError("argument 'config'", config, 'the path of a parameter file')
    time = {'use_sim_time': value['use_sim_time'] == 'true'}
    rate = launching.number(value, 'rate', 10.0, 2000.0)
    ours: dict[str, dict[str, object]] = {
        'dynamics_server': time,
        'controller': {**time, 'rate': rate, 'lockstep': value['lockstep'] == 'true',
                       **({'link': value['link']} if value['link'] else {}),
                       **given(value, {'robust_rate': 'robust_rate'})},
        'simulator': {
            'publish_rate': rate, 'lockstep': value['lockstep'] == 'true',
            'publish_clock': value['use_sim_time'] == 'true',
            'real_time_factor': launching.number(value, 'real_time_factor', 0.0, 100.0),
            **given(value, {'mass_scale': 'mass_scale', 'payload': 'payload.mass',
                            'friction': 'friction'})}}
    if value['viewer'] == 'true':
        ours['viewer'] = {**time, 'port': round(launching.number(value, 'port', 1, 65535))}

    nodes = [launching.state_publisher(value, time)]
    if value['composed'] == 'true':
        nodes.append(composed(value, ours, configs))
    else:
        nodes += [launching.package_node(value, name, *configs, parameters)
                  for name, parameters in ours.items()]
    floats = value['robot'] == 'space_robot' and not value['description']
    nodes += launching.rviz(value, 'world' if floats else '', **time)
    return [*launching.in_namespace(value, nodes), *(RegisterEventHandler(OnProcessExit(
        target_action=node, on_exit=say_that_it_ended)) for node in nodes)]


def composed(value: Mapping[str, str], nodes: dict[str, dict[str, object]], configs: list[str]
             ) -> Node:
    """
    Return one process with several nodes; what is meant for one is in a file, by its name.

    On a command line such parameters do not reach nodes in a namespace (ros2/rcl, issue 1306).
    """
    every = {'autostart': value['autostart'] == 'true', 'frame_prefix': value['frame_prefix']}
    given = Path(launch_config.log_dir, 'composed.yaml')
    given.write_text(yaml.safe_dump({
        f'/**/{name}': {'ros__parameters': {**parameters, **every}}
        for name, parameters in nodes.items()}), encoding='utf-8')
    return Node(package='mbd_ros', executable='composed', output='screen', arguments=[
        *nodes, '--ros-args',
        *(word for file in (*configs, str(given)) for word in ('--params-file', file))])


def say_that_it_ended(event: ProcessExited, context: LaunchContext
                      ) -> list[LaunchDescriptionEntity] | None:
    """Report a process that ended by itself; the others stay up."""
    if context.is_shutdown:
        return None
    return [LogInfo(msg=f'{event.process_name} ended with code {event.returncode}; '
                        'the other nodes stay up')]


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch mbd_ros track.launch.py`` starts."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=start)])
