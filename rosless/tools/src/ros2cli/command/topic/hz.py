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

"""``ros2 topic hz``."""

from __future__ import annotations

import argparse
from collections import deque
import math
import time
from typing import Any

from ros2cli import watch
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node

DEFAULT_WINDOW_SIZE = 10000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('topic_name',
                        help="Name of the ROS topic to listen to (e.g. '/chatter')")
    parser.add_argument('--window', '-w', dest='window_size', type=watch.positive,
                        default=DEFAULT_WINDOW_SIZE, metavar='WINDOW',
                        help='window size, in # of messages, for calculating rate '
                        f'(default: {DEFAULT_WINDOW_SIZE})')
    watch.add_filter_argument(parser)
    parser.add_argument('--wall-time', dest='use_wtime', action='store_true',
                        help='calculates rate using wall time which can be helpful when clock '
                        'is not published during simulation')


def main(args: argparse.Namespace) -> None:
    """Print the rate of a topic once a second."""
    with graph_node(args) as node:
        kind = watch.message_class(node, args.topic_name)
        arrivals = Arrivals(args.window_size)
        now = time.monotonic_ns if args.use_wtime else (
            lambda: node.get_clock().now().nanoseconds)
        wanted = watch.chosen(args.filter_expr)
        watch.subscribe(node, kind, args.topic_name,
                        lambda message: arrivals.add(now()) if wanted(message) else None,
                        raw=args.filter_expr is None)
        watch.report_regularly(node, arrivals.report)


class Arrivals:
    """
    Times between messages.

    Parameters
    ----------
    window : int
        How many are kept.

    """

    def __init__(self, window: int) -> None:
        self._intervals: deque[int] = deque(maxlen=window)
        self._last: int | None = None
        self._is_new = False

    def add(self, now: int) -> None:
        """Take the time of an arrival [ns]."""
        if self._last is not None and now < self._last:
            print('time has reset, resetting counters')
            self._intervals.clear()
        elif self._last is not None:
            self._intervals.append(now - self._last)
        self._last = now
        self._is_new = True

    def report(self) -> str:
        """Return the rate in the form of ROS; empty if nothing has arrived since the last one."""
        values: list[Any] = list(self._intervals)
        if not values or not self._is_new:
            return ''
        self._is_new = False
        mean = sum(values) / len(values)
        deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
        rate = 1e9 / mean if mean > 0.0 else 0.0
        return (f'average rate: {rate:.3f}\n\tmin: {min(values) * 1e-9:.3f}s '
                f'max: {max(values) * 1e-9:.3f}s std dev: {deviation * 1e-9:.5f}s '
                f'window: {len(values)}')
