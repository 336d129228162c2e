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

"""Displacements between configurations on scalars."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mbd_ros.control.references.scalars import length, Row
from mbd_ros.model import JointType, Model
from mbd_ros.model.rigid_motion import inverse, product, rotate
from mbd_ros.model.state import curved_joints
from mbd_ros.simulation.manifold import is_flat, normalized, rate
from mbd_ros.simulation.runge_kutta import rk4
from mbd_ros.spatial import Scalar, Vector3
from mbd_ros.spatial.logarithm import turn_of

SMALL = 1e-3
"""``displaced`` is exact to rounding up to here [rad or m]."""

NEAR = 1.0
"""``displacement`` is exact to rounding for turns up to here [rad]."""

INVERSE_LEFT_JACOBIAN = (
    1.0 / 12.0, 1.0 / 720.0, 1.0 / 30240.0, 1.0 / 1209600.0, 1.0 / 47900160.0,
    691.0 / 1307674368000.0, 1.0 / 74724249600.0, 3617.0 / 10670622842880000.0,
    43867.0 / 5109094217170944000.0)
"""Of the powers of ``t^2`` in ``(1 - t/2 cot(t/2)) / t^2``; the next one is below 1e-15 / 12."""


def displaced(model: Model, q: Row, displacement: Row) -> Row:
    """Return what is reached with a small displacement as velocity in unit time."""
    if is_flat(model):
        return [x + d for x, d in zip(q, displacement)]
    # The rate is linear in q but for the length of quaternions, which a rate keeps to this order:
    # RK4 errs by a fifth power.
    start, way = np.array(q, object), np.array(displacement, object)
    return list(normalized(model, rk4(lambda _, at: rate(model, at, way), start, 1.0)))


def displacement(model: Model, start: Row, end: Row) -> Row:
    """Return what leads from one configuration to another; see ``model.state.difference``."""
    if is_flat(model):
        return [x - x0 for x, x0 in zip(end, start)]
    way: Row = [0.0] * model.nv
    for kind, at, first in zip(model.joint_types, model.q_offsets, model.v_offsets):
        if kind.is_simple:
            way[first] = end[at] - start[at]
        elif kind in _WAYS:
            way[first:first + kind.nv] = _WAYS[kind](start[at:at + kind.nq], end[at:at + kind.nq])
    return way


def turned(model: Model, way: Row) -> Row:
    """Return how far each joint of several coordinates turns on a displacement [rad]."""
    first = {JointType.FLOATING: 3, JointType.SPHERICAL: 0, JointType.PLANAR: 2}
    return [length(way[joint.v][first[model.joint_types[joint.number]]:])
            for joint in curved_joints(model)]


def _turn(start: Row, end: Row) -> Row:
    """Return the rotation vector of the turn from one orientation to another."""
    *vector, w = product(inverse(tuple(start)), tuple(end))
    return list(turn_of(w, *vector))


def _screw(start: Row, end: Row) -> Row:
    """Return the screw motion from one pose to another."""
    angular = _turn(start[3:], end[3:])
    shift = tuple(x - x0 for x, x0 in zip(end[:3], start[:3]))
    return [*_linear_velocity(rotate(inverse(tuple(start[3:])), shift), angular), *angular]


def _arc(start: Row, end: Row) -> Row:
    """Return the arc from one pose in the plane to another."""
    x, y, c, s = start
    dx, dy = end[0] - x, end[1] - y
    angular = list(turn_of(1.0 + c * end[2] + s * end[3], 0.0, 0.0, c * end[3] - s * end[2]))
    along, across, _ = _linear_velocity((c * dx + s * dy, c * dy - s * dx, 0.0), angular)
    return [along, across, angular[2]]


def _linear_velocity(displaced: tuple[Scalar, ...], angular: Row) -> Row:
    """Return ``V^-1 p``; see ``rigid_motion.linear_velocity``."""
    p, w = Vector3(*displaced), Vector3(*angular)
    series: Scalar = 0.0
    for coefficient in reversed(INVERSE_LEFT_JACOBIAN):
        series = coefficient + w.dot(w) * series
    once = w.cross(p)
    return list(p - once * 0.5 + w.cross(once) * series)


_WAYS: dict[JointType, Callable[[Row, Row], Row]] = {
    JointType.SPHERICAL: _turn, JointType.FLOATING: _screw, JointType.PLANAR: _arc}
