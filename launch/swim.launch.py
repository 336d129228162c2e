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

"""A robot under water: modules that drift and dock anew, a quadruped that walks, a vehicle."""

from collections.abc import Mapping

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, TimerAction

from mbd_ros.description.xml.packages import file_path
from mbd_ros.environment.marine_axes import exchange_world
from mbd_ros.errors import InvalidValueError
from mbd_ros.nodes import launching

ROBOTS = ('nine_modules', 'quadruped', 'rov')
LEGS = [f's{k}/top' for k in range(2, 10)]
"""Joints of the quadruped, a thigh and a shank of each leg in turn."""
MOVE = '{module: s6, parent: s2, parent_port: front, port: pitch}'
"""What the nine modules become after a while."""

ARGUMENTS = (
    DeclareLaunchArgument(
        'robot', default_value=ROBOTS[0], choices=ROBOTS,
        description='nine_modules swim, drift and dock anew; quadruped walks on the sea bed; rov '
                    'holds its station by thrusters while its arm draws an ellipse.'),
    DeclareLaunchArgument(
        'water', default_value='true', choices=launching.BOOLEAN,
        description='Whether there is water; without it nothing carries the weight.'),
    DeclareLaunchArgument(
        'current', default_value='',
        description='Velocity of the water [m/s], as "0.2 0 0"; empty: 0.2 0.1 0 for '
                    'nine_modules, 0.3 0.1 0 for rov, none for quadruped.'),
    DeclareLaunchArgument(
        'axes', default_value='enu', choices=('enu', 'ned'),
        description='Axes of current: east, north, up as in ROS, or north, east, down as at sea.'),
    DeclareLaunchArgument(
        'gait', default_value='',
        description='How legs and fins move: crawl, trot or swim; empty: that of the robot.'),
    DeclareLaunchArgument(
        'ground', default_value='',
        description='YAML file with heights of the sea bed that quadruped walks on, as '
                    'config/grounds/ripples.yaml; empty: a plane.'),
    DeclareLaunchArgument(
        'reconfigure_after', default_value='10.0',
        description='After this time s6 of nine_modules docks to the head [s]; 0: never.'),
    *launching.ALWAYS, *launching.VIEWER)
CURRENTS = {'nine_modules': '0.2 0.1 0', 'quadruped': '0 0 0', 'rov': '0.3 0.1 0'}


def fluid(value: Mapping[str, str]) -> dict[str, object]:
    """Return the parameters of the fluid."""
    text = value['current'] or CURRENTS[value['robot']]
    try:
        current = [float(word) for word in text.split()]
    except ValueError:
        current = []
    if len(current) != 3 or not all(abs(one) <= 100.0 for one in current):   # nor NaN
        raise InvalidValueError("argument 'current'", text, 'three numbers from -100 to 100')
    if value['axes'] == 'ned' and value['current']:
        current = exchange_world(current).tolist()
    return {'fluid.vacuum': value['water'] != 'true', 'fluid.current': current}


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes, now that the arguments are known."""
    value = context.launch_configurations
    if value['ground'] and value['robot'] != 'quadruped':
        raise InvalidValueError("argument 'ground'", value['ground'],
                                'empty: of these robots only quadruped walks')
    nodes = rov(value) if value['robot'] == 'rov' else modules(value)
    return launching.in_namespace(value, [
        *nodes, launching.package_node(value, 'dynamics_server', fluid(value)),
        *launching.viewer(value), *launching.rviz(value, 'world')])


def rov(value: Mapping[str, str]) -> list[LaunchDescriptionEntity]:
    """Return the nodes of the vehicle."""
    config = str(launching.share('config', 'rov.yaml'))
    return [launching.state_publisher({**value, 'description': '', 'trusted': 'false'}),
            launching.package_node(value, 'simulator', config, {'lockstep': True, **fluid(value)}),
            launching.package_node(
                value, 'controller', config, {'lockstep': True, **fluid(value)})]


def modules(value: Mapping[str, str]) -> list[LaunchDescriptionEntity]:
    """Return the nodes of a robot of modules."""
    walks = value['robot'] == 'quadruped'
    graph = str(launching.share('config', 'modules', f'{value["robot"]}.yaml'))
    nodes: list[LaunchDescriptionEntity] = [
        launching.package_node(value, 'module_manager', {'graph': graph}),
        launching.package_node(value, 'simulator', {
            'publish_rate': 250.0, 'lockstep': True, **fluid(value),
            **({'joints': LEGS, 'initial_positions': [0.39, -0.78] * 4, 'ground.present': True,
                'ground.heights': value['ground'] and str(file_path(value['ground']))}
               if walks else {})}),
        launching.package_node(value, 'gait', {
            'gait': value['gait'] or ('crawl' if walks else 'swim'),
            **({'joints': LEGS} if walks else {'kp': 60.0, 'kd': 10.0})})]
    after = launching.number(value, 'reconfigure_after')
    if not walks and after:
        prefix = f'/{value["namespace"]}' if value['namespace'] else ''
        nodes.append(TimerAction(period=after, actions=[ExecuteProcess(
            cmd=['ros2', 'service', 'call', f'{prefix}/module_manager/move_module',
                 'mbd_msgs/srv/MoveModule', MOVE], output='screen')]))
    return nodes


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch mbd_ros swim.launch.py`` starts."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=start)])
