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

"""``ros2 param describe``."""

from __future__ import annotations

import argparse
from typing import Any

from ros2cli.graph import add_node_arguments
from ros2cli.graph import find_node
from ros2cli.graph import graph_node
from ros2cli.parameters import descriptors_of
from ros2cli.parameters import names_of
from ros2cli.parameters import TYPES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_node_arguments(parser)
    parser.add_argument('parameter_names', nargs='+', help='Names of the parameters')


def main(args: argparse.Namespace) -> str | None:
    """Print type, description and constraints of parameters."""
    with graph_node(args) as node:
        target = find_node(node, args.node_name, args.include_hidden_nodes).full_name
        declared = names_of(node, target)
        missing = [name for name in args.parameter_names if name not in declared]
        if missing:
            return f"Parameter not set: {', '.join(missing)} (set: {', '.join(declared)})"
        for descriptor in descriptors_of(node, target, args.parameter_names):
            print('\n'.join(lines_of(descriptor)))
    return None


def lines_of(descriptor: Any) -> list[str]:
    """Return a descriptor in the form of ``ros2 param describe``."""
    lines = [f'Parameter name: {descriptor.name}', f'  Type: {TYPES[descriptor.type][1]}']
    if descriptor.description:
        lines.append(f'  Description: {descriptor.description}')
    constraints = ['  Constraints:']
    if descriptor.read_only:
        constraints.append('    Read only: true')
    for span in (*descriptor.floating_point_range[:1], *descriptor.integer_range[:1]):
        constraints += [f'    Min value: {span.from_value}', f'    Max value: {span.to_value}']
        if span.step:
            constraints.append(f'    Step: {span.step}')
    if descriptor.additional_constraints:
        constraints.append(f'    Additional constraints: {descriptor.additional_constraints}')
    return [*lines, *constraints]
