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
Rigid displacements as plain numbers.

A displacement is a pair of a translation (x, y, z) and a unit quaternion (x, y, z, w); it takes
coordinates in its child frame to coordinates in its parent frame.

"""

from __future__ import annotations

import math

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Displacement = tuple[Vector, Quaternion]

IDENTITY: Displacement = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return the product ``a b``: the rotation b, followed by a."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz)


def conjugate(q: Quaternion) -> Quaternion:
    """Return the inverse of a unit quaternion."""
    return (-q[0], -q[1], -q[2], q[3])


def rotate(q: Quaternion, v: Vector) -> Vector:
    """Return the vector rotated by a unit quaternion: ``v + 2 w (u x v) + 2 u x (u x v)``."""
    x, y, z, w = q
    cx, cy, cz = y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]
    return (v[0] + 2.0 * (w * cx + y * cz - z * cy),
            v[1] + 2.0 * (w * cy + z * cx - x * cz),
            v[2] + 2.0 * (w * cz + x * cy - y * cx))


def compose(a: Displacement, b: Displacement) -> Displacement:
    """Return the displacement b, followed by a."""
    t = rotate(a[1], b[0])
    return (a[0][0] + t[0], a[0][1] + t[1], a[0][2] + t[2]), multiply(a[1], b[1])


def invert(a: Displacement) -> Displacement:
    """Return the displacement that undoes a."""
    q = conjugate(a[1])
    x, y, z = rotate(q, a[0])
    return (-x, -y, -z), q


def normalize(q: Quaternion) -> Quaternion:
    """Return the quaternion with length one."""
    length = math.sqrt(sum(part * part for part in q))
    return (q[0] / length, q[1] / length, q[2] / length, q[3] / length)


def interpolate(a: Displacement, b: Displacement, share: float) -> Displacement:
    """
    Return a displacement between two.

    Parameters
    ----------
    a, b : Displacement
        Ends.
    share : float
        0 for a, 1 for b; the origin moves on a straight line, the axes turn at a constant rate
        about a fixed axis (Shoemake, Animating rotation with quaternion curves, 1985).

    """
    translation = (a[0][0] + share * (b[0][0] - a[0][0]), a[0][1] + share * (b[0][1] - a[0][1]),
                   a[0][2] + share * (b[0][2] - a[0][2]))
    cosine = sum(p * q for p, q in zip(a[1], b[1]))
    sign = -1.0 if cosine < 0.0 else 1.0
    cosine = min(abs(cosine), 1.0)
    if cosine > 1.0 - 1e-12:  # sin of the angle would lose all its digits: a line is as good
        first, second = 1.0 - share, share
    else:
        angle = math.acos(cosine)
        first = math.sin((1.0 - share) * angle) / math.sin(angle)
        second = math.sin(share * angle) / math.sin(angle)
    p, q = a[1], b[1]
    second *= sign
    return translation, normalize((
        first * p[0] + second * q[0], first * p[1] + second * q[1],
        first * p[2] + second * q[2], first * p[3] + second * q[3]))
