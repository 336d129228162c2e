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

"""Topics of links, joints and loops, named by them."""

from __future__ import annotations

from collections.abc import Sequence
import re
from typing import Any

from rclpy.node import Node

from mbd_ros.nodes.every_node import qos

LONGEST = 100
"""Characters that a name may bring into a topic: DDS takes some 250 in all."""


def topic_names(names: Sequence[str]) -> list[str]:
    """Return parts of topic names, each another one: letters, digits, underscores."""
    found: dict[str, None] = {}
    for name in names:
        plain = re.sub('[^A-Za-z0-9_]', '_', name[:LONGEST])
        topic = plain = plain if re.match('[A-Za-z_]', plain) else f'link_{plain}'
        number = 2
        while topic in found:
            topic, number = f'{plain}_{number}', number + 1
        found[topic] = None
    return list(found)


class NamedTopics:
    """
    Publishes one kind of message on a topic for each of some names.

    Parameters
    ----------
    node : Node
        The node.
    kind : type
        Class of the messages.
    place : str
        What the topics begin with, such as ``'~/wrench'``.

    """

    def __init__(self, node: Node, kind: Any, place: str) -> None:
        self._node = node
        self._kind = kind
        self._place = place
        self._publishers: dict[str, Any] = {}

    def publishers(self, names: Sequence[str]) -> list[Any]:
        """Return a publisher for each name; those of other names end."""
        topics = topic_names(names)
        for gone in self._publishers.keys() - set(topics):
            self._node.destroy_publisher(self._publishers.pop(gone))
        for topic, name in zip(topics, names):
            if topic not in self._publishers:
                self._publishers[topic] = self._node.create_publisher(
                    self._kind, f'{self._place}/{topic}', qos.RELIABLE)
                if topic != name:
                    self._node.get_logger().info(
                        f'{self._place}/{topic} is the topic of {name[:LONGEST]!r}, which is not '
                        'a valid topic name (further ones are not logged)', once=True)
        return [self._publishers[topic] for topic in topics]
