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
Joint models: the motion of a body relative to its parent.

The motion of each joint runs along coordinate axes of the body's own frame (a revolute joint turns
about z, a prismatic joint slides along z), so that the joint's motion subspace is made of unit
vectors. The axes are numbered 0-2 angular x y z, 3-5 linear x y z.

"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from mbd_ros.spatial.link import Link
from mbd_ros.spatial.motion import Twist, Wrench, ZERO_TWIST
from mbd_ros.spatial.rotation import Rotation
from mbd_ros.spatial.vector import cosine, root, Scalar, sine, Vector3, ZERO3


class Coordinates(NamedTuple):
    """Coordinates and rates of one joint; zeros where a program has no such input."""

    q: tuple[Scalar, ...]
    v: tuple[Scalar, ...]
    qdd: tuple[Scalar, ...]
    tau: tuple[Scalar, ...]


class Joint:
    """
    A joint with the coordinates it has at the moment.

    Parameters
    ----------
    coordinates : Coordinates
        ``q`` (nq,), ``v``, ``qdd`` and ``tau`` (nv,) of this joint [rad or m, and so on].

    """

    axes: ClassVar[tuple[int, ...]]
    nq: ClassVar[int]
    nv: ClassVar[int]
    free: ClassVar[bool] = False

    def __init__(self, coordinates: Coordinates) -> None:
        self.q, self.v, self.qdd, self.tau = coordinates

    def link(self, placement: Link) -> Link:
        """Return the pose of the body in its parent, from its pose at q = 0."""
        raise NotImplementedError

    def span(self, rates: tuple[Scalar, ...]) -> Twist:
        """Return the twist against the parent, in the body's axes: S times rates."""
        twist = ZERO_TWIST
        for axis, rate in zip(self.axes, rates):
            twist = twist.plus_along(axis, rate)
        return twist

    def directions(self, pose: Link) -> tuple[Twist, ...]:
        """Return the columns of S in the frame in which the body has a pose."""
        columns = []
        for axis in self.axes:
            direction = pose.rotation.axis(axis % 3)
            columns.append(Twist(direction, pose.translation.cross(direction)) if axis < 3
                           else Twist(ZERO3, direction))
        return tuple(columns)

    def project(self, wrench: Wrench) -> tuple[Scalar, ...]:
        """Return the part of a wrench that acts along the joint: S^T times wrench."""
        return tuple(wrench.along(axis) for axis in self.axes)

    def drift(self) -> tuple[Scalar, ...]:
        """
        Return w x v along the joint (nv,): dv/dt of v as a vector is ``qdd + drift``.

        That is what a rotor inertia resists, whose kinetic energy is ``armature v . v / 2``. It is
        zero but for joints that slide along axes which turn.
        """
        if self.nv == 1:
            return (0.0,)
        relative = self.span(self.v)
        return self.project(Wrench(ZERO3, relative.angular.cross(relative.linear)))

    def drift_slopes(self, k: int) -> tuple[Scalar, ...]:
        """Return the derivative of ``drift`` (nv,) by entry k of v."""
        if self.nv == 1:
            return (0.0,)
        relative = self.span(self.v)
        own = self.span(tuple(float(i == k) for i in range(self.nv)))
        return self.project(Wrench(ZERO3, relative.angular.cross(own.linear)
                                   + own.angular.cross(relative.linear)))


class Revolute(Joint):
    """Turns about the z axis of the body's frame."""

    axes = (2,)
    nq = 1
    nv = 1

    def link(self, placement: Link) -> Link:
        """Return the pose after a turn by q [rad]."""
        (angle,) = self.q
        return Link(placement.rotation.about_z(sine(angle), cosine(angle)), placement.translation)


class Prismatic(Joint):
    """Slides along the z axis of the body's frame."""

    axes = (5,)
    nq = 1
    nv = 1

    def link(self, placement: Link) -> Link:
        """Return the pose after a slide by q [m]."""
        (distance,) = self.q
        return Link(placement.rotation,
                    placement.translation + placement.rotation.axis(2) * distance)


class Floating(Joint):
    """
    Moves freely.

    ``q`` is position [m] and unit quaternion x y z w; ``v`` is linear [m/s], then angular [rad/s]
    velocity in the body's own axes.
    """

    axes = (3, 4, 5, 0, 1, 2)
    nq = 7
    nv = 6
    free = True

    def link(self, placement: Link) -> Link:
        """Return the pose at position and quaternion q."""
        return placement.compose(
            Link(Rotation.from_quaternion(*self.q[3:]), Vector3(*self.q[:3])))


class Spherical(Joint):
    """
    Turns freely about its origin.

    ``q`` is a unit quaternion x y z w; ``v`` is the angular velocity in the body's own axes.
    """

    axes = (0, 1, 2)
    nq = 4
    nv = 3

    def link(self, placement: Link) -> Link:
        """Return the pose after the turn of quaternion q."""
        return Link(placement.rotation.compose(Rotation.from_quaternion(*self.q)),
                    placement.translation)


class Planar(Joint):
    """
    Slides in the plane of x and y and turns about its normal z.

    ``q`` is x and y [m] in the axes at q = 0, cosine and sine of the turn; ``v`` is the velocity
    [m/s] along the body's own x and y axes, then the angular velocity [rad/s].
    """

    axes = (3, 4, 2)
    nq = 4
    nv = 3

    def link(self, placement: Link) -> Link:
        """Return the pose at x, y and the direction q; its length does not count."""
        x, y, cos, sin = self.q
        scale = 1.0 / root(cos * cos + sin * sin)
        rotation = placement.rotation
        return Link(rotation.about_z(sin * scale, cos * scale),
                    placement.translation + rotation.axis(0) * x + rotation.axis(1) * y)
