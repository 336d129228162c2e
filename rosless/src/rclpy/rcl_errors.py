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

"""What the part of `rclpy` in C raises; programs import it from `rclpy._rclpy_pybind11`."""


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


for _error in (
    RCLError,
    RMWError,
    RCUtilsError,
    InvalidHandle,
    TimerCancelledError,
    UnknownROSArgsError,
    RCLInvalidROSArgsError,
    NodeNameNonExistentError,
    UnsupportedEventTypeError,
):
    _error.__module__ = 'rclpy._rclpy_pybind11'  # as tracebacks of ROS 2 show it
