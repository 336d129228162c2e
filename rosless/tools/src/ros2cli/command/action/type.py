"""``ros2 action type``."""

from __future__ import annotations

import argparse

from ros2cli.actions import types_of_action
from ros2cli.graph import absolute
from ros2cli.graph import add_graph_arguments
from ros2cli.graph import graph_node


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_graph_arguments(parser)
    parser.add_argument('action_name',
                        help="Name of the ROS action to get type (e.g. '/fibonacci')")


def main(args: argparse.Namespace) -> int:
    """Print the types of an action; return 1 if there are none."""
    with graph_node(args) as node:
        types = types_of_action(node, absolute(args.action_name))
    for name in types:
        print(name)
    return 0 if types else 1
