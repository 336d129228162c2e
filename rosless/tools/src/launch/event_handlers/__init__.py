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

"""Reactions to events."""

from launch.event_handlers.on_execution_complete import OnExecutionComplete
from launch.event_handlers.on_include_launch_description import OnIncludeLaunchDescription
from launch.event_handlers.on_process_exit import OnProcessExit
from launch.event_handlers.on_process_io import OnProcessIO
from launch.event_handlers.on_process_start import OnProcessStart
from launch.event_handlers.on_shutdown import OnShutdown

__all__ = [
    'OnExecutionComplete',
    'OnIncludeLaunchDescription',
    'OnProcessExit',
    'OnProcessIO',
    'OnProcessStart',
    'OnShutdown',
]
