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

"""Follow a topic and report on it once a second, as ``hz``, ``bw`` and ``delay`` do."""

from __future__ import annotations

import argparse
from collections.abc import Callable
import time
from typing import Any

from ros2cli import qos
from ros2cli.graph import absolute
from ros2cli.graph import types_of_topic
from ros2cli.graph import wait_until
from ros2cli.values import load
from rosidl_runtime_py.utilities import get_message

REPORT_INTERVAL = 1.0  # s
DEFAULT_TRUNCATE_LENGTH = 128
SLICE = 0.2  # s: how long Ctrl-C may have to wait at most


def message_class(node: Any, topic_name: str) -> Any:
    """Return the class of the messages of a topic, waiting until somebody has the topic."""
    topic = absolute(topic_name)
    types = types_of_topic(node, topic)
    if not types:
        print(f'WARNING: topic [{topic_name}] does not appear to be published yet')
    while not types:
        types = types_of_topic(node, topic, 1.0)
    return load(get_message, types[0], 'message')


def subscribe(node: Any, kind: Any, topic_name: str, on_message: Callable[[Any], None],
              *, raw: bool, profile: Any = None) -> None:
    """Subscribe, unless told how with a quality of service that gets data from all publishers."""
    topic = absolute(topic_name)
    if profile is None:
        infos = wait_until(lambda: node.get_publishers_info_by_topic(topic), 0.5)
        profile = qos.to_suit_publishers(infos)
    node.create_subscription(kind, topic, on_message, profile, raw=raw)


def add_form_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments for how messages are printed."""
    parser.add_argument('--full-length', '-f', action='store_true',
                        help='Output all elements for arrays, bytes, and string with a length > '
                        "'--truncate-length', by default they are truncated with '...'")
    parser.add_argument('--truncate-length', '-l', type=_unsigned,
                        default=DEFAULT_TRUNCATE_LENGTH,
                        help='The length to truncate arrays, bytes, and string to '
                        f'(default: {DEFAULT_TRUNCATE_LENGTH})')
    parser.add_argument('--no-arr', action='store_true',
                        help="Don't print array fields of messages")
    parser.add_argument('--no-str', action='store_true',
                        help="Don't print string fields of messages")
    parser.add_argument('--flow-style', action='store_true',
                        help='Print collections in the block style (not available with csv '
                        'format)')


def form_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of ``message_to_yaml`` and its neighbours that were asked for."""
    return {'truncate_length': None if args.full_length else args.truncate_length,
            'no_arr': args.no_arr, 'no_str': args.no_str}


def add_filter_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the argument that chooses messages."""
    parser.add_argument(
        '--filter', dest='filter_expr', default=None, metavar='FILTER-EXPR',
        help='Only consider messages for which this Python expression holds. Use the variable m '
        "as the message (e.g. --filter 'm.data == \"foo\"')")


def chosen(expression: str | None) -> Callable[[Any], bool]:
    """
    Return a function that tells whether a message is wanted.

    Parameters
    ----------
    expression : str or None
        In Python, about the message ``m``; None for every message.

    Raises
    ------
    RuntimeError
        If the expression cannot be read; when the function is called, if it cannot be
        evaluated.

    """
    if expression is None:
        return lambda message: True
    try:
        code = compile(expression, 'FILTER-EXPR', 'eval')
    except SyntaxError as error:
        raise RuntimeError(f"the filter '{expression}' cannot be read: {error.msg}") from error

    def wanted(message: Any) -> bool:
        try:
            return bool(eval(code, {'m': message}))
        except Exception as error:
            raise RuntimeError(f"the filter '{expression}' cannot be evaluated: {error}") \
                from error

    return wanted


def report_regularly(node: Any, report: Callable[[], str]) -> None:
    """Spin, and print a text once a second unless it is empty."""
    import rclpy

    due = time.monotonic() + REPORT_INTERVAL
    while rclpy.ok():
        rclpy.spin_once(node, timeout_sec=max(0.0, min(due - time.monotonic(), SLICE)))
        if time.monotonic() >= due:
            due += REPORT_INTERVAL
            text = report()
            if text:
                print(text)


def positive(text: str) -> int:
    """Return a number of messages from the command line."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value <= 0:
        raise argparse.ArgumentTypeError('value must be a positive integer')
    return value


def _unsigned(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError('value must be non-negative integer')
    return value
