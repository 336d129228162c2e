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
Direct elimination of constraint violations after an integration step.

Newton steps of least norm bring the configuration back onto ``phi(q, t) = 0``, one more step the
velocity onto ``phi_dot = 0`` (Lyu, Liu 2018, eqs. (17), (18)):
``q <- q - A^+ phi``, ``v <- v - A^+ phi_dot``. The norm is that of the mass matrix, which is
invariant under a change of coordinates and harms the motion along the manifold least, or the
Euclidean one of the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import NamedTuple

import numpy as np

from mbd_ros.control.constraints.servo_constraints import Constraint
from mbd_ros.control.udwadia_kalaba.solvers import limited_entry, quick_constrained_acceleration
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError, NotFiniteError
from mbd_ros.simulation.manifold import displaced, joint_of_each_velocity, Matrix, Vector
from mbd_ros.spatial.rank_thresholds import CONSTRAINT_RANK

METRICS = ('mass', 'euclidean')
ROUNDINGS = 16
"""Roundings of the largest coordinate [rad or m] that corrections may leave in ``phi``."""
RETRIES = 8
"""How often a step that does not reduce the violation is tried again at half the length."""


class Elimination(NamedTuple):
    """
    A corrected state and what the correction did.

    Attributes
    ----------
    q, v : Vector
        Corrected configuration (nq,) and velocity (nv,).
    violation_before, violation : float
        Euclidean norm of ``phi`` before and after.
    rate_before, rate : float
        Euclidean norm of ``phi_dot`` before (at the corrected configuration) and after.
    iterations : int
        Position steps taken.
    moved : float
        Length of the way the configuration went, summed over the steps [rad or m].
    velocity_change : float
        Euclidean norm of the change of v [rad/s or m/s].
    rank : int
        Independent rows at the last correction.
    converged : bool
        Whether the violation is within the tolerance; True where none is set.

    """

    q: Vector
    v: Vector
    violation_before: float
    violation: float
    rate_before: float
    rate: float
    iterations: int
    moved: float
    velocity_change: float
    rank: int
    converged: bool


