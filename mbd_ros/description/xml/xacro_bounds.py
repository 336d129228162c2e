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

from collections import Counter
from collections.abc import Collection
from typing import Any

from mbd_ros.description.records.budget import add_elements, look
from mbd_ros.errors import cut

MAX_STEPS = 2_000_000
"""Operations of all expressions, and entries of the values they make."""

MAX_MADE = 10_000_000
"""Characters and entries of the results of all expressions and substitutions."""

MAX_ENTRIES = 100_000
"""Entries and characters of one value, with all that is in it."""

MAX_BITS = 10_000
"""Of a whole number."""

MAX_SAME = 100
"""Keys of a set or dictionary with one hash: each is compared with all of them."""

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
        self._steps = self._made = self._look = 0

    def step(self, count: int = 1) -> None:
        """Count operations, and look at the clock now and then."""
        self._steps += count
        if self._steps > self._most_steps:
            raise ValueError(f'more than {self._most_steps} operations are not allowed')
        if self._steps >= self._look:
            self._look = self._steps + _BETWEEN_LOOKS
            look()

    def make(self, count: int) -> None:
        """Count what is written into the document or kept in a property."""
        self._made += count
        if self._made > MAX_MADE:
            raise ValueError(f'expressions that make more than {MAX_MADE} characters are not '
                             'allowed')

    def add_nodes(self, count: int) -> None:
        """Count XML nodes that the files hold and macros and blocks make."""
        add_elements(count)

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
                    _check_keys(dict.keys(item))
                    waiting.extend(dict.keys(item))
                    waiting.extend(dict.values(item))
            elif isinstance(item, list):
                count += len(item)
                if count <= most:
                    waiting.extend(list.__iter__(item))  # a wrapper of xacro makes copies
            elif isinstance(item, (tuple, set, range)):
                count += len(item)
                if count <= most and not isinstance(item, range):
                    _check_keys(item if isinstance(item, set) else ())
                    waiting.extend(item)
            elif isinstance(item, int) and not isinstance(item, bool):
                count += check_bits(item.bit_length()) // 64
            elif type(item) not in _SCALARS:
                raise ValueError(f'a value of the type {cut(type(item).__name__)} is not allowed')
            if count > most:
                raise ValueError(f'a value of more than {MAX_ENTRIES} entries is not allowed')
        return count


class Same:
    """Counts keys by their hash; of crafted ones many have the same."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def add(self, key: Any) -> None:
        """Count a key, and raise ValueError if too many have its hash."""
        value = hash(key)
        self._counts[value] += 1
        if self._counts[value] > MAX_SAME:
            raise ValueError(f'more than {MAX_SAME} keys with one hash are not allowed')


def check_bits(count: int) -> int:
    """Return the number of bits of a whole number, if it is allowed."""
    if count > MAX_BITS:
        raise ValueError(f'a whole number of more than {MAX_BITS} bits is not allowed')
    return count


def _check_keys(keys: Collection[Any]) -> None:
    """Count the keys of a set or dictionary that an operation has made."""
    if len(keys) > MAX_SAME:
        same = Same()
        for key in keys:
            same.add(key)
