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
Exciting trajectories: Fourier series within limits, whose regressor is well conditioned.

Each joint follows sums of sines and cosines of one period, that begin and end at rest::

    q = c + sum_k a_k sin(k w t) + b_k cos(k w t),    sum_k k a_k = sum_k k^2 b_k = 0

They are scaled into the limits of position and velocity; where efforts exceed theirs, the motion
becomes smaller or slower. The condition number counts the combinations of inertial parameters that
any motion of this robot excites, in units of those described. It falls by a search: random series,
and changes of the best that become smaller.

References
----------
Swevers, Ganseman, Tukel, De Schutter, Van Brussel, Optimal robot excitation and identification,
1997.

"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.functions.equations_of_motion import inverse_dynamics
from mbd_ros.dynamics.functions.whole_robot import regressor
from mbd_ros.dynamics.identification.excited import parameter_sizes, possible_directions
from mbd_ros.errors import InvalidValueError, UnsupportedError
from mbd_ros.model import Model, state

Array = NDArray[np.float64]
LOOKS = 120
"""States of a period at which limits and the regressor are looked at."""
REACH = 2.0
"""[rad, m]: half the range of joints without limits of position."""
SPEED = 1.0
"""[rad/s, m/s] of joints without limits of velocity."""
SHRINK, SLOWER = 0.9, 1.15
"""Factors of size and period where efforts are too large."""
TRIES = 60
"""Such changes at most."""


class Excitation(NamedTuple):
    """
    A motion that excites a robot.

    Attributes
    ----------
    time : array
        (N,) from 0 [s].
    q, v, qdd, tau : array
        (N, nv) the motion, and the efforts of the robot as described [N m, N].
    condition : float
        Of the regressor over one period.
    period : float
        [s]; longer than asked for where efforts would be too large.

    """

    time: Array
    q: Array
    v: Array
    qdd: Array
    tau: Array
    condition: float
    period: float


def excitation_trajectory(
    model: Model, *, period: float = 20.0, harmonics: int = 5, margin: float = 0.8,
    rate: float = 10.0, candidates: int = 200, seed: int = 0,
) -> Excitation:
    """
    Return a motion from which ``identify`` learns much.

    Parameters
    ----------
    model : Model
        A robot with joints of one coordinate, without closed loops, on a fixed base.
    period : float
        Of the series [s].
    harmonics : int
        Of the series, 2 or more.
    margin : float
        Part of the limits of position, velocity and effort that is used. Collisions of links with
        each other and with surroundings are not looked for.
    rate : float
        States per second in the answer.
    candidates : int
        Series that are tried.
    seed : int
        Of the search.

    Returns
    -------
    Excitation
        One period, from rest to rest.

    Raises
    ------
    InvalidValueError
        If an option is not as above.
    UnsupportedError
        If the robot is not as above, or cannot hold itself within its limits of effort.

    """
    for name, value, least in (('period', period, 0.0), ('margin', margin, 0.0),
                               ('rate', rate, 0.0), ('harmonics', harmonics, 1),
                               ('candidates', candidates, 0), ('seed', seed, -1)):
        if not isinstance(value, (int, float, np.number)) or not least < value < np.inf:
            raise InvalidValueError(name, value, f'a number above {least:g}')
    if margin > 1.0:
        raise InvalidValueError('margin', margin, '1 or less')
    model.require_rigid('excitation_trajectory')
    if model.loops or len(state.simple_entries(model)[0]) < model.nq:
        raise UnsupportedError(f"an exciting motion of robot '{model.name}', which has closed "
                               'loops or joints of several coordinates',
                               'robots with revolute and prismatic joints')
    search = _Series(model, int(harmonics), float(margin))
    best, condition, found = search.best(float(period), int(candidates), int(seed))
    count = round(found * rate) + 1
    time = np.linspace(0.0, found, count)
    q, v, qdd = search.motion(best, time, found)
    return Excitation(time, q, v, qdd, inverse_dynamics(model, q, v, qdd, dissipation=True),
                      condition, found)


