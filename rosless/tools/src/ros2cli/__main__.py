"""Run the command ``ros2`` as ``python -m ros2cli``."""

import sys

from ros2cli.cli import main

sys.exit(main())
