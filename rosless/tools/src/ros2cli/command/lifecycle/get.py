"""``ros2 lifecycle get``."""

from __future__ import annotations

import argparse
import sys

from ros2cli.graph import add_node_arguments
from ros2cli.graph import graph_node
from ros2cli.graph import settle
from ros2cli.lifecycle import find_lifecycle_node
from ros2cli.lifecycle import lifecycle_nodes
from ros2cli.lifecycle import state_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_node_arguments(parser, nargs='?')


def main(args: argparse.Namespace) -> None:
    """Print the state of a managed node, or of all."""
    with graph_node(args) as node:
        if args.node_name:
            state = state_of(node, find_lifecycle_node(node, args))
            print(f'{state.label} [{state.id}]')
            return
        settle(node, args.spin_time)
        for item in lifecycle_nodes(node, args.include_hidden_nodes):
            try:
                state = state_of(node, item.full_name)
            except RuntimeError as error:
                print(f"Exception while calling service of node '{item.full_name}': {error}",
                      file=sys.stderr)
            else:
                print(f'{item.full_name}: {state.label} [{state.id}]')
