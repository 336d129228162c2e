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
from mbd_ros.dynamics.loops.newton import damped_newton, length, Reached, turned_aside
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
        before, after, iterations, moved, rank = 0.0, 0.0, 0, 0.0, 0
        phi = constraint.violation(q, t)
        if phi is not None:
            problem = _Positions(self, dyn, constraint, v, t)
            found = damped_newton(problem, q, phi)
            before, after, rank = length(phi), length(found.phi), problem.rank
            q, iterations, moved = found.q, found.steps, found.way
        converged = self.tolerance is None or after <= self.goal(q)
        rate = constraint.violation_rate(q, v, t)
        if rate is None:
            return Elimination(q, v, before, after, 0.0, 0.0, iterations, moved, 0.0, rank,
                               converged)
        rate_before = length(rate)
        start = v
        for _ in range(self.velocity_iterations):
            rows = constraint.matrix(q, v, t)[:len(rate)]
            step, rank = self.least_step(dyn, q, rows, rate, self.max_velocity_step)
            v = v - step
            rate = rate - rows @ step   # phi_dot is linear in v
        return Elimination(q, v, before, after, rate_before, length(rate), iterations, moved,
                           length(v - start), rank, converged)

    def goal(self, q: Vector) -> float:
        """Return the norm of ``phi`` at which position steps end, if they do."""
        if self.tolerance is None:
            return -math.inf
        return max(self.tolerance, ROUNDINGS * float(np.spacing(np.abs(q).max(initial=0.0))))

    def least_step(self, dyn: PreparedDynamics, q: Vector, rows: Matrix, violation: Vector,
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


class _Positions:
    """Steps of an elimination onto ``phi(q, t) = 0``, see ``damped_newton``."""

    def __init__(self, settings: DirectElimination, dyn: PreparedDynamics, constraint: Constraint,
                 v: Vector, t: float) -> None:
        self._settings, self._dyn, self._constraint = settings, dyn, constraint
        self._v, self._t = v, t
        self._limit, self._nudge, self._left = settings.max_step, settings.nudge, RETRIES
        self.rank = 0

    def violation(self, q: Vector) -> Vector:
        """Return phi (m,)."""
        phi = self._constraint.violation(q, self._t)
        assert phi is not None, 'of constraints on velocities no positions are corrected'
        return phi

    def goes_on(self, now: Reached) -> bool:
        """Return whether there is a violation yet."""
        return (now.steps < self._settings.position_iterations
                and not length(now.phi) <= self._settings.goal(now.q))

    def step(self, q: Vector, phi: Vector) -> Vector:
        """Return the step, damped to the limit."""
        rows = self._constraint.matrix(q, self._v, self._t)[:len(phi)]
        step, self.rank = self._settings.least_step(self._dyn, q, rows, phi, self._limit)
        return -step

    def displaced(self, q: Vector, step: Vector) -> Vector:
        """Return q after a step."""
        return displaced(self._dyn.model, q, step)

    def accepts(self, trial: Vector, phi: Vector) -> bool:
        """Return whether a step reduces the violation; plain Newton steps need not."""
        return self._limit == math.inf or length(trial) < length(phi)

    def relax(self) -> None:
        """Allow longer steps, up to those of the settings."""
        self._limit, self._left = min(2.0 * self._limit, self._settings.max_step), RETRIES

    def tighten(self, step: Vector, phi: Vector) -> bool:
        """Allow half the step, some times."""
        self._limit = 0.5 * min(self._limit, float(np.abs(step).max()))
        self._left -= 1
        return self._left > 0

    def aside(self) -> Vector | None:
        """Turn aside, once; the limit is zero where the steps before were."""
        if self._nudge == 0.0:
            return None
        nudge, self._nudge = self._nudge, 0.0
        self._limit, self._left = self._settings.max_step, RETRIES
        return turned_aside(nudge, len(self._v))
