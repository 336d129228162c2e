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

"""The frames of a robot's links on /tf and /tf_static, for a robot that may change."""

from __future__ import annotations

import time

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import JointState
from tf2_ros import StaticTransformBroadcaster, TransformBroadcaster

from mbd_ros.errors import MbdError
from mbd_ros.messages.fields.times import SECOND, to_nanoseconds
from mbd_ros.messages.states.joint_states import JointStateReader
from mbd_ros.messages.states.link_transforms import fixed_transforms, simple_transforms
from mbd_ros.model import Model
from mbd_ros.nodes.every_node import qos

SILENT = 2.0
"""Time after which a simulator that shows nothing is not there [s]."""


class LinkFrames:
    """
    Publishes the frames of a robot as robot_state_publisher does.

    Joints with several coordinates are left to the simulator. When the robot changes, /tf_static
    gets a new publisher, so that late subscribers hear nothing of the robot before.

    Parameters
    ----------
    node : Node
        The node.
    rate : float
        Messages on /tf per second at most [Hz].
    group : CallbackGroup
        Of the subscriptions.
    simulator : str
        Name of a simulator, whose ``joint_states`` are stamped by the clock and replace those of
        the robot while they come; empty: none.

    """

    def __init__(self, node: Node, rate: float, group: CallbackGroup, simulator: str) -> None:
        self._node = node
        self._interval = round(SECOND / rate)
        self._static: StaticTransformBroadcaster | None = None
        self._moving = TransformBroadcaster(node)
        self._reader: tuple[Model, JointStateReader] | None = None
        self._last = 0
        self._shown = float('-inf')
        node.create_subscription(
            JointState, 'joint_states', self._on_joint_states, qos.NEWEST, callback_group=group,
            qos_overriding_options=qos.OVERRIDABLE)
        if simulator:
            node.create_subscription(JointState, f'{simulator}/joint_states', self._on_shown,
                                     qos.NEWEST, callback_group=group)

    def use(self, model: Model) -> None:
        """Publish the frames of a robot from now on."""
        if self._static is not None:
            self._node.destroy_publisher(self._static.pub_tf)
        self._static = StaticTransformBroadcaster(self._node)
        self._static.sendTransform(fixed_transforms(
            model, self._node.get_clock().now().nanoseconds))
        self._reader = model, JointStateReader(model)

    def _on_shown(self, message: JointState) -> None:
        """Take what a simulator shows."""
        self._shown = time.monotonic()
        self._publish(message)

    def _on_joint_states(self, message: JointState) -> None:
        """Take a state of the robot, where no simulator shows any."""
        if time.monotonic() - self._shown > SILENT:
            self._publish(message)

    def _publish(self, message: JointState) -> None:
        stamp = to_nanoseconds(message.header.stamp)
        if self._reader is None or 0 <= stamp - self._last < self._interval:
            return
        model, reader = self._reader
        try:
            q = reader.read(message, velocities=False).q
        except MbdError:
            return   # of the robot before or after this one: the next message is of this one
        self._last = stamp
        self._moving.sendTransform(simple_transforms(model, stamp, q))
