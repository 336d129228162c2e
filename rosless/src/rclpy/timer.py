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

"""Timers and rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
import inspect
import threading
from typing import Any
import weakref

from .callback_groups import CallbackGroup
from .clock import Clock, ClockChange, JumpThreshold, TimeJump
from .clock_type import ClockType
from .duration import Duration
from .entity import Entity, Job
from .exceptions import ROSInterruptException
from .handle import Handle
from .rcl_errors import RCLError


@dataclass(frozen=True)
class TimerInfo:
    """When a call was due and when it was made, on the timer's clock [ns]."""

    expected_call_time: int = 0
    actual_call_time: int = 0


class TimerHandle(Handle):
    """What a waitable of one's own does with a timer."""

    def call_timer(self) -> None:
        """Take the call that is due."""
        self.owner.next_job(None)

    def is_timer_ready(self) -> bool:
        """Tell whether a call is due."""
        return self.owner.is_ready()


class Timer(Entity):
    """
    Calls a function again and again; make one with `Node.create_timer`.

    Parameters
    ----------
    callback : Callable, optional
        What to call.
    callback_group : CallbackGroup
        Its group.
    timer_period_ns : int
        Time between calls [ns] on the clock.
    clock : Clock
        The clock; ROS time stands still when a simulation does.
    node : Node
        Its node.
    autostart : bool
        Whether it runs at once, or only after `reset`.

    """

    handle_class = TimerHandle
    polled = True

    def __init__(
        self,
        callback: Callable[..., Any] | None,
        callback_group: CallbackGroup,
        timer_period_ns: int,
        clock: Clock,
        node: Any,
        *,
        autostart: bool = True,
    ) -> None:
        if timer_period_ns < 0:
            raise RCLError('failed to create timer: timer period must be non-negative')
        super().__init__(callback_group, node)
        self.callback = callback
        self._clock = clock
        self._lock = threading.Lock()
        self._canceled = not autostart
        self._period = int(timer_period_ns)
        self._last = clock.now_nanoseconds()
        self._next = self._last + self._period
        self._jump: Any = None
        if clock.clock_type == ClockType.ROS_TIME:
            self._watch_jumps()

    @property
    def callback(self) -> Callable[..., Any] | None:
        """Return what is called."""
        return self._callback

    @callback.setter
    def callback(self, value: Callable[..., Any] | None) -> None:
        self._callback = value
        self._info_name = None if value is None else _name_of_info(value)

    @property
    def clock(self) -> Clock:
        """Return the clock."""
        return self._clock

    @property
    def timer_period_ns(self) -> int:
        """Time between calls [ns]."""
        return self._period

    @timer_period_ns.setter
    def timer_period_ns(self, value: int) -> None:
        with self._lock:
            self._next += int(value) - self._period
            self._period = int(value)
        self.wake()

    def is_due(self) -> bool:
        """Tell whether a call is due."""
        return self.is_ready()

    def is_ready(self) -> bool:
        """Tell whether a call is due."""
        return not self._canceled and self._clock.now_nanoseconds() >= self._next

    def is_canceled(self) -> bool:
        """Tell whether it was cancelled."""
        self.require_handle()
        return self._canceled

    def cancel(self) -> None:
        """Make no more calls, until `reset`."""
        self.require_handle()
        self._canceled = True

    def reset(self) -> None:
        """Start anew: the next call is one period from now."""
        self.require_handle()
        with self._lock:
            self._canceled = False
            self._next = self._clock.now_nanoseconds() + self._period
        self.wake()

    def time_since_last_call(self) -> int:
        """Return the time since the last call [ns]."""
        self.require_handle()
        return self._clock.now_nanoseconds() - self._last

    def time_until_next_call(self) -> int | None:
        """Return the time until the next call [ns], negative if it is late; None if cancelled."""
        return None if self._canceled else self._next - self._clock.now_nanoseconds()

    def wait_seconds(self) -> float | None:
        """Return the real time until the next call [s]; None if only an event can bring it."""
        if self._canceled or self._clock.source():
            return None
        return max(self._next - self._clock.now_nanoseconds(), 0) * 1e-9

    def next_job(self, executor: Any) -> Job | None:
        """Take a call that is due; calls missed by more than a period are left out."""
        with self._lock:
            now = self._clock.now_nanoseconds()
            if self._canceled or now < self._next:
                return None
            due, self._last = self._next, now
            self._next += self._period
            if self._next < now:
                missed = 1 + (now - self._next) // self._period if self._period else 0
                self._next = self._next + missed * self._period if self._period else now
        if self.callback is None:
            return Job(lambda: None)
        if self._info_name is None:
            return Job(self.callback)
        return Job(partial(self.callback, **{self._info_name: TimerInfo(due, now)}))

    def close(self) -> None:
        """Stop for good; called by the node."""
        super().close()
        self._canceled = True
        if self._jump is not None:
            self._jump.unregister()
            self._jump = None

    def _watch_jumps(self) -> None:
        self_reference = weakref.ref(self)

        def jumped(jump: TimeJump) -> None:
            timer = self_reference()
            if timer is None:
                return
            with timer._lock:
                now = timer._clock.now_nanoseconds()
                if (jump.clock_change != ClockChange.ROS_TIME_NO_CHANGE
                        or jump.delta.nanoseconds < 0):
                    timer._last = now
                    timer._next = now + timer._period
            timer.wake()

        nanosecond = Duration(nanoseconds=1)
        self._jump = self._clock.create_jump_callback(
            JumpThreshold(min_forward=nanosecond, min_backward=Duration(nanoseconds=-1)),
            post_callback=jumped,
        )


def _name_of_info(callback: Callable[..., Any]) -> str | None:
    """Return the name of the first argument that is annotated with `TimerInfo`, or None."""
    try:
        parameters = inspect.signature(callback).parameters
    except (TypeError, ValueError):
        return None
    return next((name for name, each in parameters.items() if each.annotation == TimerInfo), None)


class Rate:
    """
    Sleeps so that a loop runs at a fixed rate; make one with `Node.create_rate`.

    Another thread must spin the node.

    """

    def __init__(self, timer: Timer, *, context: Any) -> None:
        self._timer = timer
        self._event = threading.Event()
        self._destroyed = False
        timer.callback = self._event.set
        self._context = context

    def sleep(self) -> None:
        """
        Sleep until the next tick.

        Raises
        ------
        ROSInterruptException
            If the context is shut down.
        RuntimeError
            If the rate has been destroyed before.

        """
        self._event.clear()  # before it is asked for an end, which may come in between
        if not self._context.ok():
            raise ROSInterruptException()
        if self._destroyed:
            raise RuntimeError('Rate cannot sleep because it has been destroyed')
        with self._context.interrupting(self._event):
            self._event.wait()
        if not self._context.ok():
            raise ROSInterruptException()

    def destroy(self) -> None:
        """Stop; the sleep of whoever sleeps ends."""
        self._destroyed = True
        self._timer.destroy()
        self._event.set()
