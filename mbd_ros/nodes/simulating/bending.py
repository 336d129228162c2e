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

"""How links bend, as topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from tf2_ros import TransformBroadcaster
from visualization_msgs.msg import MarkerArray

import mbd_ros
from mbd_ros.messages.states.bending import bending_frames, bending_markers
from mbd_ros.model import Model
from mbd_ros.model.state import floating_base
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.fluid_and_ground import DRAWN_RATE

Vector = NDArray[np.float64]


class BendingPublisher:
    """
    Says how links bend: ``~/bending`` while somebody listens, and frames on request.

    Parameters
    ----------
    node : Node
        The simulator.
    settings : SimpleNamespace
        Its parameters.
    broadcaster : TransformBroadcaster
        For the frames.
    stamp : callable
        Returns what transforms of a simulated time [ns] are stamped with [ns].

    """

    def __init__(self, node: Node, settings: Any, broadcaster: TransformBroadcaster,
                 stamp: Callable[[int], int]) -> None:
        self._settings, self._broadcaster, self._stamp = settings, broadcaster, stamp
        self._markers = node.create_publisher(MarkerArray, '~/bending', qos.RELIABLE)
        self._model: Model | None = None
        self._frame = ''
        self._every = max(1, round(settings.publish_rate / DRAWN_RATE))
        self._count = -1

    def use(self, model: Model) -> None:
        """Serve a robot from now on."""
        self._model = model if model.elastic_names else None
        floats = floating_base(model) is not None
        self._frame = self._settings.world_frame if floats else model.root

    def publish(self, now: int, q: Vector) -> None:
        """Publish the shapes in a state of a time [ns]."""
        self._count += 1
        drawn = self._markers.get_subscription_count() > 0
        if self._model is None or self._count % self._every or not (
                drawn or self._settings.bending_frames):
            return
        links = mbd_ros.bent_links(self._model, q)
        if drawn:
            self._markers.publish(bending_markers(now, self._frame, links))
        if self._settings.bending_frames and links:
            self._broadcaster.sendTransform(
                bending_frames(self._stamp(now), self._frame, links))
