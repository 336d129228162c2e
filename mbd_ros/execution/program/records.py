"""Records of scalars: made of arrays, taken apart, mapped."""

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


def filled(record: Any, value: Callable[[int], Any]) -> Any:
    """Return a record with ``value(k)`` in place of its k-th scalar."""
    places = itertools.count()
    return mapped(record, lambda _: value(next(places)))
