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

"""Pieces of paths of joints: cut, put beside each other, begun smoothly, brought to rest."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

from mbd_ros.control.references.paths import PathPoint
from mbd_ros.control.references.splines import joined, PiecewisePolynomial, trajectory
from mbd_ros.simulation.manifold import Vector

SAME = 1e-12
"""Knots of paths that are nearer than this part of the whole are the same but for rounding."""


def in_pieces(path: PiecewisePolynomial, begins: Vector, middles: Vector) -> Vector:
    """
    Return the coefficients (k, 6, n) of a path in pieces that begin at ``begins`` [s].

    ``middles`` (k,) [s]: a time within each piece, none of which reaches over a knot of the path.
    Pieces before its beginning and after its end are at rest.
    """
    times = np.array(path.times)
    segments = np.clip(np.searchsorted(times, middles, side='right') - 1, 0, len(times) - 2)
    old, shift = path.coefficients[segments], begins - times[segments]
    before, after = middles < times[0], middles > times[-1]
    shift = np.where(before, 0.0, np.where(after, times[-1] - times[-2], shift))
    new = np.zeros_like(old)
    for power in range(old.shape[1]):   # Taylor's theorem
        for higher in range(power, old.shape[1]):
            new[:, power] += (comb(higher, power) * shift ** (higher - power))[:, None] * (
                old[:, higher])
    new[before | after, 1:] = 0.0   # it rests
    return new


def knots_of(times: Vector) -> Vector:
    """Return sorted times once each; those that differ by rounding alone are one."""
    knots = np.unique(times)
    return knots[np.append(True, np.diff(knots) > SAME * (knots[-1] - knots[0]))]


def cut(path: PiecewisePolynomial, begin: float, end: float,
        entries: NDArray[np.intp] | None = None) -> PiecewisePolynomial:
    """
    Return a path from one time to a later one [s], beginning at 0; at rest beyond its own times.

    ``entries``: those that are kept, all if not given.
    """
    inner = [time for time in path.times if begin < time < end]
    knots = knots_of(np.array([begin, *inner, end]))
    new = in_pieces(path, knots[:-1], 0.5 * (knots[:-1] + knots[1:]))
    return PiecewisePolynomial(knots - begin, new if entries is None else new[:, :, entries])


def end_point(path: PiecewisePolynomial) -> PathPoint:
    """Return where a path is at its last time, in motion, before it rests."""
    return PathPoint(*(path.coefficients[-1].T @ _powers(path.times[-1] - path.times[-2]).T).T)


def beside(parts: Sequence[tuple[NDArray[np.intp], PiecewisePolynomial]]) -> PiecewisePolynomial:
    """
    Return paths of different entries as one.

    Parameters
    ----------
    parts : sequence of (array, PiecewisePolynomial)
        Which entries of the whole a path has, (n,), and the path; together all entries, once each.

    Returns
    -------
    PiecewisePolynomial
        From the first beginning to the last end; each part rests before and after its own. It
        arrives where the first of ``parts`` does.

    """
    knots = knots_of(np.concatenate([path.times for _, path in parts]))
    middles = 0.5 * (knots[:-1] + knots[1:])
    whole = np.empty((len(middles), 6, sum(len(entries) for entries, _ in parts)))
    for entries, path in parts:
        whole[:, :, entries] = in_pieces(path, knots[:-1], middles)
    return PiecewisePolynomial(knots, whole, arrives=parts[0][1].arrives)


def begun_with(path: PiecewisePolynomial, acceleration: Vector) -> PiecewisePolynomial:
    """Return a path whose first segment begins with an acceleration (n,) and ends as it did."""
    (begin, end), first = path.times[:2], path.coefficients[0]
    last = path.coefficients[0].T @ _powers(end - begin).T
    quintic = trajectory([begin, end], [first[0], last[:, 0]], [first[1], last[:, 1]],
                         [acceleration, last[:, 2]])
    return PiecewisePolynomial(
        path.times, np.concatenate([quintic.coefficients, path.coefficients[1:]]),
        arrives=path.arrives)


def back_to_rest(path: PiecewisePolynomial, duration: float) -> PiecewisePolynomial:
    """Return a path that goes on from its end, and is back there at rest after a duration [s]."""
    end = path.times[-1]
    place, rate, second = end_point(path)
    rest = np.zeros_like(place)
    stop = trajectory([end, end + duration], [place, place], [rate, rest], [second, rest])
    whole = joined(path, stop)
    return PiecewisePolynomial(whole.times, whole.coefficients, arrives=path.arrives)


def _powers(time: float) -> Vector:
    """Return what takes coefficients to position, rate and second rate at a time (3, 6)."""
    power = np.arange(6.0)
    return np.array([
        time ** power, power * time ** np.maximum(power - 1.0, 0.0),
        power * (power - 1.0) * time ** np.maximum(power - 2.0, 0.0)])
