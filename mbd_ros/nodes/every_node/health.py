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

"""Diagnostics of every node on /diagnostics, once a second."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
import statistics
import time
from typing import NamedTuple

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from mbd_ros.messages.diagnostics.diagnostics import diagnostics
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.guard import GuardedNode

OK, WARNING, ERROR = 0, 1, 2
SEEN_WHEN_KILLED = 12.0
"""Time [s] for which a node that was killed may still be seen: the lease of DDS is 10 s."""


class Health(NamedTuple):
    """
    How a node is.

    Attributes
    ----------
    level : int
        ``OK``, ``WARNING`` or ``ERROR``.
    message : str
        In words.
    values : mapping of str to object
        Figures by name.

    """

    level: int
    message: str
    values: Mapping[str, object]


def rivals(node: Node, topic: str) -> str:
    """Return what is wrong with the number of publishers of efforts, if it is."""
    count = node.count_publishers(topic)
    return '' if count <= 1 else (
        f'{count} nodes publish efforts on {topic}; allowed: one for each robot, others in a '
        'namespace or a ROS_DOMAIN_ID of their own')


class Namesakes:
    """
    Other nodes of the same name, such as those of a second launch in one ROS graph.

    Parameters
    ----------
    node : Node
        The node.

    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._since: float | None = None   # they are seen, without a gap
        self._told = False

    def look(self) -> str:
        """Return what is wrong, if it is, and log it once; to be called about once a second."""
        node, now = self._node, time.monotonic()
        own = (node.get_name(), node.get_namespace())
        if node.get_node_names_and_namespaces().count(own) < 2:
            self._since, self._told = None, False
            return ''
        if self._since is None:
            self._since = now
        if now - self._since < SEEN_WHEN_KILLED:
            return ''
        text = (f'another node named {node.get_fully_qualified_name()} runs in this ROS graph: '
                'topics and services of the two mix; start one of them in a namespace or a '
                'ROS_DOMAIN_ID of its own')
        if not self._told:
            self._told = True
            node.get_logger().warning(text)
        return text


class HealthPublisher:
    """
    Asks a node how it is and publishes the answer at 1 Hz, with the counts of its guard.

    Internal errors since the last message are a warning, and so is another node of its name.

    Parameters
    ----------
    node : GuardedNode
        The node.
    ask : callable
        Returns its health.
    group : CallbackGroup, optional
        Of the timer.

    """

    def __init__(self, node: GuardedNode, ask: Callable[[], Health], *,
                 group: CallbackGroup | None = None) -> None:
        self._node = node
        self._ask = ask
        self._failed = 0
        self._namesakes = Namesakes(node)
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', qos.RELIABLE)
        self._timer = node.create_timer(1.0, self._publish, callback_group=group)

    def end(self) -> None:
        """Say that the node is inactive; nothing else comes until it is active again."""
        self._send(Health(WARNING, 'inactive', {}))

    def say(self, health: Health) -> None:
        """Say how the node is, in between."""
        self._send(health)

    def _publish(self) -> None:
        guard, health = self._node.guard, self._ask()
        guard.catch_up()
        if (another := self._namesakes.look()) and health.level == OK:
            health = health._replace(level=WARNING, message=another)
        if guard.failed > self._failed:
            self._failed = guard.failed
            health = health._replace(level=max(health.level, WARNING), message=guard.last)
        self._send(health)

    def _send(self, health: Health) -> None:
        self._publisher.publish(diagnostics(
            self._node.get_clock().now().nanoseconds, self._node.get_fully_qualified_name(),
            health.level, health.message, {**health.values, **self._node.guard.figures()}))


class Durations:
    """How long something took, the last thousand times; may be used from several threads."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=1000)

    def add(self, seconds: float) -> None:
        """Take one duration [s]."""
        self._seconds.append(seconds)

    def figures(self, name: str) -> dict[str, str]:
        """Return median and 99th percentile as text, by name; nothing without durations."""
        seconds = list(self._seconds)
        if len(seconds) < 2:
            return {}
        percentiles = statistics.quantiles(seconds, n=100, method='inclusive')
        return {f'{name} p50 [ms]': f'{1e3 * percentiles[49]:.3f}',
                f'{name} p99 [ms]': f'{1e3 * percentiles[98]:.3f}'}
