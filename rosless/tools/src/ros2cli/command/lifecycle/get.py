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

"""``ros2 lifecycle get``."""

from __future__ import annotations

import argparse
import sys

from ros2cli.graph import add_node_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import settle
from ros2cli.lifecycle import find_lifecycle_node
from ros2cli.lifecycle import lifecycle_nodes
from ros2cli.lifecycle import state_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_node_arguments(parser, nargs='?')


def main(args: argparse.Namespace) -> None:
    """Print the state of a managed node, or of all."""
    with graph_node(args) as node:
        if args.node_name:
            state = state_of(node, find_lifecycle_node(node, args))
            print(f'{state.label} [{state.id}]')
            return
        settle(node, args.spin_time)
        for item in lifecycle_nodes(node, args.include_hidden_nodes):
            try:
                state = state_of(node, item.full_name)
            except RuntimeError as error:
                print(f"Exception while calling service of node '{item.full_name}': {error}",
                      file=sys.stderr)
            else:
                print(f'{item.full_name}: {state.label} [{state.id}]')
