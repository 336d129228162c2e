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

"""Stamps and nanoseconds; a double cannot hold the nanoseconds since 1970."""

from __future__ import annotations

from builtin_interfaces.msg import Duration, Time

from mbd_ros.errors import InvalidValueError

SECOND = 1_000_000_000
"""Nanoseconds in a second."""


def to_nanoseconds(stamp: Time) -> int:
    """
    Return a stamp in nanoseconds.

    Raises
    ------
    InvalidValueError
        If it has more nanoseconds than a second.

    """
    if stamp.nanosec >= SECOND:
        raise InvalidValueError('nanosec of a stamp', stamp.nanosec, f'from 0 to {SECOND - 1}')
    return int(stamp.sec) * SECOND + int(stamp.nanosec)


def to_stamp(nanoseconds: int) -> Time:
    """Return nanoseconds as a stamp."""
    sec, nanosec = divmod(nanoseconds, SECOND)
    return Time(sec=sec, nanosec=nanosec)


def to_duration(nanoseconds: int) -> Duration:
    """Return nanoseconds as a duration."""
    sec, nanosec = divmod(nanoseconds, SECOND)
    return Duration(sec=sec, nanosec=nanosec)