class _Series:
    """Fourier series of a robot within its limits."""

    def __init__(self, model: Model, harmonics: int, margin: float) -> None:
        self._model, self._margin = model, margin
        self._numbers = np.arange(1, harmonics + 1)
        lower = np.where(np.isfinite(model.lower), model.lower, -REACH)
        upper = np.where(np.isfinite(model.upper), model.upper, REACH)
        self._middle, self._half = 0.5 * (lower + upper), 0.5 * margin * (upper - lower)
        speed = np.asarray(model.velocity_limits)
        self._speed = margin * np.where(np.isfinite(speed) & (speed > 0.0), speed, SPEED)
        effort = np.asarray(model.effort_limits)
        self._effort = margin * np.where(np.isfinite(effort) & (effort > 0.0), effort, np.inf)
        self._sizes = parameter_sizes(model)
        self._possible = possible_directions(model, None)

    def motion(self, coefficients: Array, time: Array, period: float
               ) -> tuple[Array, Array, Array]:
        """Return q, v and qdd (N, nv) of coefficients (2 h + 1, nv)."""
        rates = 2.0 * np.pi / period * self._numbers
        count = len(rates)
        sine, cosine = np.sin(time[:, None] * rates), np.cos(time[:, None] * rates)
        a, b = coefficients[:count], coefficients[count:2 * count]
        return (coefficients[-1] + sine @ a + cosine @ b,
                (cosine * rates) @ a - (sine * rates) @ b,
                -(sine * rates ** 2) @ a - (cosine * rates ** 2) @ b)

    def _within(self, raw: Array, period: float) -> tuple[Array, float] | None:
        """Return coefficients within all limits, and the period; None if there are none."""
        numbers = self._numbers.astype(float)
        count = len(numbers)
        a, b = raw[:count], raw[count:2 * count]
        a = a - np.outer(numbers, numbers @ a) / (numbers @ numbers)
        square = numbers ** 2
        b = b - np.outer(square, square @ b) / (square @ square)
        found = np.concatenate((a, b, np.zeros((1, raw.shape[1]))))
        time = np.linspace(0.0, 1.0, LOOKS, endpoint=False)
        q, v, _ = self.motion(found, time * period, period)
        center, reach = 0.5 * (q.max(axis=0) + q.min(axis=0)), 0.5 * np.ptp(q, axis=0)
        size = np.minimum(self._half / reach, self._speed / np.abs(v).max(axis=0))
        found *= size
        found[-1] = self._middle - size * center
        for _ in range(TRIES):
            state_ = self.motion(found, time * period, period)
            still = np.abs(inverse_dynamics(self._model, state_[0], *np.zeros((2, *q.shape))))
            whole = np.abs(inverse_dynamics(self._model, *state_, dissipation=True))
            if (whole <= self._effort).all():
                return found, period
            if (still > 0.9 * self._effort).any():
                found[:-1] *= SHRINK
            else:
                period *= SLOWER
        return None

    def _condition(self, coefficients: Array, period: float) -> float:
        time = np.linspace(0.0, period, LOOKS, endpoint=False)
        rows = regressor(self._model, *self.motion(coefficients, time, period))
        reduced = (rows.reshape(-1, rows.shape[2]) * self._sizes) @ self._possible.T
        values = np.linalg.svd(reduced, compute_uv=False)
        return float(values[0] / max(values[-1], 1e-300))

    def best(self, period: float, candidates: int, seed: int) -> tuple[Array, float, float]:
        """Return the best coefficients, their condition number and period."""
        rng = np.random.default_rng(seed)
        shape = (2 * len(self._numbers) + 1, self._model.nv)
        raw = np.zeros(shape)
        found: tuple[Array, float, float] | None = None
        for k in range(candidates):
            spread = 1.0 if k < candidates // 4 else 0.5 * 0.98 ** (k - candidates // 4) + 0.02
            trial = spread * rng.normal(size=shape) + (raw if k >= candidates // 4 else 0.0)
            inside = self._within(trial, period)
            if inside is None:
                continue
            condition = self._condition(*inside)
            if found is None or condition * inside[1] < found[1] * found[2]:
                raw, found = trial, (inside[0], condition, inside[1])
        if found is None:
            raise UnsupportedError(
                f"an exciting motion of robot '{self._model.name}', which cannot hold itself "
                'within its limits of effort', 'limits of effort beyond its weight, or a larger '
                'margin')
        return found
