"""``ros2 interface package``."""

from __future__ import annotations

import argparse

from rosidl_runtime_py import get_interfaces


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('package_name', help="Name of the package (e.g. 'example_interfaces')")


def main(args: argparse.Namespace) -> str | None:
    """Print the interfaces of a package."""
    try:
        found = get_interfaces([args.package_name])
    except LookupError as error:
        return str(error.args[0])
    for name in found.get(args.package_name, ()):
        print(f'{args.package_name}/{name}')
    return None
