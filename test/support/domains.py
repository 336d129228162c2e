# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

"""A DDS domain for one test run, in which it never meets a robot or another run."""

import fcntl
import os
from pathlib import Path
import socket
import tempfile


PORTS = range(7410, 7450, 2)
"""UDP ports of the first participants of domain 0; those of the next domain are 250 further."""


def reserve_domain() -> int:
    """
    Set a DDS domain that no other test run on this machine uses.

    Returns
    -------
    int
        The descriptor of the lock file, which holds the domain until this process ends.

    """
    # Domain 0 is what people use, above 101 ports may be taken.
    for attempt in range(100):
        domain = 1 + (os.getpid() + attempt) % 100
        file = Path(tempfile.gettempdir()) / f'mbd_ros_domain_{domain}_{os.getuid()}'
        lock = os.open(file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _occupied(domain):   # by a robot that runs, or by nodes of a test run that died
                raise BlockingIOError
        except OSError:
            os.close(lock)
            continue
        os.environ['ROS_DOMAIN_ID'] = os.environ['TEST_DOMAIN'] = str(domain)
        return lock
    raise RuntimeError('DDS domains 1 to 100 are all in use by test runs on this machine')


def _occupied(domain: int) -> bool:
    """Return whether somebody on this machine is in a domain."""
    for port in PORTS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(('', port + 250 * domain))
            except OSError:
                return True
    return False
