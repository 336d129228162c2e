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

"""Cut the output of a process into lines."""

from __future__ import annotations

import codecs
from collections.abc import Callable
import logging


class OutputLines:
    """
    Write whole lines to a logger, whatever pieces they arrive in.

    Parameters
    ----------
    logger : logging.Logger
        Where the lines go.
    form : callable
        Turns a line into what is written.

    """

    def __init__(self, logger: logging.Logger, form: Callable[[str], str]) -> None:
        self._logger = logger
        self._form = form
        self._decoder = codecs.getincrementaldecoder('utf-8')(errors='replace')
        self._rest = ''

    def feed(self, data: bytes) -> str:
        """Take a piece, write the lines that are complete, and return the piece as text."""
        text = self._decoder.decode(data)
        *lines, self._rest = (self._rest + text).split('\n')
        for line in lines:
            self._write(line)
        return text

    def flush(self) -> None:
        """Write what is left without an end of line."""
        if self._rest:
            self._write(self._rest)
            self._rest = ''

    def _write(self, line: str) -> None:
        self._logger.info('%s', self._form(line.removesuffix('\r')))
