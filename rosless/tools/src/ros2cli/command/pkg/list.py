"""``ros2 pkg list``."""

from __future__ import annotations

import argparse

from ament_index_python.packages import get_packages_with_prefixes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""


def main(args: argparse.Namespace) -> None:
    """Print the names of all packages."""
    for name in sorted(get_packages_with_prefixes()):
        print(name)
