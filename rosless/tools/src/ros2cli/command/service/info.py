"""``ros2 service info``."""

from __future__ import annotations

import argparse

from ros2cli.graph import absolute
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import settle
from ros2cli.graph import types_of_service


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('service_name',
                        help="Name of the ROS service to get info (e.g. '/add_two_ints')")


def main(args: argparse.Namespace) -> str | None:
    """Print the type of a service and how many offer and use it."""
    service = absolute(args.service_name)
    with graph_node(args) as node:
        types = types_of_service(node, service)
        if not types:
            return f"Unknown service '{args.service_name}'"
        settle(node, args.spin_time)
        print(f'Type: {types[0] if len(types) == 1 else types}')
        print(f'Clients count: {node.count_clients(service)}')
        print(f'Services count: {node.count_services(service)}')
    return None
