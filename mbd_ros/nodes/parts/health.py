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
from typing import NamedTuple

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from mbd_ros.messages.basics.diagnostics import diagnostics
from mbd_ros.nodes.parts import qos
from mbd_ros.nodes.parts.guard import GuardedNode

OK, WARNING, ERROR = 0, 1, 2


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


class HealthPublisher:
    """
    Asks a node how it is and publishes the answer at 1 Hz, with the counts of its guard.

    Internal errors since the last message are a warning.

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
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', qos.RELIABLE)
        self._timer = node.create_timer(1.0, self._publish, callback_group=group)

    def end(self) -> None:
        """Say that the node is inactive; nothing else comes until it is active again."""
        self._send(Health(WARNING, 'inactive', {}))

    def _publish(self) -> None:
        guard, health = self._node.guard, self._ask()
        guard.catch_up()
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
