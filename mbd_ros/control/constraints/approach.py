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
A planned way onto a constraint, in place of a jump.

At the time ``t_0`` of a switch a robot is anywhere, with any velocity: ``phi_0``, ``phi_dot_0``.
Instead of ``phi = 0`` it is then asked for ``phi = s(t)``, where the polynomial s leads from there
to zero, with its first two derivatives, within a time T. Position and velocity go on without a
jump, and so does the acceleration where the constraint was already followed to second order.
"""

from __future__ import annotations

import functools

import numpy as np

from mbd_ros.control.constraints.servo_constraints import Constraint
from mbd_ros.control.references.paths import within_one
from mbd_ros.control.references.scalars import Row, sum_of
from mbd_ros.control.references.time_code import closed_form, TimeCode
from mbd_ros.simulation.manifold import Matrix, positive_time, Vector
from mbd_ros.spatial import Scalar


class Approach:
    """
    A constraint that begins where the robot is and becomes itself after a time.

    Parameters
    ----------
    constraint : Constraint
        What is to hold in the end.
    q, v : Vector
        State (nq,), (nv,) at the beginning.
    begin : float
        Time of the beginning [s].
    duration : float
        Time the approach takes [s].
    acceleration : Vector, optional
        ``vdot`` (nv,) at the beginning, to be continuous there, too; if not given the violation
        starts to change with zero acceleration.

    Raises
    ------
    InvalidValueError
        If the duration is not positive.

    """

    def __init__(self, constraint: Constraint, q: Vector, v: Vector, begin: float,
                 duration: float, acceleration: Vector | None = None) -> None:
        self.constraint = constraint
        self.begin = begin
        self.duration = positive_time('duration', duration)
        phi = constraint.violation(q, begin)
        rate = constraint.violation_rate(q, v, begin)
        second = None
        if acceleration is not None:
            second = (constraint.matrix(q, v, begin) @ acceleration
                      - constraint.right_side(q, v, begin))
        self._first = 0 if phi is None else len(phi)
        self._rated = 0 if rate is None else len(rate)
        # Rows on configurations fade as (phi, rate, second), rows on velocities as (psi, rate).
        self._start = np.zeros((3, self._rated))
        if phi is not None:
            self._start[0, :self._first] = phi
        if rate is not None:
            n, T = self._first, duration
            self._start[1, :n] = T * rate[:n]
            self._start[0, n:] = rate[n:]
            if second is not None:
                self._start[2, :n] = T * T * second[:n]
                self._start[1, n:] = T * second[n:self._rated]

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return ``A`` (m, nv) of the constraint."""
        return self.constraint.matrix(q, v, t)

    def right_side(self, q: Vector, v: Vector, t: float) -> Vector:
        """Return ``b + s_ddot`` (m,)."""
        right_side = self.constraint.right_side(q, v, t)
        _, rate, second = self.fade(t)
        n = self._first
        right_side = right_side.copy()
        right_side[:n] += second[:n]
        right_side[n:self._rated] += rate[n:]
        return right_side

    def violation(self, q: Vector, t: float) -> Vector | None:
        """Return ``phi - s`` of the rows that have one."""
        phi = self.constraint.violation(q, t)
        if phi is None:
            return None
        difference: Vector = phi - self.fade(t)[0][:self._first]
        return difference

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector | None:
        """Return ``phi_dot - s_dot`` of the rows that have one."""
        rate = self.constraint.violation_rate(q, v, t)
        if rate is None:
            return None
        value, slope, _ = self.fade(t)
        n = self._first
        return rate - np.concatenate((slope[:n], value[n:]))

    @functools.cached_property
    def _fade_code(self) -> TimeCode | None:
        end = self.begin + self.duration
        return None if not self._rated else closed_form(
            _fading, (end, self.duration, *self._start.ravel()), 3 * self._rated)

    def fade_code(self) -> TimeCode | None:
        """Return machine code for ``fade``, row by row (3 rows,); None without rows."""
        return self._fade_code

    def fade(self, t: float) -> Matrix:
        """Return s, its rate and second rate (3, rows) at a time, zero at the end."""
        code = self._fade_code
        return np.zeros((3, 0)) if code is None else code(t).reshape(3, -1)


def _fading(time: Scalar, data: Row) -> Row:
    """
    Return s, its rate and second rate, row by row.

    Sums of quintics in the part x of the time that has passed, y = 1 - x is left, which have unit
    value, slope or curvature at the beginning and rest at the end.
    """
    end, duration, n = data[0], data[1], (len(data) - 2) // 3
    y = within_one((end - time) / duration)
    x, once, twice = 1.0 - y, 1.0 / duration, 1.0 / (duration * duration)
    value = (y * y * y * (1.0 + x * (3.0 + 6.0 * x)), y * y * y * x * (1.0 + 3.0 * x),
             0.5 * (x * x) * (y * y * y))
    rate = (-30.0 * (x * x) * (y * y), y * y * (1.0 - 3.0 * x) * (1.0 + 5.0 * x),
            0.5 * x * (y * y) * (2.0 - 5.0 * x))
    second = (-60.0 * x * y * (y - x), -12.0 * x * y * (3.0 - 5.0 * x),
              y * (1.0 + x * (10.0 * x - 8.0)))
    rows = [data[2 + k::n] for k in range(n)]
    return [unit * sum_of(one * start for one, start in zip(quintics, row))
            for unit, quintics in ((1.0, value), (once, rate), (twice, second)) for row in rows]
