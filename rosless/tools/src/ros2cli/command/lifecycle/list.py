"""``ros2 lifecycle list``."""

from __future__ import annotations

import argparse

from ros2cli.graph import add_node_arguments
from ros2cli.graph import graph_node
from ros2cli.lifecycle import find_lifecycle_node
from ros2cli.lifecycle import transitions_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_node_arguments(parser)
    parser.add_argument('-a', '--all', action='store_true',
                        help='Display all existing transitions')


def main(args: argparse.Namespace) -> None:
    """Print the transitions of a node."""
    with graph_node(args) as node:
        found = transitions_of(node, find_lifecycle_node(node, args), args.all)
    for item in found:
        print(f'- {item.transition.label} [{item.transition.id}]\n'
              f'\tStart: {item.start_state.label}\n'
              f'\tGoal: {item.goal_state.label}')
