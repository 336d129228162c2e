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
The entries of a path of joints, of one coordinate or of several.

A path is a smooth function of time with values in a space of numbers, so that one polynomial
serves all joints. Of each joint it has

* revolute, prismatic: the position [rad or m];
* planar: x, y [m] and the angle [rad], which counts its turns;
* spherical: a quaternion x y z w of any length but zero;
* floating: x, y, z [m] and such a quaternion.

Quaternions need no unit length since only their direction is followed; a polynomial through
unit quaternions that are close together is a smooth way from orientation to orientation.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, hypot, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.control.references.paths import PathPoint
from mbd_ros.errors import InvalidValueError
from mbd_ros.model import JointType, Model
from mbd_ros.model.joints.joint_manifold import Floats, Orientations
from mbd_ros.model.rigid_motion import cross, inverse, product, Quaternion, rotate, unit, Vector3
from mbd_ros.simulation.manifold import Matrix, Vector

COUNT = {JointType.REVOLUTE: 1, JointType.PRISMATIC: 1, JointType.PLANAR: 3,
         JointType.SPHERICAL: 4, JointType.FLOATING: 7}
"""Number of entries of each type of joint."""

QUATERNION = {JointType.SPHERICAL: 0, JointType.FLOATING: 3}
"""Where in the entries of a joint its quaternion begins."""

ANGLE = 2
"""Where in the entries of a planar joint its angle is."""

Jet = tuple[Floats, Floats, Floats]
"""Entries of one joint with their first and second rates."""


class Part(NamedTuple):
    """One of the joints, and its place in the path, the configuration and the velocities."""

    name: str
    kind: JointType
    entries: slice
    q: slice
    v: slice


class JointCoordinates:
    """
    Takes states of some joints to entries of a path and back.

    The joints stand in the order of the path's entries. ``size`` is the number of entries,
    ``names`` the joint that each belongs to, ``v`` the entries of v of these joints. Raises
    UnknownNameError or InvalidValueError if a joint is not known or named twice, or none is named.
    """

    def __init__(self, model: Model, joints: Sequence[str]) -> None:
        indices = [model.joint_index(name) for name in joints]
        if not indices or len(set(indices)) < len(indices):
            raise InvalidValueError(
                'joints', list(joints), 'each joint at most once, at least one')
        parts, begin = [], 0
        for name, index in zip(joints, indices):
            kind, q, v = model.joint_types[index], model.q_offsets[index], model.v_offsets[index]
            parts.append(Part(name, kind, slice(begin, begin + COUNT[kind]),
                              slice(q, q + kind.nq), slice(v, v + kind.nv)))
            begin += COUNT[kind]
        self.parts = tuple(parts)
        self.size = begin
        self.v: NDArray[np.intp] = np.concatenate(
            [np.arange(part.v.start, part.v.stop, dtype=np.intp) for part in parts])
        self.names = tuple(part.name for part in parts for _ in range(COUNT[part.kind]))

    def point(self, q: Vector, v: Vector, acceleration: Vector) -> PathPoint:
        """
        Return entries, rates and second rates (size,) of a path for a state of the whole robot.

        q, v, acceleration: (nq,), (nv,), (nv,); quaternions get unit length.
        """
        rows = np.empty((3, self.size))
        for part in self.parts:
            rows[:, part.entries] = _jet(part.kind, *(
                tuple(values.tolist()) for values in (q[part.q], v[part.v], acceleration[part.v])))
        return PathPoint(*rows)

    def put(self, point: PathPoint, q: Vector, v: Vector) -> None:
        """Write where the joints are at a point of the path, and how they move, into q and v."""
        for part in self.parts:
            position, rate = (tuple(row[part.entries].tolist()) for row in point[:2])
            q[part.q], v[part.v] = _state(part.kind, position, rate)

    def continued(self, rows: Matrix, *, angles: bool = True) -> Matrix:
        """
        Return a copy of successive points (k, size) without jumps to opposite quaternions.

        ``angles``: nor by whole turns of the angles of planar joints.
        """
        rows = np.array(rows, np.float64)
        for part in self.parts:
            first = part.entries.start
            if part.kind is JointType.PLANAR and angles:
                rows[:, first + ANGLE] = np.unwrap(rows[:, first + ANGLE])
            if part.kind in QUATERNION:
                turn = rows[:, first + QUATERNION[part.kind]:part.entries.stop]
                for k in range(1, len(turn)):
                    if turn[k] @ turn[k - 1] < 0.0:
                        turn[k] *= -1.0
        return rows

    def turns(self) -> tuple[tuple[str, slice], ...]:
        """Return the joints whose entries hold a quaternion, and where it is."""
        return tuple((part.name, slice(part.entries.start + QUATERNION[part.kind],
                                       part.entries.stop))
                     for part in self.parts if part.kind in QUATERNION)


