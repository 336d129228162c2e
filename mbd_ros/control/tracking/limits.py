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

"""Positions and velocities that the joints of a robot must not exceed."""

from __future__ import annotations

import copy
import math

import numpy as np

from mbd_ros.control.references.scalars import Row, smallest
from mbd_ros.model import Model
from mbd_ros.model.names import position_units
from mbd_ros.model.state import simple_entries
from mbd_ros.simulation.manifold import joint_of_each_velocity, Vector
from mbd_ros.spatial import Scalar

MARGIN = 0.01
"""A measured position may exceed its limit by this before it counts [rad or m]: play, noise."""

SPEED_MARGIN = 1.5
"""A measured velocity may exceed its limit by this factor, which is for planned ones."""

SLOW = 1e-3
"""At less than this outwards a joint counts as at rest [rad/s or m/s]."""

FASTER, STOPPING = 1.1, 0.1
"""
A motion that begins beyond limits may at first be faster than at its begin by this factor, and go
on outwards for this time [s]: the way to rest of a joint that is stopped takes no longer.
"""


class Limits:
    """The limits of a robot's joints; those with several coordinates have none."""

    def __init__(self, model: Model) -> None:
        self._q, self._v = simple_entries(model)
        self._all = len(self._v) == model.nv
        lower, upper = model.lower[self._v], model.upper[self._v]
        top = model.velocity_limits[self._v]
        self._low = np.concatenate([lower, -top])
        self._high = np.concatenate([upper, top])
        self._stated = self._low, self._high
        margin = np.concatenate([np.full(len(lower), MARGIN), (SPEED_MARGIN - 1.0) * top])
        self._widened = self._low - margin, self._high + margin
        # Where one side is unlimited the way out is that to the other side.
        self._middle = np.where(np.isfinite(lower), np.where(
            np.isfinite(upper), 0.5 * (np.nan_to_num(lower) + np.nan_to_num(upper)), np.inf),
            -np.inf)
        names = joint_of_each_velocity(model)
        self._names = [names[at] for at in self._v]
        units = position_units(model)
        self._units = [units[at] for at in self._v]

    def around(self, q: Vector, v: Vector) -> Limits:
        """
        Return these limits, widened where a state exceeds them, for the motion that begins there.

        Otherwise none could lead back a robot that was stopped beyond its limits: pushed there, or
        aborted while it went there.

        Parameters
        ----------
        q, v : Vector
            State (nq,), (nv,).

        Returns
        -------
        Limits
            Those that hold until ``narrowed``; these themselves, if the state is within. Measured
            velocities are granted no more than before.

        """
        state = self._entries(q, v)
        if not ((state < self._low) | (state > self._high)).any():
            return self
        count, wide = len(self._names), copy.copy(self)
        speed = state[count:]
        least, most = state.copy(), state.copy()
        least[:count] += STOPPING * np.minimum(speed, 0.0)
        most[:count] += STOPPING * np.maximum(speed, 0.0)
        least[count:] *= FASTER
        most[count:] *= FASTER
        beneath, above = state < self._low, state > self._high
        wide._low = np.where(beneath, least, self._low)
        wide._high = np.where(above, most, self._high)
        low, high = (one.copy() for one in self._widened)   # a robot that runs away is stopped
        low[:count] = np.minimum(low[:count], wide._low[:count] - MARGIN)
        high[:count] = np.maximum(high[:count], wide._high[:count] + MARGIN)
        wide._widened = low, high
        return wide

    def narrowed(self, limits: Limits, q: Vector, v: Vector) -> Limits:
        """Return these, for entries of a state (nq,), (nv,) that are within ``limits`` those."""
        if self is limits:
            return self
        state = self._entries(q, v)
        within = (state >= limits._low) & (state <= limits._high)
        less = copy.copy(self)
        less._low = np.where(within, limits._low, self._low)
        less._high = np.where(within, limits._high, self._high)
        return less

    def _entries(self, q: Vector, v: Vector) -> Vector:
        """Return the positions and velocities that have limits."""
        return np.concatenate((q, v) if self._all else (q[self._q], v[self._v]))

    def excesses(self, q: Row, v: Row) -> tuple[Scalar, Scalar]:
        """Return the largest excess over the limits, and over the widened ones, on scalars."""
        state = [*(q[at] for at in self._q.tolist()), *(v[at] for at in self._v.tolist())]
        found: list[Scalar] = []
        for low, high in ((self._low, self._high), self._widened):
            beyond: Row = [-1.0]
            for x, least, most in zip(state, low.tolist(), high.tolist()):
                beyond += [least - x] * math.isfinite(least)
                beyond += [x - most] * math.isfinite(most)
            found.append(-smallest([-excess for excess in beyond]))
        return found[0], found[1]

    def too_fast(self, v: Vector) -> bool:
        """Return whether a planned velocity (nv,) exceeds the limit of a joint."""
        count, speeds = len(self._names), v[self._v]
        return bool(((speeds < self._low[count:]) | (speeds > self._high[count:])).any())

    def beyond(self, q: Vector) -> str:
        """Say which joints are measured (nq,) beyond their position limits; empty if none is."""
        place, count = q[self._q], len(self._names)
        low, high = self._widened
        return '; '.join(
            f"joint '{self._names[at]}' is beyond its limits, {self._low[at]:.4g} to "
            f'{self._high[at]:.4g}{self._units[at]}'
            for at in np.flatnonzero((place < low[:count]) | (place > high[:count])).tolist())

    def exceeded(self, q: Vector, v: Vector, *, measured: bool = False, moving: bool = False
                 ) -> str:
        """
        Say which limit a state exceeds.

        Parameters
        ----------
        q, v : Vector
            State (nq,), (nv,).
        measured : bool, optional
            Whether it is a measured state, which is granted a margin.
        moving : bool, optional
            Whether it is a state of a motion: beyond a limit, at rest or on the way back, it may
            go on.

        Returns
        -------
        str
            Joint, what was found and what is allowed; empty if none is exceeded.

        """
        state = self._entries(q, v)
        low, high = self._widened if measured else (self._low, self._high)
        beyond = (state < low) | (state > high)
        if not beyond.any():
            return ''
        count = len(self._names)
        if moving:
            outward = np.where(state[:count] > self._middle, 1.0, -1.0)
            beyond[:count] &= outward * state[count:] > SLOW
            if not beyond.any():
                return ''
        worst = int(np.argmax(beyond))
        least, most = (one[worst] for one in self._stated)
        what, per = ('position', '') if worst < count else ('velocity', '/s')
        unit = self._units[worst % count] + per
        return (f"{what} {state[worst]:.4g}{unit} of joint '{self._names[worst % count]}' is "
                f'beyond its limits, {least:.4g} to {most:.4g}{unit}')
