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

"""Waiting for readers, writers and wake-up calls, without polling."""

from __future__ import annotations

from collections.abc import Callable
import ctypes as ct
import os
from time import monotonic_ns, sleep
import weakref

from .config import poll_time
from .library import c, INFINITE

GUARD = 0
give_way: Callable[[], None] = getattr(os, 'sched_yield', lambda: sleep(0.0))
_waiters: weakref.WeakSet[Waiter] = weakref.WeakSet()


class Waiter:
    """
    A DDS wait set, and a guard condition that any thread may trigger.

    DDS threads never run Python code: they store samples and signal the wait set in C, so a busy
    interpreter delays nobody. A wait cannot be interrupted by Python signal handlers; who installs
    one must see to it that `wake_all` is called when a signal arrives (`rclpy.signals` does).

    Parameters
    ----------
    participant : int
        Handle of the DDS participant.

    """

    def __init__(self, participant: int) -> None:
        self._set = c.dds_create_waitset(participant)
        self._guard = c.dds_create_guardcondition(participant)
        if self._set < 0 or self._guard < 0:
            raise RuntimeError('cannot wait: the DDS participant has been deleted')
        c.dds_waitset_attach(self._set, self._guard, GUARD)
        self._attached: set[int] = set()
        self._found = (ct.c_size_t * 16)()
        self._triggered = ct.c_bool()
        self._poll_time = poll_time()
        self._polling_pays = True
        self.closed = False
        _waiters.add(self)

    def attach(self, entity: int, key: int) -> None:
        """Let the entity end waits; `key`, not zero, is what `wait` returns for it."""
        if c.dds_waitset_attach(self._set, entity, key) >= 0:
            self._attached.add(entity)
            if len(self._attached) >= len(self._found):
                self._found = (ct.c_size_t * (2 * len(self._found)))()

    def detach(self, entity: int) -> None:
        """Undo `attach`; an entity that has been deleted is detached already."""
        if entity in self._attached:
            self._attached.remove(entity)
            c.dds_waitset_detach(self._set, entity)

    def wake(self) -> None:
        """End the present wait, or the next one if nobody waits."""
        c.dds_set_guardcondition(self._guard, True)

    def look(self) -> list[int]:
        """Return the keys of the entities that trigger now; calls of `wake` stay for `wait`."""
        keys = self._keys(0)
        if GUARD in keys:
            keys.remove(GUARD)
        return keys

    def wait(self, timeout: float | None, *, eagerly: bool = False) -> list[int]:
        """
        Wait until an attached entity triggers, or `wake` is called.

        Parameters
        ----------
        timeout : float, optional
            Time [s]; None waits for ever.
        eagerly : bool
            Whether to poll before sleeping, if that was worth while the last time: to wake a
            thread on a core that sleeps takes as long as the answer of a service. The core is
            yielded to whoever wants it.

        Returns
        -------
        list[int]
            Keys of the entities that triggered.

        """
        limit = INFINITE if timeout is None else max(int(timeout * 1e9), 0)
        keys: list[int] = []
        if eagerly:
            begin = monotonic_ns()
            if self._polling_pays:
                keys = self._poll(min(limit, self._poll_time))
            keys = keys or self._keys(limit)
            self._polling_pays = monotonic_ns() - begin < self._poll_time
        else:
            keys = self._keys(limit)
        if GUARD in keys:
            c.dds_take_guardcondition(self._guard, ct.byref(self._triggered))
            keys.remove(GUARD)
        return keys

    def _poll(self, limit: int) -> list[int]:
        """Look again and again until there is something, or the time [ns] is over."""
        end = monotonic_ns() + limit
        while True:
            keys = self._keys(0)
            if keys or monotonic_ns() >= end:
                return keys
            give_way()

    def _keys(self, limit: int) -> list[int]:
        found = self._found
        count = c.dds_waitset_wait(self._set, found, len(found), limit)
        if count < 0:
            self.closed = True
            return []
        return found[:count]  # type: ignore[return-value]  # a slice of an array is a list

    def close(self) -> None:
        """Delete the wait set."""
        self.closed = True
        _waiters.discard(self)
        c.dds_delete(self._set)
        c.dds_delete(self._guard)


def wake_all() -> None:
    """End all waits of the process."""
    for waiter in list(_waiters):
        waiter.wake()
