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
The configuration manifold of one joint with several coordinates.

Everything is in plain floats: one joint is too small for arrays. ``integrate`` is the exponential
map of the joint's group (SO(3), SE(2), SE(3)), with the velocity constant in the body's own axes,
as Pinocchio's for the joints of the same layout.

"""

from __future__ import annotations

from math import atan2, cos, hypot, sin
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from mbd_ros.model.joints.joint_type import JointType
from mbd_ros.model.rigid_motion import (
    displacement, inverse, linear_velocity, product, Quaternion, rotate, rotation_vector, turn,
    unit, Vector3)

Array = NDArray[np.float64]
Floats = tuple[float, ...]
Pose = tuple[Vector3, Quaternion]


class JointManifold(Protocol):
    """
    The configurations of a type of joint.

    Attributes
    ----------
    neutral : tuple of float
        (nq,), the joint at rest in its placement.
    unit : slice
        The coordinates that are a vector of length 1.
    unit_name, unit_meaning : str
        What they are, for messages.

    """

    neutral: ClassVar[Floats]
    unit: ClassVar[slice]
    unit_name: ClassVar[str]
    unit_meaning: ClassVar[str]

    @staticmethod
    def rate(q: Floats, v: Floats) -> Floats:
        """Return the rate of q (nq,) at velocities v (nv,)."""

    @staticmethod
    def integrate(q: Floats, dv: Floats) -> Floats:
        """Return the coordinates (nq,) at the end of a displacement dv (nv,)."""

    @staticmethod
    def difference(q0: Floats, q1: Floats) -> Floats:
        """Return the displacement (nv,) from q0 to q1, by the shorter turn."""

    @staticmethod
    def draw(rng: np.random.Generator, count: int) -> Array:
        """Return random coordinates (count, nq): within 1 m of zero, orientations uniform."""

    @staticmethod
    def pose(q: Floats) -> Pose:
        """Return position and quaternion of the body against its placement."""

    @staticmethod
    def at(pose: Pose) -> Floats:
        """Return the coordinates of the configuration nearest to a pose."""


class Orientations(JointManifold):
    """SO(3): a spherical joint, q = quaternion x y z w."""

    neutral = (0.0, 0.0, 0.0, 1.0)
    unit = slice(0, 4)
    unit_name = 'quaternion'
    unit_meaning = 'x y z w'

    @staticmethod
    def rate(q: Floats, v: Floats) -> Floats:
        """Return half the product of the quaternion with (omega, 0)."""
        x, y, z = v
        return product(_quaternion(q), (0.5 * x, 0.5 * y, 0.5 * z, 0.0))

    @staticmethod
    def integrate(q: Floats, dv: Floats) -> Floats:
        """Return the quaternion after a turn about a fixed axis."""
        return unit(product(_quaternion(q), turn(_vector(dv))))

    @staticmethod
    def difference(q0: Floats, q1: Floats) -> Floats:
        """Return the rotation vector from q0 to q1."""
        return rotation_vector(product(inverse(_quaternion(q0)), _quaternion(q1)))

    @staticmethod
    def draw(rng: np.random.Generator, count: int) -> Array:
        """Return random quaternions."""
        quaternions = rng.normal(size=(count, 4))
        return quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)

    @staticmethod
    def pose(q: Floats) -> Pose:
        """Return the origin and the quaternion."""
        return (0.0, 0.0, 0.0), _quaternion(q)

    @staticmethod
    def at(pose: Pose) -> Floats:
        """Return the quaternion; the position does not count."""
        return pose[1]


class Poses(JointManifold):
    """SE(3): a floating joint, q = position and quaternion x y z w."""

    neutral = (0.0, 0.0, 0.0, *Orientations.neutral)
    unit = slice(3, 7)
    unit_name = 'quaternion'
    unit_meaning = 'x y z w'

    @staticmethod
    def rate(q: Floats, v: Floats) -> Floats:
        """Return ``R v_linear`` and the rate of the quaternion."""
        return (*rotate(_quaternion(q[3:]), _vector(v[:3])), *Orientations.rate(q[3:], v[3:]))

    @staticmethod
    def integrate(q: Floats, dv: Floats) -> Floats:
        """Return the pose after a screw motion."""
        x, y, z = rotate(_quaternion(q[3:]), displacement(_vector(dv[:3]), _vector(dv[3:])))
        return (q[0] + x, q[1] + y, q[2] + z, *Orientations.integrate(q[3:], dv[3:]))

    @staticmethod
    def difference(q0: Floats, q1: Floats) -> Floats:
        """Return the screw motion from q0 to q1."""
        angular = _vector(Orientations.difference(q0[3:], q1[3:]))
        shift = (q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2])
        moved = rotate(inverse(_quaternion(q0[3:])), shift)
        return (*linear_velocity(moved, angular), *angular)

    @staticmethod
    def draw(rng: np.random.Generator, count: int) -> Array:
        """Return random poses."""
        return np.hstack([rng.uniform(-1.0, 1.0, (count, 3)), Orientations.draw(rng, count)])

    @staticmethod
    def pose(q: Floats) -> Pose:
        """Return position and quaternion."""
        return _vector(q[:3]), _quaternion(q[3:])

    @staticmethod
    def at(pose: Pose) -> Floats:
        """Return position and quaternion."""
        return (*pose[0], *pose[1])


class PlanarPoses(JointManifold):
    """SE(2): a planar joint, q = x, y, cosine and sine."""

    neutral = (0.0, 0.0, 1.0, 0.0)
    unit = slice(2, 4)
    unit_name = 'direction'
    unit_meaning = 'cosine and sine'

    @staticmethod
    def rate(q: Floats, v: Floats) -> Floats:
        """Return ``R v`` and the rates of cosine and sine."""
        _, _, c, s = q
        x, y, w = v
        return (c * x - s * y, s * x + c * y, -s * w, c * w)

    @staticmethod
    def integrate(q: Floats, dv: Floats) -> Floats:
        """Return the pose after motion along an arc."""
        x, y, c, s = q
        along, across, angle = dv
        dx, dy, _ = displacement((along, across, 0.0), (0.0, 0.0, angle))
        cosine, sine = cos(angle), sin(angle)
        c1, s1 = c * cosine - s * sine, s * cosine + c * sine
        length = hypot(c1, s1)
        return (x + c * dx - s * dy, y + s * dx + c * dy, c1 / length, s1 / length)

    @staticmethod
    def difference(q0: Floats, q1: Floats) -> Floats:
        """Return the arc from q0 to q1."""
        _, _, c, s = q0
        dx, dy = q1[0] - q0[0], q1[1] - q0[1]
        angle = atan2(c * q1[3] - s * q1[2], c * q1[2] + s * q1[3])
        along, across, _ = linear_velocity((c * dx + s * dy, c * dy - s * dx, 0.0),
                                           (0.0, 0.0, angle))
        return (along, across, angle)

    @staticmethod
    def draw(rng: np.random.Generator, count: int) -> Array:
        """Return random poses."""
        x, y, angle = rng.uniform(-1.0, 1.0, (count, 3)).T
        return np.stack([x, y, np.cos(np.pi * angle), np.sin(np.pi * angle)], axis=1)

    @staticmethod
    def pose(q: Floats) -> Pose:
        """Return the position in the plane and the quaternion of the turn about its normal."""
        half = 0.5 * atan2(q[3], q[2])
        return (q[0], q[1], 0.0), (0.0, 0.0, sin(half), cos(half))

    @staticmethod
    def at(pose: Pose) -> Floats:
        """Return the nearest pose in the plane; what leads out of it does not count."""
        (x, y, _), (_, _, sine, cosine) = pose
        angle = 2.0 * atan2(sine, cosine)
        return (x, y, cos(angle), sin(angle))


MANIFOLDS: dict[JointType, JointManifold] = {
    JointType.FLOATING: Poses(), JointType.SPHERICAL: Orientations(),
    JointType.PLANAR: PlanarPoses()}
"""Of the joints whose configurations do not just add; those of all others are numbers."""


def _vector(values: Floats) -> Vector3:
    x, y, z = values
    return x, y, z


def _quaternion(values: Floats) -> Quaternion:
    x, y, z, w = values
    return x, y, z, w
