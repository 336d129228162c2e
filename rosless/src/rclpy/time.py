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

"""Points in time."""

from __future__ import annotations

from functools import total_ordering
from typing import Any

from .clock_type import ClockType
from .constants import S_TO_NS
from .duration import Duration

CONVERSION_CONSTANT = S_TO_NS


@total_ordering
class Time:
    """
    A point in time on one kind of clock.

    Parameters
    ----------
    seconds, nanoseconds : float
        Time since the epoch of the clock; they are added.
    clock_type : ClockType
        The kind of clock; times of different kinds cannot be compared.

    """

    __slots__ = ('_clock_type', '_nanoseconds')

    def __init__(
        self,
        *,
        seconds: float = 0,
        nanoseconds: float = 0,
        clock_type: ClockType = ClockType.SYSTEM_TIME,
    ) -> None:
        if not isinstance(clock_type, ClockType):
            raise TypeError('Clock type must be a ClockType enum')
        if seconds < 0:
            raise ValueError('Seconds value must not be negative')
        if nanoseconds < 0:
            raise ValueError('Nanoseconds value must not be negative')
        total = int(seconds * S_TO_NS) + int(nanoseconds)
        if total >= 2**63:
            raise OverflowError('Total nanoseconds value is too large to store in C time point.')
        self._nanoseconds = total
        self._clock_type = clock_type

    @property
    def nanoseconds(self) -> int:
        """Time since the epoch [ns]."""
        return self._nanoseconds

    @property
    def clock_type(self) -> ClockType:
        """Return the kind of clock."""
        return self._clock_type

    def seconds_nanoseconds(self) -> tuple[int, int]:
        """Return whole seconds and the remaining nanoseconds."""
        return self._nanoseconds // S_TO_NS, self._nanoseconds % S_TO_NS

    def __repr__(self) -> str:
        return f'Time(nanoseconds={self.nanoseconds}, clock_type={self.clock_type.name})'

    def __add__(self, other: object) -> Time:
        if isinstance(other, Duration):
            return self._shifted(other.nanoseconds, 'addition')
        return NotImplemented

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        if isinstance(other, Time):
            if self.clock_type != other.clock_type:
                raise TypeError("Can't subtract times with different clock types")
            return Duration(nanoseconds=self.nanoseconds - other.nanoseconds)
        if isinstance(other, Duration):
            return self._shifted(-other.nanoseconds, 'subtraction')
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Time):
            self._check_clock(other)
            return self.nanoseconds == other.nanoseconds
        raise TypeError("Can't compare time with object of type: ", type(other))

    def __lt__(self, other: object) -> bool:
        if isinstance(other, Time):
            self._check_clock(other)
            return self.nanoseconds < other.nanoseconds
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as in ROS 2

    def to_msg(self) -> Any:
        """Return the `builtin_interfaces/msg/Time` of this point in time."""
        from builtin_interfaces.msg import Time as Message

        seconds, nanoseconds = self.seconds_nanoseconds()
        return Message(sec=seconds, nanosec=nanoseconds)

    @classmethod
    def from_msg(cls, msg: Any, clock_type: ClockType = ClockType.ROS_TIME) -> Time:
        """Return the time of a `builtin_interfaces/msg/Time`."""
        if not {'sec', 'nanosec'} <= set(getattr(msg, '_fields_and_field_types', ())):
            raise TypeError('Must pass a builtin_interfaces.msg.Time object')
        return cls(nanoseconds=msg.sec * S_TO_NS + msg.nanosec, clock_type=clock_type)

    def _check_clock(self, other: Time) -> None:
        if self.clock_type != other.clock_type:
            raise TypeError("Can't compare times with different clock types")

    def _shifted(self, nanoseconds: int, operation: str) -> Time:
        total = self.nanoseconds + nanoseconds
        if total < 0:
            raise ValueError(f'{operation.capitalize()} leads to negative time')
        if total >= 2**63:
            raise OverflowError(f'{operation.capitalize()} leads to overflow in C storage.')
        return Time(nanoseconds=total, clock_type=self.clock_type)
