"""The motion of a robot under a constraint, to be integrated by ``mbd_ros.simulation``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbd_ros.control.actuation import Actuation
from mbd_ros.control.applied_forces import AppliedForce, PostureSpring
from mbd_ros.control.constraint_stack import Stack
from mbd_ros.control.fused_solution import can_fuse, fused_solution, FusedSolution
from mbd_ros.control.fused_tool import fused_tool, FusedTool, norm
from mbd_ros.control.loop_constraint import ClosedLoops, driven
from mbd_ros.control.range_space import LONG, range_space_acceleration
from mbd_ros.control.regular_case import (
    CLEARLY_REGULAR, quick_constrained_acceleration, regular_solution)
from mbd_ros.control.servo_constraints import Constraint
from mbd_ros.control.udwadia_kalaba import ConstrainedSolution
from mbd_ros.control.violation import DirectElimination, Elimination
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.model.state import neutral
from mbd_ros.simulation.integrators import rk4_step
from mbd_ros.simulation.manifold import joint_of_each_velocity, Matrix, Vector


DEFAULT_ELIMINATION = DirectElimination()


class Dynamics(NamedTuple):
    """
    Forces and accelerations at one state.

    Attributes
    ----------
    applied : Vector
        Applied generalized force (nv,), without gravity and velocity terms [N m or N].
    solution : ConstrainedSolution
        The Udwadia-Kalaba solution for ``Q = applied - h(q, v)``.

    """

    applied: Vector
    solution: ConstrainedSolution


class ConstrainedMotion:
    """
    ``M vdot = applied - h + Q_c`` with ``A vdot = b``, corrected after every step.

    Hand it to ``mbd_ros.simulate(..., motion=...)``, or let ``NominalModel`` run it alongside a
    real robot.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics, ``mbd_ros.compile(model)``.
    constraint : Constraint
        What the motion has to satisfy; ``Baumgarte(...)`` around it stabilizes it instead of, or
        beside, the elimination.
    applied : AppliedForce, optional
        Force beside the constraint force; none: the passive robot under gravity.
    elimination : DirectElimination or None, optional
        How violations are removed after each step; None: not at all.
    tolerance : float, optional
        Rank decision, see ``constrained_acceleration``.
    actuation : Actuation, optional
        Which joints have an actuator; all if not given. The constraint force then comes from
        these alone.

    Attributes
    ----------
    constraint : Constraint
        As given.
    whole : Constraint
        The same behind the robot's closed loops.
    loop_rows : int
        Number of their rows, the first of ``whole``.

    Closed loops hold by themselves: the constraint force of such a robot is that of the loops and
    of the constraint, and ``NominalState.effort`` what the actuated joints have to do of it.

    """

    def __init__(
        self,
        dyn: PreparedDynamics,
        constraint: Constraint,
        *,
        applied: AppliedForce | None = None,
        elimination: DirectElimination | None = DEFAULT_ELIMINATION,
        tolerance: float = 1e-10,
        actuation: Actuation | None = None,
    ) -> None:
        self.dyn = dyn
        self.actuation = None if actuation is None or actuation.complete else actuation
        self.constraint = self.whole = constraint
        self.loop_rows = 0
        if dyn.model.loops:
            loops = ClosedLoops(dyn)
            self.loop_rows = loops.rows
            self.whole = Stack([loops, constraint], neutral(dyn.model), np.zeros(dyn.model.nv))
        self.applied = applied
        self.elimination = elimination
        self.tolerance = tolerance
        self._fused: dict[int, FusedSolution | None] = {}
        self._tool: FusedTool | None = None
        self._tool_is_known = False
        self._spring = applied if isinstance(applied, PostureSpring) else None
        self._names = joint_of_each_velocity(dyn.model)

    def set_dynamics(self, dyn: PreparedDynamics) -> None:
        """Go on with the same robot under another payload or gravity."""
        self.dyn = dyn
        self._fused.clear()
        self._tool_is_known = False
        if isinstance(self.applied, PostureSpring):
            self.applied.dyn = dyn

    def solve(self, t: float, q: Vector, v: Vector) -> Dynamics:
        """
        Return forces and accelerations at a state.

        Parameters
        ----------
        t : float
            Time [s].
        q, v : Vector
            State (nq,), (nv,).

        Returns
        -------
        Dynamics
            Applied force and Udwadia-Kalaba solution.

        Raises
        ------
        NotFiniteError, SingularMassError, ShapeError
            As ``constrained_acceleration``.

        """
        tool = self._quick_tool()
        if tool is not None:
            result = tool.solve(t, q, v)
            if result is not None:
                n = len(v)
                found = regular_solution(result, n, (len(result) - 4 * n) // 3, self.tolerance)
                if found is not None:
                    return Dynamics(result[-n:], found)
        A, b = self.whole.matrix(q, v, t), self.whole.right_side(q, v, t)
        quick = self._solve_fused(t, q, v, A, b)
        if quick is not None:
            return quick
        if len(v) > LONG and self.applied is None and self.actuation is None and len(A):
            found = range_space_acceleration(self.dyn, q, v, np.zeros_like(v), A, b)
            if found is not None:
                return Dynamics(np.zeros_like(v), found)
        M = self.dyn.mass_matrix(q)
        h = self.dyn.bias_forces(q, v)
        applied = np.zeros_like(v) if self.applied is None else self.applied(t, q, v, M)
        if self.actuation is not None and not self.loop_rows:
            force = applied - h
            reduced = self.actuation.reduced(M, force, A, b)
            solution = quick_constrained_acceleration(
                *reduced, tolerance=self.tolerance, joint_names=self.actuation.joint_names)
            return Dynamics(applied, self.actuation.expanded(M, force, solution))
        solution = quick_constrained_acceleration(
            M, applied - h, A, b, tolerance=self.tolerance, joint_names=self._names)
        return Dynamics(applied, solution)

    def efforts(self, q: Vector, force: Vector) -> Vector:
        """Return what the actuated joints have to do (nv,) of a generalized force."""
        return driven(self.dyn, q, force, self.actuation) if self.loop_rows else force

    def rk4(self, t: float, q: Vector, v: Vector, first: Vector, step: float
            ) -> tuple[Vector, Vector]:
        """Return the state (nq,), (nv,) a step of RK4 later; ``first`` is vdot at its begin."""
        tool = self._quick_tool()
        if tool is not None:
            found = tool.rk4(t, q, v, first, step)
            if found is not None and found[2] > CLEARLY_REGULAR:
                return found[:2]
        return rk4_step(self.dyn.model, self.acceleration, t, q, v, step, first=first)

    def _quick_tool(self) -> FusedTool | None:
        """Return the machine code of the whole motion, where it is a tool on a path."""
        if not self._tool_is_known:
            self._tool_is_known = True
            metric = 'mass' if self.elimination is None else self.elimination.metric
            self._tool = (None if self.actuation is not None else
                          fused_tool(self.dyn, self.whole, self.applied, metric))
        return self._tool

    def _eliminate_fused(self, t: float, q: Vector, v: Vector) -> Elimination | None:
        """Return the corrected state after a regular step: one Newton step and no more."""
        tool, settings = self._quick_tool(), self.elimination
        if tool is None or settings is None or settings.tolerance is None:
            return None
        if settings.position_iterations < 1 or settings.velocity_iterations != 1:
            return None
        first = tool.correction(t, q, v)
        if first is None or first.independence <= CLEARLY_REGULAR:
            return None
        before = norm(first.violation)
        last, moved, count = first, 0.0, 0
        if before > settings.tolerance:
            if np.abs(first.step).max() > settings.max_step:
                return None
            q = q - first.step
            second = tool.correction(t, q, v)
            if second is None or norm(second.violation) > settings.tolerance:
                return None
            last, moved, count = second, norm(first.step), 1
        if (last.independence <= CLEARLY_REGULAR
                or np.abs(last.velocity_step).max() > settings.max_velocity_step):
            return None
        return Elimination(
            q, v - last.velocity_step, before, norm(last.violation), norm(last.rate), 0.0, count,
            moved, norm(last.velocity_step), len(last.rate), converged=True)

    def _solve_fused(self, t: float, q: Vector, v: Vector, A: Matrix, b: Vector
                     ) -> Dynamics | None:
        """Return the same in one call, None where it is not the regular case."""
        m, n = A.shape
        if m not in self._fused:
            possible = self.actuation is None and can_fuse(self.dyn, m, self.applied)
            constants = None if self._spring is None else self._spring.constants
            self._fused[m] = fused_solution(self.dyn, constants, m) if possible else None
        function = self._fused[m]
        if function is None:
            return None
        result = function(self._spring, t, q, v, A, b)
        if result is None:
            return None
        solution = regular_solution(result, n, m, self.tolerance)
        return None if solution is None else Dynamics(result[-n:], solution)

    def acceleration(self, t: float, q: Vector, v: Vector) -> Vector:
        """Return ``vdot`` (nv,) at a state."""
        return self.solve(t, q, v).solution.accelerations

    def eliminate(self, t: float, q: Vector, v: Vector) -> Elimination | None:
        """Return the corrected state with its report, or None where nothing is eliminated."""
        if self.elimination is None:
            return None
        found = self._eliminate_fused(t, q, v)
        if found is not None:
            return found
        return self.elimination.eliminate(self.dyn, self.whole, q, v, t)

    def correct(self, t: float, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return the state after a step, corrected."""
        report = self.eliminate(t, q, v)
        return (q, v) if report is None else (report.q, report.v)

    def violation(self, t: float, q: Vector) -> float:
        """Return the Euclidean norm of the constraint's violation at a state."""
        phi = self.whole.violation(q, t)
        return 0.0 if phi is None else float(np.linalg.norm(phi))
