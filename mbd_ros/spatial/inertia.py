"""Inertias about a body's origin, in the body's axes."""

from __future__ import annotations

from typing import NamedTuple

from mbd_ros.spatial.motion import Twist, Wrench
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
        return Wrench(
            angular_velocity.cross(self.rotational.apply(angular_velocity)),
            angular_velocity.cross(angular_velocity.cross(self.first_moment)))

    def kinetic_energy(self, velocity: Twist) -> Scalar:
        """Return the kinetic energy at a velocity of axes and origin [J]."""
        return self.apply(velocity).dot(velocity) * 0.5

    def articulated(self) -> ArticulatedInertia:
        """Return the same inertia in general 6 x 6 form."""
        h = self.first_moment
        coupling = Matrix3(Vector3(0.0, -h.z, h.y), Vector3(h.z, 0.0, -h.x),
                           Vector3(-h.y, h.x, 0.0))
        return ArticulatedInertia(self.rotational, coupling, Symmetric3.scaled_identity(self.mass))


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
        """Return ``I - u u^T factor``: what is left when one axis is free to move."""
        moment, force = column.moment, column.force
        scaled = moment * factor
        coupling = Matrix3(self.coupling.x - force * scaled.x, self.coupling.y - force * scaled.y,
                           self.coupling.z - force * scaled.z)
        return ArticulatedInertia(self.rotational.minus_square(moment, factor), coupling,
                                  self.linear.minus_square(force, factor))


NO_INERTIA = RigidInertia(0.0, ZERO3, Symmetric3.scaled_identity(0.0))
NO_ARTICULATED_INERTIA = NO_INERTIA.articulated()
