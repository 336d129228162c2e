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

"""What programs import from the part of rclpy that is in C."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rclpy import _rclpy_pybind11, exceptions, signals
from rclpy._rclpy_pybind11 import (
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
from rclpy.absent import NotInRosless
from rclpy.action.server import GoalEvent
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.serialization import deserialize_message
from std_msgs.msg import String

Make = Callable[..., Any]


def test_exceptions_have_the_bases_they_have_in_ros_2() -> None:
    for error in (InvalidHandle, RCLError, RCUtilsError, RMWError, UnknownROSArgsError):
        assert error.__bases__ == (RuntimeError,)
    for error in (
        NodeNameNonExistentError,
        RCLInvalidROSArgsError,
        TimerCancelledError,
        UnsupportedEventTypeError,
    ):
        assert error.__bases__ == (RCLError,)


def test_the_public_module_has_two_of_them() -> None:
    assert exceptions.InvalidHandle is InvalidHandle
    assert exceptions.TimerCancelledError is TimerCancelledError
    for name in ('RCLError', 'NodeNameNonExistentError', 'RCLInvalidROSArgsError'):
        assert not hasattr(exceptions, name)  # nor has it in ROS 2


def test_it_is_found_where_rclpy_finds_it() -> None:
    assert rclpy_implementation is _rclpy_pybind11
    assert rclpy_implementation.GoalEvent is GoalEvent
    assert rclpy_implementation.SignalHandlerOptions is signals.SignalHandlerOptions
    assert rclpy_implementation.TransitionCallbackReturnType is TransitionCallbackReturn


def test_what_needs_an_address_is_not_there() -> None:
    with pytest.raises(NotInRosless, match=r'_rclpy_pybind11\.QoSEvent is not in rosless: there'):
        _ = rclpy_implementation.QoSEvent
    assert not hasattr(rclpy_implementation, 'rclpy_deserialize')


def test_octets_that_are_no_message(make_node: Make) -> None:
    with pytest.raises(RMWError, match=r'failed to deserialize ROS message: std_msgs\.msg\.Str'):
        deserialize_message(b'\x00\x01\x00\x00\xff\xff\x00\x00', String)


def test_a_destroyed_entity_is_an_invalid_handle(make_node: Make) -> None:
    node = make_node()
    publisher = node.create_publisher(String, 'talk', 1)
    node.destroy_publisher(publisher)
    with pytest.raises(InvalidHandle, match='cannot use Destroyable'):
        publisher.publish(String())
