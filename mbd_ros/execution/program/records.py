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
Records of scalars: made of arrays, taken apart, mapped.

In the record of a body or a tie a float is a *constant*, which code for many robots loads from a
table. All else is *structure*: the lengths of tuples, integers, names, types. Records of equal
structure run through the same code.

"""

from __future__ import annotations

from collections.abc import Callable, Iterable
import itertools
from typing import Any

import numpy as np

from mbd_ros.spatial import Rotation, Vector3


def rotation_record(matrix: np.ndarray) -> Rotation:
    """Return a rotation matrix (3, 3) as a record of floats."""
    return Rotation(*(vector_record(matrix[:, k]) for k in range(3)))


def vector_record(vector: np.ndarray) -> Vector3:
    """Return a vector (3,) as a record of floats."""
    return Vector3(*floats(vector))


def floats(values: Iterable[float]) -> list[float]:
    """Return plain floats, with no negative zeros."""
    return [float(value) + 0.0 for value in values]


def flatten(record: Any) -> list[Any]:
    """Return the scalars of a record of records, depth first."""
    if isinstance(record, tuple):
        return [leaf for part in record for leaf in flatten(part)]
    return [record]


def mapped(record: Any, function: Callable[[Any], Any]) -> Any:
    """Return a record with a function applied to every scalar."""
    if not isinstance(record, tuple):
        return function(record)
    parts = [mapped(part, function) for part in record]
    return type(record)(*parts) if hasattr(record, '_fields') else tuple(parts)


def constants_of(record: Any) -> list[float]:
    """Return the constants of a record, depth first."""
    return [leaf for leaf in flatten(record) if isinstance(leaf, float)]


def structure_of(record: Any) -> Any:
    """Return a record with None in place of each constant."""
    return mapped(record, lambda leaf: None if isinstance(leaf, float) else leaf)


def size_of(structure: Any) -> int:
    """Return the number of constants of a structure, those that it knows among them."""
    return sum(leaf is None or isinstance(leaf, float) for leaf in flatten(structure))


def with_constants(structure: Any, value: Callable[[int], Any]) -> Any:
    """Return a structure with ``value(k)`` as constant k, where it does not know a number."""
    places = itertools.count()

    def leaf(known: Any) -> Any:
        if known is not None and not isinstance(known, float):
            return known
        place = next(places)
        return value(place) if known is None else known

    return mapped(structure, leaf)


def filled(record: Any, value: Callable[[int], Any]) -> Any:
    """Return a record with ``value(k)`` in place of its k-th scalar."""
    places = itertools.count()
    return mapped(record, lambda _: value(next(places)))
