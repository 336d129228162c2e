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

"""``ros2 topic list``."""

from __future__ import annotations

import argparse

from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import is_hidden
from ros2cli.graph import settle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('-t', '--show-types', action='store_true',
                        help='Additionally show the topic type')
    parser.add_argument('-c', '--count-topics', action='store_true',
                        help='Only display the number of topics discovered')
    parser.add_argument('--include-hidden-topics', action='store_true',
                        help='Consider hidden topics as well')
    parser.add_argument('-v', '--verbose', action='store_true',
                        help='List full details about each topic')


def main(args: argparse.Namespace) -> None:
    """Print the topics."""
    with graph_node(args) as node:
        settle(node, args.spin_time)
        topics = [(name, types) for name, types in node.get_topic_names_and_types()
                  if args.include_hidden_topics or not is_hidden(name)]
        counts = {name: (node.count_publishers(name), node.count_subscribers(name))
                  for name, _ in topics} if args.verbose else {}
    if args.count_topics:
        print(len(topics))
    elif args.verbose:
        for title, column, who in (('Published', 0, 'publisher'), ('Subscribed', 1, 'subscriber')):
            print(f'{title} topics:')
            for name, types in topics:
                count = counts[name][column]
                if count:
                    print(f" * {name} [{', '.join(types)}] {count} {who}{'s'[:count > 1]}")
            print()
    else:
        for name, types in topics:
            print(f"{name} [{', '.join(types)}]" if args.show_types else name)
