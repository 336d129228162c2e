"""Reactions to what a process writes."""

from __future__ import annotations

from typing import Any

from launch.event_handlers import OnProcessIO
from launch.events.process import ProcessIO

__all__ = ['StdoutReadyListener']


class StdoutReadyListener(OnProcessIO):
    """
    Do something once a process has written a text to its standard output.

    Parameters
    ----------
    target_action : ExecuteProcess, optional
        The process; any if left out.
    ready_txt : str
        The text.
    actions : list of actions
        What to do then, such as ``ReadyToTest``.

    """

    def __init__(self, *, target_action: Any = None, ready_txt: str, actions: Any) -> None:
        def look(event: ProcessIO) -> Any:
            return actions if ready_txt in event.text.decode(errors='replace') else None

        super().__init__(target_action=target_action, on_stdout=look)
