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

"""Events: what happens to processes, and what to do then."""

from launch import LaunchDescription
from launch.actions import EmitEvent
from launch.actions import LogInfo
from launch.actions import RegisterEventHandler
from launch.actions import TimerAction
from launch.event_handlers import OnExecutionComplete
from launch.event_handlers import OnProcessExit
from launch.event_handlers import OnProcessIO
from launch.event_handlers import OnProcessStart
from launch.event_handlers import OnShutdown
from launch.events import Shutdown
from launch.substitutions import LocalSubstitution
from launch_ros.actions import Node


def generate_launch_description():
    """Return what to run."""
    server = Node(package='rosless_examples', executable='add_two_ints_server', output='screen')
    client = Node(package='rosless_examples', executable='add_two_ints_client',
                  arguments=['2', '3'], output='screen')
    begin = LogInfo(msg='the beginning')
    return LaunchDescription([
        RegisterEventHandler(OnExecutionComplete(
            target_action=begin, on_completion=[LogInfo(msg='begun'), server])),
        RegisterEventHandler(OnProcessStart(
            target_action=server,
            on_start=[LogInfo(msg='server started, asking'),
                      TimerAction(period=0.2, actions=[client])])),
        RegisterEventHandler(OnProcessIO(
            target_action=client,
            on_stderr=lambda event: LogInfo(
                msg=f'client says "{event.text.decode().strip()}"'))),
        RegisterEventHandler(OnProcessExit(
            target_action=client,
            on_exit=[LogInfo(msg='client has ended'),
                     EmitEvent(event=Shutdown(reason='the sum is known'))])),
        RegisterEventHandler(OnShutdown(
            on_shutdown=[LogInfo(msg=['shut down: ', LocalSubstitution('event.reason')])])),
        begin,
    ])
