"""Orientations in time that a servo constraint follows, and rotation vectors."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.references import checked_point, finite, positive, quintic
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError
from mbd_ros.simulation.manifold import Matrix, Vector
from mbd_ros.spatial import Rotation, Vector3
from mbd_ros.spatial.logarithm import rotation_vector as logarithm


class OrientationPoint(NamedTuple):
    """
    An orientation at one instant.

    Attributes
    ----------
    rotation : Matrix
        (3, 3): the desired axes of the link in world axes, as columns.
    velocity, acceleration : Vector
        (3,) each, angular, in world axes [rad/s, rad/s^2].

    """

    rotation: Matrix
    velocity: Vector
    acceleration: Vector


class Orientation(Protocol):
    """A twice differentiable orientation."""

    def at(self, time: float) -> OrientationPoint:
        """Return orientation, angular velocity and acceleration at a time [s]."""
        ...


@dataclass(frozen=True, eq=False)
class Turn:
    """
    The shorter turn from one orientation to another, about one axis, from rest to rest.

    Parameters
    ----------
    start, end : array_like
        (4,) quaternions x y z w; they are brought to length one. Equal ones: it is held.
    duration : float, optional
        Time from start to end [s], with quintic time scaling.
    begin : float, optional
        Time at which it begins to turn [s].

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If a quaternion is not four finite numbers or zero, or the duration is not positive.

    """

    start: Vector
    end: Vector
    duration: float = 1.0
    begin: float = 0.0

    def __post_init__(self) -> None:
        """Check the data and find the axis."""
        first = rotation_of('start', self.start)
        object.__setattr__(self, 'duration', positive('duration', self.duration))
        object.__setattr__(self, 'begin', finite('begin', self.begin))
        object.__setattr__(self, '_first', first)
        last = rotation_of('end', self.end)
        same = np.array_equal(first, last)   # or rounding would be a turn
        object.__setattr__(self, '_way', np.zeros(3) if same else rotation_vector(last @ first.T))
        object.__setattr__(self, '_rest', OrientationPoint(last, np.zeros(3), np.zeros(3)))

    @property
    def turns(self) -> bool:
        """Whether the two differ."""
        return bool(self._way.any())  # type: ignore[attr-defined]

    def at(self, time: float) -> OrientationPoint:
        """Return orientation, angular velocity and acceleration at a time [s]."""
        if time >= self.begin + self.duration or not self.turns:
            return self._rest  # type: ignore[attr-defined]
        s, rate, second = quintic(time - self.begin, self.duration)
        way: Vector = self._way  # type: ignore[attr-defined]
        first: Matrix = self._first  # type: ignore[attr-defined]
        return OrientationPoint(turned(s * way) @ first, rate * way, second * way)


def held(orientation: ArrayLike) -> Turn:
    """Return an orientation, a quaternion x y z w, that does not change."""
    return Turn(orientation, orientation)  # type: ignore[arg-type]


def rotation_of(name: str, quaternion: ArrayLike) -> Matrix:
    """
    Return the rotation matrix of a quaternion x y z w of any length but zero.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If it is not four finite numbers, or zero.

    """
    try:
        values = np.array(quaternion, np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidValueError(name, quaternion, 'a quaternion x y z w') from error
    if values.shape != (4,):
        raise ShapeError(name, values.shape, '(4,), a quaternion x y z w')
    if not np.isfinite(values).all():
        raise NotFiniteError(name, 'a quaternion', float(values[~np.isfinite(values)][0]))
    length = float(np.linalg.norm(values))
    if length == 0.0:
        raise InvalidValueError(name, values.tolist(), 'a quaternion that is not zero')
    x, y, z, w = (values / length).tolist()
    return np.array(((1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
                     (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
                     (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y))))


def turned(vector: Vector) -> Matrix:
    """Return the rotation matrix of a rotation vector (3,) [rad] (Rodrigues)."""
    angle = math.sqrt(vector.dot(vector))
    half = 0.5 * angle
    sinc = math.sin(half) / half if half > 0.0 else 1.0
    K = cross_matrix(vector)
    # (1 - cos a) / a^2 = sinc(a / 2)^2 / 2, which loses nothing to cancellation
    rotation: Matrix = np.eye(3) + (sinc * math.cos(half)) * K + (0.5 * sinc * sinc) * (K @ K)
    return rotation


def rotation_vector(rotation: Matrix) -> Vector:
    """
    Return the rotation vector (3,) [rad] of a rotation matrix, not longer than pi.

    Exact to rounding at every angle; at pi one of the two signs.
    """
    return np.array(logarithm(Rotation(*(Vector3(*row) for row in rotation.T.tolist()))))


def cross_matrix(vector: Vector) -> Matrix:
    """Return ``[a]``, with ``[a] b = a x b``."""
    x, y, z = vector.tolist()
    return np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))


def checked_direction(name: str, value: ArrayLike) -> Vector:
    """Return a direction (3,) of length one."""
    vector = checked_point(name, value)
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        raise InvalidValueError(name, [0.0, 0.0, 0.0], 'a vector that is not zero')
    return vector / length
