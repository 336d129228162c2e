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

"""Actions: what a launch description asks for."""

from launch.actions.append_environment_variable import AppendEnvironmentVariable
from launch.actions.declare_launch_argument import DeclareLaunchArgument
from launch.actions.emit_event import EmitEvent
from launch.actions.execute_local import ExecuteLocal
from launch.actions.execute_process import ExecuteProcess
from launch.actions.for_loop import ForEach
from launch.actions.for_loop import ForLoop
from launch.actions.group_action import GroupAction
from launch.actions.include_launch_description import IncludeLaunchDescription
from launch.actions.log import Log
from launch.actions.log import LogDebug
from launch.actions.log import LogError
from launch.actions.log import LogInfo
from launch.actions.log import LogWarning
from launch.actions.opaque_coroutine import OpaqueCoroutine
from launch.actions.opaque_function import OpaqueFunction
from launch.actions.pop_environment import PopEnvironment
from launch.actions.pop_launch_configurations import PopLaunchConfigurations
from launch.actions.push_environment import PushEnvironment
from launch.actions.push_launch_configurations import PushLaunchConfigurations
from launch.actions.register_event_handler import RegisterEventHandler
from launch.actions.replace_environment_variables import ReplaceEnvironmentVariables
from launch.actions.reset_environment import ResetEnvironment
from launch.actions.reset_launch_configurations import ResetLaunchConfigurations
from launch.actions.set_environment_variable import SetEnvironmentVariable
from launch.actions.set_launch_configuration import SetLaunchConfiguration
from launch.actions.set_launch_log_dir import SetLaunchLogDir
from launch.actions.shutdown_action import Shutdown
from launch.actions.timer_action import TimerAction
from launch.actions.unregister_event_handler import UnregisterEventHandler
from launch.actions.unset_environment_variable import UnsetEnvironmentVariable
from launch.actions.unset_launch_configuration import UnsetLaunchConfiguration

__all__ = [
    'AppendEnvironmentVariable',
    'DeclareLaunchArgument',
    'EmitEvent',
    'ExecuteLocal',
    'ExecuteProcess',
    'ForEach',
    'ForLoop',
    'GroupAction',
    'IncludeLaunchDescription',
    'Log',
    'LogDebug',
    'LogError',
    'LogInfo',
    'LogWarning',
    'OpaqueCoroutine',
    'OpaqueFunction',
    'PopEnvironment',
    'PopLaunchConfigurations',
    'PushEnvironment',
    'PushLaunchConfigurations',
    'RegisterEventHandler',
    'ReplaceEnvironmentVariables',
    'ResetEnvironment',
    'ResetLaunchConfigurations',
    'SetEnvironmentVariable',
    'SetLaunchConfiguration',
    'SetLaunchLogDir',
    'Shutdown',
    'TimerAction',
    'UnregisterEventHandler',
    'UnsetEnvironmentVariable',
    'UnsetLaunchConfiguration',
]
