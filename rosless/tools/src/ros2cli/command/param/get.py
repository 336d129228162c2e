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

"""``ros2 param get``."""

from __future__ import annotations

import argparse

from ros2cli.graph import add_node_arguments
from ros2cli.graph import find_node
from ros2cli.graph import graph_node
from ros2cli.parameters import to_python
from ros2cli.parameters import TYPES
from ros2cli.parameters import values_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_node_arguments(parser)
    parser.add_argument('parameter_name', help='Name of the parameter')
    parser.add_argument('--hide-type', action='store_true', help='Hide the type information')


def main(args: argparse.Namespace) -> str | None:
    """Print the value of a parameter."""
    with graph_node(args) as node:
        target = find_node(node, args.node_name, args.include_hidden_nodes)
        values = values_of(node, target.full_name, [args.parameter_name])
    if not values:
        return 'Parameter not set'
    label, _, field = TYPES[values[0].type]
    value = to_python(values[0])
    if args.hide_type:
        print(value)
    elif field is None:
        print(label)
    else:
        print(label, value)
    return None
