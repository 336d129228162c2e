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

"""``ros2 topic echo``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
import functools
import sys
from typing import Any

from ros2cli import qos
from ros2cli import watch
from ros2cli.graph import absolute
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import types_of_topic
from ros2cli.graph import wait_until
from ros2cli.values import load
from rosidl_runtime_py import message_to_csv
from rosidl_runtime_py import message_to_yaml
from rosidl_runtime_py.convert import to_plain
from rosidl_runtime_py.convert import value_to_yaml
from rosidl_runtime_py.utilities import get_message


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('topic_name',
                        help="Name of the ROS topic to listen to (e.g. '/chatter')")
    parser.add_argument('message_type', nargs='?',
                        help="Type of the ROS message (e.g. 'std_msgs/msg/String')")
    qos.add_qos_arguments(parser, 'sensor_data, adapted to the publishers')
    parser.add_argument('--csv', action='store_true',
                        help='Output all recursive fields separated by commas')
    parser.add_argument('--field', help='Echo a selected field of a message. Use . to select sub-'
                        'fields and [i] to select an item, as in transforms[0].transform')
    watch.add_form_arguments(parser)
    parser.add_argument('--raw', action='store_true',
                        help='Echo the raw binary representation')
    watch.add_filter_argument(parser)
    parser.add_argument('--once', action='store_true',
                        help='Print the first message received and then exit.')
    parser.add_argument('--timeout', metavar='N', type=float, default=None,
                        help='Set a timeout in seconds for waiting for the first message')


def main(args: argparse.Namespace) -> int | str | None:
    """Print the messages of a topic."""
    import rclpy

    select = _selector(args.field)
    wanted = watch.chosen(args.filter_expr)
    if args.filter_expr is not None and args.raw:
        return '--filter needs messages, --raw has none'
    with graph_node(args) as node:
        topic = absolute(args.topic_name)
        message_class, profile = _connect(node, topic, args)
        state: dict[str, Any] = {'count': 0, 'error': ''}

        def show(message: Any) -> None:
            if (args.once and state['count']) or not wanted(message):
                return
            state['count'] += 1
            try:
                _print(select(message) if not args.raw else message, args)
            except LookupError as error:
                state['error'] = str(error.args[0])

        node.create_subscription(message_class, topic, show, profile, raw=args.raw)
        end = None if args.timeout is None else node.get_clock().now().nanoseconds
        while rclpy.ok() and not state['error'] and not (args.once and state['count']):
            rclpy.spin_once(node, timeout_sec=watch.SLICE)
            if end is not None and not state['count'] and (
                    node.get_clock().now().nanoseconds - end > args.timeout * 1e9):
                return 1
    return state['error'] or None


def _connect(node: Any, topic: str, args: argparse.Namespace) -> tuple[Any, Any]:
    name = args.message_type
    types = types_of_topic(node, topic) if name is None else []
    if name is None:
        if not types:
            raise RuntimeError(f'WARNING: topic [{args.topic_name}] does not appear to be '
                               'published yet\nCould not determine the type for the passed topic')
        if len(types) > 1:
            raise RuntimeError(f"Cannot echo topic '{args.topic_name}', as it contains more than "
                               f"one type: [{', '.join(types)}]")
        name = types[0]
    message_class = load(get_message, name, 'message')
    infos = wait_until(lambda: node.get_publishers_info_by_topic(topic), 0.5)
    other = sorted({info.topic_type for info in infos} - {name})
    if other:
        print(f'WARNING: topic [{args.topic_name}] is also published with the type '
              f"[{', '.join(other)}], of which nothing is shown", file=sys.stderr)
    if qos.is_given(args):
        return message_class, qos.from_arguments(args, 'sensor_data')
    return message_class, qos.to_suit_publishers(infos)


def _print(value: Any, args: argparse.Namespace) -> None:
    options = watch.form_options(args)
    is_message = hasattr(value, 'get_fields_and_field_types')
    if args.raw:
        print(value, end='\n---\n')
    elif args.csv:
        plain = to_plain(value, **options)
        print(message_to_csv(value, **options) if is_message else
              ','.join(map(str, plain)) if isinstance(plain, list) else plain)
    elif is_message:
        print(message_to_yaml(value, flow_style=args.flow_style, **options), end='---\n')
    else:
        text = value_to_yaml(to_plain(value, **options), flow_style=args.flow_style)
        print(text.removesuffix('...\n'), end='---\n')


def _selector(field: str | None) -> Callable[[Any], Any]:
    if not field:
        return lambda message: message
    steps: list[str | int] = []
    for part in field.split('.'):
        name, *indices = part.replace(']', '').split('[')
        if not name or not all(index.lstrip('-').isdigit() for index in indices):
            raise RuntimeError(f"Invalid field '{field}', expected a form such as 'a.b[0].c'")
        steps += [name, *map(int, indices)]
    return lambda message: functools.reduce(_step, steps, message)


def _step(value: Any, step: str | int) -> Any:
    if isinstance(step, int):
        try:
            return value[step]
        except (TypeError, IndexError):
            raise LookupError(f"Invalid field: there is no item [{step}] in '{value}'") from None
    known: dict[str, str] = getattr(value, 'get_fields_and_field_types', dict)()
    if step not in known:
        raise LookupError(f"Invalid field '{step}' of '{type(value).__name__}' "
                          f"(valid fields: {', '.join(known) or 'none'})")
    return getattr(value, step)
