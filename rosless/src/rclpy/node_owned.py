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

"""The entities that a node owns: publishers, subscriptions, clients, services, timers, ..."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .client import Client
from .entity import Entity
from .guard_condition import GuardCondition
from .node_names import NodeNames
from .publisher import Publisher
from .service import Service
from .subscription import Subscription
from .timer import Rate, Timer
from .waitable import Waitable, WaitableEntity

E = TypeVar('E', bound=Entity)


class OwnedEntities(NodeNames):
    """Keeps the entities of a node; `NodeEntities` makes them."""

    _context: Any
    _discovery: Any
    _graph_node: Any
    executor: Any

    def _init_entities(self) -> None:
        self._made: list[Entity] = []
        self._lent: set[Entity] = set()  # of these, those that no executor looks after
        self._rates: dict[Rate, Timer] = {}
        self._for_executor: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
        self._waitables: list[Any] = []
        self._destroyed = False

    @property
    def publishers(self) -> Iterator[Publisher]:
        """Return the publishers."""
        yield from self._of_kind(Publisher)

    @property
    def subscriptions(self) -> Iterator[Subscription]:
        """Return the subscriptions."""
        yield from self._of_kind(Subscription)

    @property
    def clients(self) -> Iterator[Client]:
        """Return the clients."""
        yield from self._of_kind(Client)

    @property
    def services(self) -> Iterator[Service]:
        """Return the services."""
        yield from self._of_kind(Service)

    @property
    def timers(self) -> Iterator[Timer]:
        """Return the timers."""
        yield from self._of_kind(Timer)

    @property
    def guards(self) -> Iterator[GuardCondition]:
        """Return the guard conditions."""
        yield from self._of_kind(GuardCondition)

    @property
    def waitables(self) -> Iterator[Any]:
        """Return the action servers and clients, and waitables of one's own."""
        for each in self._waitables:
            yield each.waitable if isinstance(each, WaitableEntity) else each

    def add_waitable(self, waitable: Waitable[Any]) -> None:
        """Let executors look after a waitable."""
        self.require_handle()
        self._waitables.append(WaitableEntity(waitable, self))
        self._changed()

    def remove_waitable(self, waitable: Waitable[Any]) -> None:
        """Let executors look after a waitable no longer."""
        self._waitables = [
            each for each in self._waitables if getattr(each, 'waitable', None) is not waitable
        ]
        self._changed()

    def destroy_rate(self, rate: Rate) -> bool:
        """Destroy a rate; False if it is not one of this node."""
        if self._rates.pop(rate, None) is None:
            return False
        rate.destroy()
        return True

    def _of_kind(self, kind: type[E]) -> Iterator[E]:
        return (entity for entity in list(self._made) if isinstance(entity, kind))

    def _add(self, entities: list[Any], entity: Entity) -> None:
        """Own an entity: note it in a list of this node or of one of its actions."""
        entities.append(entity)
        if entity.endpoints:
            with self._discovery.together():
                for endpoint in entity.endpoints:
                    self._discovery.add_endpoint(self._graph_node, endpoint)
        self._changed()

    def _remove(self, entity: Entity, kind: type[Entity] = Entity) -> bool:
        """Destroy an entity; False if it is not one of that kind of this node."""
        if not isinstance(entity, kind) or entity not in self._made:
            return False
        self._discard(self._made, entity)
        return True

    def _lend(self, entity: Entity) -> None:
        """Let executors leave an entity alone, unless it is in the wait set of a waitable."""
        self._lent.add(entity)
        self._changed()

    def _discard(self, entities: list[Any], entity: Entity) -> None:
        entities.remove(entity)
        self._lent.discard(entity)
        entity.close()
        self._changed()
        for endpoint in entity.endpoints:
            self._discovery.remove_endpoint(self._graph_node, endpoint)
        entity.delete()

    def _run_soon(self, callback: Callable[..., Any], *args: Any) -> None:
        """Let the executor call a function, or the one that the node is added to next."""
        executor = self.executor
        if executor is None:
            self._for_executor.append((callback, args))
        else:
            executor.create_task(callback, *args)

    def _changed(self) -> None:
        executor = self.executor
        if executor is not None:
            executor._queue.refresh()

    def _entities(self) -> list[Entity]:
        """Return everything an executor looks after."""
        of_waitables = [entity for each in self._waitables for entity in each.entities]
        theirs = {
            member
            for entity in of_waitables
            if isinstance(entity, WaitableEntity)
            for member in entity.members
        }
        theirs |= self._lent
        return [entity for entity in (*self._made, *of_waitables) if entity not in theirs]

    def _destroy_entities(self) -> None:
        for rate in list(self._rates):
            self.destroy_rate(rate)
        for waitable in list(self._waitables):
            waitable.destroy()
        self._waitables.clear()
        for entity in reversed(self._made):
            entity.destroy()
