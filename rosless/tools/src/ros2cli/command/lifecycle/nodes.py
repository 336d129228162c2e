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

"""``ros2 lifecycle nodes``."""

from __future__ import annotations

import argparse

from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import settle
from ros2cli.lifecycle import lifecycle_nodes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('-a', '--all', action='store_true',
                        help='Display all nodes even hidden ones')
    parser.add_argument('-c', '--count-nodes', action='store_true',
                        help='Only display the number of nodes discovered')


def main(args: argparse.Namespace) -> None:
    """Print the managed nodes."""
    with graph_node(args) as node:
        settle(node, args.spin_time)
        names = [item.full_name for item in lifecycle_nodes(node, args.all)]
    if args.count_nodes:
        print(len(names))
        return
    for name in names:
        print(name)
