"""Detect that messages have stopped arriving."""

from __future__ import annotations

LOOK = 0.1
"""Time between two looks [s]."""


class Silence:
    """
    Counts looks in a row before which nothing was heard.

    Not the time since the last message: a node that was kept busy, or out of the processor, for
    long finds messages that wait for it, and may come to look before it comes to read them.
    """

    def __init__(self) -> None:
        self._looks = 0

    def heard(self) -> None:
        """Note that a message was read."""
        self._looks = 0

    def look(self, timeout: float) -> bool:
        """Tell, every ``LOOK`` seconds, whether nothing has come for longer than a time [s]."""
        self._looks += 1
        return self._looks * LOOK > timeout
