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

"""Topics beside joint states: odometry, joints with several coordinates, completed states."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from nav_msgs.msg import Odometry
import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState, MultiDOFJointState

from mbd_ros.messages.fields.times import to_nanoseconds
from mbd_ros.messages.states.joint_states import JointStateWriter, Measured
from mbd_ros.messages.states.multi_dof import MultiDOFStates
from mbd_ros.messages.states.odometry import BaseOdometry
from mbd_ros.model import Model
from mbd_ros.model.state import floating_base, neutral
from mbd_ros.nodes.every_node import qos
from mbd_ros.simulation.manifold import Vector

KEPT = 10
"""Messages of a topic that wait for their joint state, twice what a subscription keeps."""


class Place(NamedTuple):
    """A state in which only joints with several coordinates are known: q (nq,) and v (nv,)."""

    q: Vector
    v: Vector


class StateSynchronizer:
    """
    The newest of each topic that a robot needs beside its joint states.

    Where they come in pairs, a joint state that overtakes one of them waits for it. In lockstep
    they always do, one is published again until it is answered, and only what has its stamp will
    do; else a companion may be brought to the time of the joint state.

    Parameters
    ----------
    node : Node
        The controller.
    deliver : callable
        Takes a joint state that has waited.
    lockstep : bool
        Whether time waits for the answer to each joint state.

    Attributes
    ----------
    missing : str
        What did not come, or is too old; empty if nothing.

    """

    def __init__(self, node: Node, deliver: Callable[[JointState], None], lockstep: bool) -> None:
        self._deliver, self._lockstep = deliver, lockstep
        self._model: Model | None = None
        self._readers: dict[str, BaseOdometry | MultiDOFStates] = {}
        self._kept: dict[str, deque[Any]] = {}
        self._early: JointState | None = None
        self._in_pairs = False
        self.missing = ''
        for topic, kind in (('odom', Odometry), ('multi_dof_joint_states', MultiDOFJointState)):
            node.create_subscription(kind, topic, partial(self._keep, topic), qos.STREAM,
                                     qos_overriding_options=qos.OVERRIDABLE)

    def use(self, model: Model, world: str) -> None:
        """Serve a robot from now on; the base is given in a frame."""
        self._model, self._early, self._readers = model, None, {}
        if floating_base(model) is not None:
            self._readers['odom'] = BaseOdometry(model, world)
        others = MultiDOFStates(model)
        if others.names:
            self._readers['multi_dof_joint_states'] = others

    def awaits(self, message: JointState) -> bool:
        """
        Keep a joint state whose companions are on their way, as long as they come in pairs.

        Returns whether to wait for them. In lockstep ``state`` says what is missing.
        """
        if self._lockstep:
            self._early = message if self._behind(message) else None
            return False
        if not self._readers or self._absent():
            return False
        behind = self._behind(message)
        waits = behind and self._in_pairs and self._early is None
        self._in_pairs, self._early = waits or not behind, message if waits else None
        return waits

    def state(self, nanoseconds: int, timeout: float) -> Place | None:
        """
        Return what the companions say, brought to the time of a joint state.

        Parameters
        ----------
        nanoseconds : int
            That time.
        timeout : float
            How far from it a companion may be without lockstep [ns].

        Returns
        -------
        Place or None
            None where one is missing; ``missing`` says which.

        Raises
        ------
        MbdError
            If a message is wrong; says what.

        """
        assert self._model is not None
        place = Place(neutral(self._model), np.zeros(self._model.nv))
        found = {topic: self._nearest(topic, nanoseconds)
                 for topic in self._readers if topic in self._kept}
        longest = 0.0 if self._lockstep else timeout
        absent = self._absent() or [topic for topic, one in found.items()
                                    if abs(nanoseconds - _stamp(one)) > longest]
        self.missing = {'odom': 'odometry'}.get(absent[0], absent[0]) if absent else ''
        if absent:
            return None
        for topic, reader in self._readers.items():
            place = place._replace(q=reader.put(found[topic], nanoseconds, *place))
        return place

    def _keep(self, topic: str, message: Any) -> None:
        """Keep a message; a joint state may have come before it."""
        self._kept.setdefault(topic, deque(maxlen=KEPT)).append(message)
        early = self._early
        if early is not None and not self._behind(early):
            self._deliver(early)

    def _absent(self) -> list[str]:
        """Return the topics of which nothing came yet."""
        return [topic for topic in self._readers if topic not in self._kept]

    def _nearest(self, topic: str, nanoseconds: int) -> Any:
        """Return the companion of a time, or else the newest."""
        return next((one for one in self._kept[topic] if _stamp(one) == nanoseconds),
                    self._kept[topic][-1])

    def _behind(self, message: JointState) -> bool:
        """Return whether a companion is older than a joint state; in lockstep, of another time."""
        now = _stamp(message)
        stamps = [_stamp(self._nearest(topic, now)) for topic in self._readers
                  if topic in self._kept]
        if self._lockstep:
            return len(stamps) < len(self._readers) or any(stamp != now for stamp in stamps)
        return any(stamp < now for stamp in stamps)


def _stamp(message: Any) -> int:
    return to_nanoseconds(message.header.stamp)


class CompletedJoints:
    """
    Publishes ``~/joint_states`` while somebody subscribes to it.

    Parameters
    ----------
    node : Node
        The controller.
    interval : int
        Least time between two messages [ns].

    """

    def __init__(self, node: Node, interval: int) -> None:
        self._publisher = node.create_publisher(JointState, '~/joint_states', qos.RELIABLE)
        self._interval = interval
        self._writer: JointStateWriter | None = None
        self._written = 0

    def use(self, model: Model) -> None:
        """Serve a robot from now on."""
        self._writer = JointStateWriter(model)

    def publish(self, stamp: int, measured: Measured) -> None:
        """Publish a state of a time [ns], if it is time."""
        if self._writer is None or not self._publisher.get_subscription_count():
            return
        if stamp < self._written or stamp - self._written >= self._interval:
            self._written = stamp
            self._publisher.publish(self._writer.write(stamp, *measured))
