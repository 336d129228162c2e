"""Remarks of a reader about a description that it can read."""

from __future__ import annotations

from typing import Literal, NamedTuple

Severity = Literal['info', 'warning', 'error']


class Source(NamedTuple):
    """Where a record was written: file and line, counted from 1."""

    file: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        """Return ``file:line``, as far as known."""
        if self.file is None:
            return 'unknown place'
        return self.file if self.line is None else f'{self.file}:{self.line}'


class Finding(NamedTuple):
    """
    One remark about a description.

    Attributes
    ----------
    severity : {'info', 'warning', 'error'}
        ``info``: nothing to do. ``warning``: the robot may not be what its author meant.
        ``error``: the description is wrong, and was read because it was asked for so.
    message : str
        What was found, with the name of the link or joint.
    file, line : str, int or None
        Where.
    remedy : str
        What to do about it, where the message does not say it; may be empty.

    """

    severity: Severity
    message: str
    file: str | None = None
    line: int | None = None
    remedy: str = ''

    def __str__(self) -> str:
        """Return the finding as one line of text, as compilers print theirs."""
        return f'{Source(self.file, self.line)}: {self.severity}: {self.message}'
