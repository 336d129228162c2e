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
