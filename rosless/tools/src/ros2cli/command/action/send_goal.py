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

"""``ros2 action send_goal``."""

from __future__ import annotations

import argparse
import time
from typing import Any

from rclpy.action import get_action_server_names_and_types_by_node
from ros2cli.graph import absolute
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import node_names
from ros2cli.values import fill
from ros2cli.values import load
from rosidl_runtime_py import message_to_yaml
from rosidl_runtime_py.utilities import get_action

SLICE = 0.2  # s between looks whether the user has interrupted
CANCEL_PATIENCE = 5.0  # s to wait for the answer to a cancellation
LOG_PATIENCE = 1.0  # s to wait for what a server logs of a goal that it rejects


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('action_name', help="Name of the ROS action (e.g. '/fibonacci')")
    parser.add_argument('action_type',
                        help="Type of the ROS action (e.g. 'example_interfaces/action/Fibonacci')")
    parser.add_argument('goal', help="Goal request values in YAML format (e.g. '{order: 10}')")
    parser.add_argument('-f', '--feedback', action='store_true',
                        help='Echo feedback messages for the goal')


def main(args: argparse.Namespace) -> str | None:
    """Send a goal, print what comes back, and cancel it on Ctrl-C."""
    from rcl_interfaces.msg import Log
    from rclpy.action import ActionClient
    from rclpy.qos import qos_profile_rosout_default

    action = load(get_action, args.action_type, 'action')
    goal = action.Goal()
    stamps = fill(goal, args.goal)
    package, *_, base = args.action_type.split('/')
    with graph_node(args, f'_ros2cli_send_goal_{package}_{base}',
                    outlive_interrupt=True) as node:
        client = ActionClient(node, action, args.action_name)
        logged: list[Log] = []
        node.create_subscription(Log, '/rosout', logged.append, qos_profile_rosout_default)
        print('Waiting for an action server to become available...')
        if not client.wait_for_server():
            return 'Shut down while waiting for the action server'
        for stamp in stamps:
            stamp(node.get_clock().now().to_msg())
        print(f'Sending goal:\n     {message_to_yaml(goal)}')
        sent = time.time()
        handle = _finish(node, client.send_goal_async(
            goal, _print_feedback if args.feedback else None))
        if not handle.accepted:
            print('Goal was rejected.')
            _print_reason(node, absolute(args.action_name), logged, sent)
            return None
        print(f'Goal accepted with ID: {bytes(handle.goal_id.uuid).hex()}\n')
        try:
            answer = _finish(node, handle.get_result_async())
        except KeyboardInterrupt:
            _cancel(node, handle)
            raise
        print(f'Result:\n    {message_to_yaml(answer.result)}')
        print(f'Goal finished with status: {_status_name(answer.status)}')
    return None


def _finish(node: Any, future: Any, patience: float | None = None) -> Any:
    """Spin until a future is done, in slices, so that an interrupt is noticed."""
    import rclpy

    deadline = None if patience is None else time.monotonic() + patience
    while not future.done():
        if not rclpy.ok():
            raise RuntimeError('Shut down while waiting for the action server')
        if deadline is not None and time.monotonic() > deadline:
            raise RuntimeError(f'The action server did not answer within {patience:g} s')
        rclpy.spin_until_future_complete(node, future, timeout_sec=SLICE)
    return future.result()


def _print_reason(node: Any, action: str, logged: list[Any], sent: float) -> None:
    """
    Print what the action's servers have logged since a goal was sent.

    An answer that rejects a goal has no field for the reason; a server can only log it.

    """
    import rclpy

    servers = {item.full_name.strip('/').replace('/', '.')
               for item in node_names(node, include_hidden=True)
               for name, _ in get_action_server_names_and_types_by_node(
                   node, item.name, item.namespace) if name == action}
    levels = {30: 'WARN', 40: 'ERROR', 50: 'FATAL'}
    deadline = time.monotonic() + LOG_PATIENCE
    while True:
        lines = [f'[{levels[one.level]}] [{one.name}]: {one.msg}' for one in logged
                 if one.name in servers and one.level in levels
                 and one.stamp.sec + 1e-9 * one.stamp.nanosec >= sent]
        if lines or time.monotonic() > deadline:
            break
        rclpy.spin_once(node, timeout_sec=SLICE)
    for line in lines:
        print(line)


def _print_feedback(message: Any) -> None:
    print(f'Feedback:\n    {message_to_yaml(message.feedback)}')


def _cancel(node: Any, handle: Any) -> None:
    print('Canceling goal...')
    response = _finish(node, handle.cancel_goal_async(), CANCEL_PATIENCE)
    if not any(info.goal_id == handle.goal_id for info in response.goals_canceling):
        raise RuntimeError('Failed to cancel goal')
    print('Goal canceled.')


def _status_name(status: int) -> str:
    from action_msgs.msg import GoalStatus

    names = {GoalStatus.STATUS_ACCEPTED: 'ACCEPTED', GoalStatus.STATUS_EXECUTING: 'EXECUTING',
             GoalStatus.STATUS_CANCELING: 'CANCELING', GoalStatus.STATUS_SUCCEEDED: 'SUCCEEDED',
             GoalStatus.STATUS_CANCELED: 'CANCELED', GoalStatus.STATUS_ABORTED: 'ABORTED'}
    return names.get(status, 'UNKNOWN')
