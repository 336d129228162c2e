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

"""Base of the reactions to what happens to an action."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.event import Event
from launch.event_handler import EventHandler
from launch.some_entities_type import SomeEntitiesType

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

Reaction = SomeEntitiesType | Callable[[Any, Any], SomeEntitiesType | None]


class OnActionEventBase(EventHandler):
    """
    React to an event of one action, of the actions a matcher selects, or of all.

    Parameters
    ----------
    action_matcher : Action, callable or None
        Which actions are meant.
    on_event : entities, or callable
        What to visit; a callable takes the event and the context and returns it.
    target_event_cls : type
        Kind of event.
    handle_once : bool
        Whether the handler is unregistered after its first event.

    """

    def __init__(
        self,
        *,
        action_matcher: Action | Callable[[Action], bool] | None,
        on_event: Reaction,
        target_event_cls: type[Event],
        handle_once: bool = False,
    ) -> None:
        if not (action_matcher is None or isinstance(action_matcher, Action)
                or callable(action_matcher)):
            raise TypeError(f'{type(self).__name__} expects an action, a callable or None as '
                            f"its target, found '{action_matcher}'")
        self._target = action_matcher
        self._event_class = target_event_cls
        self._callback = on_event if callable(on_event) else None
        super().__init__(
            matcher=self._is_meant, handle_once=handle_once,
            entities=None if callable(on_event) else on_event)

    def _is_meant(self, event: Event) -> bool:
        if not isinstance(event, self._event_class):
            return False
        action: Any = getattr(event, 'action', None)
        if self._target is None or action is self._target:
            return True
        return callable(self._target) and bool(self._target(action))

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Return what to visit because of this event: entities, or what a callback returns."""
        entities = super().handle(event, context)
        return entities if self._callback is None else self._callback(event, context)

    @property
    def matcher_description(self) -> str:
        """Text for people: which events are meant."""
        return f'event == {self._event_class.__name__}'
