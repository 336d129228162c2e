"""Stop reacting to events."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.event_handler import EventHandler

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class UnregisterEventHandler(Action):
    """
    Unregister an event handler.

    Parameters
    ----------
    event_handler : EventHandler
        The handler.

    """

    def __init__(self, event_handler: EventHandler, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.event_handler = event_handler

    def execute(self, context: LaunchContext) -> None:
        """Unregister the handler."""
        context.unregister_event_handler(self.event_handler)
