"""What all tests share: a DDS domain of their own, so that they never meet a robot; logs."""

import atexit
import fcntl
import importlib
import importlib.util
import os
from pathlib import Path
import shutil
import signal
import tempfile
from typing import TextIO


def reserve_domain() -> TextIO:
    """Set a DDS domain that no other test run on this machine uses; return the lock on it."""
    # Domain 0 is what people use, above 101 ports may be taken.
    for attempt in range(100):
        domain = 1 + (os.getpid() + attempt) % 100
        lock = open(Path(tempfile.gettempdir()) / f'mbd_ros_domain_{domain}_{os.getuid()}', 'w')
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        os.environ['ROS_DOMAIN_ID'] = os.environ['TEST_DOMAIN'] = str(domain)
        return lock
    raise RuntimeError('DDS domains 1 to 100 are all in use by test runs on this machine')


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
