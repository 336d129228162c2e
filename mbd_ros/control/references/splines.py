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
Paths through points: of a tool in space, or of joints.

Cubics where every way-point has a velocity, quintics where it has an acceleration, too, and the
twice differentiable cubic spline through points alone.
"""

from __future__ import annotations

from collections.abc import Sequence
import functools

import numpy as np
from numpy.typing import ArrayLike
import scipy

from mbd_ros.control.references.arguments import finite, numbers, positive
from mbd_ros.control.references.paths import CodedPath, Path, quintic
from mbd_ros.control.references.scalars import Row
from mbd_ros.control.references.time_code import closed_form, run_through, TimeCode
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.execution.ir.loop_code import loop_code, LoopCode
from mbd_ros.simulation.manifold import Matrix, Vector
from mbd_ros.spatial import Scalar


class PiecewisePolynomial(CodedPath):
    """
    A path of polynomials up to degree 5, at rest before its first and after its last time.

    ``times`` (k + 1,) [s] increase; ``coefficients`` (k, 6, n) are those of the powers of the time
    since the segment's beginning, lowest first. ``arrives`` is the time [s] at which it is where
    it is meant to lead; what follows brings it to rest. The last time if not given.
    """

    def __init__(self, times: ArrayLike, coefficients: ArrayLike, *,
                 arrives: float | None = None) -> None:
        self.times: list[float] = np.asarray(times, np.float64).tolist()
        self.coefficients = np.asarray(coefficients, np.float64)
        self.arrives = self.times[-1] if arrives is None else arrives

    @property
    def begin(self) -> float:
        """First time [s]."""
        return self.times[0]

    @property
    def duration(self) -> float:
        """From the first to the last time [s]."""
        return self.times[-1] - self.times[0]

    def extremes(self) -> list[float]:
        """Return the times [s] at which an entry, or its rate, is greatest or least on the way."""
        places = scipy.interpolate.PPoly(self.coefficients[:, ::-1].swapaxes(0, 1), self.times)
        rates, found = places.derivative(), []
        for function, slope in ((places, rates), (rates, rates.derivative())):
            for k, turns in enumerate(slope.roots(extrapolate=False)):
                times = np.append(self.times, turns[np.isfinite(turns)])
                values = function(times)[:, k]
                found += [times[values.argmin()], times[values.argmax()]]
        return sorted(set(found))

    def states(self, fractions: Vector) -> tuple[Vector, Matrix, Matrix, Matrix]:
        """
        Return all segments at fractions (m,) of their time, from 0 to 1, one after the other.

        Times (k m,) [s], and positions, rates and second rates (k m, n).
        """
        begins, steps = np.array(self.times[:-1]), np.diff(self.times)
        since = steps[:, None] * fractions
        power = np.arange(6.0)
        rows = [
            (factor * since[:, :, None] ** np.maximum(power - order, 0.0)) @ self.coefficients
            for order, factor in enumerate((np.ones(6), power, power * (power - 1.0)))]
        x, v, a = (row.reshape(-1, self.coefficients.shape[2]) for row in rows)
        return (begins[:, None] + since).ravel(), x, v, a

    def _made(self) -> TimeCode:
        count, n = len(self.times) - 1, self.coefficients.shape[2]
        data = np.concatenate(((count,), self.times, self.coefficients.ravel()))
        return TimeCode(_polynomials_of(n), data, 3 * n)


def polynomials(time: Vector, data: Vector, result: Vector, n: int) -> None:
    """
    Write position, velocity and acceleration (3 n,) of piecewise polynomials, for ``loop_code``.

    ``time`` is (1,) [s]; ``data`` the number k of segments, k + 1 times that increase, and
    coefficients (k, 6, n) of the powers of the time since the segment's beginning, lowest first.
    """
    count = int(data[0])
    begin = data[1]
    end = data[1 + count]
    segment = 0
    beyond = count
    for _ in range(64):   # more halvings than there can be times
        if beyond - segment <= 1:
            break
        middle = int(0.5 * (segment + beyond))
        if time[0] >= data[1 + middle]:
            segment = middle
        else:
            beyond = middle
    since_begin = time[0] if time[0] > begin else begin
    x = (since_begin if since_begin < end else end) - data[1 + segment]
    moves = 1.0 if time[0] >= begin and time[0] <= end else 0.0
    first = 2 + count + 6 * n * segment
    for k in range(n):
        value = 0.0
        rate = 0.0
        half_second = 0.0
        for power in range(5, -1, -1):   # Horner's rule, for the derivatives, too
            half_second = half_second * x + rate
            rate = rate * x + value
            value = value * x + data[first + n * power + k]
        result[k] = value
        result[n + k] = moves * rate
        result[2 * n + k] = moves * (2.0 * half_second)


@functools.cache
def _polynomials_of(n: int) -> LoopCode:
    """Return the machine code for n entries and any number of segments."""
    return loop_code(polynomials, [(1,), (1,), (3 * n,)], [n])


def trajectory(
    times: ArrayLike, positions: ArrayLike, velocities: ArrayLike | None = None,
    accelerations: ArrayLike | None = None, *, first_velocity: ArrayLike | None = None,
) -> PiecewisePolynomial:
    """
    Return the path through way-points at given times.

    Parameters
    ----------
    times : array_like
        (k,) [s], increasing, k > 1.
    positions : array_like
        (k, n) [rad or m].
    velocities, accelerations : array_like, optional
        (k, n). With velocities the segments are cubics, with both they are quintics; with neither
        the path is the cubic spline with continuous acceleration, at rest at both ends.
    first_velocity : array_like, optional
        (n,), with neither: velocity at the first point.

    Returns
    -------
    PiecewisePolynomial
        The path.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If the arrays do not fit, hold NaN or infinity, or the times do not increase.

    """
    t = numbers('times', times, 1)
    x = numbers('positions', positions, 2)
    if len(t) < 2:
        raise InvalidValueError('times', t.tolist(), 'at least two')
    if x.shape[0] != len(t):
        raise ShapeError('positions', x.shape, f'({len(t)}, n), one row for each time')
    steps = np.diff(t)
    if not (steps > 0.0).all():
        raise InvalidValueError('times', t.tolist(), 'times that increase')
    if accelerations is not None and velocities is None:
        raise InvalidValueError('accelerations', 'given', 'velocities beside them')
    if velocities is None:
        rest = np.zeros(x.shape[1])
        first = rest if first_velocity is None else np.asarray(first_velocity, np.float64)
        cubic = scipy.interpolate.CubicSpline(
            t, x, bc_type=((1, first), (1, rest))).c[::-1].transpose(1, 0, 2)
        return PiecewisePolynomial(t, np.pad(cubic, ((0, 0), (0, 2), (0, 0))))
    v = numbers('velocities', velocities, 2)
    if v.shape != x.shape:
        raise ShapeError('velocities', v.shape, f'{x.shape}, as the positions')
    h = steps[:, None]
    x0, x1, v0, v1 = x[:-1], x[1:], v[:-1], v[1:]
    way = x1 - x0
    if accelerations is None:
        rows = (x0, v0, (3 * way - h * (2 * v0 + v1)) / h**2, (h * (v0 + v1) - 2 * way) / h**3,
                np.zeros_like(x0), np.zeros_like(x0))
        return PiecewisePolynomial(t, np.stack(rows, axis=1))
    a = numbers('accelerations', accelerations, 2)
    if a.shape != x.shape:
        raise ShapeError('accelerations', a.shape, f'{x.shape}, as the positions')
    a0, a1 = a[:-1], a[1:]
    rows = (x0, v0, 0.5 * a0,
            (20 * way - h * (8 * v1 + 12 * v0) - h**2 * (3 * a0 - a1)) / (2 * h**3),
            (-30 * way + h * (14 * v1 + 16 * v0) + h**2 * (3 * a0 - 2 * a1)) / (2 * h**4),
            (12 * way - 6 * h * (v1 + v0) - h**2 * (a0 - a1)) / (2 * h**5))
    return PiecewisePolynomial(t, np.stack(rows, axis=1))


def joined(first: PiecewisePolynomial, second: PiecewisePolynomial) -> PiecewisePolynomial:
    """Return two paths as one; until the second begins the first rests where it ends."""
    times, parts = first.times, [first.coefficients]
    if second.begin > times[-1]:
        hold = np.zeros((1, *first.coefficients.shape[1:]))
        hold[0, 0] = first.at(times[-1]).position
        times, parts = [*times, second.begin], [*parts, hold]
    return PiecewisePolynomial([*times, *second.times[1:]],
                               np.concatenate([*parts, second.coefficients]),
                               arrives=second.arrives)


class Scaled(CodedPath):
    """
    A path ``x(s)`` run through with the time scaling ``s = length * quintic(t)``, rest to rest.

    It begins to move at ``begin`` [s] and takes a positive ``duration`` [s].
    """

    def __init__(self, path: CodedPath, length: float, duration: float, begin: float = 0.0
                 ) -> None:
        self.path, self.length = path, length
        self.duration, self.begin = positive('duration', duration), finite('begin', begin)

    def _made(self) -> TimeCode | None:
        path = self.path.time_code()
        return None if path is None else run_through(
            closed_form(_scaled, (self.begin, self.duration, self.length), 3), path)


def _scaled(time: Scalar, data: Row) -> Row:
    begin, duration, length = data
    return [length * value for value in quintic(time - begin, duration)]


class Repeated(CodedPath):
    """
    A closed path run through again and again at constant rate of its parameter.

    The parameter ends at ``length``, where it begins again; one turn takes ``period`` [s].
    """

    def __init__(self, path: CodedPath, length: float, period: float) -> None:
        self.path, self.length, self.period = path, length, period

    def _made(self) -> TimeCode | None:
        path = self.path.time_code()
        return None if path is None else run_through(
            TimeCode(_repeated(), (self.length, self.period), 3), path)


def repeated(time: Vector, data: Vector, result: Vector) -> None:
    """Write a parameter that goes from 0 to ``data[0]`` in ``data[1]`` seconds, and its rates."""
    result[1] = data[0] / data[1]
    result[0] = (time[0] % data[1]) * result[1]
    result[2] = 0.0


@functools.cache
def _repeated() -> LoopCode:
    return loop_code(repeated, [(1,), (2,), (3,)])


def spline(points: Sequence[ArrayLike], duration: float, *, begin: float = 0.0,
           closed: bool = False) -> Path:
    """
    Return the smooth path through way-points in space.

    A cubic spline with continuous curvature over the length of its chords; from rest to rest, or
    closed and repeated at an almost constant speed.

    Parameters
    ----------
    points : sequence of array_like
        (k, 3), in world axes [m], k > 1; neighbours differ.
    duration : float
        Time from the first to the last point, or of one turn [s].
    begin : float, optional
        Time at which it begins to move [s].
    closed : bool, optional
        Whether the last point is joined to the first.

    Returns
    -------
    Path
        The path.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If the points or times are not as they should be.

    """
    x = numbers('points', points, 2)
    if x.shape[1] != 3 or len(x) < 2 + closed:
        raise ShapeError('points', x.shape, f'(k, 3) with k > {1 + closed}')
    if closed:
        x = np.vstack([x, x[:1]])
    chords = np.linalg.norm(np.diff(x, axis=0), axis=1)
    if not (chords > 0.0).all():
        raise InvalidValueError(
            'points', x[int(np.argmin(chords))].tolist(), 'neighbours that differ')
    s = np.concatenate([[0.0], np.cumsum(chords)])
    cubic = scipy.interpolate.CubicSpline(
        s, x, bc_type='periodic' if closed else 'natural').c[::-1]
    path = PiecewisePolynomial(s, np.pad(cubic.transpose(1, 0, 2), ((0, 0), (0, 2), (0, 0))))
    if closed:
        return Repeated(path, float(s[-1]), positive('duration', duration))
    return Scaled(path, float(s[-1]), duration, begin)


class Timetabled(CodedPath):
    """A path whose place is told over time by piecewise polynomials of one entry."""

    def __init__(self, path: CodedPath, clock: PiecewisePolynomial) -> None:
        self.path, self.clock = path, clock
        self.begin, self.duration = clock.begin, clock.duration

    def _made(self) -> TimeCode | None:
        path, clock = self.path.time_code(), self.clock.time_code()
        return None if path is None or clock is None else run_through(clock, path)


def timetable(times: ArrayLike, places: ArrayLike, speeds: ArrayLike) -> PiecewisePolynomial:
    """
    Return the place on a path over time.

    Parameters
    ----------
    times : array_like
        (k,) [s], increasing, k > 1.
    places, speeds : array_like
        (k,): the path's own time there, and how fast it passes; its rate is constant in between.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If the arrays do not fit, or the times do not increase.

    """
    t, s, rates = (numbers(name, value, 1) for name, value in (
        ('times', times), ('places', places), ('speeds', speeds)))
    if len(t) < 2 or not (np.diff(t) > 0.0).all():
        raise InvalidValueError('times', t.tolist(), 'two or more times that increase')
    for name, array in (('places', s), ('speeds', rates)):
        if array.shape != t.shape:
            raise ShapeError(name, array.shape, f'{t.shape}, one for each time')
    rows = np.zeros((len(t) - 1, 6, 1))
    rows[:, 0, 0], rows[:, 1, 0] = s[:-1], rates[:-1]
    rows[:, 2, 0] = 0.5 * np.diff(rates) / np.diff(t)
    return PiecewisePolynomial(t, rows)
