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

"""Paths through the way points of a message: start from the reference, start time."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any, NamedTuple

from builtin_interfaces.msg import Time
from control_msgs.action import FollowJointTrajectory
import numpy as np
from numpy.typing import NDArray

from mbd_ros.control.references.joint_coordinates import JointCoordinates
from mbd_ros.control.references.joint_trajectories import check_turns, rates_of_entries, stopping
from mbd_ros.control.references.splines import joined, PiecewisePolynomial, trajectory
from mbd_ros.errors import MbdError, MOST_NAMES
from mbd_ros.messages.basics.times import SECOND, to_nanoseconds
from mbd_ros.messages.states.joint_states import LARGEST
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import endless

Vector = NDArray[np.float64]
Result = FollowJointTrajectory.Result

NEAR = 0.02
"""
A trajectory whose first point is due at once may be this far from the reference [rad or m]:
planners begin where the robot was measured, MoveIt up to 0.01 off, and that is off the reference.
"""
AT_ONCE = 0.1
"""A trajectory that is due at once, as a whole, takes this long [s]."""


class Reference(NamedTuple):
    """Where a trajectory begins: q, v and vdot (nv,) of the reference at a time [ns]."""

    q: Vector
    v: Vector
    acceleration: Vector
    nanoseconds: int


class GoalError(MbdError):
    """
    A goal that cannot be carried out.

    Parameters
    ----------
    result : int
        Error code of ``FollowJointTrajectory``.
    what : str
        Explanation.

    """

    code = 'INVALID_VALUE'

    def __init__(self, result: int, what: str) -> None:
        super().__init__(what)
        self.result = result


class WayPoints(NamedTuple):
    """
    The points of a message.

    Attributes
    ----------
    names : sequence of str
        Names of the joints.
    stamp : Time
        When they begin; zero: now.
    points : sequence
        The points, for their ``time_from_start``.
    positions : Vector
        (k, entries), see ``joint_coordinates``.
    velocities, accelerations : Vector or None
        (k, velocities of the joints).

    """

    names: Sequence[str]
    stamp: Time
    points: Sequence[Any]
    positions: Vector
    velocities: Vector | None
    accelerations: Vector | None


def path_through(model: Model, moved: Sequence[str], given: WayPoints, start: Reference
                 ) -> PiecewisePolynomial:
    """
    Return the path of joints through way-points of some of them; the others stay.

    Parameters
    ----------
    model : Model
        The robot.
    moved : sequence of str
        The joints of the path.
    given : WayPoints
        Points of some of them; those of a stamp in the past that are over are left out.
    start : Reference
        Where the path begins, at its time 0.

    Returns
    -------
    PiecewisePolynomial
        Entries of ``moved``.

    Raises
    ------
    GoalError
        If it cannot be followed: the code and what is wrong.

    """
    velocities, accelerations = given.velocities, given.accelerations
    for name, entries in (('positions', given.positions), ('velocities', velocities),
                          ('accelerations', accelerations)):
        if entries is not None and not np.abs(entries).max(initial=0.0) <= LARGEST:
            point, entry = np.argwhere(~(np.abs(entries) <= LARGEST))[0]
            raise GoalError(Result.INVALID_GOAL, (
                f'{name} of point {point} reach {entries[point, entry]:.9g}; allowed: from '
                f'{-LARGEST:g} to {LARGEST:g}'))
    stamp = to_nanoseconds(given.stamp) or start.nanoseconds
    times = (stamp - start.nanoseconds) / SECOND + np.array(
        [to_nanoseconds(point.time_from_start) / SECOND for point in given.points])
    if not (np.diff(times) > 0.0).all():
        late = int(np.argmin(np.diff(times))) + 1
        raise GoalError(Result.INVALID_GOAL,
                        f'time_from_start of point {late} is not after that of the one before')
    if velocities is not None and velocities[-1].any():
        raise GoalError(Result.INVALID_GOAL, 'the velocities of the last point are not zero')
    if accelerations is not None and velocities is None:
        raise GoalError(Result.INVALID_GOAL, 'the points have accelerations without velocities')
    if times[-1] < 0.0:
        raise GoalError(Result.OLD_HEADER_TIMESTAMP,
                        f'the trajectory ended {-times[-1]:.3f} s ago')
    keep, at_once = times > 0.0, times[0] == 0.0
    if not keep.any():
        keep[-1], times[-1] = True, AT_ONCE
    whole, named = JointCoordinates(model, moved), JointCoordinates(model, given.names)
    x, rate, second = whole.point(*start[:3])
    rest = np.zeros(whole.size)
    wait, first, stop = (stamp - start.nanoseconds) / SECOND, 0.0, None
    if 0.0 < wait < times[keep][0]:   # until it begins, the joints come to rest where they are
        stop = coming_to_rest(model, moved, start, wait)
        x, rate, second, first = stop.at(wait).position, rest, rest, wait
    places = np.array([entry for name in given.names for part in whole.parts if part.name == name
                       for entry in range(part.entries.start, part.entries.stop)])
    positions = _nearest(model, named, given.positions, x[places])
    if at_once:
        _require_near(named, positions[0], x[places])
    rates = seconds = None
    if velocities is not None:
        rates, seconds = rates_of_entries(named, positions, velocities, accelerations)
    rows = [x, *_whole(x, places, positions[keep])]
    speeds = None if rates is None else [rate, *_whole(rest, places, rates[keep])]
    changes = None if seconds is None else [second, *_whole(rest, places, seconds[keep])]
    try:
        path = trajectory([first, *times[keep].tolist()], rows, speeds, changes,
                          first_velocity=rate)
        check_turns(whole, path)
    except MbdError as error:
        raise GoalError(Result.INVALID_GOAL, str(error)) from error
    return path if stop is None else joined(stop, path)


def coming_to_rest(model: Model, joints: Sequence[str], start: Reference,
                   longest: float = math.inf) -> PiecewisePolynomial:
    """Return the path of joints that come to rest near where they are, within a time [s]."""
    places = JointCoordinates(model, joints).v
    limits = model.velocity_limits[places]
    top = np.where(np.isfinite(limits), limits, np.abs(start.v[places]) + 1.0)
    return stopping(model, joints, *start[:3], top, longest)


def values(points: Sequence[Any], name: str, count: int) -> Vector | None:
    """
    Return one kind of values of all points (k, count), None if no point has any.

    Raises
    ------
    GoalError
        If a point has another number of them, or one is not finite.

    """
    rows = [list(getattr(point, name)) for point in points]
    if not any(rows):
        return None
    for index, row in enumerate(rows):
        if len(row) != count:
            raise GoalError(Result.INVALID_GOAL, (
                f'point {index} has {len(row)} {name}; allowed: {count}, one for each joint, in '
                'all points or in none'))
        if not all(math.isfinite(value) for value in row):
            raise GoalError(Result.INVALID_GOAL, f'{name} of point {index} are not finite: {row}')
    return np.array(rows)


def listed(names: Sequence[str]) -> str:
    """Return names for a message, the first ones if there are many."""
    more = len(names) - MOST_NAMES
    return f'{list(names[:MOST_NAMES])}' + (f' and {more} more' if more > 0 else '')


def _require_near(named: JointCoordinates, first: Vector, x: Vector) -> None:
    """Refuse a first point that is due at once and far from where the reference is."""
    away = np.abs(first - x)
    for _, turn in named.turns():
        away[turn] *= 2.0   # a quaternion turns half as far as what it turns
    if away.max() > NEAR:
        entry = int(np.argmax(away))
        raise GoalError(Result.INVALID_GOAL, (
            f"the first point is due at once, but joint '{named.names[entry]}' is "
            f'{away[entry]:.4g} rad or m away from it; give it a time'))


def _nearest(model: Model, named: JointCoordinates, positions: Vector, x: Vector) -> Vector:
    """Return positions by the shorter way from x on, of joints that turn without end, too."""
    turn = 2.0 * math.pi
    turning = np.zeros(named.size, bool)
    for part in named.parts:
        turning[part.entries] = part.kind.is_simple and endless(model)[part.v].all()
    shift = turn * np.round((x - positions[0]) / turn)
    return named.continued(np.vstack([x, positions + np.where(turning, shift, 0.0)]))[1:]


def _whole(background: Vector, places: NDArray[np.intp], rows: Vector) -> list[Vector]:
    """Return rows for all entries, from those of some."""
    whole = np.tile(background, (len(rows), 1))
    whole[:, places] = rows
    return list(whole)
