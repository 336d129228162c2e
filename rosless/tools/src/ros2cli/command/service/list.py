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

"""``ros2 service list``."""

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
                        help='Additionally show the service type')
    parser.add_argument('-c', '--count-services', action='store_true',
                        help='Only display the number of services discovered')
    parser.add_argument('--include-hidden-services', action='store_true',
                        help='Consider hidden services as well')


def main(args: argparse.Namespace) -> None:
    """Print the services."""
    with graph_node(args) as node:
        settle(node, args.spin_time)
        services = [(name, types) for name, types in node.get_service_names_and_types()
                    if args.include_hidden_services or not is_hidden(name)]
    if args.count_services:
        print(len(services))
        return
    for name, types in services:
        print(f"{name} [{', '.join(types)}]" if args.show_types else name)
