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

"""``ros2 action list``."""

from __future__ import annotations

import argparse

from rclpy.action import get_action_names_and_types
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import settle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('-t', '--show-types', action='store_true',
                        help='Additionally show the action type')
    parser.add_argument('-c', '--count-actions', action='store_true',
                        help='Only display the number of actions discovered')


def main(args: argparse.Namespace) -> None:
    """Print the actions."""
    with graph_node(args) as node:
        settle(node, args.spin_time)
        actions = get_action_names_and_types(node)
    if args.count_actions:
        print(len(actions))
        return
    for name, types in actions:
        print(f"{name} [{', '.join(types)}]" if args.show_types else name)
