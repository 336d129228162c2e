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
What programs take from the part of `rclpy` that is in C: exceptions, enumerators, handles.

That part has no place of its own in the public modules of `rclpy`, so programs that catch an
`RCLError`, or have a waitable of their own, import it from here. All that would need an address,
a capsule or an allocator is not in rosless.

"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .absent import NO_ADDRESS, NotInRosless
from .rcl_errors import (
    InvalidHandle,
    NodeNameNonExistentError,
    RCLError,
    RCLInvalidROSArgsError,
    RCUtilsError,
    RMWError,
    TimerCancelledError,
    UnknownROSArgsError,
    UnsupportedEventTypeError,
)

_ELSEWHERE = {
    'Client': '.handles',
    'ClockType': '.clock_type',
    'GoalEvent': '.action.goal_states',
    'GuardCondition': '.handles',
    'Publisher': '.handles',
    'Service': '.handles',
    'SignalHandlerOptions': '.signals',
    'Subscription': '.handles',
    'Timer': '.handles',
    'WaitSet': '.handles',
    'rmw_qos_profile_t': '.qos',
}

__all__ = [
    'InvalidHandle',
    'NodeNameNonExistentError',
    'RCLError',
    'RCLInvalidROSArgsError',
    'RCUtilsError',
    'RMWError',
    'TimerCancelledError',
    'UnknownROSArgsError',
    'UnsupportedEventTypeError',
]


def __getattr__(name: str) -> Any:
    """Return what stands elsewhere here; raises `NotInRosless` for what is only in C."""
    if name in _ELSEWHERE:
        return getattr(import_module(_ELSEWHERE[name], __package__), name)
    if name == 'TransitionCallbackReturnType':
        return import_module('.lifecycle', __package__).TransitionCallbackReturn
    raise NotInRosless(f'rclpy._rclpy_pybind11.{name} is not in rosless: {NO_ADDRESS}')
