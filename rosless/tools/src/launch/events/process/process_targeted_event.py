"""Base of the events that ask something of certain processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from launch.event import Event

if TYPE_CHECKING:
    from launch.actions.execute_local import ExecuteLocal


class ProcessTargetedEvent(Event):
    """
    Asks something of the processes that a matcher selects.

    Parameters
    ----------
    process_matcher : callable
        Takes an ExecuteLocal action; tells whether it is meant.

    """

    name = 'launch.events.process.ProcessTargetedEvent'

    def __init__(self, *, process_matcher: Callable[[ExecuteLocal], bool]) -> None:
        self.process_matcher = process_matcher
