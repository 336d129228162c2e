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

"""Clocks: system time, steady time, and ROS time, which a simulation may drive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
import threading
import time as system
from typing import Any

from .clock_type import ClockType
from .constants import S_TO_NS
from .duration import Duration
from .exceptions import NotInitializedException
from .handle import HasHandle
from .time import Time
from .utilities import get_default_context

__all__ = [
    'Clock',
    'ClockChange',
    'ClockType',
    'JumpHandle',
    'JumpThreshold',
    'ROSClock',
    'TimeJump',
]

steady_now = system.monotonic_ns


class ClockChange(IntEnum):
    """How the source of ROS time changed in a jump."""

    ROS_TIME_NO_CHANGE = 1
    ROS_TIME_ACTIVATED = 2
    ROS_TIME_DEACTIVATED = 3
    SYSTEM_TIME_NO_CHANGE = 4


class JumpThreshold:
    """
    Which time jumps are reported.

    Parameters
    ----------
    min_forward : Duration, optional
        Smallest jump forward; None for none.
    min_backward : Duration, optional
        Smallest jump backward, negative; None for none.
    on_clock_change : bool
        Whether switching to or from simulated time is reported.

    """

    def __init__(
        self,
        *,
        min_forward: Duration | None,
        min_backward: Duration | None,
        on_clock_change: bool = True,
    ) -> None:
        if min_forward is not None and min_forward.nanoseconds <= 0:
            raise ValueError('min_forward must be a positive non-zero duration')
        if min_backward is not None and min_backward.nanoseconds >= 0:
            raise ValueError('min_backward must be a negative non-zero duration')
        if min_forward is None and min_backward is None and not on_clock_change:
            raise ValueError('At least one jump threshold must be enabled')
        self.min_forward = min_forward
        self.min_backward = min_backward
        self.on_clock_change = on_clock_change


class TimeJump:
    """A time jump: how the source changed, and by how much."""

    def __init__(self, clock_change: ClockChange, delta: Duration) -> None:
        self._clock_change = clock_change
        self._delta = delta

    @property
    def clock_change(self) -> ClockChange:
        """How the source changed."""
        return self._clock_change

    @property
    def delta(self) -> Duration:
        """Size of the jump, negative if backward."""
        return self._delta


class JumpHandle:
    """Keeps jump callbacks registered; call `unregister` to end that."""

    def __init__(
        self,
        *,
        clock: Clock,
        threshold: JumpThreshold,
        pre_callback: Callable[[], None] | None,
        post_callback: Callable[[Any], None] | None,
    ) -> None:
        self._clock: Clock | None = clock
        self.threshold = threshold
        self.pre_callback = pre_callback
        self.post_callback = post_callback
        clock._jump_handles.append(self)

    def unregister(self) -> None:
        """Remove the callbacks."""
        if self._clock is not None:
            self._clock._jump_handles.remove(self)
            self._clock = None

    def __enter__(self) -> JumpHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.unregister()


class Clock(HasHandle):
    """
    A clock; ``Clock(clock_type=ClockType.ROS_TIME)`` makes a `ROSClock`.

    Parameters
    ----------
    clock_type : ClockType
        `SYSTEM_TIME`, `STEADY_TIME` or `ROS_TIME`.

    """

    def __new__(cls, *, clock_type: ClockType = ClockType.SYSTEM_TIME) -> Clock:
        """Return a clock of the class that fits the type."""
        if not isinstance(clock_type, ClockType):
            raise TypeError('Clock type must be a ClockType enum')
        return super().__new__(ROSClock if clock_type == ClockType.ROS_TIME else cls)

    def __init__(self, *, clock_type: ClockType = ClockType.SYSTEM_TIME) -> None:
        self._clock_type = clock_type
        self._jump_handles: list[JumpHandle] = []
        self._sleepers: list[threading.Event] = []

    @property
    def clock_type(self) -> ClockType:
        """Return the kind of clock."""
        return self._clock_type

    def __repr__(self) -> str:
        return f'Clock(clock_type={self.clock_type.name})'

    def now(self) -> Time:
        """Return the present time."""
        return Time(nanoseconds=self.now_nanoseconds(), clock_type=self._clock_type)

    def now_nanoseconds(self) -> int:
        """Return the present time [ns]."""
        return steady_now() if self._clock_type == ClockType.STEADY_TIME else system.time_ns()

    def create_jump_callback(
        self,
        threshold: JumpThreshold,
        *,
        pre_callback: Callable[[], None] | None = None,
        post_callback: Callable[[Any], None] | None = None,
    ) -> JumpHandle:
        """
        Call functions before and after the time jumps.

        Parameters
        ----------
        threshold : JumpThreshold
            Which jumps.
        pre_callback : Callable, optional
            Called without arguments before the jump.
        post_callback : Callable, optional
            Called with a `TimeJump` after it.

        """
        if post_callback is None and pre_callback is None:
            raise ValueError('One of pre_callback or post_callback must be callable')

        def tell(jump: dict[str, Any]) -> None:
            assert post_callback is not None
            post_callback(TimeJump(jump['clock_change'], Duration(nanoseconds=jump['delta'])))

        return JumpHandle(
            clock=self,
            threshold=threshold,
            pre_callback=pre_callback,
            post_callback=None if post_callback is None else tell,
        )

    def sleep_until(self, until: Time, context: Any = None) -> bool:
        """
        Sleep until a time on this clock.

        Returns
        -------
        bool
            True when the time has come; False if the context was shut down, or the source of time
            changed, before.

        """
        if until.clock_type != self._clock_type:
            raise ValueError("until's clock type does not match this clock's type")
        return self._sleep(lambda: until.nanoseconds, context)

    def sleep_for(self, rel_time: Duration, context: Any = None) -> bool:
        """Sleep for a time span on this clock; see `sleep_until`."""
        end = self.now_nanoseconds() + rel_time.nanoseconds
        return self._sleep(lambda: end, context)

    def _sleep(self, end: Callable[[], int], context: Any) -> bool:
        if context is None:
            context = get_default_context()
        if not context.ok():
            raise NotInitializedException()
        stop = threading.Event()
        source = self.source()
        with context.interrupting(stop), self._waking(stop):
            while True:
                remaining = end() - self.now_nanoseconds()
                if self.source() != source or not context.ok():
                    return False
                if remaining <= 0:
                    return True
                stop.wait(None if source else remaining / S_TO_NS)
                if context.ok():
                    stop.clear()

    @contextmanager
    def _waking(self, event: threading.Event) -> Iterator[None]:
        """Set the event whenever simulated time changes inside the `with` block."""
        self._sleepers.append(event)
        try:
            yield
        finally:
            self._sleepers.remove(event)

    def source(self) -> bool:
        """Tell whether the time is simulated."""
        return False


class ROSClock(Clock):
    """The clock of nodes: system time, or what a simulation publishes on /clock."""

    def __init__(self, *, clock_type: ClockType = ClockType.ROS_TIME) -> None:
        super().__init__(clock_type=ClockType.ROS_TIME)
        self._active = False
        self._override = 0

    def __new__(cls, *, clock_type: ClockType = ClockType.ROS_TIME) -> ROSClock:
        """Return a clock of this class."""
        return object.__new__(cls)

    @property
    def ros_time_is_active(self) -> bool:
        """Whether the time is simulated."""
        return self._active

    def source(self) -> bool:
        """Tell whether the time is simulated."""
        return self._active

    def now_nanoseconds(self) -> int:
        """Return the present time [ns]."""
        return self._override if self._active else system.time_ns()

    def _set_ros_time_is_active(self, enabled: bool) -> None:
        if enabled == self._active:
            return
        change = ClockChange.ROS_TIME_ACTIVATED if enabled else ClockChange.ROS_TIME_DEACTIVATED

        def switch() -> None:
            self._active = enabled

        self._jump(change, 0, switch)  # ROS 2 tells no difference between two kinds of time

    def set_ros_time_override(self, time: Time) -> None:
        """Set the simulated time."""
        if not isinstance(time, Time):
            raise TypeError(
                f'Time must be specified as rclpy.time.Time. Received type: {type(time)}'
            )

        def change() -> None:
            self._override = time.nanoseconds

        if self._active:
            self._jump(ClockChange.ROS_TIME_NO_CHANGE, time.nanoseconds - self._override, change)
        else:
            change()

    def _jump(self, kind: ClockChange, delta: int, change: Callable[[], None]) -> None:
        concerned = [h for h in self._jump_handles if _exceeds(h.threshold, kind, delta)]
        for handle in concerned:
            if handle.pre_callback is not None:
                handle.pre_callback()
        change()
        for handle in concerned:
            if handle.post_callback is not None:
                handle.post_callback({'clock_change': kind, 'delta': delta})
        for event in list(self._sleepers):
            event.set()


def _exceeds(threshold: JumpThreshold, kind: ClockChange, delta: int) -> bool:
    if kind in (ClockChange.ROS_TIME_ACTIVATED, ClockChange.ROS_TIME_DEACTIVATED):
        return threshold.on_clock_change
    forward, backward = threshold.min_forward, threshold.min_backward
    return (forward is not None and delta >= forward.nanoseconds) or (
        backward is not None and delta <= backward.nanoseconds
    )
