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

"""``ros2 param list``."""

from __future__ import annotations

import argparse
import sys

from ros2cli.graph import add_node_arguments
from ros2cli.graph import find_node
from ros2cli.graph import graph_node
from ros2cli.graph import node_names
from ros2cli.graph import settle
from ros2cli.parameters import descriptors_of
from ros2cli.parameters import names_of
from ros2cli.parameters import TYPES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_node_arguments(parser, nargs='?')
    parser.add_argument('--param-prefixes', nargs='+', default=[],
                        help='Only list parameters with the provided prefixes')
    parser.add_argument('--param-type', action='store_true',
                        help='Print parameter types with parameter names')


def main(args: argparse.Namespace) -> None:
    """Print the names of the parameters of a node, or of all nodes."""
    with graph_node(args) as node:
        if args.node_name:
            nodes = [find_node(node, args.node_name, args.include_hidden_nodes)]
        else:
            settle(node, args.spin_time)
            services = dict(node.get_service_names_and_types())
            nodes = [item for item in node_names(node, args.include_hidden_nodes)
                     if f'{item.full_name}/list_parameters' in services]
        for item in nodes:
            try:
                names = names_of(node, item.full_name, args.param_prefixes)
                kinds = [TYPES[found.type][1] for found in descriptors_of(
                    node, item.full_name, names)] if args.param_type and names else []
            except RuntimeError as error:
                print(f"Exception while calling service of node '{item.full_name}': {error}",
                      file=sys.stderr)
                continue
            if not args.node_name:
                print(f'{item.full_name}:')
            for index, name in enumerate(names):
                print(f'  {name} (type: {kinds[index]})' if kinds else f'  {name}')
