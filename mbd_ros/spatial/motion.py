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

"""6-D vectors of motion and of force, at a stated point and in stated axes."""

from __future__ import annotations

from typing import NamedTuple

from mbd_ros.spatial.rotation import Matrix3
from mbd_ros.spatial.vector import Scalar, Vector3, ZERO3


class Twist(NamedTuple):
    """
    Velocity or acceleration of a frame: of its axes [rad/s, rad/s^2] and its origin [m/s, m/s^2].

    An acceleration is the classical one: the second derivative of the origin's position.
    """

    angular: Vector3
    linear: Vector3

    def __add__(self, other: Twist) -> Twist:  # type: ignore[override]
        """Return the sum."""
        return Twist(self.angular + other.angular, self.linear + other.linear)

    def plus_along(self, axis: int, amount: Scalar) -> Twist:
        """Return the sum with an amount along one of the six axes (0-2 angular, 3-5 linear)."""
        entries = [*self.angular, *self.linear]
        entries[axis] = entries[axis] + amount
        return Twist(Vector3(*entries[:3]), Vector3(*entries[3:]))

    def __mul__(self, factor: Scalar) -> Twist:
        """Return the twist scaled by a factor."""
        return Twist(self.angular * factor, self.linear * factor)

    def cross(self, other: Twist) -> Twist:
        """Return the rate of a twist that is fixed to a frame moving with this one."""
        return Twist(self.angular.cross(other.angular),
                     self.angular.cross(other.linear) + self.linear.cross(other.angular))

    def cross_wrench(self, wrench: Wrench) -> Wrench:
        """Return the rate of a wrench that is fixed to a frame moving with this twist."""
        return Wrench(self.angular.cross(wrench.moment) + self.linear.cross(wrench.force),
                      self.angular.cross(wrench.force))


class Wrench(NamedTuple):
    """Moment about a frame's origin [N m] and force [N]."""

    moment: Vector3
    force: Vector3

    def __add__(self, other: Wrench) -> Wrench:  # type: ignore[override]
        """Return the sum."""
        return Wrench(self.moment + other.moment, self.force + other.force)

    def __mul__(self, factor: Scalar) -> Wrench:
        """Return the wrench scaled by a factor."""
        return Wrench(self.moment * factor, self.force * factor)

    def along(self, axis: int) -> Scalar:
        """Return the part along one of the six axes (0-2 moment, 3-5 force)."""
        return self.moment[axis] if axis < 3 else self.force[axis - 3]

    def dot(self, twist: Twist) -> Scalar:
        """Return the power on a velocity [W], or the like."""
        return self.moment.dot(twist.angular) + self.force.dot(twist.linear)


def acceleration_tensor(velocity: Vector3, acceleration: Vector3 = ZERO3) -> Matrix3:
    """
    Return ``[alpha]x + [w]x [w]x``, which takes a point of a body to its acceleration.

    Parameters
    ----------
    velocity, acceleration : Vector3
        Angular velocity w [rad/s] and acceleration alpha [rad/s^2] of the body.

    Returns
    -------
    Matrix3
        The acceleration of a point less that of the origin is this times its position [1/s^2].

    """
    w, alpha = velocity, acceleration
    xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
    xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
    return Matrix3(Vector3(-(yy + zz), xy - alpha.z, xz + alpha.y),
                   Vector3(xy + alpha.z, -(xx + zz), yz - alpha.x),
                   Vector3(xz - alpha.y, yz + alpha.x, -(xx + yy)))


ZERO_TWIST = Twist(ZERO3, ZERO3)
ZERO_WRENCH = Wrench(ZERO3, ZERO3)
