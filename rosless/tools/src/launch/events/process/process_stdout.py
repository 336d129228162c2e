"""A process has written to its standard output."""

from __future__ import annotations

from typing import Any

from launch.events.process.process_io import ProcessIO


class ProcessStdout(ProcessIO):
    """Emitted when a process has written to its standard output."""

    name = 'launch.events.process.ProcessStdout'

    def __init__(self, *, text: bytes, **kwargs: Any) -> None:
        super().__init__(text=text, fd=1, **kwargs)
