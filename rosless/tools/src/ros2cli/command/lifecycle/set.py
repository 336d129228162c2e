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

"""``ros2 lifecycle set``."""

from __future__ import annotations

import argparse
import sys

from ros2cli.graph import add_node_arguments
from ros2cli.graph import graph_node
from ros2cli.lifecycle import change_state
from ros2cli.lifecycle import find_lifecycle_node
from ros2cli.lifecycle import transitions_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_node_arguments(parser)
    parser.add_argument('transition', help='The lifecycle transition')


def main(args: argparse.Namespace) -> str | None:
    """Let a managed node make a transition, named by its label or id."""
    with graph_node(args) as node:
        name = find_lifecycle_node(node, args)
        possible = [item.transition for item in transitions_of(node, name)]
        for transition in possible:
            if args.transition in (transition.label, str(transition.id)):
                break
        else:
            return 'Unknown transition requested, available ones are:' + ''.join(
                f'\n- {item.label} [{item.id}]' for item in possible)
        if change_state(node, name, transition):
            print('Transitioning successful')
        else:
            print('Transitioning failed', file=sys.stderr)
    return None
