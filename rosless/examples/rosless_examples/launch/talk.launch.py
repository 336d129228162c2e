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

"""A talker and a listener, and a node with parameters from a file."""

import os

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.actions import GroupAction
from launch.substitutions import LaunchConfiguration
from launch.substitutions import TextSubstitution
from launch_ros.actions import Node
from launch_ros.actions import PushRosNamespace


def generate_launch_description():
    """Return what to run."""
    config = os.path.join(
        get_package_share_directory('rosless_examples'), 'config', 'parameters.yaml')
    topic_launch_arg = DeclareLaunchArgument(
        'topic', default_value=TextSubstitution(text='chatter'), description='Where to talk')
    return LaunchDescription([
        topic_launch_arg,
        GroupAction([
            PushRosNamespace('hall'),
            Node(package='rosless_examples', executable='talker', name='speaker',
                 remappings=[('topic', LaunchConfiguration('topic'))]),
            Node(package='rosless_examples', executable='listener', output='screen',
                 remappings=[('topic', LaunchConfiguration('topic'))]),
        ]),
        Node(package='rosless_examples', executable='parameters', name='minimal_param_node',
             output='screen', emulate_tty=True, parameters=[config]),
    ])
