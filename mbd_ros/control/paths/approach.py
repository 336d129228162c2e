"""
A planned way onto a constraint, in place of a jump.

At the time ``t_0`` of a switch a robot is anywhere, with any velocity: ``phi_0``, ``phi_dot_0``.
Instead of ``phi = 0`` it is then asked for ``phi = s(t)``, where the polynomial s leads from there
to zero, with its first two derivatives, within a time T. Position and velocity go on without a
jump, and so does the acceleration where the constraint was already followed to second order.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from mbd_ros.control.applied_forces import PostureSpring
from mbd_ros.control.compiled.scalars import Row, sum_of
from mbd_ros.control.constrained_motion import ConstrainedMotion
from mbd_ros.control.constraints.servo_constraints import Constraint
from mbd_ros.control.paths.references import within_one
from mbd_ros.control.paths.time_code import closed_form, TimeCode
from mbd_ros.control.violation import DirectElimination
from mbd_ros.errors import InvalidValueError
from mbd_ros.simulation.manifold import displacement, Matrix, positive_time, Vector
from mbd_ros.spatial import Scalar

FASTEST, HARDEST = 1.875, 5.774
"""Largest rate and second rate of a quintic from rest to rest over unit way and time."""

SHORTEST = 0.05
"""No approach takes less time [s]."""

SHARED = 1.0
"""In an approach of this time the springs of a posture share the way among the joints [s]."""

REACHED = 1e-9
"""A violation below this, of configuration and velocity, is none."""


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


def approach_duration(
    motion: ConstrainedMotion, q: Vector, v: Vector, time: float, *, speed: float,
) -> float:
    """
    Return how long the way onto a constraint should take.

    The joints' way is that to the nearest state on the constraint; none shall exceed half of its
    velocity limit or ``speed``, nor half of the effort that it has left beside its weight.

    Parameters
    ----------
    motion : ConstrainedMotion
        The motion to join.
    q, v : Vector
        Where the robot is (nq,), (nv,).
    time : float
        Time at which the constraint is to be joined [s].
    speed : float
        Largest speed of a joint [rad/s or m/s].

    Returns
    -------
    float
        Duration [s]; zero where the constraint is satisfied already.

    Raises
    ------
    InvalidValueError
        If the constraint is out of reach.

    """
    dyn, model = motion.dyn, motion.dyn.model
    metric = 'mass' if motion.elimination is None else motion.elimination.metric
    found = DirectElimination(metric, position_iterations=200, nudge=0.02).eliminate(
        dyn, motion.whole, q, v, time)
    if not found.converged:
        raise InvalidValueError(
            'start', q.tolist(), 'a state from which the constraint can be met; the nearest one '
            f'still violates it by {found.violation:.3g} (it began at '
            f'{found.violation_before:.3g})')
    if found.violation_before < REACHED and found.rate_before < REACHED:
        return 0.0
    top = np.minimum(speed, 0.5 * model.velocity_limits)
    weight = np.abs(dyn.bias_forces(q, np.zeros_like(v)))
    spare = np.maximum(0.5 * (model.effort_limits - weight), 0.05 * model.effort_limits)
    acceleration = np.where(np.isfinite(spare), spare / dyn.mass_matrix(q).diagonal(), np.inf)

    def needed(way: Vector, change: Vector) -> float:
        """Return the time that a way and a change of velocity of the joints take."""
        return max(FASTEST * float((way / top).max()),
                   math.sqrt(HARDEST * float((way / acceleration).max())),
                   2.0 * float((change / np.minimum(acceleration, 10.0 * top)).max()))
    # A force moves the light joints first; springs share the way among all, but take their time.
    first = DirectElimination.as_printed(1, 1, metric='mass').eliminate(
        dyn, motion.whole, q, v, time)
    at_once = needed(np.abs(displacement(model, q, first.q)), np.abs(first.v - v))
    shared = needed(np.abs(displacement(model, q, found.q)), np.abs(found.v - v))
    return max(SHORTEST, shared, min(at_once, SHARED))


def approached(
    motion: ConstrainedMotion, q: Vector, v: Vector, begin: float, duration: float, *,
    speed: float, acceleration: Vector | None = None,
) -> ConstrainedMotion:
    """
    Return the motion that leads from a state onto the constraint of another.

    Parameters
    ----------
    motion : ConstrainedMotion
        The motion to join; the springs of its posture set out from ``q``, too.
    q, v : Vector
        State (nq,), (nv,) at the beginning.
    begin, duration : float
        When the approach begins and how long it takes [s], see ``approach_duration``.
    speed : float
        Largest speed of a joint that a spring draws [rad/s or m/s].
    acceleration : Vector, optional
        As for ``Approach``.

    Returns
    -------
    ConstrainedMotion
        The motion; the given one where the approach takes no time.

    """
    if isinstance(motion.applied, PostureSpring):
        top = np.minimum(speed, 0.5 * motion.dyn.model.velocity_limits)
        way = np.abs(displacement(motion.dyn.model, q, motion.applied.posture)) / top
        motion.applied.lead(q, begin, max(duration, SHORTEST, FASTEST * float(way.max())))
    if duration == 0.0:
        return motion
    joined = Approach(motion.constraint, q, v, begin, duration, acceleration)
    return ConstrainedMotion(motion.dyn, joined, applied=motion.applied,
                             elimination=motion.elimination, actuation=motion.actuation)
