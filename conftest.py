"""What all tests share: a DDS domain of their own, so that they never meet a running robot."""

import importlib
import importlib.util
import os

# A domain of 1 to 100 by process: domain 0 is what people use, above 101 ports may be taken.
os.environ['ROS_DOMAIN_ID'] = str(1 + os.getpid() % 100)

found = importlib.util.find_spec('rosless')
if found is not None and found.origin is not None:
    # First of all, so that pytest does not take the folder `rosless` for the package.
    importlib.import_module('rosless')
else:
    collect_ignore_glob = ['rosless/*']  # a machine with ROS 2, where the real rclpy is used
