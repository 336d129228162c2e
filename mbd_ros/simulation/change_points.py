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
Change points: configurations in which rows of closed loops become dependent.

A parallelogram that lies flat may go on as one or as its crossed form; the rows alone do not say.
There the smallest singular value that counts, signed, passes through zero, between two steps as a
rule. Within an angle of 3e-5 dependent rows take no force, so that the motion keeps its tangent.

"""

from __future__ import annotations

from collections.abc import Sequence
import contextlib
from typing import NamedTuple
import warnings

import numpy as np
import scipy

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import LoopOpenError
from mbd_ros.simulation.manifold import displaced, displacement, Vector
from mbd_ros.simulation.motion import Motion

CHANGE = 1e-4
"""Smallest over largest singular value below which a rank changes: an angle, as it is found."""
FAR, COARSE = 0.2, 6.0
"""How far a joint moves between two looks, and in a step too long to look into [rad, m]."""
PRECISION = 1e-10
"""Of the time, as part of the two steps it is looked for in."""


class RankChangeWarning(UserWarning):
    """A motion passed a change point, where the rows do not tell how it goes on."""


class ChangePoint(NamedTuple):
    """
    A moment at which fewer rows are independent than otherwise.

    Attributes
    ----------
    time : float
        [s].
    rank : int
        Number of independent rows then.
    usual : int
        The largest number during the run.

    """

    time: float
    rank: int
    usual: int


def change_points(dyn: PreparedDynamics, motion: Motion, time: Vector, q: Vector, v: Vector
                  ) -> tuple[ChangePoint, ...]:
    """
    Return the change points of a run, between its states too where they are not ``COARSE``.

    Parameters
    ----------
    dyn : PreparedDynamics
        A robot with loops.
    motion : Motion
        Puts states between two of the run on the manifold.
    time, q, v : Vector
        (K,), (K, nq), (K, nv): ends of its steps, or as many of them as are known.

    Returns
    -------
    tuple of ChangePoint
        In the order of time.

    """
    places = _Between(dyn, motion, time, q, v)
    grid = places.grid()
    space = row_space(dyn, np.array([places.near(t) for t in grid]))
    usual = int(space.rank.max())
    if not usual:
        return ()
    apart = _apart(space, usual)
    steep = np.abs(np.diff(apart, append=apart[-1:]))
    steepest = np.maximum(steep, np.roll(steep, 1))
    lowest = (apart <= np.append(apart[1:], np.inf)) & (apart < np.append(np.inf, apart[:-1]))
    found = []
    for k in np.flatnonzero(lowest & (apart < np.maximum(steepest, CHANGE))).tolist():
        first, last = places.around(grid, k)
        if first == last:
            continue
        best = scipy.optimize.minimize_scalar(
            lambda t: float(_apart(places.space(t), usual)[0]), bounds=(first, last),
            method='bounded', options={'xatol': PRECISION * (last - first)})
        t, least = (grid[k], apart[k]) if apart[k] <= best.fun else (best.x, best.fun)
        if least < CHANGE:
            there = space.sigma[k] if t == grid[k] else places.space(t).sigma[0]
            rank = int((there > CHANGE * there[0]).sum())
            found.append(ChangePoint(float(t), rank, usual))
    return tuple(found)


class _Between:
    """The states of a run between recorded ones: cubics in the tangent space."""

    def __init__(self, dyn: PreparedDynamics, motion: Motion, time: Vector, q: Vector, v: Vector
                 ) -> None:
        self._dyn, self._motion = dyn, motion
        self._time, self._q, self._v = time, q, v

    def grid(self) -> Vector:
        """Return times between which no joint moves far."""
        h = np.diff(self._time)
        ways = np.abs(self._v[:-1]).max(axis=-1) * h
        counts = np.where(ways > COARSE, 1, np.ceil(ways / FAR)).astype(int).clip(1)
        return np.append(np.concatenate([
            first + length * np.arange(count) / count
            for first, length, count in zip(self._time, h, counts)]), self._time[-1])

    def around(self, grid: Vector, k: int) -> tuple[float, float]:
        """Return the times around one of the grid, itself where a step is coarse."""
        ends = []
        for other in (max(k - 1, 0), min(k + 1, len(grid) - 1)):
            h = abs(grid[other] - grid[k])
            speed = np.abs(self._v[min(int(np.searchsorted(
                self._time, min(grid[other], grid[k]), side='right')), len(self._time)) - 1])
            ends.append(grid[k] if speed.max() * h > COARSE else grid[other])
        return float(ends[0]), float(ends[1])

    def near(self, t: float) -> Vector:
        """Return the configuration at a time, not corrected."""
        model = self._dyn.model
        k = min(int(np.searchsorted(self._time, t, side='right')), len(self._time) - 1) - 1
        h = self._time[k + 1] - self._time[k]
        s = (t - self._time[k]) / h
        way = displacement(model, self._q[k], self._q[k + 1])
        return displaced(model, self._q[k], s * s * (3.0 - 2.0 * s) * way + h * s * (1.0 - s) * (
            (1.0 - s) * self._v[k] - s * self._v[k + 1]))

    def space(self, t: float) -> RowSpace:
        """Return the rows at a time, with the loops closed."""
        rest = np.zeros(self._dyn.model.nv)
        place = self.near(t)
        with contextlib.suppress(LoopOpenError):  # near enough as it is
            place, _ = self._motion.correct(t, place, rest)
        return row_space(self._dyn, place[None])


def warn_of_changes(changes: Sequence[ChangePoint]) -> None:
    """Warn of change points."""
    if changes:
        first = changes[0]
        warnings.warn(
            f'at t = {first.time:.6g} s only {first.rank} of {first.usual} rows of the closed '
            'loops are independent: a change point, where they do not tell how the motion goes '
            f'on; it keeps its tangent. {len(changes)} such points in this run: see .changes',
            RankChangeWarning, stacklevel=5)


def row_space(dyn: PreparedDynamics, q: Vector) -> RowSpace:
    """Return the rows at K configurations."""
    return RowSpace(dyn.model, dyn.loop_rows(q, np.zeros((len(q), dyn.model.nv)))[..., VALUES:])


def _apart(space: RowSpace, usual: int) -> Vector:
    """Return the smallest over the largest singular value (K,), of as many as usually count."""
    ratio: Vector = space.sigma[:, usual - 1] / space.sigma[:, 0]
    return ratio
