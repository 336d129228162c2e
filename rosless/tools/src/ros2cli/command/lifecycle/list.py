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

"""``ros2 lifecycle list``."""

from __future__ import annotations

import argparse

from ros2cli.graph import add_node_arguments
from ros2cli.graph import graph_node
from ros2cli.lifecycle import find_lifecycle_node
from ros2cli.lifecycle import transitions_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_node_arguments(parser)
    parser.add_argument('-a', '--all', action='store_true',
                        help='Display all existing transitions')


def main(args: argparse.Namespace) -> None:
    """Print the transitions of a node."""
    with graph_node(args) as node:
        found = transitions_of(node, find_lifecycle_node(node, args), args.all)
    for item in found:
        print(f'- {item.transition.label} [{item.transition.id}]\n'
              f'\tStart: {item.start_state.label}\n'
              f'\tGoal: {item.goal_state.label}')
