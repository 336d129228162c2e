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
