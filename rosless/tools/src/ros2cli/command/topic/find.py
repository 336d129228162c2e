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

"""``ros2 topic find``."""

from __future__ import annotations

import argparse

from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import is_hidden
from ros2cli.graph import settle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument(
        'topic_type', help="Name of the ROS topic type to filter for (e.g. 'std_msgs/msg/String')")
    parser.add_argument('-c', '--count-topics', action='store_true',
                        help='Only display the number of topics discovered')
    parser.add_argument('--include-hidden-topics', action='store_true',
                        help='Consider hidden topics as well')


def main(args: argparse.Namespace) -> None:
    """Print the topics of a type."""
    with graph_node(args) as node:
        settle(node, args.spin_time)
        found = [name for name, types in node.get_topic_names_and_types()
                 if args.topic_type in types
                 and (args.include_hidden_topics or not is_hidden(name))]
    if args.count_topics:
        print(len(found))
    else:
        for name in found:
            print(name)
