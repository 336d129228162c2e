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

"""Waitables: things of one's own that an executor waits for."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Generic, TypeVar

from rosless.dds.endpoints import Endpoint

from .absent import NotInRosless
from .callback_groups import CallbackGroup
from .client import Client
from .entity import Entity, Job
from .guard_condition import GuardCondition
from .service import Service
from .subscription import Subscription
from .task import Future
from .timer import Timer

T = TypeVar('T')
COUNTS = (
    'num_subscriptions',
    'num_guard_conditions',
    'num_timers',
    'num_clients',
    'num_services',
    'num_events',
)


class NumberOfEntities:
    """How many entities of each kind a waitable has; they can be added."""

    __slots__ = COUNTS

    def __init__(
        self,
        num_subs: int = 0,
        num_gcs: int = 0,
        num_timers: int = 0,
        num_clients: int = 0,
        num_services: int = 0,
        num_events: int = 0,
    ) -> None:
        self.num_subscriptions = num_subs
        self.num_guard_conditions = num_gcs
        self.num_timers = num_timers
        self.num_clients = num_clients
        self.num_services = num_services
        self.num_events = num_events

    def __add__(self, other: NumberOfEntities) -> NumberOfEntities:
        return type(self)(*(getattr(self, name) + getattr(other, name) for name in COUNTS))

    def __iadd__(self, other: NumberOfEntities) -> NumberOfEntities:
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def __repr__(self) -> str:
        counts = ', '.join(str(getattr(self, name)) for name in COUNTS)
        return f'<{type(self).__name__}({counts})>'


class WaitSet:
    """
    What a waitable adds its entities to, and asks whether they are ready.

    It takes entities, or handles of them. They wake the executor, but only the waitable looks
    after them.

    """

    def __init__(self, *_: Any) -> None:
        self.entities: dict[str, list[Any]] = {}

    def add_guard_condition(self, guard_condition: Any) -> int:
        """Add a guard condition; return its index among them."""
        return self._add('guard_condition', guard_condition, GuardCondition)

    def add_timer(self, timer: Any) -> int:
        """Add a timer; return its index among them."""
        return self._add('timer', timer, Timer)

    def add_subscription(self, subscription: Any) -> int:
        """Add a subscription; return its index among them."""
        return self._add('subscription', subscription, Subscription)

    def add_client(self, client: Any) -> int:
        """Add a client; return its index among them."""
        return self._add('client', client, Client)

    def add_service(self, service: Any) -> int:
        """Add a service; return its index among them."""
        return self._add('service', service, Service)

    def add_event(self, event: Any) -> int:
        """Not in rosless."""
        raise NotInRosless('rosless looks after events itself; pass callbacks for them')

    def is_ready(self, entity_type: str, index: int) -> bool:
        """
        Tell whether an entity is ready.

        A guard condition that was triggered, and a timer that was due, is so no longer when it
        has been asked for; the others are ready until what has come is taken.

        Parameters
        ----------
        entity_type : str
            ``'guard_condition'``, ``'timer'``, ``'subscription'``, ``'client'`` or ``'service'``.
        index : int
            What the `add_...` returned.

        """
        entity = self.entities[entity_type][index]
        if isinstance(entity, (GuardCondition, Timer)):
            return entity.next_job(None) is not None
        return entity.endpoint.has_data()

    def _add(self, name: str, entity: Any, kind: type[Entity]) -> int:
        entity = getattr(entity, 'owner', entity)
        if not isinstance(entity, kind):
            raise TypeError(f'Expected a {kind.__name__}, got {type(entity)}')
        entities = self.entities.setdefault(name, [])
        entities.append(entity)
        return len(entities) - 1


class Waitable(Generic[T]):
    """
    Base of things that an executor waits for.

    A subclass adds its entities to a wait set; when `is_ready` says so, the executor calls
    `take_data`, and then awaits `execute` with what that returned.

    Parameters
    ----------
    callback_group : CallbackGroup
        When it may be executed.

    """

    def __init__(self, callback_group: CallbackGroup) -> None:
        self.callback_group = callback_group
        self.callback_group.add_entity(self)
        self._futures: list[Future] = []

    def __enter__(self) -> None:
        """Implement to keep the entities from being destroyed while they are waited for."""
        raise NotImplementedError('Must be implemented by subclass')

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        """Implement to let the entities be destroyed again."""
        raise NotImplementedError('Must be implemented by subclass')

    def add_future(self, future: Future) -> None:
        """Remember a future."""
        self._futures.append(future)

    def remove_future(self, future: Future) -> None:
        """Forget a future."""
        self._futures.remove(future)

    def is_ready(self, wait_set: WaitSet) -> bool:
        """Tell whether there is something to take."""
        raise NotImplementedError('Must be implemented by subclass')

    def take_data(self) -> T:
        """Take what is there, so that it does not wake the executor again."""
        raise NotImplementedError('Must be implemented by subclass')

    async def execute(self, taken_data: T) -> None:
        """Work on what was taken."""
        raise NotImplementedError('Must be implemented by subclass')

    def get_num_entities(self) -> NumberOfEntities:
        """Return how many entities of each kind there are."""
        raise NotImplementedError('Must be implemented by subclass')

    def add_to_wait_set(self, wait_set: WaitSet) -> None:
        """Add the entities to a wait set."""
        raise NotImplementedError('Must be implemented by subclass')


class WaitableEntity(Entity):
    """
    A waitable as executors see it.

    Parameters
    ----------
    waitable : Waitable
        The waitable.
    node : Node
        Its node.

    """

    polled = True

    def __init__(self, waitable: Waitable[Any], node: Any) -> None:
        super().__init__(waitable.callback_group, node)
        self.waitable = waitable
        self.wait_set = WaitSet()
        waitable.add_to_wait_set(self.wait_set)
        self.entities = [self]
        for member in self.members:
            member.adopt(node)

    @property
    def members(self) -> list[Entity]:
        """Return the entities of the waitable, which executors leave to it."""
        return [entity for entities in self.wait_set.entities.values() for entity in entities]

    @property
    def watched(self) -> tuple[Endpoint, ...]:
        """Return what DDS signals data of the subscriptions on."""
        return tuple(endpoint for each in self.members for endpoint in each.watched)

    def signalled(self, executor: Any) -> bool:
        """Reset the signal: whether there are data is asked in every round."""
        for endpoint in self.watched:
            endpoint.take_statuses()
        return False

    def is_due(self) -> bool:
        """Tell whether the waitable is ready and may be executed."""
        return self.callback_group.can_execute(self.waitable) and self.waitable.is_ready(
            self.wait_set
        )

    def wait_seconds(self) -> float | None:
        """Return the time until the first of its timers is due [s]."""
        times = [timer.wait_seconds() for timer in self.wait_set.entities.get('timer', ())]
        return min((time for time in times if time is not None), default=None)

    def next_job(self, executor: Any) -> Job:
        """Take what is there."""
        return Job(self.waitable.execute, (self.waitable.take_data(),))
