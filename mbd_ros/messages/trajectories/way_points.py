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
from trajectory_msgs.msg import JointTrajectory

from mbd_ros.control.references.joining import back_to_rest, begun_with, beside, cut, end_point
from mbd_ros.control.references.joint_coordinates import JointCoordinates
from mbd_ros.control.references.joint_trajectories import (
    check_turns, DECELERATION, rates_of_entries, SHORTEST_STOP, stopping)
from mbd_ros.control.references.paths import Path, PathPoint
from mbd_ros.control.references.splines import joined, PiecewisePolynomial, trajectory
from mbd_ros.errors import MbdError, MOST_NAMES
from mbd_ros.messages.fields.times import SECOND, to_nanoseconds
from mbd_ros.messages.states.joint_states import LARGEST
from mbd_ros.model import Model
from mbd_ros.model.names import position_units
from mbd_ros.simulation.manifold import endless, joint_of_each_velocity

Vector = NDArray[np.float64]
Result = FollowJointTrajectory.Result

NEAR = 0.02
"""
A trajectory whose first point is due at once may be this far from the reference [rad or m]:
planners begin where the robot was measured, MoveIt up to 0.01 off, and that is off the reference.
"""
CLOSE = 1e-4, 1e-3
"""
What a path that was made ahead begins at, and what is followed then, may differ by so much [rad,
rad/s; m, m/s], and by what acceleration makes of the time since.
"""
AT_ONCE = 0.1
"""A trajectory that is due at once, as a whole, takes this long [s]."""
NOTHING = float(np.finfo(np.float32).eps)
"""
A last velocity of this is zero [rad/s or m/s], 1.2e-7: planners leave rounding there, and it is
what joint_trajectory_controller allows.
"""
BACK = 4.0
"""A quintic back to where it began takes this many times v / a: its acceleration is 3.94 v / T."""
RESTING = 1e-9
"""Rates of a reference below this are rest: rounding of splines [rad/s, rad/s^2; m/s, m/s^2]."""
MOST_POINTS = 20_000
"""Of a trajectory: 200 s at 100 Hz."""
FEW = 50
"""Points that a control step has time to read."""
SHORT = 1e-3
"""A path that has ended goes on for this time [s]: a piece of no length is none."""


class Running(NamedTuple):
    """What joints follow: groups of names with their paths, and the time on these [s]."""

    parts: Sequence[tuple[tuple[str, ...], Path]]
    time: float


class Reference(NamedTuple):
    """
    Where a trajectory begins: q, v and vdot (nv,) of the reference at a time [ns].

    ``running`` is what the joints follow at that time, None where they have no paths.
    """

    q: Vector
    v: Vector
    acceleration: Vector
    nanoseconds: int
    running: Running | None = None

    def goes_on(self, joints: Sequence[str], span: float) -> PiecewisePolynomial | None:
        """
        Return what joints would do for a time [s], infinite: to the end; None if not known.

        All of them have to be in one group of what runs.
        """
        for names, path in () if self.running is None else self.running.parts:
            if set(joints) <= set(names) and isinstance(path, PiecewisePolynomial):
                assert self.running is not None
                at = [names.index(name) for name in joints]
                sizes = path.coefficients.shape[2]
                if sizes != len(names) and list(joints) != list(names):
                    return None   # joints of several coordinates, in another order
                begin = self.running.time
                end = max(path.times[-1], begin + SHORT) if math.isinf(span) else begin + span
                return cut(path, begin, end, None if sizes != len(names) else np.array(at))
        return None


class Rules(NamedTuple):
    """
    What trajectories may be, see the parameters of the controller of these names.

    Attributes
    ----------
    partial : bool
        Whether joints may be missing.
    nonzero_end : bool
        Whether the last velocities may be another than zero; the joints then stop, and go back.
    integrate : bool
        Whether points without positions are integrated.
    replace : bool
        Whether joints go on as they do until a stamp, and those that are missing afterwards, too.
    wrap : bool
        Whether joints that turn without end take the shorter way to the first point.
    longest_wait : float
        How far ahead a stamp may be [s].

    """

    partial: bool = False
    nonzero_end: bool = False
    integrate: bool = False
    replace: bool = True
    wrap: bool = True
    longest_wait: float = math.inf


