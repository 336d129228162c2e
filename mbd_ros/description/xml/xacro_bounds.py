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

"""Bounds on what one expansion of a xacro file may compute, hold and write."""

from __future__ import annotations

import time
from typing import Any

from mbd_ros.errors import cut

MAX_SECONDS = 30.0
"""Computing time; the largest robots take one or two."""

MAX_STEPS = 2_000_000
"""Operations of all expressions, and entries of the values they make."""

MAX_MADE = 10_000_000
"""Characters and entries of the results of all expressions and substitutions."""

MAX_ENTRIES = 100_000
"""Entries and characters of one value, with all that is in it."""

MAX_BITS = 10_000
"""Of a whole number."""

MAX_NODES = 200_000
"""XML nodes that the files hold and macros and blocks make."""

_BETWEEN_LOOKS = 64
"""Steps between two looks at the clock; the longest step takes some milliseconds."""

_SCALARS = (bool, float, type(None))


class Budget:
    """
    What one expansion has used so far; every way of using more raises ``ValueError``.

    Parameters
    ----------
    steps : int
        Operations that are allowed.

    """

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self._most_steps = steps
        self._steps = self._made = self._nodes = self._look = 0
        self._end = time.thread_time() + MAX_SECONDS

    def step(self, count: int = 1) -> None:
        """Count operations, and look at the clock now and then."""
        self._steps += count
        if self._steps > self._most_steps:
            raise ValueError(f'more than {self._most_steps} operations are not allowed')
        if self._steps >= self._look:
            self._look = self._steps + _BETWEEN_LOOKS
            self.look()

    def look(self) -> None:
        """Look at the clock."""
        if time.thread_time() > self._end:
            raise ValueError(f'this takes more than {MAX_SECONDS:g} s')

    def make(self, count: int) -> None:
        """Count what is written into the document or kept in a property."""
        self._made += count
        if self._made > MAX_MADE:
            raise ValueError(f'expressions that make more than {MAX_MADE} characters are not '
                             'allowed')

    def add_nodes(self, count: int) -> None:
        """Count XML nodes."""
        self._nodes += count
        if self._nodes > MAX_NODES:
            raise ValueError(f'more than {MAX_NODES} XML elements are not allowed')

    def checked(self, value: Any) -> Any:
        """Return a value that an operation has made, if it is of a known type and size."""
        if type(value) not in _SCALARS:
            self.step(self.size(value))
        return value

    def size(self, value: Any, most: int = MAX_ENTRIES) -> int:
        """
        Return the number of entries and characters of a value, with all that is in it.

        Parameters
        ----------
        value : object
            Numbers, texts, and lists, tuples, sets and dictionaries of values. What stands in a
            list several times is counted as often, as it would be written.
        most : int
            The largest size allowed.

        Raises
        ------
        ValueError
            If it is larger, or something else is in it.

        """
        count, waiting = 0, [value]
        while waiting:
            item = waiting.pop()
            count += 1
            if isinstance(item, str):
                count += len(item)
            elif isinstance(item, dict):
                count += len(item)
                if count <= most:
                    waiting.extend(dict.keys(item))
                    waiting.extend(dict.values(item))
            elif isinstance(item, list):
                count += len(item)
                if count <= most:
                    waiting.extend(list.__iter__(item))  # a wrapper of xacro makes copies
            elif isinstance(item, (tuple, set, range)):
                count += len(item)
                if count <= most and not isinstance(item, range):
                    waiting.extend(item)
            elif isinstance(item, int) and not isinstance(item, bool):
                count += check_bits(item.bit_length()) // 64
            elif type(item) not in _SCALARS:
                raise ValueError(f'a value of the type {cut(type(item).__name__)} is not allowed')
            if count > most:
                raise ValueError(f'a value of more than {MAX_ENTRIES} entries is not allowed')
        return count


def check_bits(count: int) -> int:
    """Return the number of bits of a whole number, if it is allowed."""
    if count > MAX_BITS:
        raise ValueError(f'a whole number of more than {MAX_BITS} bits is not allowed')
    return count
