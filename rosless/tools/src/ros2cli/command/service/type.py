"""``ros2 service type``."""

from __future__ import annotations

import argparse

from ros2cli.graph import absolute
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import types_of_service


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('service_name',
                        help="Name of the ROS service to get type (e.g. '/add_two_ints')")


def main(args: argparse.Namespace) -> int:
    """Print the types of a service; return 1 if there are none."""
    with graph_node(args) as node:
        types = types_of_service(node, absolute(args.service_name))
    for name in types:
        print(name)
    return 0 if types else 1
