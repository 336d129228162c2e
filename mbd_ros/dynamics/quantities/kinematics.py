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
Where links are and how they move.

Poses are those of links in the world. Velocities and accelerations are those of a link's origin
and axes, in world axes, linear part first; an acceleration is the classical one, without gravity.

"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.algorithms.body_motion import body_state, BodyState, velocity_and_coriolis
from mbd_ros.execution.program.sweeps import Body, Layout, Outward, Program, Step, Walk
from mbd_ros.spatial import IDENTITY, Joint, Link, Scalar, Twist, Vector3, ZERO3, ZERO_TWIST

Array = NDArray[np.float64]
AT_ORIGIN = Link(IDENTITY, ZERO3)


class LinkMotion(NamedTuple):
    """
    How a link moves: of its origin and axes, in world axes.

    Attributes
    ----------
    pose : array
        (4, 4) homogeneous transform from link to world [m].
    velocity : array
        (6,) linear [m/s], then angular [rad/s].
    acceleration : array
        (6,) classical linear [m/s^2], then angular [rad/s^2], without gravity.

    """

    pose: Array
    velocity: Array
    acceleration: Array


class Travel(NamedTuple):
    """Pose in the world; velocity and acceleration in the body's own axes."""

    pose: Link
    velocity: Twist
    acceleration: Twist


def travel(body: Body, joint: Joint, parent: Travel) -> Travel:
    """Return how a body moves when its parent moves as given."""
    link = joint.link(body.placement)
    state = body_state(joint, link, BodyState(parent.pose, parent.velocity))
    _, coriolis = velocity_and_coriolis(joint, link, parent.velocity.angular)
    return Travel(state.pose, state.velocity,
                  link.twist_to_child(parent.acceleration) + coriolis + joint.span(joint.qdd))


AT_REST = Travel(AT_ORIGIN, ZERO_TWIST, ZERO_TWIST)


def link_pose(body: int, frame: Link) -> Program:
    """
    Return the program that gives the pose of a frame fixed to a body.

    Parameters
    ----------
    body : int
        Index of the body.
    frame : Link
        Pose of the frame in the body.

    Returns
    -------
    Program
        Gives (4, 4), the homogeneous transform from the frame to the world.

    """
    return Program(f'pose of {body} {frame}', ('q',),
                   (Outward(partial(_pose_step, frame), _ground_pose),),
                   Layout.ONE_BODY, (4, 4), body, tuple(_homogeneous(frame)))


def body_poses() -> Program:
    """Return the program that gives the poses (nb, 4, 4) of all bodies in the world."""
    return Program('poses', ('q',), (Outward(partial(_pose_step, AT_ORIGIN), _ground_pose),),
                   Layout.BODIES, (4, 4))


def body_velocities() -> Program:
    """
    Return the program that gives the velocities (nb, 6) of all bodies.

    Of their origins, in world axes, linear part first.
    """
    return Program('velocities', ('q', 'v'), (Outward(_velocity_step, _ground_at_rest),),
                   Layout.BODIES, (6,))


def _velocity_step(body: Body, joint: Joint, parent: Travel) -> Step:
    own = travel(body, joint, parent)
    return Step(hand=own, out=tuple(_seen(own, AT_ORIGIN))[:6])


def _ground_pose(world: object) -> Link:
    return AT_ORIGIN


def _pose_step(frame: Link, body: Body, joint: Joint, parent: Link) -> Step:
    pose = parent.compose(joint.link(body.placement))
    return Step(hand=pose, keep=pose, out=tuple(_homogeneous(pose.compose(frame))))


def _homogeneous(pose: Link) -> Iterable[Scalar]:
    """Return the sixteen entries of a homogeneous transform, row by row."""
    for row in range(3):
        yield from (axis[row] for axis in pose.rotation)
        yield pose.translation[row]
    yield from (0.0, 0.0, 0.0, 1.0)


def link_motion(body: int, frame: Link) -> Program:
    """
    Return the program that gives pose, velocity and acceleration of a frame fixed to a body.

    Parameters
    ----------
    body : int
        Index of the body.
    frame : Link
        Pose of the frame in the body.

    Returns
    -------
    Program
        Gives (28,): the pose row by row, then velocity and acceleration, each linear part first.

    """
    return Program(f'motion of {body} {frame}', ('q', 'v', 'qdd'),
                   (Outward(partial(_motion_step, frame), _ground_at_rest),), Layout.ONE_BODY,
                   (28,), body, (*_homogeneous(frame), *[0.0] * 12))


def link_velocity(body: int, frame: Link, axes: str) -> Program:
    """
    Return the program that gives the velocity (6,) of a frame fixed to a body, linear first.

    Parameters
    ----------
    body : int
        Index of the body.
    frame : Link
        Pose of the frame in the body.
    axes : str
        ``'world_aligned'``: of its origin, in world axes; ``'local'``: in its own axes;
        ``'world'``: of the point fixed to the body at the world's origin, in world axes.

    Returns
    -------
    Program
        Gives (6,).

    """
    return Program(f'velocity of {body} {frame} {axes}', ('q', 'v'),
                   (Outward(partial(_frame_velocity, frame, axes), _ground_at_rest),),
                   Layout.ONE_BODY, (6,), body)


def link_acceleration(body: int, frame: Link, axes: str) -> Program:
    """Return the program of the classical acceleration (6,); see ``link_velocity``."""
    return Program(f'acceleration of {body} {frame} {axes}', ('q', 'v', 'qdd'),
                   (Outward(partial(_frame_acceleration, frame, axes), _ground_at_rest),),
                   Layout.ONE_BODY, (6,), body)


