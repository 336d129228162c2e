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

"""Simulated time: clocks of a node follow the topic /clock when `use_sim_time` is true."""

from __future__ import annotations

from typing import Any
import weakref

from .callback_groups import MutuallyExclusiveCallbackGroup
from .clock import ROSClock
from .clock_type import ClockType
from .parameter import Parameter
from .qos import QoSProfile, ReliabilityPolicy
from .time import Time

CLOCK_TOPIC = '/clock'
USE_SIM_TIME_NAME = 'use_sim_time'


class TimeSource:
    """
    Drives the ROS clocks attached to it.

    Parameters
    ----------
    node : Node, optional
        Whose parameter `use_sim_time` decides.

    """

    def __init__(self, *, node: Any = None) -> None:
        self._clock_sub: Any = None
        self._node_weak_ref: Any = None
        self._associated_clocks: list[ROSClock] = []
        self._last_time_set = Time(clock_type=ClockType.ROS_TIME)
        self._active = False
        if node is not None:
            self.attach_node(node)

    @property
    def ros_time_is_active(self) -> bool:
        """Whether time is simulated."""
        return self._active

    @ros_time_is_active.setter
    def ros_time_is_active(self, enabled: bool) -> None:
        if self._active == enabled:
            return
        self._active = enabled
        for clock in self._associated_clocks:
            clock._set_ros_time_is_active(enabled)
        if enabled:
            self._subscribe()
        else:
            self._unsubscribe()

    def attach_node(self, node: Any) -> None:
        """Follow the parameter `use_sim_time` of a node, declaring it if need be."""
        self._node_weak_ref = weakref.ref(node)
        if not node.has_parameter(USE_SIM_TIME_NAME):
            node.declare_parameter(USE_SIM_TIME_NAME, False)
        parameter = node.get_parameter(USE_SIM_TIME_NAME)
        if parameter.type_ == Parameter.Type.BOOL:
            self.ros_time_is_active = parameter.value
        else:
            node.get_logger().error(
                f"Invalid type for parameter '{USE_SIM_TIME_NAME}' {parameter.type_!r} "
                'should be bool'
            )
        node.add_on_set_parameters_callback(self._on_parameters)

    def detach_node(self) -> None:
        """Leave the node."""
        self._unsubscribe()
        self._node_weak_ref = None

    def attach_clock(self, clock: ROSClock) -> None:
        """Drive a clock."""
        if not isinstance(clock, ROSClock):
            raise ValueError('Only clocks with type ROS_TIME can be attached.')
        clock.set_ros_time_override(self._last_time_set)
        clock._set_ros_time_is_active(self._active)
        self._associated_clocks.append(clock)

    def clock_callback(self, msg: Any) -> None:
        """Set the clocks to the time of a message from /clock; one before 1970 is passed over."""
        if msg.clock.sec < 0:
            node = self._get_node()
            if node is not None:
                node.get_logger().error(f'/clock: {msg.clock.sec} s is no time', once=True)
            return
        self._last_time_set = Time.from_msg(msg.clock)
        for clock in self._associated_clocks:
            clock.set_ros_time_override(self._last_time_set)

    def _get_node(self) -> Any:
        """Return the node, or None."""
        return None if self._node_weak_ref is None else self._node_weak_ref()

    def _subscribe(self) -> None:
        node = self._get_node()
        if self._clock_sub is None and node is not None:
            from rosgraph_msgs.msg import Clock

            self._clock_sub = node.create_subscription(
                Clock,
                CLOCK_TOPIC,
                self.clock_callback,
                QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT),
                callback_group=MutuallyExclusiveCallbackGroup(),
            )

    def _unsubscribe(self) -> None:
        node = self._get_node()
        if self._clock_sub is not None and node is not None:
            node.destroy_subscription(self._clock_sub)
        self._clock_sub = None

    def _on_parameters(self, parameters: list[Parameter]) -> Any:
        from rcl_interfaces.msg import SetParametersResult

        for parameter in parameters:
            if parameter.name == USE_SIM_TIME_NAME:
                if parameter.type_ != Parameter.Type.BOOL:
                    return SetParametersResult(
                        successful=False, reason=f'{USE_SIM_TIME_NAME} must be a boolean'
                    )
                self.ros_time_is_active = parameter.value
        return SetParametersResult(successful=True)
