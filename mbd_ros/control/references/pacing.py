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

"""Paths of joints at another pace: run through more slowly or faster, paused, gone on with."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mbd_ros.control.references.joining import cut
from mbd_ros.control.references.paths import CodedPath
from mbd_ros.control.references.scalars import Row, smallest
from mbd_ros.control.references.splines import PiecewisePolynomial, trajectory
from mbd_ros.control.references.time_code import closed_form, run_through, TimeCode
from mbd_ros.simulation.manifold import Vector
from mbd_ros.spatial import larger, Scalar

KNOT = 0.02
"""
While the pace changes, quintics through points of the path this far apart stand for it [s]: off by
its sixth derivative times the sixth power of that, over 46080; none of a robot's motions shows it.
"""


class Clock(NamedTuple):
    """
    Where on a path it is at a time: the rate goes from one value to another, and stays.

    ``begin`` [s], ``place`` on the path there [s], ``rate`` and ``slope`` [1/s] there; after
    ``ramp`` [s] the rate is ``factor``. In between it is a cubic, so that the place has continuous
    second rates. Before ``begin`` the rate is that there.
    """

    begin: float
    place: float
    rate: float
    slope: float
    ramp: float
    factor: float

    @classmethod
    def plain(cls) -> Clock:
        """Return the clock that shows the time itself."""
        return cls(0.0, 0.0, 1.0, 0.0, 0.0, 1.0)

    @classmethod
    def steady(cls, factor: float) -> Clock:
        """Return the clock that runs at one rate, and shows zero at zero."""
        return cls(0.0, 0.0, factor, 0.0, 0.0, factor)

    def changed(self, time: float, factor: float, ramp: float) -> Clock:
        """Return the clock that goes on from a time [s] to another rate."""
        place, rate, slope = (float(row) for row in self.at(np.array(time)))
        return Clock(time, place, rate, slope, ramp, factor)

    def at(self, time: Vector) -> tuple[Vector, Vector, Vector]:
        """Return place [s], rate and slope [1/s] at times [s] from ``begin`` on."""
        h, passed = self.ramp, np.maximum(time - self.begin, 0.0)
        x = np.minimum(passed, h)
        change = self.factor - self.rate
        b, c = ((3.0 * change / h - 2.0 * self.slope) / h,
                (self.slope - 2.0 * change / h) / h**2) if h > 0.0 else (0.0, 0.0)
        place = self.place + x * (self.rate + x * (self.slope / 2 + x * (b / 3 + x * c / 4)))
        within = passed < h
        place = place + self.rate * np.minimum(time - self.begin, 0.0)
        return (place + self.factor * (passed - x),
                np.where(within, self.rate + x * (self.slope + x * (b + x * c)), self.factor),
                np.where(within, self.slope + x * (2 * b + 3 * x * c), 0.0))

    def time_of(self, place: float) -> float:
        """Return when a place is reached after the ramp [s]; infinite if it never is."""
        end = self.begin + self.ramp
        reached = float(self.at(np.array(end))[0])
        if place <= reached:
            times = np.linspace(self.begin, end, 257)
            return float(np.interp(place, self.at(times)[0], times))
        return end + (place - reached) / self.factor if self.factor > 0.0 else math.inf


class Paced(CodedPath):
    """Any path as it is run through by a clock; ``path`` is the path at its own pace."""

    def __init__(self, path: CodedPath, clock: Clock) -> None:
        self.path, self.clock, self.begin = path, clock, clock.begin
        duration = getattr(path, 'duration', None)
        if duration is not None:
            self.duration = clock.time_of(
                getattr(path, 'begin', 0.0) + duration) - clock.begin

    def _made(self) -> TimeCode | None:
        path, clock = self.path.time_code(), self.clock
        h, change = max(clock.ramp, 1e-9), clock.factor - clock.rate
        return None if path is None else run_through(closed_form(_shown, (
            clock.begin, clock.place, clock.rate, clock.slope, h,
            (3.0 * change / h - 2.0 * clock.slope) / h,
            (clock.slope - 2.0 * change / h) / h**2, clock.factor), 3), path)


def _shown(time: Scalar, data: Row) -> Row:
    """Return place, rate and slope of a clock, see ``Clock.at``."""
    begin, place, rate, slope, h, b, c, factor = data
    passed = larger(time - begin, 0.0)
    x = smallest([passed, h])
    before = (time - begin) - passed
    return [place + x * (rate + x * (0.5 * slope + x * (b * (1.0 / 3.0) + x * c * 0.25))) + (
        factor * (passed - x)) + rate * before, rate + x * (slope + x * (b + x * c)),
        slope + x * (2.0 * b + 3.0 * x * c)]


def paced(path: PiecewisePolynomial, clock: Clock) -> PiecewisePolynomial:
    """Return a path as it is run through by a clock, from the time on at which that begins."""
    end = clock.begin + clock.ramp
    reached = float(clock.at(np.array(end))[0])
    knots = np.array([clock.begin])
    pieces = np.empty((0, 6, path.coefficients.shape[2]))
    if clock.ramp > 0.0:
        corners = [clock.time_of(time) for time in path.times if clock.place < time < reached]
        grid = np.linspace(clock.begin, end, 2 + int(clock.ramp / KNOT))
        knots = np.unique(np.concatenate([grid, corners]))
        knots = knots[np.append(True, np.diff(knots) > 1e-6)]
        knots[-1] = end
        x, v, a = (np.array(rows) for rows in zip(*(
            path.at(place) for place in clock.at(knots)[0].tolist())))
        _, rate, slope = (row[:, None] for row in clock.at(knots))
        pieces = trajectory(knots, x, v * rate, a * rate**2 + v * slope).coefficients
    if clock.factor > 0.0 and reached < path.times[-1]:
        rest = cut(path, reached, path.times[-1])
        knots = np.concatenate([knots, end + np.array(rest.times[1:]) / clock.factor])
        pieces = np.concatenate(
            [pieces, rest.coefficients * clock.factor ** np.arange(6.0)[:, None]])
    elif len(knots) == 1:   # it rests from now on
        knots, pieces = np.array([knots[0], knots[0] + KNOT]), np.zeros((1, *pieces.shape[1:]))
        pieces[0, 0] = path.at(clock.place).position
    return PiecewisePolynomial(knots, pieces, arrives=clock.time_of(path.arrives))
