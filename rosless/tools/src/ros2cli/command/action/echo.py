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

"""``ros2 action echo``."""

from __future__ import annotations

import argparse
import functools
from typing import Any

from ros2cli import watch
from ros2cli.actions import types_of_action
from ros2cli.graph import absolute
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.service_events import event_text
from ros2cli.service_events import event_topic
from ros2cli.values import load
from rosidl_runtime_py import message_to_yaml
from rosidl_runtime_py.utilities import get_action

SERVICES = {'GOAL_SERVICE': ('send_goal', 'SendGoalService'),
            'CANCEL_SERVICE': ('cancel_goal', 'CancelGoalService'),
            'RESULT_SERVICE': ('get_result', 'GetResultService')}
TOPICS = {'FEEDBACK_TOPIC': ('feedback', 'FeedbackMessage'),
          'STATUS_TOPIC': ('status', 'GoalStatusMessage')}
INTERFACES = (*SERVICES, *TOPICS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('action_name', help="Name of the ROS action to echo (e.g. '/fibonacci')")
    parser.add_argument('action_type', nargs='?',
                        help="Type of the ROS action (e.g. 'example_interfaces/action/Fibonacci')")
    parser.add_argument(
        '--interfaces', '-i', default='|'.join(INTERFACES), metavar='interfaces_name_list',
        help=f'What is shown, separated by "|": {", ".join(INTERFACES)} (default: all). The '
        'services tell of their calls where introspection is configured')
    parser.add_argument('--flow-style', action='store_true',
                        help='Print collections in the block style')


def main(args: argparse.Namespace) -> str | None:
    """Print the messages of an action, and the calls of its services that are told of."""
    import rclpy
    from rclpy.qos import qos_profile_action_status_default, qos_profile_sensor_data

    wanted = [name.strip().upper() for name in args.interfaces.split('|')]
    for name in wanted:
        if name not in INTERFACES:
            return f'"{name}" is incorrect interface name.'
    action = absolute(args.action_name)
    with graph_node(args) as node:
        types = [args.action_type] if args.action_type else types_of_action(node, action)
        if not types:
            return f"The action name '{args.action_name}' is invalid"
        implementation = load(get_action, types[0], 'action').Impl
        for name in wanted:
            place, kind = {**SERVICES, **TOPICS}[name]
            topic, message = f'{action}/_action/{place}', getattr(implementation, kind)
            show = functools.partial(_show, name, args.flow_style)
            if name in SERVICES:
                node.create_subscription(  # whatever quality is offered
                    message.Event, event_topic(topic), show, qos_profile_sensor_data)
            else:
                node.create_subscription(
                    message, topic, show,
                    qos_profile_action_status_default if name == 'STATUS_TOPIC' else 10)
        while rclpy.ok():
            rclpy.spin_once(node, timeout_sec=watch.SLICE)
    return None


def _show(interface: str, flow_style: bool, message: Any) -> None:
    text = (event_text if interface in SERVICES else message_to_yaml)(
        message, flow_style=flow_style)
    print(f'interface: {interface}\n{text}---')
