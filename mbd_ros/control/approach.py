"""
A planned way onto a constraint, in place of a jump.

At the time ``t_0`` of a switch a robot is anywhere, with any velocity: ``phi_0``, ``phi_dot_0``.
Instead of ``phi = 0`` it is then asked for ``phi = s(t)``, where the polynomial s leads from there
to zero, with its first two derivatives, within a time T. Position and velocity go on without a
jump, and so does the acceleration where the constraint was already followed to second order.
"""

from __future__ import annotations

import math

import numpy as np

from mbd_ros.control.servo_constraints import Constraint
from mbd_ros.errors import InvalidValueError
from mbd_ros.simulation.manifold import Matrix, Vector

FADE = np.array(((1.0, 0.0, 0.0, -10.0, 15.0, -6.0), (0.0, 1.0, 0.0, -6.0, 8.0, -3.0),
                 (0.0, 0.0, 0.5, -1.5, 1.5, -0.5)))
"""Quintics in x = (t - t_0) / T with unit value, slope or curvature at 0 and rest at 1."""


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
        if not 0.0 < duration < math.inf:
            raise InvalidValueError('duration', duration, 'a positive time [s]')
        self.constraint = constraint
        self.begin = begin
        self.duration = duration
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
        if not self._rated or t >= self.begin + self.duration:
            return right_side
        _, rate, second = self._fade(t)
        n = self._first
        right_side = right_side.copy()
        right_side[:n] += second[:n]
        right_side[n:self._rated] += rate[n:]
        return right_side

    def violation(self, q: Vector, t: float) -> Vector | None:
        """Return ``phi - s`` of the rows that have one."""
        phi = self.constraint.violation(q, t)
        if phi is None or t >= self.begin + self.duration:
            return phi
        difference: Vector = phi - self._fade(t)[0][:self._first]
        return difference

    def violation_rate(self, q: Vector, v: Vector, t: float) -> Vector | None:
        """Return ``phi_dot - s_dot`` of the rows that have one."""
        rate = self.constraint.violation_rate(q, v, t)
        if rate is None or t >= self.begin + self.duration:
            return rate
        value, slope, _ = self._fade(t)
        n = self._first
        return rate - np.concatenate((slope[:n], value[n:]))

    def _fade(self, t: float) -> tuple[Vector, Vector, Vector]:
        """Return s with its rate and second rate at a time."""
        T = self.duration
        x = min(max((t - self.begin) / T, 0.0), 1.0)
        powers = np.array((
            (1.0, x, x**2, x**3, x**4, x**5),
            (0.0, 1.0 / T, 2 * x / T, 3 * x**2 / T, 4 * x**3 / T, 5 * x**4 / T),
            (0.0, 0.0, 2 / T**2, 6 * x / T**2, 12 * x**2 / T**2, 20 * x**3 / T**2)))
        value, rate, second = powers @ FADE.T @ self._start
        return value, rate, second
