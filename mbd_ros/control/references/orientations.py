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

"""Orientations in time that a servo constraint follows, and rotation vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.references.arguments import finite, positive, vector
from mbd_ros.control.references.paths import quintic
from mbd_ros.control.references.scalars import Row
from mbd_ros.control.references.time_code import closed_form, Coded, TimeCode
from mbd_ros.errors import InvalidValueError
from mbd_ros.simulation.manifold import Matrix, Vector
from mbd_ros.spatial import Rotation, Scalar, sine, Vector3
from mbd_ros.spatial.logarithm import rotation_vector as logarithm


class OrientationPoint(NamedTuple):
    """
    An orientation at one instant: the desired axes of a link in world axes (3, 3), as columns.

    Its velocity and acceleration are angular, (3,) each in world axes [rad/s, rad/s^2].
    """

    rotation: Matrix
    velocity: Vector
    acceleration: Vector


class Orientation(Protocol):
    """
    A twice differentiable orientation.

    It may have ``time_code()``, too: machine code (``time_code.TimeCode``) for the rotation by
    rows, angular velocity and acceleration one behind the other (15,).
    """

    def at(self, time: float) -> OrientationPoint:
        """Return orientation, angular velocity and acceleration at a time [s]."""
        ...


@dataclass(frozen=True, eq=False)
class Turn(Coded):
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

    @property
    def turns(self) -> bool:
        """Whether the two differ."""
        return bool(self._way.any())  # type: ignore[attr-defined]

    def _made(self) -> TimeCode:
        way: Vector = self._way  # type: ignore[attr-defined]
        first: Matrix = self._first  # type: ignore[attr-defined]
        angle = float(np.linalg.norm(way))
        return closed_form(_turning, (self.begin, self.duration, angle, *(way / (angle or 1.0)),
                                      *first.ravel()), 15)

    def at(self, time: float) -> OrientationPoint:
        """Return orientation, angular velocity and acceleration at a time [s]."""
        assert self._code is not None
        point = self._code(time)
        return OrientationPoint(point[:9].reshape(3, 3), point[9:12], point[12:])


def _turning(time: Scalar, data: Row) -> Row:
    begin, duration, angle = data[:3]
    axis, first = Vector3(*data[3:6]), data[6:]
    s, rate, second = quintic(time - begin, duration)
    columns = [turned(Vector3(*first[k::3]), axis, s * angle) for k in range(3)]
    return [*(column[row] for row in range(3) for column in columns),
            *(axis * (rate * angle)), *(axis * (second * angle))]


def held(orientation: ArrayLike) -> Turn:
    """Return an orientation, a quaternion x y z w, that does not change."""
    return Turn(orientation, orientation)  # type: ignore[arg-type]


def rotation_of(name: str, quaternion: ArrayLike) -> Matrix:
    """
    Return the rotation matrix of a quaternion x y z w of any length but zero.

    Raises ShapeError, NotFiniteError or InvalidValueError if it is not four finite numbers, or
    zero.
    """
    values = vector(name, quaternion, 4, 'a quaternion x y z w')
    length = float(np.linalg.norm(values))
    if length == 0.0:
        raise InvalidValueError(name, values.tolist(), 'a quaternion that is not zero')
    return np.array(Rotation.from_quaternion(*(values / length).tolist())).T   # from its columns


def turned(vector: Vector3, axis: Vector3, angle: Scalar) -> Vector3:
    """Return a vector turned about an axis of length one by an angle [rad] (Rodrigues)."""
    once, half = axis.cross(vector), sine(0.5 * angle)
    # 1 - cos a = 2 sin(a / 2)^2, which loses nothing to cancellation
    return vector + once * sine(angle) + axis.cross(once) * (2.0 * half * half)


def rotation_vector(rotation: Matrix) -> Vector:
    """
    Return the rotation vector (3,) [rad] of a rotation matrix, not longer than pi.

    Exact to rounding at every angle; at pi one of the two signs.
    """
    return np.array(logarithm(Rotation(*(Vector3(*row) for row in rotation.T.tolist()))))
