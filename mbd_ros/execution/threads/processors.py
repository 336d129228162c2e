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

"""
How many processors this process may use.

Three things bound it: what the machine has, which of them the process may run on (``taskset``,
``docker run --cpuset-cpus``), and for which share of the time the control groups that it is in
may use them (``docker run --cpus``, limits of Kubernetes, ``CPUQuota`` of systemd). More threads
than that wait for each other.

"""

from __future__ import annotations

import functools
import math
import os
from pathlib import Path

CONTROL_GROUPS = Path('/sys/fs/cgroup')
OF_THIS_PROCESS = Path('/proc/self/cgroup')


@functools.cache
def processors() -> int:
    """Return how many processors this process may use; a part of one counts as one."""
    if hasattr(os, 'sched_getaffinity'):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count() or 1
    return max(1, math.ceil(min(count, quota())))


def quota() -> float:
    """
    Return how many processors' time the control groups of this process may use.

    Returns
    -------
    float
        The least of this group and those that it is in, by the files of version 2 and of version
        1; infinity where none says anything.

    """
    try:
        lines = OF_THIS_PROCESS.read_text(encoding='utf-8').splitlines()
    except (OSError, UnicodeDecodeError):
        return math.inf
    least = math.inf
    for line in lines:   # number:controllers:path; version 2 has the number 0 and no controllers
        number, _, rest = line.partition(':')
        controllers, _, path = rest.partition(':')
        if number == '0' and not controllers:
            roots, share = (CONTROL_GROUPS, CONTROL_GROUPS / 'unified'), _share
        elif 'cpu' in controllers.split(','):
            roots, share = (CONTROL_GROUPS / controllers, CONTROL_GROUPS / 'cpu'), _share_before_2
        else:
            continue
        # In a container the path is that of the host, and the root is the container's own group.
        group = Path(path.strip('/'))
        least = min([least, *(share(root / part) for root in roots
                              for part in (group, *group.parents))])
    return least


def _share(folder: Path) -> float:
    """Return the quota of a group of version 2: ``max 100000``, or times in microseconds."""
    try:
        return _ratio(*(folder / 'cpu.max').read_text(encoding='utf-8').split())
    except (OSError, ValueError, TypeError):   # no such file, or not two words
        return math.inf


def _share_before_2(folder: Path) -> float:
    """Return the quota of a group of version 1: times in microseconds, -1 for none."""
    try:
        return _ratio(*((folder / f'cpu.cfs_{name}_us').read_text(encoding='utf-8')
                        for name in ('quota', 'period')))
    except (OSError, ValueError):
        return math.inf


def _ratio(time: str, period: str) -> float:
    """Return how many processors two times make; infinity where they are no positive numbers."""
    share = float(time) / (float(period) or math.nan)
    return share if share > 0.0 else math.inf
