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
The constraint equations of joints that close loops.

A row is an equation ``phi = 0`` between two bodies. Twice differentiated it reads::

    phi'' = J_1 . A_1 + J_2 . A_2 + bias

with A the classical accelerations of the bodies' axes and origins, so that J_1 is the wrench on
the first body that a unit multiplier exerts. All vectors are in the axes of an *observer* at this
moment: the world, or one of the two bodies (``in_own_axes``), which changes no more than the axes
e along which points coincide; these do not turn with it. r is the lever from a body's origin to
the origin P of the frame that the joint connects, d the distance between the two points, x, y, z
the axes of a frame:

===========================  ==================  ===================================
row                          phi                 joints
===========================  ==================  ===================================
a point along a fixed line   e . (P_1 - P_2)     spherical, revolute, universal, fixed
a point along an axis        x_1 . (P_2 - P_1)   prismatic, planar
axes at right angles         x_1 . y_2           revolute, universal, prismatic, ...
distance                     (d.d - L^2) / 2 L   distance
coupling                     q_1 - p(q_2)        mimic
===========================  ==================  ===================================

A coupling is no matter of poses: its multiplier is an effort of 1 along the joint of the first
body and of -m along that of the second.

"""

from __future__ import annotations

from typing import NamedTuple

from mbd_ros.dynamics.algorithms.body_motion import BodyState, HasBodyState
from mbd_ros.execution.program.sweeps import POINT, Tie
from mbd_ros.model.loops import ROWS
from mbd_ros.spatial import (
    IDENTITY, Link, Rotation, Scalar, Vector3, Wrench, ZERO3, ZERO_WRENCH)

UNIT = {'x': Vector3(1.0, 0.0, 0.0), 'y': Vector3(0.0, 1.0, 0.0), 'z': Vector3(0.0, 0.0, 1.0)}


class Row(NamedTuple):
    """
    One equation.

    Wrenches on both bodies, in the observer's axes at their origins; bias, phi; of a coupling the
    efforts along the joints of both bodies and its rate.
    """

    first: Wrench
    second: Wrench
    bias: Scalar
    phi: Scalar
    efforts: tuple[Scalar, Scalar] = (0.0, 0.0)
    rate: Scalar = 0.0


class Side(NamedTuple):
    """
    One frame of a joint, in the observer's axes.

    Attributes
    ----------
    axes : Rotation
        Axes of the frame.
    lever : Vector3
        From the body's origin to that of the frame [m].
    point, velocity : Vector3
        Of the frame's origin [m, m/s].
    turning : Vector3
        Angular velocity [rad/s].
    centripetal : Vector3
        Acceleration of the frame's origin due to the turning [m/s^2].
    place, rate : Scalar
        Of the body's joint.

    """

    axes: Rotation
    lever: Vector3
    point: Vector3
    velocity: Vector3
    turning: Vector3
    centripetal: Vector3
    place: Scalar
    rate: Scalar

    def turned(self, direction: Vector3) -> Vector3:
        """Return the second derivative of a direction fixed to the frame, due to the turning."""
        return self.turning.cross(self.turning.cross(direction))

    def push(self, force: Vector3) -> Wrench:
        """Return the wrench on the body of a force at the frame's origin."""
        return Wrench(self.lever.cross(force), force)

    def axis(self, name: str) -> Vector3:
        """Return the x, y or z axis."""
        return self.axes['xyz'.index(name)]


def in_own_axes(tie: Tie, first: HasBodyState, second: HasBodyState
                ) -> tuple[HasBodyState, HasBodyState]:
    """Return the bodies of a tie as seen from that one in whose axes its rows are eliminated."""
    if tie.axes < 0:
        return first, second
    observer = (first, second)[tie.axes].pose
    one, other = (BodyState(
        Link(IDENTITY, ZERO3) if k == tie.axes else body.pose.seen_from(observer),
        body.velocity, body.place, body.rate) for k, body in enumerate((first, second)))
    return one, other


def is_trivial_row(tie: Tie, own: bool, row: int) -> bool:
    """Return whether a row takes no force in the axes of the tie's own, or in the world's."""
    return row in tie.idle and (own or row >= POINT)


