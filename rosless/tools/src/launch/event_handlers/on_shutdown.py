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

"""Reaction to the end of the launch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from launch.event import Event
from launch.event_handler import EventHandler
from launch.events.shutdown import Shutdown
from launch.some_entities_type import SomeEntitiesType

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class OnShutdown(EventHandler):
    """
    React to the beginning of the end of the launch.

    Parameters
    ----------
    on_shutdown : entities, or callable
        What to visit; a callable takes the event and the context and returns it.

    """

    def __init__(
        self,
        *,
        on_shutdown: SomeEntitiesType | Callable[[Shutdown, Any], SomeEntitiesType | None],
        **kwargs: Any,
    ) -> None:
        self._given = on_shutdown
        self._callback = on_shutdown if callable(on_shutdown) else None
        super().__init__(
            matcher=lambda event: isinstance(event, Shutdown),
            entities=None if callable(on_shutdown) else on_shutdown, **kwargs)

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Return what to visit because of this event: what was given, or a callback returns."""
        super().handle(event, context)
        if self._callback is None:
            return self._given  # type: ignore[return-value]   # no callable
        assert isinstance(event, Shutdown)
        return self._callback(event, context)

    @property
    def matcher_description(self) -> str:
        """Text for people: which events are meant."""
        return 'event is Shutdown'
