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

"""Base of the reactions to events."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from launch.event import Event
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.some_entities_type import SomeEntitiesType

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class EventHandler:
    """
    Say which entities are visited when an event happens.

    Parameters
    ----------
    matcher : callable
        Takes an event; tells whether this handler is meant.
    entities : entity or iterable of entities, optional
        What to visit then.
    handle_once : bool
        Whether the handler is unregistered after its first event.

    """

    def __init__(
        self,
        *,
        matcher: Callable[[Event], bool],
        entities: SomeEntitiesType | None = None,
        handle_once: bool = False,
    ) -> None:
        self.__matcher = matcher
        self.__entities = as_entities(entities)
        self.__handle_once = handle_once

    @property
    def entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities to visit."""
        return self.__entities

    @property
    def handle_once(self) -> bool:
        """Whether the handler serves one event only."""
        return self.__handle_once

    @property
    def handler_description(self) -> str:
        """Text for people: what happens."""
        return ''

    @property
    def matcher_description(self) -> str:
        """Text for people: which events are meant."""
        return ''

    def matches(self, event: Event) -> bool:
        """Tell whether the handler is meant by this event."""
        return self.__matcher(event)

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        """Return a text for people and the entities that are known beforehand."""
        text = f"{type(self).__name__}(matcher='{self.matcher_description}')"
        return text, self.entities

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Return the entities to visit because of this event, which is noted in the locals."""
        context.extend_locals({'event': event})
        if self.__handle_once:
            context.unregister_event_handler(self)
        return self.__entities


def as_entities(some: SomeEntitiesType | None) -> list[LaunchDescriptionEntity]:
    """
    Return the entities as a list.

    Parameters
    ----------
    some : entity, iterable of entities, or None
        What a user or a callback handed over.

    Raises
    ------
    TypeError
        If something is not an entity.

    """
    if some is None:
        return []
    found: list[LaunchDescriptionEntity] = (
        [some] if hasattr(some, 'visit') else list(some))  # type: ignore[list-item]
    for entity in found:
        if not hasattr(entity, 'visit'):
            raise TypeError(f'expected launch entities (actions, launch descriptions), '
                            f"found '{entity!r}' of type '{type(entity).__name__}'")
    return found
