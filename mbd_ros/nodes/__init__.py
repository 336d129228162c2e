"""The nodes: they wire messages to numbers and hold no arithmetic."""

import sys

from mbd_ros.nodes.executables import end_at_once

if sys.argv[:1] == ['-m']:   # python -m mbd_ros.nodes.NODE, before the node's own imports
    end_at_once()
