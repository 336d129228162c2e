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

"""``ros2 action info``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from rclpy.action import get_action_client_names_and_types_by_node
from rclpy.action import get_action_server_names_and_types_by_node
from ros2cli.graph import absolute
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import node_names
from ros2cli.graph import settle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('action_name',
                        help="Name of the ROS action to get info (e.g. '/fibonacci')")
    parser.add_argument('-t', '--show-types', action='store_true',
                        help='Additionally show the action type')
    parser.add_argument('-c', '--count', action='store_true',
                        help='Only display the number of action clients and action servers')


def main(args: argparse.Namespace) -> None:
    """Print who serves an action and who uses it."""
    action = absolute(args.action_name)
    with graph_node(args) as node:
        settle(node, args.spin_time)
        found = [('clients', _nodes(node, action, get_action_client_names_and_types_by_node)),
                 ('servers', _nodes(node, action, get_action_server_names_and_types_by_node))]
    print(f'Action: {action}')
    for title, nodes in found:
        print(f'Action {title}: {len(nodes)}')
        if not args.count:
            for name, types in nodes:
                print(f"    {name} [{', '.join(types)}]" if args.show_types else f'    {name}')


def _nodes(node: Any, action: str, ask: Callable[..., Any]) -> list[tuple[str, list[str]]]:
    """Return the nodes that have the action, and its types."""
    return [(item.full_name, types)
            for item in node_names(node, include_hidden=True)
            for name, types in ask(node, item.name, item.namespace) if name == action]
