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

SMALL = 1e-2
"""Angles below this go through series: their next terms are below 1e-12 [rad]."""


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
        object.__setattr__(self, '_way', rotation_vector(rotation_of('end', self.end) @ first.T))

    def at(self, time: float) -> OrientationPoint:
        """Return orientation, angular velocity and acceleration at a time [s]."""
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

    Through the quaternion with the largest component (Shepperd), so that it is exact to rounding
    at every angle; at pi one of the two signs.
    """
    (a, b, c), (d, e, f), (g, h, i) = rotation.tolist()
    squares = (1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i, 1.0 + a + e + i)
    largest = max(range(4), key=squares.__getitem__)
    rows = ((squares[0], b + d, c + g, h - f), (b + d, squares[1], f + h, c - g),
            (c + g, f + h, squares[2], d - b), (h - f, c - g, d - b, squares[3]))
    x, y, z, w = rows[largest]
    if w < 0.0:
        x, y, z, w = -x, -y, -z, -w
    length = math.sqrt(x * x + y * y + z * z)
    if length == 0.0:
        return np.zeros(3)
    factor = 2.0 * math.atan2(length, w) / length
    return np.array((factor * x, factor * y, factor * z))


def cross_matrix(vector: Vector) -> Matrix:
    """Return ``[a]``, with ``[a] b = a x b``."""
    x, y, z = vector.tolist()
    return np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))


def rate_of_rotation_vector(vector: Vector, spin: Vector, spin_rate: Vector
                            ) -> tuple[Matrix, Vector, Vector]:
    """
    Return how a rotation vector changes while its rotation turns.

    With ``a = |phi|`` and ``c(a) = (1 - a/2 cot(a/2)) / a^2``,
    ``phi_dot = B w``, ``B = 1 - [phi]/2 + c [phi]^2``; ``phi_ddot = B w_dot + B_dot w``.

    Parameters
    ----------
    vector : Vector
        ``phi`` (3,) [rad], shorter than a whole turn.
    spin, spin_rate : Vector
        ``w`` and its rate (3,), in the axes that phi is given in [rad/s, rad/s^2].

    Returns
    -------
    (3, 3), (3,) and (3,) array
        ``B``, ``phi_dot``, ``phi_ddot``.

    """
    square = float(vector.dot(vector))
    if square < SMALL**2:
        c = 1.0 / 12.0 + square / 720.0
        slope = 1.0 / 360.0 + square / 7560.0   # dc/da / a
    else:
        angle = math.sqrt(square)
        cotangent = 1.0 / math.tan(0.5 * angle)
        c = (1.0 - 0.5 * angle * cotangent) / square
        slope = ((0.25 * angle * (1.0 + cotangent * cotangent) - 0.5 * cotangent) / square
                 - 2.0 * c / angle) / angle
    K = cross_matrix(vector)
    K2 = K @ K
    B = np.eye(3) - 0.5 * K + c * K2
    rate = B @ spin
    dK = cross_matrix(rate)
    dB = -0.5 * dK + c * (dK @ K + K @ dK) + (slope * float(vector.dot(rate))) * K2
    return B, rate, B @ spin_rate + dB @ spin


def checked_direction(name: str, value: ArrayLike) -> Vector:
    """Return a direction (3,) of length one."""
    vector = checked_point(name, value)
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        raise InvalidValueError(name, [0.0, 0.0, 0.0], 'a vector that is not zero')
    return vector / length
