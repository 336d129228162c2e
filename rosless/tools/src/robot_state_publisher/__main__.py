"""Run the node as ``python -m robot_state_publisher``."""

import sys

from robot_state_publisher.node import main

sys.exit(main())
