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

"""The dynamics of a robot as services, without anything that moves."""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction

from mbd_ros.nodes import launching

ROBOTS = ('puma560', 'three_link_arm', 'panda', 'five_bar', 'delta', 'stewart', 'four_bar',
          'slider_crank', 'bricard')


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the node, now that the arguments are known."""
    value = context.launch_configurations
    return launching.in_namespace(value, [launching.package_node(
        value, 'dynamics_server', {'robot_description': launching.description(value)})])


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch mbd_ros dynamics_server.launch.py`` starts."""
    return LaunchDescription([
        DeclareLaunchArgument('robot', default_value=ROBOTS[0], choices=ROBOTS,
                              description='Robot of this package.'),
        *launching.DESCRIPTION, *launching.ALWAYS, OpaqueFunction(function=start)])
