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

"""``ros2 topic pub``."""

from __future__ import annotations

import argparse
import time
from typing import Any

from ros2cli import qos
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import wait_until
from ros2cli.values import fill
from ros2cli.values import load
from rosidl_runtime_py.utilities import get_message

MUTUAL = 0.2  # s for subscriptions to learn of the publisher, which knows of them already


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('topic_name',
                        help="Name of the ROS topic to publish to (e.g. '/chatter')")
    parser.add_argument('message_type',
                        help="Type of the ROS message (e.g. 'std_msgs/msg/String')")
    parser.add_argument(
        'values', nargs='?', default='{}',
        help='Values to fill the message with in YAML format (e.g. "data: Hello World"), '
        'otherwise the message will be published with default values')
    parser.add_argument('-r', '--rate', metavar='N', type=_positive, default=1.0,
                        help='Publishing rate in Hz (default: 1)')
    parser.add_argument('-p', '--print', metavar='N', type=int, default=1, dest='print_every',
                        help='Only print every N-th published message (default: 1)')
    group = parser.add_mutually_exclusive_group()
    group.add_argument('-1', '--once', action='store_true',
                       help='Publish one message and exit')
    group.add_argument('-t', '--times', type=_count, default=0,
                       help='Publish this number of times and then exit')
    parser.add_argument(
        '-w', '--wait-matching-subscriptions', type=_count, default=None, metavar='N',
        help='Wait until finding the specified number of matching subscriptions. Defaults to 1 '
        'when using "-1"/"--once"/"--times", otherwise defaults to 0.')
    parser.add_argument('--keep-alive', metavar='N', type=_positive, default=0.1,
                        help='Keep publishing node alive for N seconds after the last msg '
                        '(default: 0.1)')
    parser.add_argument('-n', '--node-name', help='Name of the created publishing node')
    qos.add_qos_arguments(parser, 'system_default')


def main(args: argparse.Namespace) -> None:
    """Publish messages."""
    message = load(get_message, args.message_type, 'message')()
    stamps = fill(message, args.values)
    times = 1 if args.once else args.times
    waited_for = args.wait_matching_subscriptions
    if waited_for is None:
        waited_for = 1 if times else 0
    with graph_node(args, args.node_name) as node:
        publisher = node.create_publisher(
            type(message), args.topic_name, qos.from_arguments(args, 'system_default'))
        while publisher.get_subscription_count() < waited_for:
            print(f'Waiting for at least {waited_for} matching subscription(s)...')
            wait_until(lambda: publisher.get_subscription_count() >= waited_for, 1.0)
        if waited_for:
            time.sleep(MUTUAL)
        print('publisher: beginning loop')
        _publish(node, publisher, message, stamps, times, args)
        time.sleep(args.keep_alive)


def _publish(node: Any, publisher: Any, message: Any, stamps: list[Any], times: int,
             args: argparse.Namespace) -> None:
    import rclpy

    count = 0
    begin = time.monotonic()
    while rclpy.ok() and not (times and count >= times):
        pause = begin + count / args.rate - time.monotonic()
        if pause > 0.0:
            rclpy.spin_once(node, timeout_sec=min(pause, 0.2))
            continue
        count += 1
        for stamp in stamps:
            stamp(node.get_clock().now().to_msg())
        if args.print_every and count % args.print_every == 0:
            print(f'publishing #{count}: {message!r}\n')
        publisher.publish(message)


def _positive(text: str) -> float:
    value = float(text)
    if value <= 0.0:
        raise argparse.ArgumentTypeError('value must be positive')
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError('value must be positive or zero')
    return value
