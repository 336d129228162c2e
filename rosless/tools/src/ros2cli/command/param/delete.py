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
