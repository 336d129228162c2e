"""Arrays as records of Python floats."""

from __future__ import annotations

from collections.abc import Iterable

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
