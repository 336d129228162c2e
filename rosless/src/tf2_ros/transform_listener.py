"""Receive transforms."""

from __future__ import annotations

from threading import Thread
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy
from rclpy.qos import HistoryPolicy
from rclpy.qos import QoSProfile
from rclpy.qos import ReliabilityPolicy
from tf2_msgs.msg import TFMessage
from tf2_ros.buffer_core import BufferCore

AUTHORITY = 'default_authority'


class TransformListener:
    """
    Put the transforms of ``/tf`` and ``/tf_static`` into a buffer.

    The subscriptions are in a reentrant group of their own, so that a callback that waits for a
    transform does not keep them from being served.

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

    """

    def __init__(
        self,
        buffer: BufferCore,
        node: Any,
        *,
        spin_thread: bool = False,
        qos: QoSProfile | int | None = None,
        static_qos: QoSProfile | int | None = None,
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
            TFMessage, '/tf', self.callback, qos, callback_group=self.group)
        self.tf_static_sub = node.create_subscription(
            TFMessage, '/tf_static', self.static_callback, static_qos, callback_group=self.group)
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

    def unregister(self) -> None:
        """Stop receiving."""
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
