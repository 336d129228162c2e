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

"""Requests that wait for their service: those of each client in a queue of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import monotonic_ns
from typing import TypeAlias

from rosless.dds.sample import Copied, Left

Sample: TypeAlias = Copied | Left
LOOK_PERIOD = 1_000_000  # ns, between looks whether several clients wait
AT_ONCE = 1000  # requests that are taken from DDS while one is answered: some milliseconds
# Of one service, and a client alone may have as many.
MOST_WAITING = 10_000
MOST_OCTETS = 64 << 20


class WaitingRequests:
    """
    Takes requests from DDS and hands them out by turns of their clients.

    Who asks a thousand things at once delays nobody who asks one by more than `LOOK_PERIOD` and
    one answer: within that time requests are handed out as they came. Where too many wait, the
    newest of the client with the most is dropped.

    Parameters
    ----------
    take : Callable
        Returns the next request, or None.
    dropped : Callable
        Told how many were dropped so far.

    """

    def __init__(
        self, take: Callable[[], Sample | None], dropped: Callable[[int], None]
    ) -> None:
        self._take = take
        self._tell = dropped
        self._queues: dict[int, deque[Sample]] = {}  # by client, whose turn is next first
        self._count = self._octets = self._dropped = 0
        self._look_at = 0

    def __len__(self) -> int:
        return self._count

    def next(self) -> Sample | None:
        """Return a request of the client whose turn it is; None if there is none."""
        if not self._queues:
            now = monotonic_ns()
            if now < self._look_at:
                return self._take()
            self._look_at = now + LOOK_PERIOD
        for _ in range(AT_ONCE):
            sample = self._take()
            if sample is None:
                break
            self._queues.setdefault(sample.publication_handle, deque()).append(sample)
            self._count += 1
            self._octets += sample.size
            while self._count > MOST_WAITING or (self._octets > MOST_OCTETS and self._count > 1):
                self._drop()
        if not self._queues:
            return None
        client, queue = next(iter(self._queues.items()))
        del self._queues[client]
        sample = queue.popleft()
        if queue:
            self._queues[client] = queue
        self._forget(sample)
        return sample

    def _drop(self) -> None:
        def size(client: int) -> int:
            queue = self._queues[client]
            return sum(one.size for one in queue) if self._octets > MOST_OCTETS else len(queue)

        client = max(self._queues, key=size)
        self._forget(self._queues[client].pop())
        if not self._queues[client]:
            del self._queues[client]
        self._dropped += 1
        self._tell(self._dropped)

    def _forget(self, sample: Sample) -> None:
        self._count -= 1
        self._octets -= sample.size
