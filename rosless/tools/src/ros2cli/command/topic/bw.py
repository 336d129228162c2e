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

"""``ros2 topic bw``."""

from __future__ import annotations

import argparse
from collections import deque
import time

from ros2cli import watch
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node

DEFAULT_WINDOW_SIZE = 100
UNITS = ((1e3, 1.0, '.0f', 'B'), (1e6, 1e3, '.2f', 'KB'), (float('inf'), 1e6, '.2f', 'MB'))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('topic', help='Topic name to monitor for bandwidth utilization')
    parser.add_argument('--window', '-w', type=watch.positive, default=DEFAULT_WINDOW_SIZE,
                        metavar='WINDOW', help='maximum window size, in # of messages, for '
                        f'calculating rate (default: {DEFAULT_WINDOW_SIZE})')


def main(args: argparse.Namespace) -> None:
    """Print how much data a topic carries, once a second."""
    with graph_node(args) as node:
        kind = watch.message_class(node, args.topic)
        sizes = Sizes(args.window)
        watch.subscribe(node, kind, args.topic,
                        lambda data: sizes.add(len(data), time.monotonic()), raw=True)
        print(f'Subscribed to [{args.topic}]')
        watch.report_regularly(node, lambda: sizes.report(time.monotonic()))


class Sizes:
    """
    Sizes of the latest messages.

    Parameters
    ----------
    window : int
        How many are kept.

    """

    def __init__(self, window: int) -> None:
        self._items: deque[tuple[float, int]] = deque(maxlen=window)

    def add(self, size: int, now: float) -> None:
        """Take the size of a message [octet] and the time [s] it came."""
        self._items.append((now, size))

    def report(self, now: float) -> str:
        """Return the rate in the form of ROS; empty before the second message."""
        if len(self._items) < 2:
            return ''
        sizes = [size for _, size in self._items]
        rate = sum(sizes) / (now - self._items[0][0])
        _, scale, form, unit = next(entry for entry in UNITS if rate < entry[0])
        total, mean, least, most = (
            f'{value / scale:{form}} {unit}'
            for value in (rate, sum(sizes) / len(sizes), min(sizes), max(sizes)))
        return (f'{total}/s from {len(sizes)} messages\n'
                f'\tMessage size mean: {mean} min: {least} max: {most}')
