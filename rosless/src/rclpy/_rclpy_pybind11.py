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

"""
What programs take from the part of `rclpy` that is in C: its exceptions, and a few enumerators.

That part has no place of its own in the public modules of `rclpy`, so programs that catch an
`RCLError` import it from here. Everything else there belongs to C handles, which rosless has not.

"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .absent import NO_HANDLES, NotInRosless

_ELSEWHERE = {
    'ClockType': '.clock_type',
    'GoalEvent': '.action.goal_states',
    'SignalHandlerOptions': '.signals',
}


class RCLError(RuntimeError):
    """Raised for what the C libraries of ROS 2 would refuse."""


class RMWError(RuntimeError):
    """Raised for what the middleware refuses."""


class RCUtilsError(RuntimeError):
    """Raised for what the C utilities of ROS 2 would refuse."""


class InvalidHandle(RuntimeError):
    """Raised when a destroyed entity is used."""


class TimerCancelledError(RCLError):
    """Raised when a cancelled timer is called."""


class UnknownROSArgsError(RuntimeError):
    """Raised for arguments behind `--ros-args` that are unknown."""


class RCLInvalidROSArgsError(RCLError):
    """Raised for malformed arguments behind `--ros-args`."""


class NodeNameNonExistentError(RCLError):
    """Raised when the graph is asked about a node that is not there."""


class UnsupportedEventTypeError(RCLError):
    """Raised for an event that the middleware does not support."""


def __getattr__(name: str) -> Any:
    """Return an enumerator; raises `NotInRosless` for what works on C handles."""
    if name in _ELSEWHERE:
        return getattr(import_module(_ELSEWHERE[name], __package__), name)
    if name == 'TransitionCallbackReturnType':
        return import_module('.lifecycle', __package__).TransitionCallbackReturn
    raise NotInRosless(f'rclpy._rclpy_pybind11.{name} is not in rosless: {NO_HANDLES}')
