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

"""The things that happen to processes."""

from launch.events.process.process_exited import ProcessExited
from launch.events.process.process_io import ProcessIO
from launch.events.process.process_matchers import matches_executable
from launch.events.process.process_matchers import matches_name
from launch.events.process.process_matchers import matches_pid
from launch.events.process.process_started import ProcessStarted
from launch.events.process.process_stderr import ProcessStderr
from launch.events.process.process_stdout import ProcessStdout
from launch.events.process.process_targeted_event import ProcessTargetedEvent
from launch.events.process.running_process_event import RunningProcessEvent
from launch.events.process.shutdown_process import ShutdownProcess
from launch.events.process.signal_process import SignalProcess

__all__ = [
    'ProcessExited',
    'ProcessIO',
    'ProcessStarted',
    'ProcessStderr',
    'ProcessStdout',
    'ProcessTargetedEvent',
    'RunningProcessEvent',
    'ShutdownProcess',
    'SignalProcess',
    'matches_executable',
    'matches_name',
    'matches_pid',
]
