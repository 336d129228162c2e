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

"""``ros2 param delete``."""

from __future__ import annotations

import argparse

from rcl_interfaces.msg import Parameter
from ros2cli.graph import add_node_arguments
from ros2cli.graph import find_node
from ros2cli.graph import graph_node
from ros2cli.parameters import set_on


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_node_arguments(parser)
    parser.add_argument('parameter_name', help='Name of the parameter')


def main(args: argparse.Namespace) -> str | None:
    """Delete a parameter: set it to no value."""
    with graph_node(args) as node:
        target = find_node(node, args.node_name, args.include_hidden_nodes)
        (result,) = set_on(node, target.full_name, [Parameter(name=args.parameter_name)])
    reason = f': {result.reason}' if result.reason else ''
    if not result.successful:
        return f'Deleting parameter failed{reason}'
    print(f'Deleted parameter successfully{reason}')
    return None
