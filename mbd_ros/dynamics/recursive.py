"""
Recursive O(n) dynamics of trees: Newton-Euler and articulated bodies.

All vectors are in the axes of their own body and at its origin; accelerations are classical
(second derivatives of positions). With w the angular velocity of the parent, p the position of the
child's origin and S the joint's axes, the acceleration of a child is::

    a_C = X a_P + c + S qdd
    c = (w_C x S_w v, R^T (w x (w x p)) + 2 w_C x S_v v + S_w v x S_v v)

where X carries the acceleration of a frame fixed to the parent and w_C is the parent's angular
velocity in the child's axes. The wrench a body needs is ``I a + (w x I w, w x (w x m c))``.

References
----------
Featherstone, Rigid Body Dynamics Algorithms, 2008, tables 5.1 and 7.1.

"""

from __future__ import annotations

from typing import Any, NamedTuple

from mbd_ros.execution.program.sweeps import Body, Inward, Outward, Program, Step, World
from mbd_ros.spatial import (
    ArticulatedInertia, Joint, Link, Scalar, Twist, Vector3, Wrench, ZERO3, ZERO_WRENCH)
from mbd_ros.spatial.inertia import NO_ARTICULATED_INERTIA


class Motion(NamedTuple):
    """What a body hands to its children."""

    angular_velocity: Vector3
    acceleration: Twist


class Loaded(NamedTuple):
    """What a body keeps for the way back."""

    link: Link
    wrench: Wrench


def weight(world: World) -> Motion:
    """Return a ground that accelerates upwards: it spares every body its weight."""
    return Motion(ZERO3, Twist(ZERO3, world.gravity * -1.0))


def rise(world: World) -> Twist:
    """Return the acceleration of that ground."""
    return weight(world).acceleration


def turn(joint: Joint, link: Link, parent: Vector3) -> tuple[Vector3, Twist]:
    """Return the body's angular velocity and its acceleration c that comes from velocities."""
    velocity, coriolis = _turn(joint, link, parent)
    return velocity, coriolis._replace(linear=link.centripetal(parent) + coriolis.linear)


def _turn(joint: Joint, link: Link, parent: Vector3) -> tuple[Vector3, Twist]:
    """Return the same without what comes from the turn of the parent alone."""
    carried = link.rotation.apply_inverse(parent)
    relative = joint.span(joint.v)
    return carried + relative.angular, Twist(
        carried.cross(relative.angular),
        carried.cross(relative.linear) * 2.0 + relative.angular.cross(relative.linear))


def motion(body: Body, joint: Joint, parent: Motion) -> Step:
    """Outward: how the body moves, and the wrench that this takes."""
    link = joint.link(body.placement)
    velocity, coriolis = _turn(joint, link, parent.angular_velocity)
    acceleration = (link.acceleration_to_child(parent.angular_velocity, parent.acceleration)
                    + coriolis + joint.span(joint.qdd))
    wrench = body.inertia.newton_euler(velocity, acceleration)
    return Step(hand=Motion(velocity, acceleration), keep=Loaded(link, wrench))


def forces(body: Body, joint: Joint, children: Wrench, own: Loaded) -> Step:
    """Inward: the wrench through the joint, and the joint's share of it."""
    wrench = own.wrench + children
    efforts = tuple(effort + rotor * rate for effort, rotor, rate in zip(
        joint.project(wrench), body.armature, joint.qdd))
    return Step(hand=own.link.wrench_to_parent(wrench), out=efforts)


_NEWTON_EULER = (Outward(motion, weight), Inward(forces, ZERO_WRENCH))
INVERSE_DYNAMICS = Program('inverse_dynamics', ('q', 'v', 'qdd'), _NEWTON_EULER)
BIAS_FORCES = Program('bias_forces', ('q', 'v'), _NEWTON_EULER)


class Moving(NamedTuple):
    """What velocities alone say of a body."""

    link: Link
    coriolis: Twist
    wrench: Wrench


