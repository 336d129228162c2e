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
Paths of joints from targets that come one after the other, each soon due: teleoperation, Servo.

At each target the path is made anew, from where the reference is, with its velocity and
acceleration, by a quintic to where the stream will be a time ahead. That time is longer than the
one between targets, so that only the beginning of each quintic is run through, and what is left is
a linear filter of third order without lag at constant velocity: for a horizon H the error e obeys
``e''' + 9/H e'' + 36/H^2 e' + 60/H^3 e = 0``. Jitter of the times of arrival is a jitter of the
targets; it is filtered with them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbd_ros.control.references.joint_trajectories import DECELERATION
from mbd_ros.control.references.paths import PathPoint
from mbd_ros.control.references.splines import PiecewisePolynomial, trajectory
from mbd_ros.simulation.manifold import Vector

SOON = 0.25
"""A trajectory on the topic that ends within this time is a target of a stream [s]."""

FORGOTTEN = 0.5
"""After a longer time without a target a stream begins anew [s]."""

WINDOW, FEWEST, MOST = 0.1, 4, 64
"""Targets of this time [s], of this number at least and at most, tell how fast a stream is."""

LONGER, TRIES = 1.4, 12
"""By what factor, and how often, a quintic beyond the limits is made longer."""

BACK = 4.0
"""A quintic that leads back to where it begins has accelerations up to 3.94 times v / T."""

_U = np.linspace(0.0, 1.0, 17)[:, None]


class Bounds(NamedTuple):
    """Least and greatest position and top speed of entries (n,), infinite where there is none."""

    lower: Vector
    upper: Vector
    top: Vector


class Smoothing(NamedTuple):
    """How far ahead quintics lead, and how long a stream that stops is extrapolated [s]."""

    horizon: float
    timeout: float


class Stream:
    """Targets of one source, as far as they are needed to tell how fast it moves."""

    def __init__(self) -> None:
        self.whole: PiecewisePolynomial | None = None   # what was made of the last path
        self._names: tuple[str, ...] = ()
        self._told: list[tuple[float, Vector]] = []
        self._last = -np.inf

    def follow(self, names: tuple[str, ...], now: float, due: float, begin: PathPoint,
               target: Vector, rate: Vector | None, bounds: Bounds, by: Smoothing, *,
               goes_on: bool) -> PiecewisePolynomial:
        """
        Return the path to and beyond a target.

        Parameters
        ----------
        names : tuple of str
            The joints, by whose names streams are told apart.
        now, due : float
            Time, and that at which the target should be reached [s].
        begin : PathPoint
            Where the reference is now (n,).
        target : Vector
            Positions (n,) at ``due``.
        rate : Vector or None
            Velocities there (n,); None: those of the stream.
        bounds : Bounds
            Positions are cut to them, quintics last until velocities, and accelerations of
            ``DECELERATION`` times the top speed, are kept.
        by : Smoothing
            How smooth it is.
        goes_on : bool
            Whether the path of the target before is still followed.

        Returns
        -------
        PiecewisePolynomial
            From time 0, which is now. It ends at rest: where only positions are given at the last
            target, else where it stops; it arrives when it is due.

        """
        if names != self._names or not goes_on or now - self._last > FORGOTTEN:
            self._told = []
        self._names, self._last = names, now
        self._told.append((due, target))
        first = min(len(self._told) - FEWEST, int(np.searchsorted(
            [time for time, _ in self._told], due - WINDOW)))
        self._told = self._told[max(first, 0, len(self._told) - MOST):]
        place, speed = (target, rate) if rate is not None else self._fitted(due)
        speed = np.clip(speed, -bounds.top, bounds.top)
        span = max(by.horizon, due - now)
        for _ in range(TRIES):
            ahead = place + speed * (now + span - due)
            there = np.clip(ahead, bounds.lower, bounds.upper)
            at_end = np.where(there == ahead, speed, 0.0)
            way = trajectory([0.0, span], [begin.position, there], [begin.velocity, at_end],
                             [begin.acceleration, np.zeros_like(there)])
            if _kept(way, begin, bounds):
                break
            span *= LONGER
        moving = rate is not None and rate.any()
        return self._ended(way, span, due - now + by.timeout, None if moving else target, bounds,
                           by)

    def _fitted(self, due: float) -> tuple[Vector, Vector]:
        """Return where the stream is at a time [s] and how fast, by the line of least squares."""
        times = np.array([time for time, _ in self._told]) - due
        rows = np.array([row for _, row in self._told])
        middle = times - times.mean()
        spread = float(middle @ middle)
        if len(times) < 3 or spread < 1e-12:
            return rows[-1], np.zeros_like(rows[-1])
        speed = middle @ rows / spread
        return rows.mean(axis=0) - speed * times.mean(), speed

    @staticmethod
    def _ended(way: PiecewisePolynomial, span: float, until: float, home: Vector | None,
               bounds: Bounds, by: Smoothing) -> PiecewisePolynomial:
        """Return a path that goes on at its last velocity until a time [s], and then stops."""
        x, v = (row[-1] for row in _states(way)[:2])
        wait = max(until - span, 1e-3)
        beyond = np.clip(x + v * wait, bounds.lower, bounds.upper)
        kept = np.where(beyond == x + v * wait, v, 0.0)
        top = np.where(np.isfinite(bounds.top), bounds.top, np.abs(v) + 1.0)
        need = float((BACK * np.abs(kept) / (DECELERATION * top)).max(initial=0.0))
        rest = np.zeros_like(x)
        if home is None:
            stop = max(by.horizon, 0.5 * need)
            end = np.clip(beyond + 0.5 * stop * kept, bounds.lower, bounds.upper)
        else:
            end = np.clip(home, bounds.lower, bounds.upper)
            stop = max(2.0 * by.horizon, need, 2.0 * float((np.abs(end - beyond) / top).max()))
        tail = trajectory([span, span + wait, span + wait + stop], [x, beyond, end],
                          [v, kept, rest], [rest, rest, rest])
        return PiecewisePolynomial([*way.times, *tail.times[1:]],
                                   np.concatenate([way.coefficients, tail.coefficients]),
                                   arrives=span)


def _states(way: PiecewisePolynomial) -> tuple[Vector, Vector, Vector]:
    """Return positions, rates and second rates (k, n) of a single piece, at even times."""
    time, power = _U * way.times[1], np.arange(6.0)
    c = way.coefficients[0]
    return (time ** power @ c, (power * time ** np.maximum(power - 1.0, 0.0)) @ c,
            (power * (power - 1.0) * time ** np.maximum(power - 2.0, 0.0)) @ c)


def _kept(way: PiecewisePolynomial, begin: PathPoint, bounds: Bounds) -> bool:
    """Tell whether a quintic is no faster, nor harder, than it may be, but for where it begins."""
    _, speed, change = _states(way)
    fast = np.maximum(bounds.top, np.abs(begin.velocity) + 1e-9)
    hard = np.maximum(DECELERATION * bounds.top, np.abs(begin.acceleration) + 1e-9)
    return bool((np.abs(speed) <= fast).all() and (np.abs(change) <= hard).all())
