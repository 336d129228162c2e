"""A process has written to its standard error."""

from __future__ import annotations

from typing import Any

from launch.events.process.process_io import ProcessIO


class ProcessStderr(ProcessIO):
    """Emitted when a process has written to its standard error."""

    name = 'launch.events.process.ProcessStderr'

    def __init__(self, *, text: bytes, **kwargs: Any) -> None:
        super().__init__(text=text, fd=2, **kwargs)
