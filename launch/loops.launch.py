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

"""A robot with closed loops, simulated and shown; send it efforts to set it in motion."""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction

from mbd_ros.nodes import launching

ROBOTS = ('four_bar', 'slider_crank', 'five_bar', 'bricard', 'stewart', 'delta')


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes, now that the arguments are known."""
    value = context.launch_configurations
    return launching.in_namespace(value, [
        launching.state_publisher(value),
        launching.package_node(value, 'simulator',
                               {'effort_timeout_action': 'keep', 'publish_rate': 100.0}),
        launching.package_node(value, 'dynamics_server'), *launching.viewer(value),
        *launching.rviz(value)])


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch mbd_ros loops.launch.py`` starts."""
    return LaunchDescription([
        DeclareLaunchArgument('robot', default_value='stewart', choices=ROBOTS,
                              description='Robot of this package.'),
        *launching.DESCRIPTION, *launching.ALWAYS, *launching.VIEWER,
        OpaqueFunction(function=start)])
