"""A timer has run out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.event import Event

if TYPE_CHECKING:
    from launch.action import Action


class TimerEvent(Event):
    """
    Emitted by a timer action whose time has come.

    Parameters
    ----------
    timer_action : TimerAction
        The action.

    """

    name = 'launch.events.TimerEvent'

    def __init__(self, *, timer_action: Action) -> None:
        self.__timer_action = timer_action

    @property
    def timer_action(self) -> Action:
        """Return the action."""
        return self.__timer_action
