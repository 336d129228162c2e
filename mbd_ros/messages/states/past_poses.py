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

"""Poses of the links over the last minute, in little memory."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SPAN = 60.0
"""How far back it goes [s]."""
INTERVAL = 0.04
"""Least time between two pictures that are kept [s]."""
MOST_BYTES = 1 << 24
"""Of all pictures; robots of very many links are kept for a shorter time."""


class Picture(NamedTuple):
    """
    The links at one time.

    Attributes
    ----------
    time : float
        [s].
    poses : array
        (links, 3, 4) in the world, single precision.

    """

    time: float
    poses: NDArray[np.float32]


class PastPoses:
    """
    The newest pictures of a robot.

    Parameters
    ----------
    links : sequence of str
        Links that it has.

    """

    def __init__(self, links: Sequence[str]) -> None:
        self._links = tuple(links)
        most = MOST_BYTES // max(48 * len(self._links), 1)
        self._kept: deque[Picture] = deque(maxlen=int(max(2, min(most, SPAN / INTERVAL))))

    def add(self, time: float, poses: Mapping[str, Array]) -> None:
        """Take the poses (4, 4) at a time [s]; a step back in time begins anew."""
        if self._kept and time < self._kept[-1].time:
            self._kept.clear()
        if (not self._kept or time - self._kept[-1].time >= INTERVAL) and self._links:
            self._kept.append(Picture(time, np.array(
                [poses[link][:3] for link in self._links], dtype=np.float32)))

    def pictures(self) -> list[Picture]:
        """Return what is kept, the oldest first."""
        return list(self._kept)

    def poses(self, picture: Picture) -> dict[str, Array]:
        """Return what a picture holds, (4, 4) of each link."""
        rows = np.zeros((len(self._links), 4, 4))
        rows[:, :3], rows[:, 3, 3] = picture.poses, 1.0
        return dict(zip(self._links, rows))


def picture_at(pictures: Sequence[Picture], time: float) -> Picture:
    """Return the last of some pictures, one at least, that is not later than a time [s]."""
    place = bisect_right(pictures, time, key=lambda one: one.time)
    return pictures[max(place - 1, 0)]
