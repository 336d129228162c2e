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

"""Inertias about a body's origin, in the body's axes."""

from __future__ import annotations

from typing import NamedTuple

from mbd_ros.spatial.motion import acceleration_tensor, Twist, Wrench
from mbd_ros.spatial.rotation import Matrix3
from mbd_ros.spatial.symmetric import Symmetric3
from mbd_ros.spatial.vector import Scalar, Vector3, ZERO3


class RigidInertia(NamedTuple):
    """Mass [kg], first moment m c [kg m] and rotational inertia about the origin [kg m^2]."""

    mass: Scalar
    first_moment: Vector3
    rotational: Symmetric3

    def __add__(self, other: RigidInertia) -> RigidInertia:  # type: ignore[override]
        """Return the inertia of both bodies as one."""
        return RigidInertia(self.mass + other.mass, self.first_moment + other.first_moment,
                            self.rotational + other.rotational)

    def apply(self, acceleration: Twist) -> Wrench:
        """Return inertia times acceleration, a wrench about the origin."""
        return Wrench(
            self.rotational.apply(acceleration.angular)
            + self.first_moment.cross(acceleration.linear),
            acceleration.linear * self.mass + acceleration.angular.cross(self.first_moment))

    def gyroscopic(self, angular_velocity: Vector3) -> Wrench:
        """Return the wrench that a steady turn needs: ``w x I w`` and ``w x (w x m c)``."""
        return Wrench(self._gyroscopic_moment(angular_velocity),
                      acceleration_tensor(angular_velocity).apply(self.first_moment))

    def newton_euler(self, angular_velocity: Vector3, acceleration: Twist) -> Wrench:
        """Return the wrench that a motion needs, about the origin."""
        return Wrench(
            self.rotational.apply(acceleration.angular)
            + self._gyroscopic_moment(angular_velocity)
            + self.first_moment.cross(acceleration.linear),
            acceleration.linear * self.mass + acceleration_tensor(
                angular_velocity, acceleration.angular).apply(self.first_moment))

    def _gyroscopic_moment(self, w: Vector3) -> Vector3:
        """Return ``w x I w`` by the products of w that its acceleration tensor has as well."""
        own = self.rotational
        xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
        xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
        return Vector3(
            yz * (own.zz - own.yy) + (yy - zz) * own.yz + xy * own.xz - xz * own.xy,
            xz * (own.xx - own.zz) + (zz - xx) * own.xz + yz * own.xy - xy * own.yz,
            xy * (own.yy - own.xx) + (xx - yy) * own.xy + xz * own.yz - yz * own.xz)

    def moments_of_flow(self, velocity: Twist) -> MomentsOfFlow:
        """Return the moments of the mass flow at a velocity of axes and origin."""
        half = (self.rotational.xx + self.rotational.yy + self.rotational.zz) * 0.5
        second = Symmetric3.scaled_identity(half) - self.rotational
        turned = [velocity.angular.cross(second.column(j)) for j in range(3)]
        return MomentsOfFlow(self.apply(velocity).force, Matrix3(*(
            Vector3(*(turned[j][i] + velocity.linear[i] * self.first_moment[j]
                      for j in range(3))) for i in range(3))))

    def kinetic_energy(self, velocity: Twist) -> Scalar:
        """Return the kinetic energy at a velocity of axes and origin [J]."""
        return self.apply(velocity).dot(velocity) * 0.5

    def articulated(self) -> ArticulatedInertia:
        """Return the same inertia in general 6 x 6 form."""
        h = self.first_moment
        coupling = Matrix3(Vector3(0.0, -h.z, h.y), Vector3(h.z, 0.0, -h.x),
                           Vector3(-h.y, h.x, 0.0))
        return ArticulatedInertia(self.rotational, coupling, Symmetric3.scaled_identity(self.mass))


class MomentsOfFlow(NamedTuple):
    """
    First moments of the mass flow of a body: ``p``, the sum of m u, and ``P``, of m u r^T.

    r are the places of its points [m] and u their velocities [m/s]. They give the Coriolis forces
    ``2 m w x u`` of the flow in a frame that turns with w [kg m/s, kg m^2/s].
    """

    momentum: Vector3
    dyad: Matrix3

    def __add__(self, other: MomentsOfFlow) -> MomentsOfFlow:  # type: ignore[override]
        """Return those of both bodies as one."""
        return MomentsOfFlow(self.momentum + other.momentum, self.dyad + other.dyad)

    def coriolis(self, turning: Vector3) -> Wrench:
        """Return the sum of ``2 w x m u``: moment ``2 (tr(P) w - P w)``, force ``2 w x p``."""
        return Wrench((turning * self._trace() - self.dyad.apply(turning)) * 2.0,
                      turning.cross(self.momentum) * 2.0)

    def coriolis_power(self, twist: Twist) -> Vector3:
        """Return the vector whose product with any w is the power of ``coriolis(w)`` on twist."""
        return (twist.angular * self._trace() - self.dyad.apply_transposed(twist.angular)
                + self.momentum.cross(twist.linear)) * 2.0

    def _trace(self) -> Scalar:
        return self.dyad.x.x + self.dyad.y.y + self.dyad.z.z


class ArticulatedInertia(NamedTuple):
    """
    A symmetric 6 x 6 inertia ``[[I, H], [H^T, M]]``.

    Moment = I alpha + H a and force = H^T alpha + M a, with alpha the angular acceleration and a
    the acceleration of the origin.
    """

    rotational: Symmetric3
    coupling: Matrix3
    linear: Symmetric3

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:  # type: ignore[override]
        """Return the sum."""
        return ArticulatedInertia(self.rotational + other.rotational,
                                  self.coupling + other.coupling, self.linear + other.linear)

    def apply(self, acceleration: Twist) -> Wrench:
        """Return inertia times acceleration."""
        return Wrench(
            self.rotational.apply(acceleration.angular) + self.coupling.apply(acceleration.linear),
            self.coupling.apply_transposed(acceleration.angular)
            + self.linear.apply(acceleration.linear))

    def column(self, axis: int) -> Wrench:
        """Return the wrench for a unit acceleration along one of the six axes."""
        if axis < 3:
            return Wrench(self.rotational.column(axis), self.coupling[axis])
        return Wrench(self.coupling.column(axis - 3), self.linear.column(axis - 3))

    def minus_square(self, column: Wrench, factor: Scalar) -> ArticulatedInertia:
        """Return ``I - u u^T factor``: the articulated-inertia update for one joint axis."""
        moment, force = column.moment, column.force
        scaled = moment * factor
        coupling = Matrix3(self.coupling.x - force * scaled.x, self.coupling.y - force * scaled.y,
                           self.coupling.z - force * scaled.z)
        return ArticulatedInertia(self.rotational.minus_square(moment, factor), coupling,
                                  self.linear.minus_square(force, factor))


NO_INERTIA = RigidInertia(0.0, ZERO3, Symmetric3.scaled_identity(0.0))
NO_ARTICULATED_INERTIA = NO_INERTIA.articulated()
NO_FLOW = MomentsOfFlow(ZERO3, Matrix3(ZERO3, ZERO3, ZERO3))
