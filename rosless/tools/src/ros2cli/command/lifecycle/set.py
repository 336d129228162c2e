"""``ros2 lifecycle set``."""

from __future__ import annotations

import argparse
import sys

from ros2cli.graph import add_node_arguments
from ros2cli.graph import graph_node
from ros2cli.lifecycle import change_state
from ros2cli.lifecycle import find_lifecycle_node
from ros2cli.lifecycle import transitions_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_node_arguments(parser)
    parser.add_argument('transition', help='The lifecycle transition')


def main(args: argparse.Namespace) -> str | None:
    """Let a managed node make a transition, named by its label or id."""
    with graph_node(args) as node:
        name = find_lifecycle_node(node, args)
        possible = [item.transition for item in transitions_of(node, name)]
        for transition in possible:
            if args.transition in (transition.label, str(transition.id)):
                break
        else:
            return 'Unknown transition requested, available ones are:' + ''.join(
                f'\n- {item.label} [{item.id}]' for item in possible)
        if change_state(node, name, transition):
            print('Transitioning successful')
        else:
            print('Transitioning failed', file=sys.stderr)
    return None