@dataclass(frozen=True)
class DirectElimination:
    """
    Settings of the direct elimination.

    Parameters
    ----------
    metric : {'mass', 'euclidean'}, optional
        Norm in which a correction is smallest.
    tolerance : float or None, optional
        Norm of ``phi`` at which position steps end; more where a coordinate is so large (beyond
        some 30 rad or m) that its rounding alone moves the robot by as much. With None exactly
        ``position_iterations`` steps are taken.
    position_iterations : int, optional
        Most (or exact) number of position steps.
    velocity_iterations : int, optional
        Number of velocity steps; one is exact away from singularities.
    max_step : float, optional
        Largest change of a joint in one position step [rad or m]. A longer step is replaced by
        the damped one of that length (Levenberg-Marquardt), which turns away from the
        directions that a singularity makes expensive; a step that does not reduce the
        violation is tried again at half the length. Infinite: plain Newton.
    max_velocity_step : float, optional
        The same for the velocity step [rad/s or m/s].
    rank_tolerance : float, optional
        See ``constrained_acceleration``.
    nudge : float, optional
        At a singular configuration no small step may reduce the violation. There the joints are
        moved by up to this much, once, in a pattern that no mechanism is singular along
        [rad or m].

    Raises
    ------
    InvalidValueError
        If a setting is not allowed.

    """

    metric: str = 'mass'
    tolerance: float | None = 1e-13
    position_iterations: int = 30
    velocity_iterations: int = 1
    max_step: float = 0.2
    max_velocity_step: float = 10.0
    rank_tolerance: float = CONSTRAINT_RANK
    nudge: float = 0.0

    def __post_init__(self) -> None:
        """Check the settings."""
        if self.metric not in METRICS:
            raise InvalidValueError('metric', self.metric, ' or '.join(METRICS))
        for name in ('tolerance', 'max_step', 'max_velocity_step', 'rank_tolerance'):
            value = getattr(self, name)
            if value is not None and not value > 0.0:
                raise InvalidValueError(name, value, 'a positive number')
        for name in ('position_iterations', 'velocity_iterations'):
            if not getattr(self, name) >= 0:
                raise InvalidValueError(name, getattr(self, name), 'a count, 0 or more')

    @classmethod
    def as_printed(
        cls, position_iterations: int = 2, velocity_iterations: int = 1, *,
        metric: str = 'euclidean',
    ) -> DirectElimination:
        """Return the paper's setting: Newton steps in fixed number, 2 + 1, Euclidean norm."""
        return cls(metric, None, position_iterations, velocity_iterations, math.inf, math.inf)

    @classmethod
    def from_afar(cls, metric: str = 'mass') -> DirectElimination:
        """Return the setting that finds a state on a constraint from far away."""
        return cls(metric, position_iterations=200, nudge=0.02)

    def eliminate(
        self, dyn: PreparedDynamics, constraint: Constraint, q: Vector, v: Vector, t: float,
    ) -> Elimination:
        """
        Return the state corrected onto the constraint.

        Parameters
        ----------
        dyn : PreparedDynamics
            Prepared dynamics; its mass matrix is used in the mass metric only.
        constraint : Constraint
            The constraint; a missing ``phi`` or ``phi_dot`` leaves q or v as it is.
        q, v : Vector
            State (nq,), (nv,).
        t : float
            Time [s].

        Returns
        -------
        Elimination
            Corrected state and report.

        Raises
        ------
        NotFiniteError, SingularMassError
            If the state leads to numbers that are not finite, or to a singular mass matrix.

        """
        q, before, after, iterations, moved, rank = self._positions(dyn, constraint, q, v, t)
        converged = self.tolerance is None or after <= self._goal(q)
        rate = constraint.violation_rate(q, v, t)
        if rate is None:
            return Elimination(q, v, before, after, 0.0, 0.0, iterations, moved, 0.0, rank,
                               converged)
        rate_before = _norm(rate)
        start = v
        for _ in range(self.velocity_iterations):
            rows = constraint.matrix(q, v, t)[:len(rate)]
            step, rank = self._step(dyn, q, rows, rate, self.max_velocity_step)
            v = v - step
            rate = rate - rows @ step   # phi_dot is linear in v
        return Elimination(q, v, before, after, rate_before, _norm(rate), iterations, moved,
                           _norm(v - start), rank, converged)

    def _goal(self, q: Vector) -> float:
        """Return the norm of ``phi`` at which position steps end, if they do."""
        if self.tolerance is None:
            return -math.inf
        return max(self.tolerance, ROUNDINGS * float(np.spacing(np.abs(q).max(initial=0.0))))

    def _positions(
        self, dyn: PreparedDynamics, constraint: Constraint, q: Vector, v: Vector, t: float,
    ) -> tuple[Vector, float, float, int, float, int]:
        """Return q corrected, the violation before and after, steps, way moved, rank."""
        phi = constraint.violation(q, t)
        if phi is None:
            return q, 0.0, 0.0, 0, 0.0, 0
        before = size = _norm(phi)
        moved, rank, iterations, limit = 0.0, 0, 0, self.max_step
        nudge = self.nudge
        while iterations < self.position_iterations and not size <= self._goal(q):
            rows = constraint.matrix(q, v, t)[:len(phi)]
            for _ in range(RETRIES):
                step, rank = self._step(dyn, q, rows, phi, limit)
                candidate = displaced(dyn.model, q, -step)
                trial = constraint.violation(candidate, t)
                assert trial is not None
                if limit == math.inf or _norm(trial) < size:
                    break
                limit = 0.5 * min(limit, float(np.abs(step).max()))
            else:
                if nudge == 0.0:
                    break
                step, nudge = nudge * np.cos(np.arange(1.0, len(v) + 1.0)), 0.0
                limit = self.max_step   # zero, where the steps before were
                candidate = displaced(dyn.model, q, step)
                trial = constraint.violation(candidate, t)
                assert trial is not None
            q, phi, size = candidate, trial, _norm(trial)
            moved += _norm(step)
            iterations += 1
            limit = min(2.0 * limit, self.max_step)
        return q, before, size, iterations, moved, rank

    def _step(self, dyn: PreparedDynamics, q: Vector, rows: Matrix, violation: Vector,
              limit: float) -> tuple[Vector, int]:
        """Return the least change that removes a violation, damped to a limit, and the rank."""
        m, n = rows.shape
        weight = dyn.mass_matrix(q) if self.metric == 'mass' else np.eye(n)
        violation = np.ascontiguousarray(violation)   # of loops it is a column of their rows
        # The least step is the acceleration of a robot at rest with ``A qdd = phi``.
        solution = quick_constrained_acceleration(
            weight, np.zeros(n), rows, violation, tolerance=self.rank_tolerance,
            joint_names=joint_of_each_velocity(dyn.model))
        step = solution.accelerations
        if np.abs(step).max() > limit:
            damped = limited_entry(n, m)(
                weight.ravel(), rows.ravel(), violation, np.array((limit,)))
            if damped is None:
                raise NotFiniteError('step', 'an elimination', math.nan)
            step = damped[:n]
        return step, solution.rank


def _norm(vector: Vector) -> float:
    """Return the Euclidean norm."""
    return math.sqrt(vector.dot(vector))
