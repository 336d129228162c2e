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

"""Durations."""

from __future__ import annotations

from functools import total_ordering
import math
from typing import Any

from .absent import NO_ADDRESS, NotInRosless
from .constants import S_TO_NS

MAX_NANOSECONDS = 2**63 - 1


@total_ordering
class Duration:
    """
    A time span, exact to the nanosecond.

    Parameters
    ----------
    seconds : float
        Whole or fractional seconds.
    nanoseconds : int
        Added to the seconds.

    """

    __slots__ = ('_nanoseconds',)

    def __init__(self, *, seconds: float = 0, nanoseconds: float = 0) -> None:
        total = int(seconds * S_TO_NS) + int(nanoseconds)
        if not -(2**63) <= total <= MAX_NANOSECONDS:
            raise OverflowError('Total nanoseconds value is too large to store in C duration.')
        self._nanoseconds = total

    def get_c_duration(self) -> Any:
        """Not in rosless."""
        raise NotInRosless(f'Duration.get_c_duration: {NO_ADDRESS}')

    @property
    def nanoseconds(self) -> int:
        """Return the span [ns]."""
        return self._nanoseconds

    def __repr__(self) -> str:
        return f'Duration(nanoseconds={self.nanoseconds})'

    def __str__(self) -> str:
        if self == Infinite:
            return 'Infinite'
        return f'{self.nanoseconds} nanoseconds'

    def __add__(self, other: Duration) -> Duration:
        if isinstance(other, Duration):
            return Duration(nanoseconds=self.nanoseconds + other.nanoseconds)
        return NotImplemented

    def __sub__(self, other: Duration) -> Duration:
        if isinstance(other, Duration):
            return Duration(nanoseconds=self.nanoseconds - other.nanoseconds)
        return NotImplemented

    def __mul__(self, other: float) -> Duration:
        if not isinstance(other, (int, float)):
            return NotImplemented
        if isinstance(other, float) and math.isinf(other):
            return Infinite
        return Duration(nanoseconds=int(self.nanoseconds * other))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Duration):
            return self.nanoseconds == other.nanoseconds
        raise TypeError("Can't compare duration with object of type: ", type(other))

    def __lt__(self, other: object) -> bool:
        if isinstance(other, Duration):
            return self.nanoseconds < other.nanoseconds
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as in ROS 2

    def to_msg(self) -> Any:
        """Return the `builtin_interfaces/msg/Duration` of this span."""
        from builtin_interfaces.msg import Duration as Message

        seconds, nanoseconds = divmod(self.nanoseconds, S_TO_NS)
        return Message(sec=seconds, nanosec=nanoseconds)

    @classmethod
    def from_msg(cls, msg: Any) -> Duration:
        """Return the duration of a `builtin_interfaces/msg/Duration`."""
        if not {'sec', 'nanosec'} <= set(getattr(msg, '_fields_and_field_types', ())):
            raise TypeError('Must pass a builtin_interfaces.msg.Duration object')
        return cls(nanoseconds=msg.sec * S_TO_NS + msg.nanosec)


Infinite = Duration(nanoseconds=MAX_NANOSECONDS)
