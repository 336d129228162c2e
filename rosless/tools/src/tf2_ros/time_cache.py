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

"""What is known of one frame over time: its parent and its place there."""

from __future__ import annotations

import bisect
from typing import NamedTuple

from rosless_tools.geometry import Displacement
from rosless_tools.geometry import interpolate
from tf2_ros.exceptions import ExtrapolationException


class Sample(NamedTuple):
    """
    Place of a frame at one time.

    Attributes
    ----------
    stamp : int
        Time [ns].
    parent : str
        Frame in which the place is given.
    displacement : Displacement
        The place.

    """

    stamp: int
    parent: str
    displacement: Displacement


class StaticCache:
    """A frame whose place holds for all time."""

    def __init__(self) -> None:
        self._sample: Sample | None = None

    def insert(self, sample: Sample) -> str:
        """Replace the place; return no reason why not."""
        self._sample = sample._replace(stamp=0)
        return ''

    def extent(self) -> tuple[int, int, int]:
        """Return the number of samples, and 0 and 0 for their times."""
        return 1, 0, 0

    def latest(self) -> tuple[int, str]:
        """Return 0, which stands for any time, and the parent."""
        assert self._sample is not None
        return 0, self._sample.parent

    def at(self, stamp: int) -> Sample:
        """Return the place."""
        assert self._sample is not None
        return self._sample._replace(stamp=stamp)


class TimeCache:
    """
    A frame whose place changes.

    Parameters
    ----------
    span : int
        How long samples are kept [ns], counted back from the latest.

    """

    def __init__(self, span: int) -> None:
        self._span = span
        self._stamps: list[int] = []
        self._samples: list[Sample] = []

    def insert(self, sample: Sample) -> str:
        """Add a sample; return why not if it is too old or its time is there already, else ''."""
        if self._stamps and sample.stamp < self._stamps[-1] - self._span:
            return 'TF_OLD_DATA ignoring data from the past'
        index = bisect.bisect_left(self._stamps, sample.stamp)
        if index < len(self._stamps) and self._stamps[index] == sample.stamp:
            return 'TF_REPEATED_DATA ignoring data with redundant timestamp'
        self._stamps.insert(index, sample.stamp)
        self._samples.insert(index, sample)
        expired = bisect.bisect_left(self._stamps, self._stamps[-1] - self._span)
        if expired:
            del self._stamps[:expired], self._samples[:expired]
        return ''

    def extent(self) -> tuple[int, int, int]:
        """Return the number of samples, and the times of the first and the last [ns]."""
        return len(self._stamps), self._stamps[0], self._stamps[-1]

    def latest(self) -> tuple[int, str]:
        """Return the latest time [ns] and the parent then."""
        return self._stamps[-1], self._samples[-1].parent

    def at(self, stamp: int) -> Sample:
        """
        Return the place at a time [ns], between samples by interpolation; 0 for the latest.

        Raises
        ------
        ExtrapolationException
            If the time is before the first sample or after the last.

        """
        if stamp == 0:
            return self._samples[-1]
        index = bisect.bisect_left(self._stamps, stamp)
        if index < len(self._stamps) and self._stamps[index] == stamp:
            return self._samples[index]
        if len(self._stamps) == 1:
            raise ExtrapolationException(
                f'Lookup would require extrapolation at time {seconds(stamp)}, but only time '
                f'{seconds(self._stamps[0])} is in the buffer')
        if index == len(self._stamps):
            raise ExtrapolationException(
                'Lookup would require extrapolation into the future.  Requested time '
                f'{seconds(stamp)} but the latest data is at time {seconds(self._stamps[-1])}')
        if index == 0:
            raise ExtrapolationException(
                'Lookup would require extrapolation into the past.  Requested time '
                f'{seconds(stamp)} but the earliest data is at time {seconds(self._stamps[0])}')
        before, after = self._samples[index - 1], self._samples[index]
        if before.parent != after.parent:
            return before
        share = (stamp - before.stamp) / (after.stamp - before.stamp)
        return Sample(stamp, before.parent,
                      interpolate(before.displacement, after.displacement, share))


def seconds(stamp: int) -> str:
    """Return a time [ns] as text in seconds."""
    return f'{stamp // 10**9}.{stamp % 10**9 // 1000:06d}'
