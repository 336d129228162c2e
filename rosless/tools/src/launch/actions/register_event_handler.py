"""Begin to react to events."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.event_handler import EventHandler
from launch.launch_description_entity import LaunchDescriptionEntity

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class RegisterEventHandler(Action):
    """
    Register an event handler.

    Parameters
    ----------
    event_handler : EventHandler
        The handler.

    """

    def __init__(self, event_handler: EventHandler, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.event_handler = event_handler

    def execute(self, context: LaunchContext) -> None:
        """Register the handler."""
        context.register_event_handler(self.event_handler)

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, list[LaunchDescriptionEntity]]]:
        """Return what the handler leads to."""
        text, entities = self.event_handler.describe()
        return [(text, entities)] if entities else []
