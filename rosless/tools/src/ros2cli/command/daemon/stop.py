"""``ros2 daemon stop``."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command: it has none."""


def main(args: argparse.Namespace) -> None:
    """Say that there is no daemon: each command joins the graph itself."""
    print('The daemon is not running')
