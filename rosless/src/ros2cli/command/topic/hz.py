"""``ros2 topic hz``."""

from __future__ import annotations

import argparse
from collections import deque
import math
import time
from typing import Any

from ros2cli import qos
from ros2cli.graph import absolute
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import types_of_topic
from ros2cli.graph import wait_until
from ros2cli.values import load
from rosidl_runtime_py.utilities import get_message

DEFAULT_WINDOW_SIZE = 10000
REPORT_INTERVAL = 1.0  # s


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('topic_name',
                        help="Name of the ROS topic to listen to (e.g. '/chatter')")
    parser.add_argument('--window', '-w', dest='window_size', type=_positive,
                        default=DEFAULT_WINDOW_SIZE, metavar='WINDOW',
                        help='window size, in # of messages, for calculating rate '
                        f'(default: {DEFAULT_WINDOW_SIZE})')
    parser.add_argument('--wall-time', dest='use_wtime', action='store_true',
                        help='calculates rate using wall time which can be helpful when clock '
                        'is not published during simulation')


def main(args: argparse.Namespace) -> None:
    """Print the rate of a topic once a second."""
    import rclpy

    topic = absolute(args.topic_name)
    with graph_node(args) as node:
        types = types_of_topic(node, topic)
        if not types:
            print(f'WARNING: topic [{args.topic_name}] does not appear to be published yet')
        while not types:
            types = types_of_topic(node, topic, 1.0)
        arrivals = Arrivals(args.window_size)
        now = time.monotonic_ns if args.use_wtime else (
            lambda: node.get_clock().now().nanoseconds)
        infos = wait_until(lambda: node.get_publishers_info_by_topic(topic), 0.5)
        node.create_subscription(
            load(get_message, types[0], 'message'), topic, lambda _: arrivals.add(now()),
            qos.to_suit_publishers(infos), raw=True)
        report = time.monotonic() + REPORT_INTERVAL
        while rclpy.ok():
            rclpy.spin_once(node, timeout_sec=max(0.0, min(report - time.monotonic(), 0.2)))
            if time.monotonic() >= report:
                report += REPORT_INTERVAL
                text = arrivals.report()
                if text:
                    print(text)


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


def _positive(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value <= 0:
        raise argparse.ArgumentTypeError('value must be a positive integer')
    return value
