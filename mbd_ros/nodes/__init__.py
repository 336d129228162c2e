"""The nodes: they wire messages to numbers and hold no arithmetic."""

import os
import sys

from mbd_ros.nodes.executables import end_at_once

# Matrices are small. A thread of OpenBLAS that waits for another takes a processor meanwhile, and
# where others keep it from one, what takes 3 s took 40.
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

if sys.argv[:1] == ['-m']:   # python -m mbd_ros.nodes.NODE, before the node's own imports
    end_at_once()
