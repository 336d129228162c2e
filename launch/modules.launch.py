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

"""A robot of modules that can be docked, undocked and moved while it runs."""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction

from mbd_ros.nodes import launching

ROBOTS = ('nine_modules', 'quadruped')


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes, now that the arguments are known."""
    value = context.launch_configurations
    graph = value['graph'] or str(launching.share('config', 'modules', f'{value["robot"]}.yaml'))
    current = [launching.number(value, 'current', -10.0, 10.0), 0.0, 0.0]
    gravity = [0.0, 0.0, launching.number(value, 'gravity', -1000.0, 1000.0)]
    return launching.in_namespace(value, [
        launching.package_node(value, 'module_manager', {'graph': graph}),
        launching.package_node(value, 'simulator', {
            'gravity': gravity, 'fluid.current': current,
            'publish_rate': launching.number(value, 'rate', 1.0, 5000.0),
            'effort_timeout_action': value['effort_timeout_action'],
            'brakes_until_commanded': value['drift'] != 'true'}),
        launching.package_node(value, 'dynamics_server', {'fluid.current': current}),
        *launching.viewer(value, gravity=gravity),
        *launching.rviz(value, 'world')])


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch mbd_ros modules.launch.py`` starts."""
    return LaunchDescription([
        DeclareLaunchArgument(
            'robot', default_value=ROBOTS[0], choices=ROBOTS,
            description='Module graph of this package.'),
        DeclareLaunchArgument(
            'graph', default_value='', description='File of another module graph.'),
        DeclareLaunchArgument(
            'gravity', default_value='0.0', description='Gravity along the z axis of the world '
            '[m/s^2]; zero for robots that float.'),
        DeclareLaunchArgument(
            'current', default_value='0.1', description='Speed of the water along the x axis of '
            'the world [m/s], in which robots of modules drift.'),
        DeclareLaunchArgument(
            'rate', default_value='100.0', description='Joint states per second [Hz].'),
        DeclareLaunchArgument(
            'effort_timeout_action', default_value='brake', choices=('brake', 'zero', 'keep'),
            description='What the simulator does when no effort commands come any more.'),
        DeclareLaunchArgument(
            'drift', default_value='true', choices=('true', 'false'),
            description='Whether the robot moves freely until effort commands come; else brakes '
            'hold it.'),
        *launching.ALWAYS, *launching.VIEWER, OpaqueFunction(function=start)])
