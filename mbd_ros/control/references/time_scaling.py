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
The fastest way along a path under bounds that are linear in ``s''`` and ``s'^2``: two passes.

With x = s'^2 and u = s'' a bound at a point of the path is ``p u + r x <= h``; between two points
u is constant, so that x grows by ``2 ds u``. Backwards, each point has an interval of x from which
the end can be reached (the controllable set); forwards, the largest u that stays within is the
fastest. What bounds x when u is free follows by adding each bound from above to each from below
(Fourier and Motzkin): no solver of linear programs is needed.

References
----------
Pham and Pham, A New Approach to Time-Optimal Path Parameterization Based on Reachability Analysis,
IEEE Transactions on Robotics 34(3), 2018.

"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbd_ros.errors import InfeasibleError
from mbd_ros.simulation.manifold import Matrix, Vector

ROUNDING = 1e-12
"""Part of the largest of their kind below which coefficients are zero, and slack is none."""


class Profile(NamedTuple):
    """
    A way along a path.

    Attributes
    ----------
    places : Vector
        (k,) s.
    squares : Vector
        (k,) ``s'^2`` there.
    rates : Vector
        (k - 1,) ``s''`` between them.
    most : Vector
        (k,) largest ``s'^2`` from which the end can be reached.

    """

    places: Vector
    squares: Vector
    rates: Vector
    most: Vector

    @property
    def times(self) -> Vector:
        """Return when it is where (k,) [s]."""
        speeds = np.sqrt(self.squares)
        steps = 2.0 * np.diff(self.places) / (speeds[1:] + speeds[:-1])
        return np.concatenate([[0.0], np.cumsum(steps)])


def fastest_profile(places: Vector, p: Matrix, r: Matrix, h: Matrix, most: Vector,
                    between: Matrix) -> Profile:
    """
    Return the fastest way from rest to rest.

    Bounds hold at both ends of each interval, with the u of that interval.

    Parameters
    ----------
    places : Vector
        (k,) increasing.
    p, r, h : Matrix
        (k, m): ``p u + r x <= h`` at each.
    most : Vector
        (k,) largest x at each, such as by limits of velocity.
    between : Matrix
        (k - 1, j) the same at j points between each and the next, evenly spaced.

    Returns
    -------
    Profile
        The way.

    Raises
    ------
    InfeasibleError
        If there is none; with the place (as a time) beyond which none leads on.

    """
    count, lengths = len(places), np.diff(places)
    size = np.abs(p).max(axis=1, keepdims=True) + 1e-300
    p, r, h = p / size, r / size, h / size
    low, high = np.zeros(count), most.copy()
    high[0] = high[-1] = 0.0
    inner = np.arange(1.0, between.shape[1] + 1.0) / (between.shape[1] + 1.0)
    systems = []
    for k in range(count - 1):
        step, finite = 2.0 * lengths[k], np.isfinite(between[k])
        systems.append((
            np.concatenate([p[k], p[k + 1] + step * r[k + 1], step * inner[finite]]),
            np.concatenate([r[k], r[k + 1], np.ones(finite.sum())]),
            np.concatenate([h[k], h[k + 1], between[k, finite]])))
    for k in reversed(range(count - 1)):
        step = 2.0 * lengths[k]
        a, b, c = _with_target(systems[k], step, low[k + 1], high[k + 1])
        least, largest = _range_of_x(a, b, c)
        low[k], high[k] = max(least, 0.0), min(largest, high[k])
        if low[k] > high[k] + ROUNDING * max(1.0, most.max(initial=0.0)):
            raise InfeasibleError('path', float(places[k]), (
                'no speed there keeps the limits of velocity, acceleration and effort, not even '
                'a very slow one' if low[k + 1] <= 0.0 else
                'no speed there leads to the end within the limits'))
        high[k] = max(high[k], low[k])
    squares, rates = np.zeros(count), np.zeros(count - 1)
    squares[0] = low[0]
    for k in range(count - 1):
        step = 2.0 * lengths[k]
        a, b, c = systems[k]
        above = a > ROUNDING
        u = ((c - b * squares[k])[above] / a[above]).min(initial=np.inf)
        squares[k + 1] = min(max(squares[k] + step * u, low[k + 1]), high[k + 1])
        rates[k] = (squares[k + 1] - squares[k]) / step
    stuck = (squares[1:] + squares[:-1]) <= 0.0
    if stuck.any():
        raise InfeasibleError('path', float(places[int(np.argmax(stuck))]), (
            'the limits of acceleration and effort hold the robot there'))
    return Profile(places, squares, rates, high)


def _with_target(system: tuple[Vector, Vector, Vector], step: float, low: float, high: float
                 ) -> tuple[Vector, Vector, Vector]:
    """Return bounds (m,) together with ``low <= x + step u <= high``."""
    a, b, c = system
    return (np.concatenate([a, [step, -step]]), np.concatenate([b, [1.0, -1.0]]),
            np.concatenate([c, [high, -low]]))


def _range_of_x(a: Vector, b: Vector, c: Vector) -> tuple[float, float]:
    """Return the interval of x for which there is a u with ``a u + b x <= c``; empty if none."""
    above, below = a > ROUNDING, a < -ROUNDING
    free = ~(above | below)
    up, down = a[above][:, None], -a[below]
    slopes = np.concatenate([(down * b[above][:, None] + up * b[below]).ravel(), b[free]])
    bounds = np.concatenate([(down * c[above][:, None] + up * c[below]).ravel(), c[free]])
    scale = np.abs(slopes).max(initial=1.0)
    rising, falling = slopes > ROUNDING * scale, slopes < -ROUNDING * scale
    if (bounds[~(rising | falling)] < -ROUNDING * np.abs(bounds).max(initial=1.0)).any():
        return np.inf, -np.inf
    largest = (bounds[rising] / slopes[rising]).min(initial=np.inf)
    least = (bounds[falling] / slopes[falling]).max(initial=-np.inf)
    return float(least), float(largest)
