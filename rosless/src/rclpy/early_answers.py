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

"""Answers that are ready before the reader of the client that asked has been discovered."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import threading
import time
from typing import Any, NamedTuple

from .rcl_errors import RCLError

# How long the client's reader may take to be discovered once its writer has been. On a busy
# machine the 0.1 s of rmw_cyclonedds_cpp are too short; a client that is gone is not waited for.
MATCH_TIMEOUT = 2.0  # s
# Between two looks while the newest answer is young, and afterwards.
FIRST_PERIOD, LATER_PERIOD, YOUNG = 0.002, 0.05, 0.2  # s
# Of one service. A client that is being discovered may ask a burst of questions (test_services
# sends 1,000); what a client without a reader can make a node hold is bounded by both.
MOST_ANSWERS = 1000
MOST_OCTETS = 16 << 20
LOG_PERIOD = 1.0  # s


class Answer(NamedTuple):
    """An answer that waits: whom for, since when, its size, and what sends it."""

    client: str
    writer: int
    since: float
    size: int
    send: Callable[[], object]


class EarlyAnswers:
    """
    The waiting answers of one service, bounded in number, size and time.

    A thread that lives while answers wait sends each as soon as the reader of its client is
    there. Whatever is dropped is counted and logged once a second at most: answers whose client
    has gone or told no reader in time, and the oldest where there are too many.

    Parameters
    ----------
    log_error : Callable
        Logs a line.

    """

    def __init__(self, log_error: Callable[[str], None]) -> None:
        self._log_error = log_error
        self._lock = threading.Lock()
        self._waiting: deque[Answer] = deque()
        self._octets = 0
        self._running = False
        self._dropped = self._told = 0
        self._log_time = -LOG_PERIOD

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def dropped(self) -> int:
        """How many answers were dropped."""
        return self._dropped

    def add(
        self, service: Any, size: int, client: str, writer: int, send: Callable[[], object]
    ) -> None:
        """
        Send an answer when the reader of the client with this identifier is there.

        Without an identifier it is there, and sending is what may take long.

        """
        with self._lock:
            self._waiting.append(Answer(client, writer, time.monotonic(), size, send))
            self._octets += size
            while len(self._waiting) > MOST_ANSWERS or self._octets > MOST_OCTETS:
                self._octets -= self._waiting.popleft().size
                self._dropped += 1
            if not self._waiting or self._running:
                return
            self._running = True
        name = f'answers of {service.service_name}'
        threading.Thread(target=self._run, args=(service,), name=name, daemon=True).start()

    def _run(self, service: Any) -> None:
        while True:
            newest = self._look(service)
            self._tell(service)
            if newest is None:
                return
            young = time.monotonic() - newest < YOUNG
            time.sleep(FIRST_PERIOD if young else LATER_PERIOD)

    def _look(self, service: Any) -> float | None:
        """Send what can be sent; return when the newest answer came, or None if none waits."""
        if service.destroyed or not service.context.ok():
            with self._lock:
                self._waiting.clear()
                self._octets = 0
        there, asking = service.client_ids(), service.writers()
        limit = time.monotonic() - MATCH_TIMEOUT
        ready: list[Answer] = []
        with self._lock:
            kept: deque[Answer] = deque()
            for answer in self._waiting:
                if not answer.client or answer.client in there:
                    ready.append(answer)
                elif answer.since < limit or answer.writer not in asking:
                    self._dropped += 1
                else:
                    kept.append(answer)
            self._waiting = kept
            self._octets = sum(answer.size for answer in kept)
            newest = kept[-1].since if kept else None
            if newest is None:
                self._running = False
        for answer in ready:
            try:
                answer.send()
            except RCLError as error:
                self._log_error(f"service '{service.service_name}': {error}")
        return newest

    def _tell(self, service: Any) -> None:
        now = time.monotonic()
        with self._lock:
            number = self._dropped - self._told
            if not number or (self._running and now - self._log_time < LOG_PERIOD):
                return
            self._told, self._log_time = self._dropped, now
        self._log_error(
            f"service '{service.service_name}': {number} answers dropped, since the clients that "
            f'asked cannot be reached'
        )