def _frame_velocity(frame: Link, axes: str, body: Body, joint: Joint, parent: Travel) -> Step:
    own = travel(body, joint, parent)
    turning, p = own.velocity.angular, _point(frame, axes, own)
    linear = own.velocity.linear + turning.cross(p)
    return Step(hand=own, out=tuple(_along(frame, axes, own, linear, turning)))


def _frame_acceleration(frame: Link, axes: str, body: Body, joint: Joint, parent: Travel) -> Step:
    own = travel(body, joint, parent)
    turning, p = own.velocity.angular, _point(frame, axes, own)
    linear = (own.acceleration.linear + own.acceleration.angular.cross(p)
              + turning.cross(turning.cross(p)))
    return Step(hand=own, out=tuple(_along(frame, axes, own, linear, own.acceleration.angular)))


def _point(frame: Link, axes: str, own: Travel) -> Vector3:
    """Return the point of the body that is looked at, in the body's axes."""
    if axes == 'world':
        return own.pose.rotation.apply_inverse(own.pose.translation) * -1.0
    return frame.translation


def _along(frame: Link, axes: str, own: Travel, *vectors: Vector3) -> Iterable[Scalar]:
    """Return vectors that are given in the body's axes along the axes asked for."""
    for vector in vectors:
        yield from (frame.rotation.apply_inverse(vector) if axes == 'local'
                    else own.pose.rotation.apply(vector))


def _ground_at_rest(world: object) -> Travel:
    return AT_REST


def _motion_step(frame: Link, body: Body, joint: Joint, parent: Travel) -> Step:
    own = travel(body, joint, parent)
    return Step(hand=own, out=(*_homogeneous(own.pose.compose(frame)), *_seen(own, frame)))


def _seen(own: Travel, frame: Link) -> Iterable[Scalar]:
    """Return velocity and acceleration of a frame on a body, in world axes, linear first."""
    turning, p = own.velocity.angular, frame.translation
    velocity = own.velocity.linear + turning.cross(p)
    acceleration = (own.acceleration.linear + own.acceleration.angular.cross(p)
                    + turning.cross(turning.cross(p)))
    for vector in (velocity, turning, acceleration, own.acceleration.angular):
        yield from own.pose.rotation.apply(vector)


def link_jacobian(body: int, frame: Link) -> Program:
    """
    Return the program that gives the Jacobian of a frame fixed to a body.

    Parameters
    ----------
    body : int
        Index of the body.
    frame : Link
        Pose of the frame in the body.

    Returns
    -------
    Program
        Gives (6, nv): linear rows first, at the frame's origin, in world axes.

    """
    return Program(f'jacobian of {body} {frame}', ('q',),
                   (Outward(partial(_pose_step, AT_ORIGIN), _ground_pose),
                    Walk(partial(_target, frame), _on_the_way)),
                   Layout.COLUMNS, (6,), body)


def _target(frame: Link, body: Body, joint: Joint, pose: Link) -> list[Step]:
    target = pose.compose(frame).translation
    return [_on_the_way(body, joint, target, pose)]


def _on_the_way(body: Body, joint: Joint, target: Vector3, pose: Link) -> Step:
    """Hand the target on, and give out a column for each axis of the joint."""
    lever = target - pose.translation
    entries: list[Scalar] = []
    for axis in joint.axes:
        direction = pose.rotation.axis(axis % 3)
        entries += ([*direction.cross(lever), *direction] if axis < 3
                    else [*direction, *ZERO3])
    return Step(hand=target, out=tuple(entries))


def link_jacobian_rate(body: int, frame: Link) -> Program:
    """
    Return the program that gives the time derivative of ``link_jacobian``.

    Parameters
    ----------
    body : int
        Index of the body.
    frame : Link
        Pose of the frame in the body.

    Returns
    -------
    Program
        Gives (6, nv): linear rows first, differentiated in world axes.

    """
    return Program(f'jacobian rate of {body} {frame}', ('q', 'v'),
                   (Outward(_travel_step, _ground_at_rest),
                    Walk(partial(_moving_target, frame), _moving_on_the_way)),
                   Layout.COLUMNS, (6,), body)


class Moving(NamedTuple):
    """A point and its velocity, in world axes."""

    place: Vector3
    velocity: Vector3


def _travel_step(body: Body, joint: Joint, parent: Travel) -> Step:
    own = travel(body, joint, parent)
    return Step(hand=own, keep=own)


def _moving(own: Travel, point: Vector3) -> Moving:
    """Return a point of a body, given in its axes."""
    pose, velocity = own.pose, own.velocity
    return Moving(pose.translation + pose.rotation.apply(point), pose.rotation.apply(
        velocity.linear + velocity.angular.cross(point)))


def _moving_target(frame: Link, body: Body, joint: Joint, own: Travel) -> list[Step]:
    return [_moving_on_the_way(body, joint, _moving(own, frame.translation), own)]


def _moving_on_the_way(body: Body, joint: Joint, target: Moving, own: Travel) -> Step:
    """Hand the target on, and give out the rate of a column for each axis of the joint."""
    origin, turning = _moving(own, ZERO3), own.pose.rotation.apply(own.velocity.angular)
    lever, stretching = target.place - origin.place, target.velocity - origin.velocity
    entries: list[Scalar] = []
    for axis in joint.axes:
        direction = own.pose.rotation.axis(axis % 3)
        rate = turning.cross(direction)
        entries += ([*(rate.cross(lever) + direction.cross(stretching)), *rate] if axis < 3
                    else [*rate, *ZERO3])
    return Step(hand=target, out=tuple(entries))
