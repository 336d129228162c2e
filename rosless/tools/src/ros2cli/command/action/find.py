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

"""``ros2 action find``."""

from __future__ import annotations

import argparse

from rclpy.action import get_action_names_and_types
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import settle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('action_type', help='Name of the ROS action type to filter for '
                        "(e.g. 'example_interfaces/action/Fibonacci')")
    parser.add_argument('-c', '--count-actions', action='store_true',
                        help='Only display the number of actions discovered')


def main(args: argparse.Namespace) -> None:
    """Print the actions of a type."""
    with graph_node(args) as node:
        settle(node, args.spin_time)
        found = [name for name, types in get_action_names_and_types(node)
                 if args.action_type in types]
    if args.count_actions:
        print(len(found))
    else:
        for name in found:
            print(name)