def side(seen: HasBodyState, frame: Link) -> Side:
    """Return a frame that is fixed to a body."""
    rotation = seen.pose.rotation
    lever = rotation.apply(frame.translation)
    turning = rotation.apply(seen.velocity.angular)
    return Side(rotation.compose(frame.rotation), lever, seen.pose.translation + lever,
                rotation.apply(seen.velocity.linear) + turning.cross(lever), turning,
                turning.cross(turning.cross(lever)), seen.place, seen.rate)


def rows_of(tie: Tie, first: Side, second: Side) -> list[Row]:
    """Return the rows of a joint, in the order of ``mbd_ros.model.loops.ROWS``."""
    if tie.kind == 'mimic':
        return [_coupling(first, second, tie.constants)]
    if tie.kind == 'distance':
        return [_distance(first, second, tie.constants[0])]
    rows = []
    for name in ROWS[tie.kind]:  # type: ignore[index]
        if len(name) == 2:
            rows.append(_normal(first, second, name[0], name[1]))
        elif tie.kind in ('prismatic', 'planar'):
            rows.append(_along(first, second, name))
        else:
            rows.append(_coincident(first, second, UNIT[name]))
    return rows


def _coupling(first: Side, second: Side, coefficients: tuple[Scalar, ...]) -> Row:
    value, slope, curve = followed(second.place, coefficients)
    return Row(ZERO_WRENCH, ZERO_WRENCH, curve * second.rate * second.rate * -1.0,
               first.place - value, (1.0, slope * -1.0), first.rate - slope * second.rate)


def followed(x: Scalar, coefficients: tuple[Scalar, ...]) -> tuple[Scalar, Scalar, Scalar]:
    """
    Return where a joint is that follows one at x, and the derivatives of that by x.

    Parameters
    ----------
    x : float
        Position of the leader.
    coefficients : tuple of float
        Multiplier and offset, then those of the square and higher powers.

    """
    multiplier, offset, *powers = coefficients
    value, slope, curve = 0.0, 0.0, 0.0
    for power in reversed(powers):   # Horner's rule for what is above x
        curve = curve * x + slope * 2.0
        slope = slope * x + value
        value = value * x + power
    # value, slope and curve are those of s(x) with p(x) = offset + (multiplier + x s(x)) x
    return (offset + (multiplier + value * x) * x, multiplier + (value * 2.0 + slope * x) * x,
            value * 2.0 + (slope * 4.0 + curve * x) * x)


def _coincident(first: Side, second: Side, e: Vector3) -> Row:
    return Row(first.push(e), second.push(e * -1.0),
               e.dot(first.centripetal - second.centripetal), e.dot(first.point - second.point))


def _along(first: Side, second: Side, name: str) -> Row:
    u, d = first.axis(name), second.point - first.point
    back = first.push(u * -1.0)
    bias = (u.dot(second.centripetal - first.centripetal)
            + first.turning.cross(u).dot(second.velocity - first.velocity) * 2.0
            + first.turned(u).dot(d))
    return Row(Wrench(back.moment + u.cross(d), back.force), second.push(u), bias, u.dot(d))


def _normal(first: Side, second: Side, name1: str, name2: str) -> Row:
    u, w = first.axis(name1), second.axis(name2)
    normal = u.cross(w)
    bias = (first.turned(u).dot(w) + second.turned(w).dot(u)
            + first.turning.cross(u).dot(second.turning.cross(w)) * 2.0)
    return Row(Wrench(normal, ZERO3), Wrench(normal * -1.0, ZERO3), bias, u.dot(w))


def _distance(first: Side, second: Side, length: Scalar) -> Row:
    d, rate = first.point - second.point, first.velocity - second.velocity
    n = d * (1.0 / length)
    bias = n.dot(first.centripetal - second.centripetal) + rate.dot(rate) * (1.0 / length)
    return Row(first.push(n), second.push(n * -1.0), bias, (n.dot(d) - length) * 0.5)


def in_body(seen: HasBodyState, wrench: Wrench) -> Wrench:
    """Return a wrench given in the observer's axes in those of the body it acts on."""
    rotation = seen.pose.rotation
    return Wrench(rotation.apply_inverse(wrench.moment), rotation.apply_inverse(wrench.force))
