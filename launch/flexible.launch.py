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

"""The four-joint arm whose links bend, simulated, controlled at its joints, and shown."""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction

from mbd_ros.nodes import launching


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes, now that the arguments are known."""
    value = context.launch_configurations
    config = str(launching.share('config', 'flexible_arm.yaml'))
    bends = {'flexible': value['flexible'] == 'true'}
    return launching.in_namespace(value, [
        launching.state_publisher(value),
        launching.package_node(value, 'simulator', config,
                               {**bends, 'lockstep': True, 'publish_rate': 500.0}),
        launching.package_node(value, 'controller', config,
                               {**bends, 'rate': 500.0, 'lockstep': True}),
        launching.package_node(value, 'dynamics_server', bends), *launching.viewer(value, **bends),
        *launching.rviz(value)])


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch mbd_ros flexible.launch.py`` starts."""
    return LaunchDescription([
        DeclareLaunchArgument('robot', default_value='flexible_arm', choices=('flexible_arm',),
                              description='Robot of this package.'),
        DeclareLaunchArgument('flexible', default_value='true', choices=launching.BOOLEAN,
                              description='Whether its links bend.'),
        *launching.DESCRIPTION, *launching.ALWAYS, *launching.VIEWER,
        OpaqueFunction(function=start)])
