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

"""Publish transforms that hold until they are replaced."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.qos import DurabilityPolicy
from rclpy.qos import HistoryPolicy
from rclpy.qos import QoSProfile
from rclpy.qos import ReliabilityPolicy
from tf2_msgs.msg import TFMessage


class StaticTransformBroadcaster:
    """
    Publish transforms on ``/tf_static``, where late subscribers get those sent last.

    As in Humble a call does not repeat what earlier ones sent: give it all transforms at once.

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
        self.pub_tf = node.create_publisher(TFMessage, '/tf_static', qos)

    def sendTransform(
        self, transform: TransformStamped | Iterable[TransformStamped],
    ) -> None:
        """Publish a transform, or several together."""
        several = [transform] if isinstance(transform, TransformStamped) else list(transform)
        self.pub_tf.publish(TFMessage(transforms=several))
