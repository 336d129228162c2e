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

"""SIGINT and SIGTERM shut all contexts down."""

from __future__ import annotations

from enum import IntEnum
import os
import signal
import threading
from types import FrameType
from typing import Any

from rosless.dds.waiter import wake_all

from .absent import Absent
from .context import initialized_contexts


class SignalHandlerOptions(IntEnum):
    """Which signals are handled."""

    NO = 0
    SIGINT = 1
    SIGTERM = 2
    ALL = 3


class SignalHandlerGuardCondition(Absent):
    """A guard condition that signals trigger."""

    why = 'signals end the waits of executors by themselves'


_previous: dict[int, Any] = {}
_options = SignalHandlerOptions.NO
_wakeup: tuple[int, int] | None = None
_previous_wakeup = -1


def install_signal_handlers(options: SignalHandlerOptions = SignalHandlerOptions.ALL) -> None:
    """
    Let signals shut all contexts down and end their waits.

    What was installed before for the signal is called as well, so that SIGINT still raises
    KeyboardInterrupt. Python allows this in the main thread only; elsewhere nothing is done.

    """
    global _options
    if threading.current_thread() is not threading.main_thread():
        return
    for flag, number in (
        (SignalHandlerOptions.SIGINT, signal.SIGINT),
        (SignalHandlerOptions.SIGTERM, signal.SIGTERM),
    ):
        if options & flag and number not in _previous:
            _previous[number] = signal.signal(number, _handle)
    if _previous:
        _start_watch()
    _options = SignalHandlerOptions(_options | options)


def uninstall_signal_handlers() -> None:
    """Put back what was installed before."""
    global _options
    if threading.current_thread() is not threading.main_thread():
        return
    for number, previous in list(_previous.items()):
        if signal.getsignal(number) is _handle:
            signal.signal(number, signal.SIG_DFL if previous is None else previous)
        del _previous[number]
    _stop_watch()
    _options = SignalHandlerOptions.NO


def get_current_signal_handlers_options() -> SignalHandlerOptions:
    """Return which signals are handled."""
    return _options


def _handle(number: int, frame: FrameType | None) -> None:
    for context in initialized_contexts():
        context.mark_invalid()
    previous = _previous.get(number)
    if callable(previous):
        previous(number, frame)


def _start_watch() -> None:
    """
    Start the thread that shuts contexts down when a signal arrives.

    Python runs signal handlers in the main thread, which may be waiting in C; the interpreter
    writes the signal's number to a pipe at once, and the thread that reads it ends all waits.

    """
    global _wakeup, _previous_wakeup
    if _wakeup is not None:
        return
    read, write = os.pipe()
    os.set_blocking(write, False)
    _wakeup = read, write
    _previous_wakeup = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(read,), name='rclpy_signals', daemon=True).start()


def _stop_watch() -> None:
    global _wakeup
    if _wakeup is None:
        return
    _, write = _wakeup
    _wakeup = None
    signal.set_wakeup_fd(_previous_wakeup)
    os.close(write)


def _watch(read: int) -> None:
    while numbers := os.read(read, 64):
        if any(signal.getsignal(number) is _handle for number in numbers):
            for context in initialized_contexts():
                context.mark_invalid()
                context.invalidate()
        wake_all()
    os.close(read)
