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

"""Joint states of one publisher: what of the others is refused, counted and told of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
import time
from typing import Any

from rclpy.callback_groups import CallbackGroup
import rclpy.subscription
from sensor_msgs.msg import JointState

from mbd_ros.errors import cut
from mbd_ros.messages.fields.times import SECOND
from mbd_ros.nodes.controlling.state_stream import Look, StateStream
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.guard import GuardedNode

GID = 16
"""Octets of a GID that tell publishers apart; Humble pads them with zeros."""
SOON, LATER = 0.1, 1.0
"""Least time between two looks at who publishes, while a publisher is not known, and else [s]."""
RECENT = 5.0
"""Time for which the diagnostics warn of a state that was refused [s]."""
SAY = 10.0
"""Least time between two lines about refused states [s]."""
UNKNOWN = '_NODE_NAME_UNKNOWN_'
"""Name of a node of which only an endpoint is known, in rclpy."""
MOST = 16
"""Publishers that are counted one by one."""
WITH_INFO = (hasattr(rclpy.subscription, 'MessageInfo')
             or hasattr(rclpy.subscription.Subscription, 'CallbackType'))   # Iron
"""Whether callbacks can have what the middleware says about a message; in Humble they cannot."""


def sender_of(info: Any) -> bytes | None:
    """Return the GID of who sent a message, None where the client library does not say it."""
    try:
        gid = info['publisher_gid']
        return bytes(gid['data'] if isinstance(gid, dict) else gid)[:GID]
    except (KeyError, TypeError, ValueError):
        return None


class StateSenders:
    """
    Subscribes to joint states and hands on those of the robot.

    Parameters
    ----------
    node : GuardedNode
        The node that uses them.
    stream : StateStream
        What tells the robot's states.
    take : callable
        Given a joint state and the GID of its publisher.
    commands : str
        Topic of the commands: who subscribes to it is the robot, or stands in for it.
    group : CallbackGroup, optional
        Of the subscription; the node's default if not given.

    Attributes
    ----------
    refused : Counter
        How many states were refused, by publisher and cause.

    """

    def __init__(self, node: GuardedNode, stream: StateStream, take: Callable[..., None],
                 commands: str, group: CallbackGroup | None = None) -> None:
        self._node, self._commands, self.stream = node, commands, stream
        self._names: dict[bytes, str] = {}
        self._looked = self._last = float('-inf')
        self._said: dict[tuple[str, str], float] = {}
        self.refused: Counter[tuple[str, str]] = Counter()

        def heard(message: JointState, info: Any) -> None:
            take(message, sender_of(info))

        self._subscription = node.create_subscription(
            JointState, 'joint_states', heard if WITH_INFO else take, qos.STREAM,
            callback_group=group, qos_overriding_options=qos.OVERRIDABLE)

    def close(self) -> None:
        """Listen no more."""
        self._node.destroy_subscription(self._subscription)

    @property
    def topic_name(self) -> str:
        """Full name of the topic."""
        return str(self._subscription.topic_name)

    def takes(self, stamp: int, sender: bytes | None) -> bool:
        """Tell whether the state with a stamp [ns] is to be used; one that is refused counts."""
        stream = self.stream
        if sender not in stream.robots and stream.sender not in (None, sender):
            self._look(LATER if sender in self._names else SOON)
        look = stream.look(stamp, sender)
        if look in (Look.SENDER, Look.STAMP):
            self._refuse(look, stamp, sender)
        return look is Look.TAKE

    def _refuse(self, look: Look, stamp: int, sender: bytes | None) -> None:
        """Count a state that is not used, and say so now and then."""
        now = time.monotonic()
        self._look(LATER)
        last = self.stream.stamp
        assert last is not None
        used = self._name(self.stream.sender)
        cause = (f'the states of {used} are used' if look is Look.SENDER else
                 'its stamp is before those used so far' if stamp < last else
                 'its stamp is ahead of those used so far')
        name = self._name(sender)
        if len(self.refused) >= MOST and (name, cause) not in self.refused:
            name = 'others'
        self.refused[name, cause] += 1
        self._last = now
        if now - self._said.get((name, cause), float('-inf')) >= SAY:
            self._said[name, cause] = now
            self._node.get_logger().warning(
                f'a joint state of {name} is not used: {cause}'
                + (f' ({(stamp - last) / SECOND:+.3f} s)' if look is Look.STAMP else '')
                + f'; {self.count()} in all'
                + ('' if len(self._names) == 1 else '. Allowed: one publisher for each robot, '
                   'others in a namespace or a ROS_DOMAIN_ID of their own'))

    def count(self) -> int:
        """Return how many states were refused."""
        return sum(self.refused.values())

    def problem(self) -> str:
        """Return what is wrong with the states that come; empty if nothing was of late."""
        if time.monotonic() - self._last > RECENT:
            return ''
        return f'joint states are refused: {self._listed()}'

    def figures(self) -> dict[str, object]:
        """Return the counts for the diagnostics, by name."""
        return {'joint states refused': self._listed() or 'none'}

    def _listed(self) -> str:
        return '; '.join(f'{count} of {name} ({cause})'
                         for (name, cause), count in self.refused.copy().items())

    def _name(self, sender: bytes | None) -> str:
        """Return the node of a publisher, or those that it may be."""
        if sender in self._names:
            assert sender is not None
            return self._names[sender]
        return ' or '.join(sorted(set(self._names.values()))) or 'an unknown node'

    def _look(self, interval: float) -> None:
        """Look who publishes, and who of them takes commands, if it is time."""
        now = time.monotonic()
        if now - self._looked < interval:
            return
        self._looked = now
        takers = {_node_of(one) for one in
                  self._node.get_subscriptions_info_by_topic(self._commands)} - {UNKNOWN}
        publishers = self._node.get_publishers_info_by_topic(self.topic_name)
        self._names = {bytes(one.endpoint_gid)[:GID]: cut(_node_of(one)) for one in publishers
                       if _node_of(one) != UNKNOWN}
        self.stream.robots = frozenset(
            bytes(one.endpoint_gid)[:GID] for one in publishers if _node_of(one) in takers)


def _node_of(endpoint: Any) -> str:
    """Return the full name of the node that has an endpoint."""
    if UNKNOWN in endpoint.node_name:   # it was not heard of yet
        return UNKNOWN
    return f'{endpoint.node_namespace.rstrip("/")}/{endpoint.node_name}'
