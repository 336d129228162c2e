"""``ros2 action echo``."""

from __future__ import annotations

import argparse
import functools
from typing import Any

from ros2cli.actions import types_of_action
from ros2cli.graph import absolute
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.values import load
from rosidl_runtime_py import message_to_yaml
from rosidl_runtime_py.utilities import get_action

SERVICES = ('GOAL_SERVICE', 'CANCEL_SERVICE', 'RESULT_SERVICE')
TOPICS = ('FEEDBACK_TOPIC', 'STATUS_TOPIC')
SLICE = 0.2  # s: how long Ctrl-C may have to wait at most


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('action_name', help="Name of the ROS action to echo (e.g. '/fibonacci')")
    parser.add_argument('action_type', nargs='?',
                        help="Type of the ROS action (e.g. 'example_interfaces/action/Fibonacci')")
    parser.add_argument(
        '--interfaces', '-i', default='|'.join(TOPICS), metavar='interfaces_name_list',
        help='What is shown, separated by "|": "FEEDBACK_TOPIC", "STATUS_TOPIC" (default: both). '
        'The three services need service introspection, which is not available in rosless')
    parser.add_argument('--flow-style', action='store_true',
                        help='Print collections in the block style')


def main(args: argparse.Namespace) -> str | None:
    """Print the feedback and the status messages of an action."""
    import rclpy
    from rclpy.qos import qos_profile_action_status_default

    wanted = [name.strip().upper() for name in args.interfaces.split('|')]
    for name in wanted:
        if name in SERVICES:
            return (f'"{name}" is not available in rosless: services are not introspected '
                    f'(available: {", ".join(TOPICS)})')
        if name not in TOPICS:
            return f'"{name}" is incorrect interface name.'
    action = absolute(args.action_name)
    with graph_node(args) as node:
        types = [args.action_type] if args.action_type else types_of_action(node, action)
        if not types:
            return f"The action name '{args.action_name}' is invalid"
        implementation = load(get_action, types[0], 'action').Impl
        for name, kind, topic, qos in (
                ('FEEDBACK_TOPIC', implementation.FeedbackMessage, 'feedback', 10),
                ('STATUS_TOPIC', implementation.GoalStatusMessage, 'status',
                 qos_profile_action_status_default)):
            if name in wanted:
                node.create_subscription(kind, f'{action}/_action/{topic}',
                                         functools.partial(_show, name, args.flow_style), qos)
        while rclpy.ok():
            rclpy.spin_once(node, timeout_sec=SLICE)
    return None


def _show(interface: str, flow_style: bool, message: Any) -> None:
    print(f'interface: {interface}\n{message_to_yaml(message, flow_style=flow_style)}---')
