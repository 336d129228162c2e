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

"""Make an event happen."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.event import Event

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class EmitEvent(Action):
    """
    Emit an event.

    Parameters
    ----------
    event : Event
        The event.

    """

    def __init__(self, *, event: Event, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(event, Event):
            raise RuntimeError(f"EmitEvent expected an event, found '{event}' of type "
                               f'{type(event).__name__}')
        self.event = event

    def execute(self, context: LaunchContext) -> None:
        """Emit the event."""
        context.emit_event_sync(self.event)
