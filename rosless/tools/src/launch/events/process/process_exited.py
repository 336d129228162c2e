"""A process has ended."""

from __future__ import annotations

from typing import Any

from launch.events.process.running_process_event import RunningProcessEvent


class ProcessExited(RunningProcessEvent):
    """
    Emitted when a process has ended.

    Parameters
    ----------
    returncode : int
        Exit status; negative: the signal that ended the process.

    """

    name = 'launch.events.process.ProcessExited'

    def __init__(self, *, returncode: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.returncode = returncode
