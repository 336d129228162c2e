"""``ros2 interface packages``."""

from __future__ import annotations

import argparse

from rosidl_runtime_py import get_interfaces


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    group = parser.add_mutually_exclusive_group()
    for letter, option, kind, text in (
            ('-m', '--only-msgs', 'msg', 'messages'), ('-s', '--only-srvs', 'srv', 'services'),
            ('-a', '--only-actions', 'action', 'actions')):
        group.add_argument(letter, option, action='store_const', const=kind, dest='kind',
                           help=f'Only list packages that generate {text}')


def main(args: argparse.Namespace) -> None:
    """Print the packages that have interfaces."""
    for package in sorted(get_interfaces(kind=args.kind)):
        print(package)
