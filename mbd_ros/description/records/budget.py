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

"""
The time and memory that reading one description may take.

``reading()`` begins a budget, or goes on with the one there is: ``load`` opens it around all it
does, and ``read``, ``expand_xacro`` or the viewer around what they do. Everything that comes below
asks the same one, by functions of this file: readers at every element and name, the evaluator of
xacro at every operation, the model at every body and beam. Where nobody reads a description,
they do nothing.

"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
import time

from mbd_ros.errors import DescriptionError

SECONDS = 30.0
"""Of computing by the thread that reads; the largest robots take one or two."""

BYTES = 1024 * 1024 * 1024
"""Of the files that are opened and of what is kept of them, as far as it is counted."""

ELEMENTS = 200_000
"""Of XML in all files together; reading as many takes some twenty seconds."""

HINT_CHARACTERS = 2_000_000
"""Of names that are compared in search of the nearest; some seconds. Then no more are looked for.
"""


SLICE, REST = 1e-3, 3.0
"""Who reads ``unhurriedly`` rests after so much computing [s], for so many times as long."""


class Budget:
    """What reading one description has used so far."""

    def __init__(self) -> None:
        self.rested = time.thread_time()   # computing time of the thread at the last rest
        self.end = self.rested + SECONDS
        self.bytes = self.elements = self.hints = 0


_CURRENT: ContextVar[Budget | None] = ContextVar('mbd_ros.reading', default=None)
_UNHURRIED: ContextVar[bool] = ContextVar('mbd_ros.unhurried', default=False)


@contextmanager
def unhurriedly() -> Iterator[None]:
    """
    Read in slices of a millisecond, a fourth of the time.

    For threads beside callbacks: who holds Python's lock while it reads for a tenth of a second
    keeps every answer waiting that is due meanwhile, a little at each step.
    """
    token = _UNHURRIED.set(True)
    try:
        yield
    finally:
        _UNHURRIED.reset(token)


@contextmanager
def reading() -> Iterator[None]:
    """Begin to read a description, unless one is being read: then this is a part of it."""
    if _CURRENT.get() is not None:
        yield
        return
    token = _CURRENT.set(Budget())
    try:
        yield
    finally:
        _CURRENT.reset(token)


def look(file: str | None = None, line: int | None = None) -> None:
    """
    Look at the clock, and rest where that is due.

    Parameters
    ----------
    file, line : str and int, optional
        What is being read, for the error.

    Raises
    ------
    DescriptionError
        If the time is over.

    """
    budget = _CURRENT.get()
    if budget is None:
        return
    now = time.thread_time()
    if now - budget.rested > SLICE and _UNHURRIED.get():
        time.sleep(REST * (now - budget.rested))
        budget.rested = now
    if now > budget.end:
        raise DescriptionError(f'reading this description takes more than {SECONDS:g} s of '
                               'computing; allowed: less', file=file, line=line)


def take(count: int, file: str | None = None, line: int | None = None) -> None:
    """
    Count memory [bytes], and look at the clock.

    Raises
    ------
    DescriptionError
        If it is too much.

    """
    budget = _CURRENT.get()
    if budget is None:
        return
    budget.bytes += count
    if budget.bytes > BYTES:
        raise DescriptionError(f'reading this description takes more than {BYTES >> 20} MiB; '
                               'allowed: less', file=file, line=line)
    look(file, line)


def add_elements(count: int, file: str | None = None, line: int | None = None) -> None:
    """
    Count elements of XML.

    Raises
    ------
    DescriptionError
        If there are too many.

    """
    budget = _CURRENT.get()
    if budget is None:
        return
    budget.elements += count
    if budget.elements > ELEMENTS:
        raise DescriptionError(f'the description has more than {ELEMENTS} elements, as no robot '
                               'has', file=file, line=line)


def may_compare(characters: int) -> bool:
    """Return whether names of so many characters may still be compared, and count them."""
    budget = _CURRENT.get()
    if budget is None:
        return True
    budget.hints += characters
    return budget.hints <= HINT_CHARACTERS
