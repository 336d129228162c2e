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

"""The rotation vector of a rotation on scalars, at every angle and without a branch."""

from __future__ import annotations

from mbd_ros.spatial.rotation import Rotation
from mbd_ros.spatial.vector import inverse_above, root, Scalar, Vector3

HALVINGS, TERMS = 3, 9
"""From a quarter of the angle three more halvings lead below 0.1 rad; then nine terms of the
series of the arcus tangens are exact to rounding."""

LARGE_ENOUGH = 0.9
"""Four squared quaternion entries have the sum 4 here, so that one is 1 at least."""


def rotation_vector(rotation: Rotation) -> Vector3:
    """
    Return the rotation vector [rad] of a rotation, not longer than pi; at pi one of the two.

    The rows of ``4 q q^T``, the quaternion times each of its entries, are linear in the matrix
    (Shepperd); of those whose entry is large the first is taken.

    Parameters
    ----------
    rotation : Rotation
        By columns.

    Returns
    -------
    Vector3
        Angle times axis.

    """
    (a, d, g), (b, e, h), (c, f, i) = rotation
    rows = ((1.0 + a + e + i, h - f, c - g, d - b), (h - f, 1.0 + a - e - i, b + d, c + g),
            (c - g, b + d, 1.0 - a + e - i, f + h), (d - b, c + g, f + h, 1.0 - a - e + i))
    left: Scalar = 1.0
    w, x, y, z = 0.0, 0.0, 0.0, 0.0
    for k, row in enumerate(rows):
        chosen = left * (_positive(row[k] - LARGE_ENOUGH) if k < 3 else 1.0)
        left = left - chosen
        w, x, y, z = (one + chosen * other for one, other in zip((w, x, y, z), row))
    return turn_of(w, x, y, z)


def turn_of(w: Scalar, x: Scalar, y: Scalar, z: Scalar) -> Vector3:
    """
    Return the rotation vector [rad] of a quaternion of any length but zero, not longer than pi.

    ``n tan(angle / 4) = vector / (1 + scalar)``, halved until the series of the arcus tangens is
    short.

    Parameters
    ----------
    w : Scalar
        The scalar part.
    x, y, z : Scalar
        The vector part.

    """
    scale = (1.0 - 2.0 * _positive(-w)) / root(w * w + x * x + y * y + z * z)
    tangent = Vector3(x, y, z) * (scale / (1.0 + w * scale))
    for _ in range(HALVINGS):
        tangent = tangent * (1.0 / (1.0 + root(1.0 + tangent.dot(tangent))))
    square = tangent.dot(tangent)
    series: Scalar = 0.0
    for k in reversed(range(TERMS)):
        series = 1.0 / (2 * k + 1) - square * series
    return tangent * (4.0 * 2.0**HALVINGS * series)


def _positive(value: Scalar) -> Scalar:
    """Return 1 where a value is positive, else 0; its derivative is 0."""
    return value * inverse_above(value, 0.0)
