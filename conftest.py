"""What all tests share: a DDS domain of their own, so that they never meet a robot; logs."""

import atexit
import importlib
import importlib.util
import os
import shutil
import signal
import tempfile

from domains import reserve_domain

DOMAIN_LOCK = reserve_domain()  # held until this process ends
# Logs of nodes, which go to ~/.ros/log otherwise, end with the tests.
os.environ['ROS_LOG_DIR'] = tempfile.mkdtemp(prefix='mbd_ros_log_')
atexit.register(shutil.rmtree, os.environ['ROS_LOG_DIR'], ignore_errors=True)

# What a shell runs in the background ignores Ctrl-C, and all that it starts would, too.
signal.signal(signal.SIGINT, signal.default_int_handler)

found = importlib.util.find_spec('rosless')
if found is not None and found.origin is not None:
    # First of all, so that pytest does not take the folder `rosless` for the package.
    importlib.import_module('rosless')
else:
    collect_ignore_glob = ['rosless/*']  # a machine with ROS 2, where the real rclpy is used
