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

"""Receive transforms."""

from __future__ import annotations

from threading import Thread
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import JumpThreshold
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.logging import get_logger
from rclpy.qos import DurabilityPolicy
from rclpy.qos import HistoryPolicy
from rclpy.qos import QoSProfile
from rclpy.qos import ReliabilityPolicy
from tf2_msgs.msg import TFMessage
from tf2_ros.buffer_core import BufferCore

AUTHORITY = 'default_authority'
DEFAULT_TF_TOPIC = '/tf'
DEFAULT_STATIC_TF_TOPIC = '/tf_static'
LEAST_JUMP = Duration(nanoseconds=-1)


class TransformListener:
    """
    Put the transforms of ``/tf`` and ``/tf_static`` into a buffer.

    The subscriptions are in a reentrant group of their own, so that a callback that waits for a
    transform does not keep them from being served. When the clock of the node jumps back, or
    changes between simulated and real time, the buffer is cleared, except for static transforms.

    Parameters
    ----------
    buffer : Buffer
        Where the transforms go.
    node : Node
        The node that subscribes.
    spin_thread : bool
        Whether to spin the node in a thread of this listener; only where nobody else spins it.
    qos, static_qos : QoSProfile or int, optional
        Quality of service; a depth of 100 by default, for ``/tf_static`` transient local.
    tf_topic, tf_static_topic : str
        Names of the topics.

    """

    def __init__(
        self,
        buffer: BufferCore,
        node: Any,
        *,
        spin_thread: bool = False,
        qos: QoSProfile | int | None = None,
        static_qos: QoSProfile | int | None = None,
        tf_topic: str = DEFAULT_TF_TOPIC,
        tf_static_topic: str = DEFAULT_STATIC_TF_TOPIC,
    ) -> None:
        self.buffer = buffer
        self.node = node
        if qos is None:
            qos = QoSProfile(depth=100, history=HistoryPolicy.KEEP_LAST)
        if static_qos is None:
            static_qos = QoSProfile(
                depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL,
                history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.RELIABLE)
        self.group = ReentrantCallbackGroup()
        self.tf_sub = node.create_subscription(
            TFMessage, tf_topic, self.callback, qos, callback_group=self.group)
        self.tf_static_sub = node.create_subscription(
            TFMessage, tf_static_topic, self.static_callback, static_qos,
            callback_group=self.group)
        self._jump_handle = node.get_clock().create_jump_callback(
            JumpThreshold(min_forward=None, min_backward=LEAST_JUMP, on_clock_change=True),
            post_callback=self._time_jumped)
        self.executor: SingleThreadedExecutor | None = None
        self.dedicated_listener_thread: Thread | None = None
        if spin_thread:
            self.executor = SingleThreadedExecutor(context=node.context)
            self.executor.add_node(node)
            self.dedicated_listener_thread = Thread(target=self._spin, daemon=True)
            self.dedicated_listener_thread.start()

    def callback(self, data: TFMessage) -> None:
        """Take transforms that change."""
        for transform in data.transforms:
            self.buffer.set_transform(transform, AUTHORITY)

    def static_callback(self, data: TFMessage) -> None:
        """Take transforms that hold for all time."""
        for transform in data.transforms:
            self.buffer.set_transform_static(transform, AUTHORITY)

    def _time_jumped(self, jump: Any) -> None:
        get_logger('tf2_buffer').warning('Detected jump back in time. Clearing tf buffer.')
        self.buffer.clear()

    def unregister(self) -> None:
        """Stop receiving."""
        self._jump_handle.unregister()
        if self.executor is not None:
            self.executor.shutdown()
            if self.dedicated_listener_thread is not None:
                self.dedicated_listener_thread.join()
        self.node.destroy_subscription(self.tf_sub)
        self.node.destroy_subscription(self.tf_static_sub)

    def _spin(self) -> None:
        from rclpy.executors import ExternalShutdownException

        assert self.executor is not None
        try:
            self.executor.spin()
        except ExternalShutdownException:
            pass
