"""Publish transforms that hold until they are replaced."""

from __future__ import annotations

from collections.abc import Iterable
import copy
from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.qos import DurabilityPolicy
from rclpy.qos import HistoryPolicy
from rclpy.qos import QoSProfile
from rclpy.qos import ReliabilityPolicy
from tf2_msgs.msg import TFMessage


class StaticTransformBroadcaster:
    """
    Publish transforms on ``/tf_static``, where late subscribers get them too.

    Each message holds all transforms sent so far. One for a child frame that was sent before
    replaces the earlier one, also if only its values differ; the original drops that change.

    Parameters
    ----------
    node : Node
        The node that publishes.
    qos : QoSProfile, optional
        Quality of service; reliable, transient local with a depth of 1 by default.

    """

    def __init__(self, node: Any, qos: QoSProfile | None = None) -> None:
        if qos is None:
            qos = QoSProfile(
                depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL,
                history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.RELIABLE)
        self.net_message = TFMessage()
        self.pub_tf = node.create_publisher(TFMessage, '/tf_static', qos)
        self._transforms: dict[str, TransformStamped] = {}

    def sendTransform(
        self, transform: TransformStamped | Iterable[TransformStamped],
    ) -> None:
        """Publish a transform, or several, together with all those sent before."""
        several = [transform] if isinstance(transform, TransformStamped) else transform
        for item in several:
            self._transforms[item.child_frame_id] = copy.deepcopy(item)
        self.net_message = TFMessage(transforms=list(self._transforms.values()))
        self.pub_tf.publish(self.net_message)
