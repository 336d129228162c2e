"""An action has been executed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.event import Event

if TYPE_CHECKING:
    from launch.action import Action


class ExecutionComplete(Event):
    """
    Emitted when an action and what it began are done.

    Parameters
    ----------
    action : Action
        The action.

    """

    name = 'launch.events.ExecutionComplete'

    def __init__(self, *, action: Action) -> None:
        self.__action = action

    @property
    def action(self) -> Action:
        """Return the action."""
        return self.__action
