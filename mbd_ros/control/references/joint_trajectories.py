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

"""Trajectories of joints through way-points, whatever number of coordinates the joints have."""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.references.arguments import numbers
from mbd_ros.control.references.joint_coordinates import entry_rates, JointCoordinates
from mbd_ros.control.references.splines import PiecewisePolynomial, trajectory
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.model import Model
from mbd_ros.model.state import integrate
from mbd_ros.simulation.manifold import Matrix, Vector

SHORTEST_TURN = 0.5
"""
A quaternion on the way between unit quaternions is not shorter than this: half a turn at constant
rates comes to 0.71. A shorter one would mean that the body all but jumps there.
"""

LOOKS = 16
"""Instants in each segment at which that is looked at."""

DECELERATION = 5.0
"""A stop takes about this fraction of a joint's top speed in each second [1/s]."""

SHORTEST_STOP = 0.05
"""No stop takes less time [s]."""

ARC = 0.5
"""Largest turn between two way-points of a stop [rad]."""


def joint_trajectory(
    model: Model, joints: Sequence[str], times: ArrayLike, positions: ArrayLike,
    velocities: ArrayLike | None = None, accelerations: ArrayLike | None = None,
) -> PiecewisePolynomial:
    """
    Return the path of joints through way-points at given times.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Names of the joints.
    times : array_like
        (k,) [s], increasing, k > 1.
    positions : array_like
        (k, entries), see ``joint_coordinates``; quaternions are brought to length one, and of the
        two of an orientation the one nearer to the point before is taken.
    velocities, accelerations : array_like, optional
        (k, velocities of the joints): of ball joints angular, in their own axes [rad/s], and so
        on as in v. Without them the path is a spline from rest to rest.

    Returns
    -------
    PiecewisePolynomial
        The path; cubics with velocities, quintics with accelerations, too.

    Raises
    ------
    UnknownNameError, ShapeError, NotFiniteError, InvalidValueError
        If the joints or points are not as they should be, or a joint turns too fast.

    """
    coordinates = JointCoordinates(model, joints)
    rows = _table('positions', positions, coordinates.size, ', '.join(coordinates.names))
    for name, turn in coordinates.turns():
        sizes = np.linalg.norm(rows[:, turn], axis=1)
        if not sizes.all():
            raise InvalidValueError(f"quaternion of joint '{name}'", [0.0] * 4,
                                    'x y z w, not all zero')
        rows[:, turn] /= sizes[:, None]
    rows = coordinates.continued(rows, angles=False)
    rates = seconds = None
    if velocities is not None:
        v = _rates('velocities', velocities, len(rows), coordinates)
        a = (None if accelerations is None
             else _rates('accelerations', accelerations, len(rows), coordinates))
        rates, seconds = rates_of_entries(coordinates, rows, v, a)
    elif accelerations is not None:
        raise InvalidValueError('accelerations', 'given', 'velocities beside them')
    path = trajectory(times, rows, rates, seconds)
    check_turns(coordinates, path)
    return path


def rates_of_entries(coordinates: JointCoordinates, rows: Matrix, velocities: Matrix,
                     accelerations: Matrix | None) -> tuple[Matrix, Matrix | None]:
    """
    Return the rates of entries of a path at way-points.

    Parameters
    ----------
    coordinates : JointCoordinates
        The joints.
    rows : Matrix
        (k, entries), with unit quaternions.
    velocities : Matrix
        (k, velocities of the joints) [rad/s or m/s].
    accelerations : Matrix or None
        Their rates.

    Returns
    -------
    Matrix, Matrix or None
        (k, entries): rates, and second rates where there are accelerations.

    """
    rest = np.zeros_like(velocities) if accelerations is None else accelerations
    first, second = np.empty_like(rows), np.empty_like(rows)
    end = 0
    for part in coordinates.parts:
        begin, end = end, end + part.v.stop - part.v.start
        v, acceleration = velocities[:, begin:end], rest[:, begin:end]
        if part.kind.is_simple:
            first[:, part.entries], second[:, part.entries] = v, acceleration
            continue
        for k, row in enumerate(rows[:, part.entries].tolist()):
            _, first[k, part.entries], second[k, part.entries] = entry_rates(
                part.kind, tuple(row), tuple(v[k].tolist()), tuple(acceleration[k].tolist()))
    return first, None if accelerations is None else second


