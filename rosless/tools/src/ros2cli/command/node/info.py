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

"""``ros2 node info``."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ros2cli.graph import absolute
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import is_hidden
from ros2cli.graph import node_names
from ros2cli.graph import NodeName
from ros2cli.graph import settle

FEEDBACK = '/_action/feedback'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('node_name', help='Node name to request information')
    parser.add_argument('--include-hidden', action='store_true',
                        help='Display hidden topics, services, and actions as well')


def main(args: argparse.Namespace) -> str | None:
    """Print what a node publishes, subscribes, offers and uses."""
    wanted = absolute(args.node_name)
    with graph_node(args) as node:
        settle(node, args.spin_time)
        found = [item for item in node_names(node, include_hidden=True)
                 if item.full_name == wanted]
        if not found:
            return f"Unable to find node '{args.node_name}'"
        if len(found) > 1:
            print(f'There are {len(found)} nodes in the graph with the exact name "{wanted}". '
                  'You are seeing information about only one of them.', file=sys.stderr)
        print(wanted)
        for title, names_and_types in endpoints(node, found[0]):
            print(f'  {title}:')
            for name, types in names_and_types:
                if args.include_hidden or not is_hidden(name):
                    print(f"    {name}: {', '.join(types)}")
            if not any(args.include_hidden or not is_hidden(n) for n, _ in names_and_types):
                print()
    return None


def endpoints(node: Any, item: NodeName) -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """Return, in the order of ``ros2 node info``, titles and the names and types below them."""
    def ask(kind: str) -> list[tuple[str, list[str]]]:
        question = getattr(node, f'get_{kind}_names_and_types_by_node')
        return list(question(item.name, item.namespace))

    subscribers, publishers = ask('subscriber'), ask('publisher')
    return [
        ('Subscribers', subscribers),
        ('Publishers', publishers),
        ('Service Servers', ask('service')),
        ('Service Clients', ask('client')),
        ('Action Servers', _actions(publishers)),
        ('Action Clients', _actions(subscribers)),
    ]


def _actions(topics: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    """Servers of an action publish its feedback, clients subscribe to it."""
    return [(name.removesuffix(FEEDBACK),
             [kind.removesuffix('_FeedbackMessage') for kind in types])
            for name, types in topics if name.endswith(FEEDBACK)]
