"""Publish transforms that change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage


class TransformBroadcaster:
    """
    Publish transforms on ``/tf``.

    Parameters
    ----------
    node : Node
        The node that publishes.
    qos : QoSProfile or int
        Quality of service; reliable with a depth of 100 by default.

    """

    def __init__(self, node: Any, qos: QoSProfile | int = 100) -> None:
        self.pub_tf = node.create_publisher(TFMessage, '/tf', qos)

    def sendTransform(
        self, transform: TransformStamped | Iterable[TransformStamped],
    ) -> None:
        """Publish a transform, or several in one message."""
        several = [transform] if isinstance(transform, TransformStamped) else list(transform)
        self.pub_tf.publish(TFMessage(transforms=several))
