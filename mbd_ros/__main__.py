"""The command ``mbd_ros`` as ``python -m mbd_ros``."""

import sys

from mbd_ros.cli.command import main

if __name__ == '__main__':
    sys.exit(main())