def check_turns(coordinates: JointCoordinates, path: PiecewisePolynomial) -> None:
    """
    Refuse a path on which a quaternion comes near to zero.

    Raises
    ------
    InvalidValueError
        If one does; says when.

    """
    if not coordinates.turns():
        return
    fractions = np.linspace(0.0, 1.0, LOOKS)
    times = np.diff(path.times)[:, None] * fractions               # since the segment's beginning
    powers = times[:, :, None] ** np.arange(path.coefficients.shape[1])
    for name, turn in coordinates.turns():
        lengths = np.linalg.norm(powers @ path.coefficients[:, :, turn], axis=2)
        if lengths.min() < SHORTEST_TURN:
            segment, look = np.unravel_index(int(lengths.argmin()), lengths.shape)
            raise InvalidValueError(
                f"way of joint '{name}' at {path.times[segment] + times[segment, look]:.3f} s",
                'a turn by far more than half a turn between two points',
                'points that are closer together, or slower')


def stopping(model: Model, joints: Sequence[str], q: Vector, v: Vector, acceleration: Vector,
             top: Vector, longest: float = math.inf) -> PiecewisePolynomial:
    """
    Return the path on which joints come to rest.

    A joint is displaced by ``s(t) v + r(t) vdot`` with quintics that begin with slope 1 and
    curvature 1 and come to rest at ``duration / 2`` and 0: by the mean speed of half its own. A
    joint of several coordinates moves so along a screw, however far it turns.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Names of the joints.
    q, v, acceleration : Vector
        (nq,), (nv,), (nv,) of the whole robot at time 0.
    top : Vector
        Top speeds of the joints, one for each of their velocities [rad/s or m/s].
    longest : float, optional
        Time that is left for it [s].

    Returns
    -------
    PiecewisePolynomial
        Entries as in ``joint_coordinates``; it ends where a constant deceleration would.

    """
    coordinates = JointCoordinates(model, joints)
    velocity, change = np.zeros(model.nv), np.zeros(model.nv)
    velocity[coordinates.v], change[coordinates.v] = v[coordinates.v], acceleration[coordinates.v]
    ratio = float((np.abs(v[coordinates.v]) / (DECELERATION * top)).max(initial=0.0))
    duration = min(max(SHORTEST_STOP, 2.0 * ratio), longest)
    profile = trajectory([0.0, duration], [[0.0, 0.0], [0.5 * duration, 0.0]],
                         [[1.0, 0.0], [0.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]])
    directions = np.array((velocity, change))
    curved = [velocity[part.v] for part in coordinates.parts if not part.kind.is_simple]
    turn = 0.5 * duration * max((float(np.linalg.norm(rates)) for rates in curved), default=0.0)
    times = np.linspace(0.0, duration, 1 + max(1, math.ceil(turn / ARC)))
    points = []
    for time in times.tolist():
        way, rate, second = (row @ directions for row in profile.at(time))
        points.append(coordinates.point(integrate(model, q, way), rate, second))
    positions, rates, seconds = (np.array(rows) for rows in zip(*points))
    return trajectory(times, coordinates.continued(positions), rates, seconds)


def _rates(name: str, values: ArrayLike, count: int, coordinates: JointCoordinates) -> Matrix:
    """Return velocities of joints at way-points, or accelerations, checked."""
    owners = [part.name for part in coordinates.parts
              for _ in range(part.v.start, part.v.stop)]
    table = _table(name, values, len(owners), ', '.join(owners))
    if len(table) != count:
        raise ShapeError(f'{name} of a path of joints', table.shape, f'({count}, {len(owners)})')
    return table


def _table(name: str, values: ArrayLike, count: int, owners: str) -> Matrix:
    """Return rows of numbers, checked."""
    table = numbers(name, values, 2)
    if table.shape[1] != count:
        raise ShapeError(f'{name} of a path of joints', table.shape, f'(k, {count}): {owners}')
    return table
