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

"""Handle signals in the thread of a loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
import signal
from typing import Any


class AsyncSafeSignalManager:
    """
    Calls functions for signals, in a loop, within a ``with`` block.

    Parameters
    ----------
    loop : asyncio.AbstractEventLoop
        The loop.

    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._active = False
        self._before: dict[int, Any] = {}
        self._handlers: dict[int, Callable[[signal.Signals], Any]] = {}

    def handle(
        self, signum: int, handler: Callable[[signal.Signals], Any] | None
    ) -> Callable[[signal.Signals], Any] | None:
        """Call a function for a signal, None for none any more; return the one before."""
        before = self._handlers.pop(signum, None)
        if handler is not None:
            self._handlers[signum] = handler
        if self._active:
            if handler is None:
                self._release(signum)
            else:
                self._watch(signum)
        return before

    def __enter__(self) -> AsyncSafeSignalManager:
        self._active = True
        for signum in self._handlers:
            self._watch(signum)
        return self

    def __exit__(self, *_: object) -> None:
        self._active = False
        for signum in list(self._before):
            self._release(signum)

    def _watch(self, signum: int) -> None:
        if signum not in self._before:
            self._before[signum] = signal.getsignal(signum)
            self._loop.add_signal_handler(signum, self._call, signum)

    def _release(self, signum: int) -> None:
        if signum in self._before:
            self._loop.remove_signal_handler(signum)
            signal.signal(signum, self._before.pop(signum))

    def _call(self, signum: int) -> None:
        handler = self._handlers.get(signum)
        if handler is not None:
            handler(signal.Signals(signum))
