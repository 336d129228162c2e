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

"""``ros2 topic info``."""

from __future__ import annotations

import argparse

from ros2cli.graph import absolute
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import settle
from ros2cli.graph import types_of_topic


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('topic_name', help="Name of the ROS topic to get info (e.g. '/chatter')")
    parser.add_argument(
        '-v', '--verbose', action='store_true',
        help='Prints detailed information like the node name, node namespace, topic type, '
        'topic endpoint info, and QoS policies of the publishers and subscribers to this topic')


def main(args: argparse.Namespace) -> str | None:
    """Print the type of a topic and how many publish and subscribe."""
    topic = absolute(args.topic_name)
    with graph_node(args) as node:
        if not types_of_topic(node, topic):
            return f"Unknown topic '{args.topic_name}'"
        settle(node, args.spin_time)
        types = types_of_topic(node, topic)
        if not types:
            return f"Unknown topic '{args.topic_name}'"
        print(f'Type: {types[0] if len(types) == 1 else types}')
        for who, count, describe in (
                ('Publisher', node.count_publishers, node.get_publishers_info_by_topic),
                ('Subscription', node.count_subscribers, node.get_subscriptions_info_by_topic)):
            lead = '\n' if args.verbose else ''
            print(f'{lead}{who} count: {count(topic)}')
            if args.verbose:
                for info in describe(topic):
                    print(f'\n{info}')
    return None