USUAL = Rules()


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
    positions : Vector or None
        (k, entries), see ``joint_coordinates``; None: by integration.
    velocities, accelerations : Vector or None
        (k, velocities of the joints).

    """

    names: Sequence[str]
    stamp: Time
    points: Sequence[Any]
    positions: Vector | None
    velocities: Vector | None
    accelerations: Vector | None


def path_through(model: Model, moved: Sequence[str], given: WayPoints, start: Reference,
                 rules: Rules = USUAL) -> PiecewisePolynomial:
    """
    Return the path of joints through way-points of some of them.

    Until its stamp the joints go on as they do, and those that are not among them from then on,
    too; where there is nothing to go on with, they come to rest and stay.

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
    rules : Rules, optional
        What is allowed.

    Returns
    -------
    PiecewisePolynomial
        Entries of ``moved``.

    Raises
    ------
    GoalError
        If it cannot be followed: the code and what is wrong.

    """
    require_bounded(given)
    times, wait = _times(given, start, rules)
    keep = times > 0.0
    if not keep.any():
        keep[-1], times[-1] = True, AT_ONCE
    whole, named = JointCoordinates(model, moved), JointCoordinates(model, given.names)
    places = np.array([entry for name in given.names for part in whole.parts if part.name == name
                       for entry in range(part.entries.start, part.entries.stop)])
    now = whole.point(*start[:3])
    before = _until(model, moved, start, rules, wait) if wait > 0.0 else None
    at_once = times[0] == max(wait, 0.0) and given.positions is not None
    if at_once and before is not None:
        x = end_point(before).position[places]
        if len(times) > 1 and _away(named, nearest(model, named, given, x, rules)[0], x
                                    ).max() <= NEAR:
            keep[0] = False
        else:
            before = None   # there is the time until then to get there
        at_once = False
    first, begin = (0.0, now) if before is None else (before.times[-1], end_point(before))
    x, rate, second = begin
    given = integrated(named, given, times, keep, (first, x[places], rate[places]))
    _require_end_at_rest(model, named, given, rules)
    positions = nearest(model, named, given, x[places], rules)
    if at_once:
        _require_near(named, positions[0], x[places])
    rates = seconds = None
    if given.velocities is not None:
        rates, seconds = rates_of_entries(named, positions, given.velocities, given.accelerations)
    try:
        path = trajectory(
            [first, *times[keep].tolist()], [x[places], *positions[keep]],
            None if rates is None else [rate[places], *rates[keep]],
            None if seconds is None else [second[places], *seconds[keep]],
            first_velocity=rate[places])
        if seconds is None and max(np.abs(rate).max(), np.abs(second).max()) > RESTING:
            path = begun_with(path, second[places])   # in motion: its acceleration goes on, too
        if given.velocities is not None and given.velocities[-1].any():
            path = back_to_rest(path, _stop_duration(model, named, given.velocities[-1]))
        path = with_others(whole, places, path, begin, start, rules)
        check_turns(whole, path)
    except MbdError as error:
        raise GoalError(Result.INVALID_GOAL, str(error)) from error
    return path if before is None else joined(before, path)


def continues(model: Model, moved: Sequence[str], path: Path, since: float, start: Reference
              ) -> bool:
    """
    Tell whether a path that was made ahead continues what is followed.

    Parameters
    ----------
    model : Model
        The robot.
    moved : sequence of str
        The joints of the path.
    path : Path
        Its time 0 is when it was to begin.
    since : float
        That is so long ago [s]: a control step at most.
    start : Reference
        Where the reference is now.

    """
    x, rate, second = JointCoordinates(model, moved).point(*start[:3])
    point, (near, slow) = path.at(since), CLOSE
    slow += 2.0 * since * float(np.abs(second).max(initial=0.0))
    return bool(np.abs(point.position - x).max(initial=0.0) <= near + since * slow
                and np.abs(point.velocity - rate).max(initial=0.0) <= slow)


def wait_of(message: Any, now: int) -> float:
    """Return how far ahead of a time [ns] a trajectory begins by its stamp [s], at least zero."""
    return max((to_nanoseconds(message.header.stamp) or now) - now, 0) / SECOND


def _times(given: WayPoints, start: Reference, rules: Rules) -> tuple[Vector, float]:
    """Return when points are due, and the stamp, both from ``start`` on [s]; checked."""
    stamp = to_nanoseconds(given.stamp) or start.nanoseconds
    wait = (stamp - start.nanoseconds) / SECOND
    times = wait + due(given.points)
    if not (np.diff(times) > 0.0).all():
        late = int(np.argmin(np.diff(times))) + 1
        raise GoalError(Result.INVALID_GOAL,
                        f'time_from_start of point {late} is not after that of the one before')
    if times[-1] < 0.0:
        raise GoalError(Result.OLD_HEADER_TIMESTAMP,
                        f'the trajectory ended {-times[-1]:.3f} s ago')
    if wait > rules.longest_wait:
        raise GoalError(Result.INVALID_GOAL, (
            f'the trajectory begins in {wait:.3f} s: its stamp is {stamp / SECOND:.3f} s, that of '
            f'joint_states {start.nanoseconds / SECOND:.3f} s; allowed: within '
            f'{rules.longest_wait:g} s (parameter longest_wait), and both by the same clock'))
    return times, wait


def _until(model: Model, moved: Sequence[str], start: Reference, rules: Rules, wait: float
           ) -> PiecewisePolynomial | None:
    """Return what joints do for a time [s]; None where they cannot come to rest by then."""
    if rules.replace:
        going_on = start.goes_on(moved, wait)
        if going_on is not None:
            return going_on
    stop = coming_to_rest(model, moved, start)
    resting = not max(np.abs(start.v).max(), np.abs(start.acceleration).max()) > RESTING
    if wait < stop.times[-1] and not resting:
        return None
    return cut(stop, 0.0, wait)


def with_others(whole: JointCoordinates, places: NDArray[np.intp], path: PiecewisePolynomial,
                begin: PathPoint, start: Reference, rules: Rules) -> PiecewisePolynomial:
    """Return the path of all joints, from that of the entries at ``places``."""
    others = np.setdiff1d(np.arange(whole.size), places)
    if len(others) == 0:
        return PiecewisePolynomial(path.times, path.coefficients[:, :, np.argsort(places)],
                                   arrives=path.arrives)
    names = tuple(dict.fromkeys(whole.names[at] for at in others.tolist()))
    beyond = start.goes_on(names, math.inf) if rules.replace else None
    if beyond is None or beyond.times[-1] <= path.times[0]:
        x, rate, second = (row[others] for row in begin)
        staying = trajectory([path.times[0], path.arrives], [x, x], first_velocity=rate)
        if max(np.abs(rate).max(), np.abs(second).max()) > RESTING:
            staying = begun_with(staying, second)
    else:
        staying = cut(beyond, path.times[0], beyond.times[-1])
        staying = PiecewisePolynomial(np.add(staying.times, path.times[0]), staying.coefficients)
    return beside([(places, path), (others, staying)])


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
    kept = points.kept(name, count) if isinstance(points, ReadAhead) else None
    if kept is not None:
        return None if kept.found is None else kept.found.copy()
    rows = [getattr(point, name) for point in points]
    if not any(map(len, rows)):
        return None
    for index, row in enumerate(rows):
        if len(row) != count:
            raise GoalError(Result.INVALID_GOAL, (
                f'point {index} has {len(row)} {name}; allowed: {count}, one for each joint, in '
                'all points or in none'))
    found = np.array([list(row) for row in rows], np.float64).reshape(len(rows), count)
    finite = np.isfinite(found).all(axis=1)
    if not finite.all():
        index = int(finite.argmin())
        raise GoalError(Result.INVALID_GOAL,
                        f'{name} of point {index} are not finite: {list(rows[index])}')
    return found


def due(points: Sequence[Any]) -> Vector:
    """Return the times of points from the stamp of their trajectory on (k,) [s]."""
    if isinstance(points, ReadAhead):
        return points.times
    return np.array([to_nanoseconds(point.time_from_start) / SECOND for point in points])


class Kept(NamedTuple):
    """What ``values`` has found."""

    found: Vector | None


class ReadAhead(list[Any]):
    """
    The points of a message with their numbers, read before a control step needs them.

    Parameters
    ----------
    points : sequence
        The points.
    count : int
        Number of the joints.

    Attributes
    ----------
    times : Vector
        See ``due``.

    Raises
    ------
    GoalError
        As ``values``.

    """

    FIELDS = ('positions', 'velocities', 'accelerations')

    def __init__(self, points: Sequence[Any], count: int) -> None:
        super().__init__(points)
        self.times = due(points)
        self._count = count
        fields = [*self.FIELDS, *(['effort'] if all(len(one.effort) for one in points) else ())]
        self._kept = {name: Kept(values(points, name, count)) for name in fields}

    def kept(self, name: str, count: int) -> Kept | None:
        """Return what was found for so many joints."""
        return self._kept.get(name) if count == self._count else None


def read_ahead(message: JointTrajectory) -> JointTrajectory:
    """
    Read the numbers in the points of a trajectory; what is done with them is quick then.

    Raises
    ------
    GoalError
        If there are more than ``MOST_POINTS``, or what is wrong with them.

    """
    if len(message.points) > MOST_POINTS:
        raise GoalError(Result.INVALID_GOAL, (
            f'the trajectory has {len(message.points)} points; allowed: {MOST_POINTS}'))
    if len(message.points) > FEW and not isinstance(message.points, ReadAhead):
        message.points = ReadAhead(message.points, len(message.joint_names))
    return message


def listed(names: Sequence[str]) -> str:
    """Return names for a message, the first ones if there are many."""
    more = len(names) - MOST_NAMES
    return f'{list(names[:MOST_NAMES])}' + (f' and {more} more' if more > 0 else '')


def integrated(named: JointCoordinates, given: WayPoints, times: Vector, keep: NDArray[np.bool_],
               begin: tuple[float, Vector, Vector]) -> WayPoints:
    """
    Return way-points with positions, from velocities or accelerations where they have none.

    Parameters
    ----------
    named : JointCoordinates
        Their joints.
    given : WayPoints
        The way-points.
    times : Vector
        When they are due (k,) [s].
    keep : array of bool
        Which are not over (k,).
    begin : (float, Vector, Vector)
        Time, entries and their rates (n,) from which on it is integrated, by the trapezoidal rule
        (Heun's method for functions of time alone).

    """
    if given.positions is not None:
        return given
    if not all(part.kind.is_simple for part in named.parts):
        raise GoalError(Result.INVALID_GOAL, 'points of joints with several coordinates have no '
                        'transforms')
    time, x, rate = begin
    steps = np.diff([time, *times[keep]])[:, None]

    def summed(first: Vector, rates: Vector, before: Vector) -> Vector:
        whole = np.zeros((len(times), len(first)))
        rates = np.vstack([before, rates[keep]])
        whole[keep] = first + np.cumsum(steps * 0.5 * (rates[1:] + rates[:-1]), axis=0)
        return whole
    velocities, accelerations = given.velocities, given.accelerations
    if velocities is None:
        assert accelerations is not None
        velocities = summed(rate, accelerations, accelerations[keep][0])
    return given._replace(positions=summed(x, velocities, rate), velocities=velocities)


def require_bounded(given: WayPoints) -> None:
    """Refuse numbers that no robot has to do with."""
    for name, entries in (('positions', given.positions), ('velocities', given.velocities),
                          ('accelerations', given.accelerations)):
        if entries is not None and not np.abs(entries).max(initial=0.0) <= LARGEST:
            point, entry = np.argwhere(~(np.abs(entries) <= LARGEST))[0]
            raise GoalError(Result.INVALID_GOAL, (
                f'{name} of point {point} reach {entries[point, entry]:.9g}; allowed: from '
                f'{-LARGEST:g} to {LARGEST:g}'))
    if given.accelerations is not None and given.velocities is None and (
            given.positions is not None):
        raise GoalError(Result.INVALID_GOAL, 'the points have accelerations without velocities')


def _require_end_at_rest(model: Model, named: JointCoordinates, given: WayPoints, rules: Rules
                         ) -> None:
    """Refuse a last velocity that is not zero; one of rounding is set to zero."""
    if given.velocities is None:
        return
    last = given.velocities[-1]
    last[np.abs(last) <= NOTHING] = 0.0
    if last.any() and not rules.nonzero_end:
        worst = int(np.abs(last).argmax())
        joint = int(named.v[worst])
        name, unit = joint_of_each_velocity(model)[joint], position_units(model)[joint].strip()
        raise GoalError(Result.INVALID_GOAL, (
            f"the velocity of joint '{name}' at the last point is {last[worst]:.6g} "
            f'{unit or "rad or m"}/s; allowed: 0 within {NOTHING:.2g}, or any with the parameter '
            'allow_nonzero_velocity_at_trajectory_end'))


def _stop_duration(model: Model, named: JointCoordinates, last: Vector) -> float:
    """Return how long it takes to stop from velocities (n,), and to go back [s]."""
    limits = model.velocity_limits[named.v]
    top = np.where(np.isfinite(limits), limits, np.abs(last) + 1.0)
    return max(SHORTEST_STOP, float((BACK * np.abs(last) / (DECELERATION * top)).max()))


def _away(named: JointCoordinates, first: Vector, x: Vector) -> Vector:
    """Return how far entries are from those of the reference [rad or m]."""
    away = np.abs(first - x)
    for _, turn in named.turns():
        away[turn] *= 2.0   # a quaternion turns half as far as what it turns
    return away


def _require_near(named: JointCoordinates, first: Vector, x: Vector) -> None:
    """Refuse a first point that is due at once and far from where the reference is."""
    away = _away(named, first, x)
    if away.max() > NEAR:
        entry = int(np.argmax(away))
        raise GoalError(Result.INVALID_GOAL, (
            f"the first point is due at once, but joint '{named.names[entry]}' is "
            f'{away[entry]:.4g} rad or m away from it; give it a time'))


def nearest(model: Model, named: JointCoordinates, given: WayPoints, x: Vector, rules: Rules
            ) -> Vector:
    """Return positions by the shorter way from x on, of joints that turn without end, too."""
    positions, turn = given.positions, 2.0 * math.pi
    assert positions is not None
    turning = np.zeros(named.size, bool)
    for part in named.parts if rules.wrap else ():
        turning[part.entries] = part.kind.is_simple and endless(model)[part.v].all()
    shift = turn * np.round((x - positions[0]) / turn)
    return named.continued(np.vstack([x, positions + np.where(turning, shift, 0.0)]))[1:]
