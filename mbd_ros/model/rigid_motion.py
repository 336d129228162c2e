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
Quaternions x y z w and the exponential map of SE(3), in plain floats.

One floating joint is too small for arrays: plain floats are some ten times faster here.

"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, sin, sqrt

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

SMALL_ANGLE = 1e-3
"""Below it the series used here, cut after the second term, are exact to 1e-14 (relative)."""


def cross(a: Vector3, b: Vector3) -> Vector3:
    """Return the vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return the product of two quaternions: first turn by a, then by b about the turned axes."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by + ay * bw + az * bx - ax * bz,
            aw * bz + az * bw + ax * by - ay * bx, aw * bw - ax * bx - ay * by - az * bz)


def inverse(a: Quaternion) -> Quaternion:
    """Return the quaternion that turns back."""
    return (-a[0], -a[1], -a[2], a[3])


def unit(a: Quaternion) -> Quaternion:
    """Return the quaternion of length 1 that turns as much; a must not be zero."""
    x, y, z, w = a
    length = sqrt(x * x + y * y + z * z + w * w)
    return (x / length, y / length, z / length, w / length)


def rotate(a: Quaternion, vector: Vector3) -> Vector3:
    """Return ``R p`` for a quaternion of any length but zero."""
    x, y, z, w = a
    axis = (x, y, z)
    two = 2.0 / (x * x + y * y + z * z + w * w)
    first = cross(axis, vector)
    second = cross(axis, first)
    return (vector[0] + two * (w * first[0] + second[0]),
            vector[1] + two * (w * first[1] + second[1]),
            vector[2] + two * (w * first[2] + second[2]))


def turn(angular: Vector3) -> Quaternion:
    """Return the unit quaternion of a rotation vector [rad]."""
    squared = _square(angular)
    angle = sqrt(squared)
    factor = 0.5 - squared / 48.0 if angle < SMALL_ANGLE else sin(0.5 * angle) / angle
    x, y, z = angular
    return (factor * x, factor * y, factor * z, cos(0.5 * angle))


def of_matrix(rows: Sequence[Sequence[float]]) -> Quaternion:
    """Return the unit quaternion of a rotation matrix, from its largest component on."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rows
    columns = ((1.0 + xx - yy - zz, xy + yx, xz + zx, zy - yz),
               (xy + yx, 1.0 - xx + yy - zz, yz + zy, xz - zx),
               (xz + zx, yz + zy, 1.0 - xx - yy + zz, yx - xy),
               (zy - yz, xz - zx, yx - xy, 1.0 + xx + yy + zz))
    return unit(columns[max(range(4), key=lambda k: columns[k][k])])


def rotation_vector(a: Quaternion) -> Vector3:
    """Return the rotation vector of a quaternion, no longer than pi [rad]."""
    x, y, z, w = unit(a if a[3] >= 0.0 else (-a[0], -a[1], -a[2], -a[3]))
    sine = sqrt(x * x + y * y + z * z)
    if sine < SMALL_ANGLE:
        squared = (sine / w) ** 2
        factor = 2.0 / w * (1.0 - squared / 3.0 + squared * squared / 5.0)
    else:
        factor = 2.0 * atan2(sine, w) / sine
    return (factor * x, factor * y, factor * z)


def displacement(linear: Vector3, angular: Vector3) -> Vector3:
    """
    Return how far a body's origin comes in unit time, in the body's axes at the start.

    ``V p`` with ``V = 1 + (1 - cos t)/t^2 [w]x + (t - sin t)/t^3 [w]x^2``, where t is the length
    of the angular velocity w and p the linear velocity, both constant in the body's own axes.
    """
    squared = _square(angular)
    angle = sqrt(squared)
    if angle < SMALL_ANGLE:
        first, second = 0.5 - squared / 24.0, 1.0 / 6.0 - squared / 120.0
    else:
        half = sin(0.5 * angle)
        first, second = 2.0 * half * half / squared, (angle - sin(angle)) / (squared * angle)
    return _combine(linear, angular, first, second)


def linear_velocity(displaced: Vector3, angular: Vector3) -> Vector3:
    """
    Return the linear velocity that leads to a displacement: the inverse of ``displacement``.

    ``V^-1 = 1 - [w]x / 2 + (1 - t/2 cot(t/2))/t^2 [w]x^2``, for turns up to pi.
    """
    squared = _square(angular)
    half = 0.5 * sqrt(squared)
    if half < SMALL_ANGLE:
        second = 1.0 / 12.0 + squared / 720.0
    else:
        second = (1.0 - half * cos(half) / sin(half)) / squared
    return _combine(displaced, angular, -0.5, second)


def _square(a: Vector3) -> float:
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]


def _combine(p: Vector3, w: Vector3, first: float, second: float) -> Vector3:
    """Return ``p + first [w]x p + second [w]x [w]x p``."""
    once = cross(w, p)
    twice = cross(w, once)
    return (p[0] + first * once[0] + second * twice[0],
            p[1] + first * once[1] + second * twice[1],
            p[2] + first * once[2] + second * twice[2])
