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

"""Small vectors of scalars, floats or symbols, in plain lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import math
from typing import TypeAlias

from mbd_ros.spatial import larger, root, Scalar

Row: TypeAlias = list[Scalar]


def sum_of(terms: Iterable[Scalar]) -> Scalar:
    """Return the sum of scalars, zero without any."""
    total: Scalar = 0.0
    for term in terms:
        total = total + term
    return total


def difference(one: Row, other: Row) -> Row:
    """Return ``one - other``, as far as both go."""
    return [x - y for x, y in zip(one, other)]


def length(vector: Iterable[Scalar]) -> Scalar:
    """Return the Euclidean norm."""
    return root(sum_of(x * x for x in vector))


def smallest(values: Row) -> Scalar:
    """Return the smallest of some scalars."""
    found = values[0]
    for value in values[1:]:
        found = -larger(-found, -value)
    return found


def all_positive(numbers: Iterable[Scalar]) -> bool:
    """Return whether all numbers are above zero."""
    return all(number > 0.0 for number in numbers)


def absolute(value: Scalar) -> Scalar:
    """Return the absolute value."""
    return larger(value, -value)


def clipped(value: Scalar, limit: Scalar) -> Scalar:
    """Return a value cut at a limit on both sides; an infinite one cuts nothing."""
    if isinstance(limit, float) and math.isinf(limit):
        return value
    return larger(-limit, -larger(-value, -limit))


def square(entries: Sequence[Scalar], n: int) -> list[Row]:
    """Return the rows of a square matrix."""
    return [list(entries[n * i:n * (i + 1)]) for i in range(n)]


def identity(n: int) -> list[Row]:
    """Return the rows of the unit matrix."""
    return [[float(i == k) for k in range(n)] for i in range(n)]
