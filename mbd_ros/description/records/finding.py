# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

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
