"""The program: a signal amid its imports ends it quietly, before there is a node to end."""

import importlib
import os
import signal
import sys


def main() -> int:
    """Run the node."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: os._exit(0))
    return int(importlib.import_module('robot_state_publisher.node').main())


if __name__ == '__main__':
    sys.exit(main())
