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

"""Where the robot is, for what draws it: stamped by the clock, in pauses and at first, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import threading
import time
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from sensor_msgs.msg import JointState
from tf2_ros import TransformBroadcaster

from mbd_ros.messages.fields.times import SECOND
from mbd_ros.messages.states.joint_states import JointStateWriter
from mbd_ros.messages.states.transforms import joint_transforms
from mbd_ros.model import Model
from mbd_ros.nodes.every_node import qos

Vector = NDArray[np.float64]
Show = Callable[[int, Vector, Vector], None]

BETWEEN = 0.02
"""Time between two messages, unless simulated time passes fast [s]."""
BETWEEN_SIMULATED = 0.05
"""Simulated time between two messages at most [s]."""
PLACEHOLDER = 0.1
"""Time between two messages while the robot is compiled [s]."""


class ShownStates:
    """
    Publishes ``~/joint_states`` for robot_state_publisher, and ``/tf`` of other joints.

    The stamps of ``joint_states`` are simulated time, which stands still in pauses and stays
    behind on a machine that is too slow; whoever looks up a transform at the time of its clock
    would find none. Here stamps are the time of the node's clock at which they are sent, or
    simulated time where the simulator publishes ``/clock``.

    Parameters
    ----------
    node : Node
        The simulator.
    settings : SimpleNamespace
        Its parameters.
    broadcaster : TransformBroadcaster
        For joints with several coordinates.

    """

    def __init__(self, node: Node, settings: SimpleNamespace, broadcaster: TransformBroadcaster
                 ) -> None:
        self._node, self._settings, self._broadcaster = node, settings, broadcaster
        self._states = node.create_publisher(JointState, '~/joint_states', qos.RELIABLE)

    def stamp(self, simulated: int) -> int:
        """Return the time [ns] that a message of a simulated time [ns] is stamped with."""
        return (simulated if self._settings.publish_clock
                else self._node.get_clock().now().nanoseconds)

    def of(self, model: Model) -> Show:
        """
        Return what publishes the states of a robot.

        Parameters
        ----------
        model : Model
            The robot.

        Returns
        -------
        callable
            Takes simulated time [ns], q (nq,) and v (nv,); publishes where it is time to.

        """
        writer, others = JointStateWriter(model), model.nq > model.nv
        sent, simulated = float('-inf'), 0

        def show(now: int, q: Vector, v: Vector) -> None:
            nonlocal sent, simulated
            clock = time.monotonic()
            if clock - sent < BETWEEN and 0 <= now - simulated < BETWEEN_SIMULATED * SECOND:
                return
            sent, simulated = clock, now
            stamp = self.stamp(now)
            if others:
                self._broadcaster.sendTransform(joint_transforms(
                    model, stamp, q, self._settings.world_frame))
            self._states.publish(writer.write(stamp, q, v, None))

        return show

    @contextmanager
    def placeholder(self, model: Model, q: Vector) -> Iterator[None]:
        """
        Show a robot where it will begin, for the time of a context: while it is compiled.

        Parameters
        ----------
        model : Model
            The robot.
        q : Vector
            (nq,).

        """
        over, show, still = threading.Event(), self.of(model), np.zeros(model.nv)

        def repeat() -> None:
            while not over.is_set() and self._node.context.ok():
                show(0, q, still)
                over.wait(PLACEHOLDER)

        threading.Thread(target=repeat, name='placeholder', daemon=True).start()
        try:
            yield
        finally:
            over.set()
