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

"""Coroutines take turns: at most so many at once, the others wait without holding a thread."""

from __future__ import annotations

from collections.abc import Callable
import heapq
import itertools
import threading
import time

from rclpy.task import Future


class AsyncSemaphore:
    """
    Lets a number of coroutines be in an ``async with`` block at a time.

    The others hold no thread of the executor meanwhile. Who is due first is next: a request is
    due so long after it came, or after that of the same client before it is due, as it is
    expected to take. So what is short seldom waits for what is long, many requests of one client
    do not delay one of another, and nothing waits for ever.

    Parameters
    ----------
    count : int
        How many may be in the block.
    clock : callable, optional
        Returns a time that does not go back [s].

    """

    def __init__(self, count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._free, self._clock = count, clock
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._waiting: list[tuple[float, int, Turn]] = []
        self._due: dict[int, float] = {}   # the last request of each client, if still to come

    def __len__(self) -> int:
        return len(self._waiting)

    def of(self, cost: float, client: int = 0) -> Turn:
        """Return the turn of something that is expected to take a time [s], and who wants it."""
        return Turn(self, cost, client)

    def take(self, turn: Turn) -> Future | None:
        """Begin at once, or return what is done when the turn has come."""
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return None
            turn.come, now = Future(), self._clock()
            self._due = {client: due for client, due in self._due.items() if due > now}
            due = self._due[turn.client] = self._due.get(turn.client, now) + turn.cost
            heapq.heappush(self._waiting, (due, next(self._numbers), turn))
            return turn.come

    def leave(self, turn: Turn) -> None:
        """Give up a turn that was waited for; it may have come meanwhile."""
        with self._lock:
            assert turn.come is not None
            given = turn.come.done()
            if not given:
                self._waiting = [one for one in self._waiting if one[2] is not turn]
                heapq.heapify(self._waiting)
        if given:
            self.give()

    def give(self) -> None:
        """Give the turn to who is due first."""
        with self._lock:
            if not self._waiting:
                self._free += 1
                return
            turn = heapq.heappop(self._waiting)[2]
        assert turn.come is not None
        turn.come.set_result(None)


class Turn:
    """One turn, for ``async with``; made by ``AsyncSemaphore.of``."""

    def __init__(self, turns: AsyncSemaphore, cost: float, client: int) -> None:
        self._turns, self.cost, self.client = turns, cost, client
        self.come: Future | None = None

    async def __aenter__(self) -> None:
        """Wait for the turn."""
        come = self._turns.take(self)
        if come is None:
            return
        try:
            await come
        except BaseException:   # stopped while it waited: nobody would give the turn back
            self._turns.leave(self)
            raise

    async def __aexit__(self, *_: object) -> None:
        """Give the turn to another."""
        self._turns.give()
