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

"""What is ready to run in an executor, and the wait for more."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from operator import attrgetter
import threading
from typing import Any

from cyclonedds.core import DDSException
from rosless.dds.waiter import Waiter

from .entity import Entity
from .executor_tasks import Work
from .task import Task

ORDER = attrgetter('order')  # the place of an entity's kind in a round


class WorkQueue:
    """
    Finds work for an executor.

    Readiness of DDS entities is edge triggered: a signal marks the entity as ready, and it stays
    so until nothing is left to take. An entity whose callback group is busy stays ready without
    keeping the wait from blocking; the end of the callback that holds the group wakes it.

    Everything here, except `add_task`, `wake` and `group_freed`, runs in the thread that spins.

    """

    def __init__(self, executor: Any) -> None:
        self._executor = executor
        self._waiter: Waiter | None = None
        self._closed = False
        self._lock = threading.Lock()  # one thread makes the wait set, another one may delete it
        self._tasks: deque[Task] = deque()
        self._batch: deque[Any] = deque()
        self._ready: dict[Entity, None] = {}
        self._attached: dict[int, Entity] = {}
        self._owners: dict[Entity, Any] = {}
        self._polled: list[Entity] = []
        self._followed: Any = None  # the nodes whose entities these are; None if they changed
        self._spinner = 0
        self._rounds = 0  # since the last look at what DDS signals

    def add_task(self, task: Task) -> None:
        """Let a task run."""
        self._tasks.append(task)
        self.group_freed()

    def group_freed(self) -> None:
        """Look for work anew, because a callback group has become free."""
        if threading.get_ident() != self._spinner:
            self.wake()

    def claim(self) -> None:
        """Note that this thread spins; what it does itself needs no waking."""
        self._spinner = threading.get_ident()

    def wake(self) -> None:
        """End the wait."""
        waiter = self._waiter
        if waiter is not None:
            waiter.wake()

    def refresh(self) -> None:
        """Note that the nodes, or the entities of one, have changed."""
        self._followed = None
        self.wake()

    def close(self) -> None:
        """Delete the wait set for good."""
        with self._lock:
            self._closed = True
            waiter, self._waiter = self._waiter, None
        self._followed = None
        if waiter is not None:
            waiter.close()

    def next(self, nodes: Iterable[Any]) -> Work | None:
        """
        Return the next callback or task; None if none is left, or the executor has no room.

        A round holds what was ready when it began, so that nothing is starved.

        """
        self._spinner = threading.get_ident()
        if nodes is not self._followed:
            self._follow(nodes)
        if self._closed or not self._executor._has_room():
            return None
        work = self._next_of_batch() if self._batch else None
        if work is None:
            self._gather()
            work = self._next_of_batch()
        return work

    def _next_of_batch(self) -> Work | None:
        batch = self._batch
        while batch:
            work = self._prepare(batch.popleft())
            if work is not None:
                return work
        return None

    def wait(self, timeout: float | None, *, eagerly: bool = False) -> None:
        """Wait for signals, at most `timeout` [s]; work that is due ends the wait as well."""
        if self._executor._has_room():
            timeout = self._until_due(timeout)
        waiter = self._waiter
        if waiter is not None:
            self._mark(waiter.wait(timeout, eagerly=eagerly))
            self._rounds = 0

    def _until_due(self, limit: float | None) -> float | None:
        """Return the time until there is work [s], at most `limit`; None if none is planned."""
        if self._batch or self._tasks or (self._ready and self._can_go_on()):
            return 0.0
        for entity in self._polled:
            if entity.callback_group.can_execute(entity):
                remaining = entity.wait_seconds()
                if remaining is not None and (limit is None or remaining < limit):
                    limit = remaining
        return limit

    def _can_go_on(self) -> bool:
        """Tell whether a callback group has become free for which data wait."""
        return any(entity.callback_group.can_execute(entity) for entity in self._ready)

    def _mark(self, keys: list[int]) -> None:
        """Note that DDS signalled these entities."""
        for key in keys:
            entity = self._attached.get(key)
            if entity is not None and entity.signalled(self._executor):
                self._ready[entity] = None

    def _gather(self) -> None:
        """
        Begin a round.

        The newest task comes first, as in ROS 2: who awaits a task that it has just made finds
        it not done yet. Then come timers, guard conditions, subscriptions, clients, services,
        so that feedback is heard before the answer that was sent after it.
        An entity that was ready mostly is so no longer in the next round, after which there is
        a `wait`. Where it goes on, every second round looks at the others, too.
        A call of `wake` must not be used up here: what it is about may have come after the nodes
        were looked at, and only a `wait` is followed by another look.

        """
        waiter = self._waiter
        if waiter is not None and self._rounds >= 2:
            self._mark(waiter.look())
            self._rounds = 0
        self._rounds += 1
        batch = self._batch
        while self._tasks:
            batch.append(self._tasks.pop())
        batch.extend([entity for entity in self._polled if entity.is_due()])
        if len(self._ready) > 1:
            batch.extend(sorted(self._ready, key=ORDER))
        else:
            batch.extend(self._ready)

    def _prepare(self, item: Any) -> Work | None:
        if isinstance(item, Task):
            return None if item._done else Work(None, None, None, item)
        entity: Entity = item
        node = self._owners.get(entity)
        if node is None or entity.destroyed:
            self._ready.pop(entity, None)
            return None
        if not entity.callback_group.beginning_execution(entity):
            entity.put_off()
            return None
        job = None
        try:
            job = entity.next_job(self._executor)
        except DDSException:
            if not entity.destroyed and self._executor.context.ok():
                raise
        finally:
            if job is None:
                self._ready.pop(entity, None)
                entity.callback_group.ending_execution(entity)
        if job is None:
            return None
        return Work(entity, node, job)

    def _follow(self, nodes: Iterable[Any]) -> None:
        """Bring the wait set in line with the entities of the nodes."""
        with self._lock:
            if self._closed:
                return
            if self._waiter is None:
                self._waiter = Waiter(self._executor.context.participant.ref)
            waiter = self._waiter
        # Set before the entities are asked for: they may change again meanwhile.
        self._followed = nodes if isinstance(nodes, tuple) else None
        owners = {entity: node for node in nodes for entity in node._entities()}
        for key, entity in list(self._attached.items()):
            if entity not in owners:
                del self._attached[key]
                self._ready.pop(entity, None)
                for endpoint in entity.watched:
                    waiter.detach(endpoint.ref)
        for entity in owners:
            if entity.watched and entity.key not in self._attached:
                self._attached[entity.key] = entity
                for endpoint in entity.watched:
                    waiter.attach(endpoint.ref, entity.key)
                if not entity.polled:
                    self._ready[entity] = None
        self._owners = owners
        self._polled = [entity for entity in owners if entity.polled]
