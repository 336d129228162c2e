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

"""``ros2 topic delay``."""

from __future__ import annotations

import argparse
from collections import deque
import math
from typing import Any

from rclpy.time import Time
from ros2cli import watch
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node

DEFAULT_WINDOW_SIZE = 10000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('topic', help='Topic name to calculate the delay for')
    parser.add_argument('--window', '-w', type=watch.positive, default=DEFAULT_WINDOW_SIZE,
                        help='window size, in # of messages, for calculating rate '
                        f'(default: {DEFAULT_WINDOW_SIZE})')


def main(args: argparse.Namespace) -> str | None:
    """Print how long messages take from the time in their header, once a second."""
    with graph_node(args) as node:
        kind = watch.message_class(node, args.topic)
        if 'header' not in kind.get_fields_and_field_types():
            return 'msg does not have header'
        delays = Delays(args.window)

        def add(message: Any) -> None:
            now = node.get_clock().now()
            if now.nanoseconds:
                delays.add((now - Time.from_msg(message.header.stamp)).nanoseconds)

        watch.subscribe(node, kind, args.topic, add, raw=False)
        watch.report_regularly(node, delays.report)
    return None


class Delays:
    """
    Delays of the latest messages.

    Parameters
    ----------
    window : int
        How many are kept.

    """

    def __init__(self, window: int) -> None:
        self._values: deque[int] = deque(maxlen=window)
        self._is_new = False

    def add(self, delay: int) -> None:
        """Take the delay of a message [ns]."""
        self._values.append(delay)
        self._is_new = True

    def report(self) -> str:
        """Return the delay in the form of ROS; empty before the first message."""
        if not self._values:
            return ''
        if not self._is_new:
            return 'no new messages'
        self._is_new = False
        values = [value * 1e-9 for value in self._values]
        mean = sum(values) / len(values)
        deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
        return (f'average delay: {mean:.3f}\n\tmin: {min(values):.3f}s max: {max(values):.3f}s '
                f'std dev: {deviation:.5f}s window: {len(values)}')
