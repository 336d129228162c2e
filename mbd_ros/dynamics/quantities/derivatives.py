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
Derivatives of inverse and forward dynamics with respect to q, v and qdd or tau.

A derivative with respect to q is one with respect to a small displacement of the joints in the
coordinates of v (a floating body moves in its own axes), as in ``model.state.integrate``.

All vectors are in the frame of the nearest floating body on the path to the ground, or in that of
the ground, and about its origin; velocities and accelerations are those of the points of a body
that pass there (Pluecker vectors). With S an axis of a joint, v and a the velocity and
acceleration of the body, v_P and a_P those of its parent::

    S'  = v_P x S                 rate of S as the parent sees it turn
    S'' = a_P x S + v_P x S'      and the rate of that
    B w = sum of 2 w x m u        Coriolis forces of the flow of mass m u

and I, B, f of all that a body carries, the entries for axis k of the body and axis j nearer to the
ground are::

    d tau_k / d q_j = S_k . (B S'_j + I S''_j)         d tau_j / d q_k = S_j . (B S'_k + I S''_k
    d tau_k / d v_j = S_k . (B S_j + I (2 S' + r)_j)                            + S_k x f)
    d tau_k / d qdd_j = S_k . I S_j

where r = (v - v_P) x S is zero for a joint of one axis. Forward dynamics follows from
``d qdd = M^-1 (d tau - dID)``, at the accelerations that forward dynamics gives.

Differentiating the sweeps themselves would hand on records that grow with the number of axes, and
take several times the operations; here every record has a fixed size, so that loops over bodies
can run them. As the frame of reference is that of a floating body, no digits are lost by its
distance from the origin.

References
----------
Carpentier and Mansard, Analytical Derivatives of Rigid Body Dynamics Algorithms, 2018;
Singh, Russell and Wensing, Efficient Analytical Derivatives of Rigid-Body Dynamics Using Spatial
Vector Algebra, 2022.

"""

from __future__ import annotations

from typing import Any, NamedTuple

from mbd_ros.dynamics.algorithms.aba import accelerate, Pivot
from mbd_ros.dynamics.algorithms.body_motion import base_acceleration, VelocityTerms
from mbd_ros.dynamics.algorithms.forward_dynamics import FORWARD_DYNAMICS
from mbd_ros.execution.program.sweeps import (
    Body, Inward, Layout, Outward, Program, Solve, Step, Walk, World)
from mbd_ros.spatial import (
    IDENTITY, Joint, Link, MomentsOfFlow, RigidInertia, Scalar, Twist, Vector3, Wrench, ZERO3,
    ZERO_TWIST, ZERO_WRENCH)
from mbd_ros.spatial.inertia import NO_FLOW, NO_INERTIA

LARGEST_UNROLLED = 8
"""Bodies up to which straight-line code is made; it grows with the square of their number."""

AT_ORIGIN = Link(IDENTITY, ZERO3)


class Passing(NamedTuple):
    """Pose of a body in the frame of reference, its velocity and acceleration."""

    pose: Link
    velocity: Twist
    acceleration: Twist


class Axis(NamedTuple):
    """An axis of a joint and what displacing and moving it does: see the head of this file."""

    direction: Twist
    turned: Vector3
    shift: Twist
    drag: Twist


class SubtreeTerms(NamedTuple):
    """Inertia, flow of mass and force of a body with all that it carries."""

    inertia: RigidInertia
    flow: MomentsOfFlow
    force: Wrench

    def __add__(self, other: SubtreeTerms) -> SubtreeTerms:  # type: ignore[override]
        """Return both together."""
        return SubtreeTerms(self.inertia + other.inertia, self.flow + other.flow,
                            self.force + other.force)

    def seen(self, frame: Link) -> SubtreeTerms:
        """Return the same in the frame in which the frame of reference has a pose."""
        return SubtreeTerms(frame.inertia_to_parent(self.inertia), frame.flow_to_parent(self.flow),
                            frame.wrench_to_parent(self.force))


class Surveyed(NamedTuple):
    """A joint's axes, the body's own load, and the pose of its frame of reference."""

    axes: tuple[Axis, ...]
    own: SubtreeTerms
    frame: Link


class Push(NamedTuple):
    """
    What an axis does to all axes nearer to the ground.

    ``displaced``, ``moved`` and ``accelerated`` are the changes of the force; ``power`` and
    ``accelerated`` give the force along the axis for a turn and for an acceleration from there.
    """

    displaced: Wrench
    moved: Wrench
    accelerated: Wrench
    power: Vector3

    def seen(self, frame: Link) -> Push:
        """Return the same in the frame in which the frame of reference has a pose."""
        return Push(frame.wrench_to_parent(self.displaced), frame.wrench_to_parent(self.moved),
                    frame.wrench_to_parent(self.accelerated), frame.rotation.apply(self.power))


def at_rest(world: World) -> Passing:
    """Return the base acceleration -g, which accounts for gravity on all bodies."""
    return Passing(AT_ORIGIN, ZERO_TWIST, base_acceleration(world))


def survey(body: Body, joint: Joint, parent: Passing, link: Link, qdd: tuple[Scalar, ...]
           ) -> Step:
    """Outward: how the body moves in the frame of reference, its axes and its load."""
    pose, frame = parent.pose.compose(link), AT_ORIGIN
    velocity, acceleration = parent.velocity, parent.acceleration
    if joint.free:
        pose, frame = AT_ORIGIN, pose
        velocity, acceleration = frame.twist_to_child(velocity), frame.twist_to_child(acceleration)
    directions = joint.directions(pose)
    relative, gained = ZERO_TWIST, ZERO_TWIST
    for direction, rate, change in zip(directions, joint.v, qdd):
        relative, gained = relative + direction * rate, gained + direction * change
    axes = []
    for direction in directions:
        turned = velocity.cross(direction)
        drag = turned * 2.0
        if joint.nv > 1:
            drag = drag + relative.cross(direction)
        axes.append(Axis(direction, turned.angular,
                         acceleration.cross(direction) + velocity.cross(turned), drag))
    acceleration = acceleration + gained + velocity.cross(relative)
    velocity = velocity + relative
    inertia = pose.inertia_to_parent(body.inertia)
    force = inertia.apply(acceleration) + velocity.cross_wrench(inertia.apply(velocity))
    return Step(hand=Passing(pose, velocity, acceleration), keep=Surveyed(
        tuple(axes), SubtreeTerms(inertia, inertia.moments_of_flow(velocity), force), frame))


def accumulate_subtree(body: Body, joint: Joint, children: SubtreeTerms, *kept: Any) -> Step:
    """Inward: add what the children carry."""
    surveyed: Surveyed = kept[-1]
    total = surveyed.own + children
    return Step(hand=total.seen(surveyed.frame) if joint.free else total, keep=total)


def start_column(body: Body, joint: Joint, *kept: Any) -> list[Step]:
    """Start of a walk: what each axis of a joint does to the joint itself."""
    surveyed: Surveyed = kept[-2]
    inertia, flow, force = kept[-1]
    steps = []
    for k, axis in enumerate(surveyed.axes):
        own = Push(flow.coriolis(axis.turned) + inertia.apply(axis.shift),
                   flow.coriolis(axis.direction.angular) + inertia.apply(axis.drag),
                   inertia.apply(axis.direction), flow.coriolis_power(axis.direction))
        columns = list(_columns(own, surveyed))
        rotor = 2 * joint.nv + k
        columns[rotor] = columns[rotor] + body.armature[k]
        for i, slope in enumerate(joint.drift_slopes(k), joint.nv):
            columns[i] = columns[i] + body.armature[i - joint.nv] * slope
        hand = own._replace(displaced=own.displaced + axis.direction.cross_wrench(force))
        steps.append(Step(hand=hand.seen(surveyed.frame) if joint.free else hand,
                          out=tuple(columns)))
    return steps


def continue_column(body: Body, joint: Joint, pushed: Push, *kept: Any) -> Step:
    """Walk: what an axis does to the axes of this joint, and what these do to it."""
    surveyed: Surveyed = kept[-2]
    rows: list[list[Scalar]] = [[], [], []]
    for axis in surveyed.axes:
        rows[0].append(pushed.power.dot(axis.turned) + pushed.accelerated.dot(axis.shift))
        rows[1].append(pushed.power.dot(axis.direction.angular)
                       + pushed.accelerated.dot(axis.drag))
        rows[2].append(pushed.accelerated.dot(axis.direction))
    return Step(hand=pushed.seen(surveyed.frame) if joint.free else pushed,
                out=(*_columns(pushed, surveyed), *rows[0], *rows[1], *rows[2]))


def _columns(pushed: Push, surveyed: Surveyed) -> tuple[Scalar, ...]:
    """Return the changes of a joint's efforts with q, with v and with qdd."""
    return tuple(change.dot(axis.direction)
                 for change in (pushed.displaced, pushed.moved, pushed.accelerated)
                 for axis in surveyed.axes)


def _survey_given(body: Body, joint: Joint, parent: Passing) -> Step:
    return survey(body, joint, parent, joint.link(body.placement), joint.qdd)


def _survey_found(body: Body, joint: Joint, parent: Passing, terms: VelocityTerms,
                  pivots: tuple[Pivot, ...], rates: tuple[Scalar, ...]) -> Step:
    return survey(body, joint, parent, terms.link, rates)


def _find(body: Body, joint: Joint, parent: Twist, terms: VelocityTerms,
          pivots: tuple[Pivot, ...]) -> Step:
    step = accelerate(body, joint, parent, terms, pivots)
    return Step(hand=step.hand, keep=step.out)


_FILL = (Inward(accumulate_subtree, SubtreeTerms(NO_INERTIA, NO_FLOW, ZERO_WRENCH)),
         Walk(start_column, continue_column))
INVERSE_DYNAMICS_DERIVATIVES = Program(
    'inverse_dynamics_derivatives', ('q', 'v', 'qdd'), (Outward(_survey_given, at_rest), *_FILL),
    Layout.SQUARES, (3,), largest_unrolled=LARGEST_UNROLLED)
FORWARD_DYNAMICS_DERIVATIVES = Program(
    'forward_dynamics_derivatives', ('q', 'v', 'tau'), (
        *FORWARD_DYNAMICS.sweeps[:2],
        Outward(_find, base_acceleration),
        Outward(_survey_found, at_rest), *_FILL, Solve()),
    Layout.SQUARES, (3,), largest_unrolled=LARGEST_UNROLLED)
