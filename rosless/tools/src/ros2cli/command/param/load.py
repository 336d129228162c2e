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

"""``ros2 param load``."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from rcl_interfaces.msg import Parameter as ParameterMessage
from rclpy.parameter import Parameter
from ros2cli.graph import add_node_arguments
from ros2cli.graph import find_node
from ros2cli.graph import graph_node
from ros2cli.parameters import set_on
from rosless import parameter_values


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_node_arguments(parser)
    parser.add_argument('parameter_file', help='Parameter file')
    parser.add_argument('--no-use-wildcard', action='store_true',
                        help="Do not load parameters in the '/**' namespace into the node")


def main(args: argparse.Namespace) -> int:
    """Set the parameters that a file has for a node; return 1 if the node refused one."""
    with graph_node(args) as node:
        target = find_node(node, args.node_name, args.include_hidden_nodes)
        parameters = read(args.parameter_file, target.full_name, not args.no_use_wildcard)
        results = set_on(node, target.full_name, parameters)
    for parameter, result in zip(parameters, results):
        reason = f': {result.reason}' if result.reason else ''
        if result.successful:
            print(f'Set parameter {parameter.name} successful{reason}')
        else:
            print(f'Setting parameter {parameter.name} failed{reason}', file=sys.stderr)
    return 0 if all(result.successful for result in results) else 1


def read(path: str, full_name: str, use_wildcard: bool = True) -> list[ParameterMessage]:
    """
    Return the parameters that a file has for a node.

    Parameters
    ----------
    path : str
        The file.
    full_name : str
        Name of the node with its namespace.
    use_wildcard : bool
        Whether entries with ``*`` in the name of the node count.

    Raises
    ------
    RuntimeError
        If the file cannot be read, or has nothing for this node.

    """
    try:
        entries = parameter_values.load_file(path)
    except (OSError, ValueError) as error:
        raise RuntimeError(str(error)) from error
    values: dict[str, Any] = {}
    for pattern, found in entries:
        if parameter_values.matches(pattern, full_name) and (use_wildcard or '*' not in pattern):
            values.update(found)
    if not values:
        names = ', '.join(pattern for pattern, _ in entries)
        raise RuntimeError(f'Param file does not contain parameters for {full_name}, '
                           f'only for nodes: [{names}]')
    return [Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
