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

"""A queue that runs a bounded number of coroutines at a time, without a thread for each."""

from __future__ import annotations

from collections import deque
import threading

from rclpy.task import Future


class Turns:
    """
    Lets a number of coroutines be in an ``async with`` block at a time.

    The others wait in the order in which they came, and hold no thread of the executor meanwhile.

    Parameters
    ----------
    count : int
        How many may be in the block.

    """

    def __init__(self, count: int) -> None:
        self._free = count
        self._lock = threading.Lock()
        self._waiting: deque[Future] = deque()

    async def __aenter__(self) -> None:
        """Wait for a turn."""
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return
            turn = Future()
            self._waiting.append(turn)
        try:
            await turn
        except BaseException:   # stopped while it waited: nobody would give the turn back
            with self._lock:
                given = turn.done()
                if not given:
                    self._waiting.remove(turn)
            if given:
                self._give()
            raise

    async def __aexit__(self, *_: object) -> None:
        """Give the turn to who waits longest."""
        self._give()

    def _give(self) -> None:
        with self._lock:
            if not self._waiting:
                self._free += 1
                return
            turn = self._waiting.popleft()
        turn.set_result(None)
