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
How bodies move, from the base outwards: poses, velocities, and what follows from them.

All vectors are in the axes of their own body and at its origin; accelerations are classical
(second derivatives of positions). With w the angular velocity of the parent, p the position of the
child's origin and S the joint's axes, the acceleration of a child is::

    a_C = X a_P + c + S qdd
    c = (w_C x S_w v, R^T (w x (w x p)) + 2 w_C x S_v v + S_w v x S_v v)

where X carries the acceleration of a frame fixed to the parent and w_C is the parent's angular
velocity in the child's axes. The wrench a body needs is ``I a + (w x I w, w x (w x m c))``.

The base accelerates by -g, which accounts for gravity on all bodies. Robots without springs, loops
and force laws need angular velocities alone; the others poses and velocities as well.

"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from mbd_ros.environment.law import Motion, surroundings
from mbd_ros.execution.program.sweeps import Body, Step, World
from mbd_ros.spatial import (
    ArticulatedInertia, IDENTITY, Joint, Link, Scalar, Twist, Vector3, Wrench, ZERO3, ZERO_TWIST,
    ZERO_WRENCH)
from mbd_ros.spatial.inertia import NO_ARTICULATED_INERTIA


class BodyState(NamedTuple):
    """
    Pose and velocity of a body, in the world or as an observer sees it.

    Attributes
    ----------
    pose : Link
        In the world, or in the observer.
    velocity : Twist
        In the body's own axes.
    place, rate : Scalar
        Coordinate and rate of its joint, zeros if that has several.

    """

    pose: Link
    velocity: Twist
    place: Scalar = 0.0
    rate: Scalar = 0.0


class HasBodyState(Protocol):
    """What a frame on a body needs to know of it: see ``BodyState``."""

    @property
    def pose(self) -> Link:
        """Pose in the world, or in the observer."""
        ...

    @property
    def velocity(self) -> Twist:
        """Velocity in the body's own axes."""
        ...

    @property
    def place(self) -> Scalar:
        """Coordinate of the body's joint."""
        ...

    @property
    def rate(self) -> Scalar:
        """Rate of the body's joint."""
        ...


class VelocityTerms(NamedTuple):
    """
    What poses and velocities alone say of a body.

    Attributes
    ----------
    link : Link
        Its pose in its parent.
    coriolis : Twist
        c, its acceleration without qdd and without its parent's acceleration.
    wrench : Wrench
        The gyroscopic wrench p, with what force laws add to it.
    added : ArticulatedInertia
        The inertia that force laws add.

    """

    link: Link
    coriolis: Twist
    wrench: Wrench
    added: ArticulatedInertia = NO_ARTICULATED_INERTIA


def base_acceleration(world: World) -> Twist:
    """Return the base acceleration -g, which accounts for gravity on all bodies."""
    return Twist(ZERO3, world.gravity * -1.0)


def base_at_rest(world: World) -> Twist:
    """Return the base acceleration without gravity."""
    return ZERO_TWIST


def no_rotation(world: World) -> Vector3:
    """Return the angular velocity of the ground."""
    return ZERO3


def ground_state(world: World) -> BodyState:
    """Return pose and velocity of the ground."""
    return BodyState(Link(IDENTITY, ZERO3), ZERO_TWIST)


def joint_coriolis(joint: Joint, link: Link, parent: Vector3) -> tuple[Vector3, Twist]:
    """Return angular velocity and c of a body, without the centripetal part of its origin."""
    carried = link.rotation.apply_inverse(parent)
    relative = joint.span(joint.v)
    return carried + relative.angular, Twist(
        carried.cross(relative.angular),
        carried.cross(relative.linear) * 2.0 + relative.angular.cross(relative.linear))


def velocity_and_coriolis(joint: Joint, link: Link, parent: Vector3) -> tuple[Vector3, Twist]:
    """Return angular velocity and c of a body from the angular velocity of its parent."""
    velocity, coriolis = joint_coriolis(joint, link, parent)
    return velocity, coriolis._replace(linear=link.centripetal(parent) + coriolis.linear)


def coordinate(joint: Joint) -> tuple[Scalar, Scalar]:
    """Return coordinate and rate of a joint that has one, else zeros."""
    return (joint.q[0], joint.v[0]) if joint.nq == 1 else (0.0, 0.0)


def body_state(joint: Joint, link: Link, parent: BodyState) -> BodyState:
    """Return pose and velocity of a body from those of its parent."""
    return BodyState(parent.pose.compose(link),
                     link.twist_to_child(parent.velocity) + joint.span(joint.v),
                     *coordinate(joint))


def velocities(body: Body, joint: Joint, parent: Vector3) -> Step:
    """Outward: angular velocity, c and the gyroscopic wrench."""
    link = joint.link(body.placement)
    velocity, coriolis = velocity_and_coriolis(joint, link, parent)
    return Step(hand=velocity,
                keep=VelocityTerms(link, coriolis, body.inertia.gyroscopic(velocity)))


def force_laws(body: Body, joint: Joint, parent: BodyState) -> Step:
    """Outward: pose and velocity, and the wrench and the inertia that force laws add."""
    state = body_state(joint, joint.link(body.placement), parent)
    return Step(hand=state, keep=surroundings(body, Motion(state.pose, state.velocity)))


def states(body: Body, joint: Joint, parent: BodyState) -> Step:
    """Outward: as ``velocities``, with poses for loops, springs and force laws."""
    return states_along(body, joint, joint.link(body.placement), parent)


def states_along(body: Body, joint: Joint, link: Link, parent: BodyState) -> Step:
    """Return the same where the link is known."""
    state = body_state(joint, link, parent)
    velocity, coriolis = velocity_and_coriolis(joint, link, parent.velocity.angular)
    bias, added = surroundings(body, Motion(state.pose, state.velocity))
    return Step(hand=state, keep=VelocityTerms(
        link, coriolis, body.inertia.gyroscopic(velocity) + bias, added))


def states_at_rest(body: Body, joint: Joint, parent: BodyState) -> Step:
    """Outward: as ``states``, where velocities cause no accelerations."""
    step = states(body, joint, parent)
    return step._replace(keep=step.keep._replace(coriolis=ZERO_TWIST, wrench=ZERO_WRENCH))
