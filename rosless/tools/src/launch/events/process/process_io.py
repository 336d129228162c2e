"""A process has written something."""

from __future__ import annotations

from typing import Any

from launch.events.process.running_process_event import RunningProcessEvent


class ProcessIO(RunningProcessEvent):
    """
    Base of the events that carry output.

    Parameters
    ----------
    text : bytes
        The output.
    fd : int
        File descriptor it was written to: 1 or 2.

    """

    name = 'launch.events.process.ProcessIO'

    def __init__(self, *, text: bytes, fd: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.text = text
        self.fd = fd

    @property
    def from_stdout(self) -> bool:
        """Whether the output is standard output."""
        return self.fd == 1

    @property
    def from_stderr(self) -> bool:
        """Whether the output is standard error."""
        return self.fd == 2

    @property
    def from_stdin(self) -> bool:
        """Whether this is input; never."""
        return self.fd == 0