def entry_rates(kind: JointType, entries: Floats, v: Floats, acceleration: Floats) -> Jet:
    """
    Return entries of one joint with the rates that belong to its velocity and acceleration (nv,).

    Of an orientation ``Q' = Q omega / 2`` and ``Q'' = (Q' omega + Q alpha) / 2``, Q of unit
    length; of a position that moves with v in the body's axes ``p' = R v`` and ``p'' = R (vdot +
    omega x v)``.
    """
    if kind is JointType.SPHERICAL:
        first = Orientations.rate(entries, v)
        second = tuple(x + y for x, y in zip(
            Orientations.rate(first, v), Orientations.rate(entries, acceleration)))
        return entries, first, second
    if kind is JointType.FLOATING:
        turn, spin = entries[3:], v[3:]
        _, first, second = entry_rates(JointType.SPHERICAL, turn, spin, acceleration[3:])
        along = rotate(_quaternion(turn), _vector(v[:3]))
        swept = cross(_vector(spin), _vector(v[:3]))
        across = rotate(_quaternion(turn), _vector(tuple(
            a + w for a, w in zip(acceleration, swept))))
        return entries, (*along, *first), (*across, *second)
    if kind is JointType.PLANAR:
        c, s = cos(entries[ANGLE]), sin(entries[ANGLE])
        x, y, w = v
        ax, ay = acceleration[0] - w * y, acceleration[1] + w * x
        return (entries, (c * x - s * y, s * x + c * y, w),
                (c * ax - s * ay, s * ax + c * ay, acceleration[2]))
    return entries, v, acceleration


def _jet(kind: JointType, q: Floats, v: Floats, acceleration: Floats) -> Jet:
    """Return the entries of one joint in a state, with their rates."""
    if kind is JointType.PLANAR:
        q = (q[0], q[1], atan2(q[3], q[2]))
    if kind in QUATERNION:
        first = QUATERNION[kind]
        q = (*q[:first], *unit(_quaternion(q[first:])))
    return entry_rates(kind, q, v, acceleration)


def _state(kind: JointType, entries: Floats, rates: Floats) -> tuple[Floats, Floats]:
    """Return q and v of one joint at a point of a path."""
    if kind is JointType.SPHERICAL:
        turn = _quaternion(entries)
        size = sum(x * x for x in turn)
        spin = product(inverse(turn), _quaternion(rates))[:3]
        return unit(turn), tuple(2.0 * x / size for x in spin)
    if kind is JointType.FLOATING:
        q, angular = _state(JointType.SPHERICAL, entries[3:], rates[3:])
        linear = rotate(inverse(_quaternion(q)), _vector(rates[:3]))
        return (*entries[:3], *q), (*linear, *angular)
    if kind is JointType.PLANAR:
        x, y, angle = entries
        c, s = cos(angle), sin(angle)
        along, across, w = rates
        return (x, y, c / hypot(c, s), s / hypot(c, s)), (
            c * along + s * across, c * across - s * along, w)
    return entries, rates


def _vector(values: Floats) -> Vector3:
    x, y, z = values
    return x, y, z


def _quaternion(values: Floats) -> Quaternion:
    x, y, z, w = values
    return x, y, z, w