class Articulated(NamedTuple):
    """What the subtree from a body outwards is to its parent: f = inertia a + wrench."""

    inertia: ArticulatedInertia
    wrench: Wrench

    def __add__(self, other: Articulated) -> Articulated:  # type: ignore[override]
        """Return two subtrees on the same parent as one."""
        return Articulated(self.inertia + other.inertia, self.wrench + other.wrench)

    def to_parent(self, link: Link) -> Articulated:
        """Return the same in the axes and at the origin of the parent."""
        return Articulated(link.articulated_to_parent(self.inertia),
                           link.wrench_to_parent(self.wrench))


class Pivot(NamedTuple):
    """One axis of a joint, eliminated: qdd = drive - column . a."""

    axis: int
    column: Wrench
    drive: Scalar


def velocities(body: Body, joint: Joint, parent: Vector3) -> Step:
    """Outward: angular velocity and what follows from it."""
    link = joint.link(body.placement)
    velocity, coriolis = turn(joint, link, parent)
    return Step(hand=velocity, keep=Moving(link, coriolis, body.inertia.gyroscopic(velocity)))


def articulate(body: Body, joint: Joint, children: Articulated, moving: Moving) -> Step:
    """Inward: free the joint of a body and what it carries."""
    freed, pivots, _ = free(joint, body.armature, loaded(body, children, moving))
    return Step(hand=freed.to_parent(moving.link), keep=pivots)


def loaded(body: Body, children: Articulated, moving: Moving) -> Articulated:
    """Return f = inertia a + wrench of a body with what it carries, its own motion put in."""
    inertia = body.inertia.articulated() + children.inertia
    return Articulated(inertia, moving.wrench + children.wrench + inertia.apply(moving.coriolis))


def free(joint: Joint, armature: tuple[Scalar, ...], carried: Articulated
         ) -> tuple[Articulated, tuple[Pivot, ...], tuple[Scalar, ...]]:
    """
    Free the joint, axis by axis, in the equation f = inertia a + wrench.

    A joint with several axes is a chain of massless joints with one axis each. The third result
    is the compliance of each axis: acceleration for a unit of generalized force.
    """
    inertia, wrench = carried
    pivots, compliances = [], []
    for axis, effort, rotor in zip(joint.axes, joint.tau, armature):
        column = inertia.column(axis)
        compliance = 1.0 / (column.along(axis) + rotor)
        drive = (effort - wrench.along(axis)) * compliance
        inertia = inertia.minus_square(column, compliance)
        wrench = wrench + column * drive
        pivots.append(Pivot(axis, column * compliance, drive))
        compliances.append(compliance)
    return Articulated(inertia, wrench), tuple(pivots), tuple(compliances)


def accelerate(body: Body, joint: Joint, parent: Twist, moving: Moving, pivots: tuple[Pivot, ...]
               ) -> Step:
    """Outward: the joint's accelerations, the axis nearest to the parent first."""
    acceleration = moving.link.twist_to_child(parent)
    rates = []
    for pivot in reversed(pivots):
        rate = pivot.drive - pivot.column.dot(acceleration)
        acceleration = acceleration.plus_along(pivot.axis, rate)
        rates.append(rate)
    return Step(hand=acceleration + moving.coriolis, out=tuple(reversed(rates)))


def no_rotation(world: World) -> Vector3:
    """Return the angular velocity of the ground."""
    return ZERO3


def in_segments(*arguments: Any) -> Any:
    """Return what runs forward dynamics of trees with long chains cut into segments."""
    from mbd_ros.dynamics.segments import BetweenSegments  # made of the steps above
    return BetweenSegments(None, *arguments)


FORWARD_DYNAMICS = Program('forward_dynamics', ('q', 'v', 'tau'), (
    Outward(velocities, no_rotation),
    Inward(articulate, Articulated(NO_ARTICULATED_INERTIA, ZERO_WRENCH)),
    Outward(accelerate, rise)), segments=in_segments)
