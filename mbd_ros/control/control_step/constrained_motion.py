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

"""The motion of a robot under a constraint, to be integrated by ``mbd_ros.simulation``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.constraints.constraint_stack import Stack
from mbd_ros.control.constraints.loop_constraint import ClosedLoops
from mbd_ros.control.constraints.servo_constraints import Constraint
from mbd_ros.control.control_step.applied_forces import AppliedForce, PostureSpring
from mbd_ros.control.control_step.constrained_step import constrained_motion
from mbd_ros.control.control_step.fused_motion import fused_motion, FusedMotion
from mbd_ros.control.references.arguments import CONSTRAINT, require, require_prepared
from mbd_ros.control.tracking.nominal_state import NominalState
from mbd_ros.control.udwadia_kalaba.actuation import ActuatedSubspace, Actuation, where_loops_hold
from mbd_ros.control.udwadia_kalaba.drives import driven, is_under_actuated, reach
from mbd_ros.control.udwadia_kalaba.elimination import DirectElimination, Elimination
from mbd_ros.control.udwadia_kalaba.equation import ConstrainedSolution
from mbd_ros.control.udwadia_kalaba.solvers import quick_constrained_acceleration
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError
from mbd_ros.model.state import neutral
from mbd_ros.simulation.manifold import checked, joint_of_each_velocity, Matrix, Vector
from mbd_ros.spatial.rank_thresholds import CONSTRAINT_RANK


DEFAULT_ELIMINATION = DirectElimination()
OPEN = 1e-9
"""Closed loops that an elimination leaves open by more have been torn by rows they conflict with
[m or 1]."""


class Dynamics(NamedTuple):
    """
    Forces and accelerations at one state.

    The applied force (nv,), without gravity and velocity terms [N m or N], and the Udwadia-Kalaba
    solution for ``Q = applied - h(q, v)``.
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
    constraint : Constraint or sequence of Constraint
        What the motion has to satisfy; ``Baumgarte(...)`` around it stabilizes it instead of, or
        beside, the elimination. Several become a ``Stack``.
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
        As given, or the stack.
    whole : Constraint
        The same behind the robot's closed loops.
    loop_rows : int
        Number of their rows, the first of ``whole``.
    under_actuated : bool
        Whether the robot has motions that no actuator controls.

    Raises
    ------
    InvalidValueError
        If an argument is not what it should be.

    Closed loops hold by themselves: the constraint force of such a robot is that of the loops and
    of the constraint, and ``NominalState.effort`` what the actuated joints have to do of it.

    """

    def __init__(
        self,
        dyn: PreparedDynamics,
        constraint: Constraint | Sequence[Constraint],
        *,
        applied: AppliedForce | None = None,
        elimination: DirectElimination | None = DEFAULT_ELIMINATION,
        tolerance: float = CONSTRAINT_RANK,
        actuation: Actuation | None = None,
    ) -> None:
        require_prepared(dyn)
        if isinstance(constraint, Sequence):
            constraint = Stack(constraint, neutral(dyn.model), np.zeros(dyn.model.nv))
        require('constraint', constraint, CONSTRAINT,
                'a constraint, such as ToolPosition(dyn, link, path), or a list of them')
        if elimination is not None:
            require('elimination', elimination, ('eliminate',), 'a DirectElimination, or None')
        if actuation is not None:
            require('actuation', actuation, ('active',), 'an Actuation(model, joints), or None')
        if not (applied is None or callable(applied)):
            raise InvalidValueError('applied', applied, 'a function of (t, q, v, M), or None')
        self.dyn = dyn
        self.actuation = None if actuation is None or actuation.complete else actuation
        self.under_actuated = (self.actuation is not None
                               and is_under_actuated(dyn, self.actuation))
        self.constraint = self.whole = constraint
        self.loop_rows = 0
        self._loops = [ClosedLoops(dyn)] if dyn.model.loops else []
        for loops in self._loops:
            self.loop_rows = loops.count
            self.whole = Stack([loops, constraint], neutral(dyn.model), np.zeros(dyn.model.nv))
        self.applied = applied
        self.elimination = elimination
        self.tolerance = tolerance
        self._whole: FusedMotion | None = None
        self._whole_is_known = False
        self.joint_of_velocity = joint_of_each_velocity(dyn.model)

    def set_dynamics(self, dyn: PreparedDynamics) -> None:
        """Go on with the same robot under another payload or gravity."""
        self.dyn = dyn
        self._whole_is_known = False
        if isinstance(self.applied, PostureSpring):
            self.applied.dyn = dyn

    def set_applied(self, applied: AppliedForce | None) -> None:
        """Go on with another force beside the constraint force."""
        self.applied = applied
        self._whole_is_known = False

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
        code = self.in_machine_code()
        found = None if code is None else code.solve(t, q, v, self.tolerance)
        if found is not None and not self.would_tear(found[0].conflicting):
            return Dynamics(found[1], found[0])
        return Dynamics(*constrained_motion(_State(self, t, q, v)))

    def would_tear(self, conflicting: bool) -> bool:
        """Return whether a compromise of all rows would be one with closed loops, which hold."""
        return conflicting and self.loop_rows > 0 and not self.under_actuated

    def efforts(self, q: Vector, force: Vector) -> Vector:
        """Return what the actuated joints have to do (nv,) of a generalized force."""
        return driven(self.dyn, q, force, self.actuation) if self.loop_rows else force

    def regular_step(self, t: float, q: Vector, v: Vector, first: Vector, end: float
                     ) -> NominalState | None:
        """
        Return the corrected state at the end of a step of RK4, in machine code.

        Parameters
        ----------
        t, end : float
            Begin and end of the step [s].
        q, v, first : Vector
            State (nq,), (nv,) and vdot (nv,) at its begin.

        Returns
        -------
        NominalState or None
            None where the step needs ``acceleration`` and ``eliminate``: without machine code,
            near a singularity, if one Newton step is not enough, or if rows conflict with loops.

        """
        quick = self.in_machine_code()
        bounds = (None if quick is None or self.elimination is None
                  else quick.bounds(self.elimination, self.tolerance))
        if quick is None or bounds is None:
            return None
        found = quick.step(t, q, v, first, end, bounds)
        return None if found is not None and self.would_tear(found.conflicting) else found

    def in_machine_code(self) -> FusedMotion | None:
        """Return the machine code of the whole motion, where it has one."""
        if not self._whole_is_known:
            self._whole_is_known = True
            metric = 'mass' if self.elimination is None else self.elimination.metric
            self._whole = fused_motion(
                self.dyn, self.constraint, self.applied, metric, self.actuation)
        return self._whole

    def acceleration(self, t: float, q: Vector, v: Vector) -> Vector:
        """Return ``vdot`` (nv,) at a state."""
        return self.solve(t, q, v).solution.accelerations

    def eliminate(self, t: float, q: Vector, v: Vector) -> Elimination | None:
        """Return the corrected state with its report, or None where nothing is eliminated."""
        if self.elimination is None:
            return None
        report = self.elimination.eliminate(self.dyn, self.whole, q, v, t)
        for loops in self._loops:
            if np.abs(loops.violation(report.q, t)).max() > OPEN:
                return self._closed(loops, t, report, q, v)
        return report

    def _closed(self, loops: ClosedLoops, t: float, report: Elimination, q: Vector, v: Vector
                ) -> Elimination:
        """Return the state of an elimination, or that before it, with its loops closed."""
        assert self.elimination is not None
        closing = DirectElimination(self.elimination.metric)
        closed = closing.eliminate(self.dyn, loops, report.q, report.v, t)
        if not closed.converged:
            closed = closing.eliminate(self.dyn, loops, q, v, t)
        rate = self.whole.violation_rate(closed.q, closed.v, t)
        return report._replace(
            q=closed.q, v=closed.v, violation=self.violation(t, closed.q), converged=False,
            rate=0.0 if rate is None else float(np.linalg.norm(rate)))

    def project(self, q: ArrayLike, v: ArrayLike | None = None, time: float = 0.0) -> Elimination:
        """
        Return the state on the constraint that a state leads to, with a report of the way.

        Parameters
        ----------
        q, v : array_like
            State (nq,), (nv,); v is zero if not given.
        time : float, optional
            [s].

        Returns
        -------
        Elimination
            ``q`` and ``v`` to start from; ``moved`` says how far they are from those given.

        Raises
        ------
        ShapeError, NotFiniteError
            If it is not a state of the robot.
        InvalidValueError
            If the constraint cannot be met from there.

        """
        model = self.dyn.model
        place = checked(model, 'q', q, model.nq).copy()
        pace = np.zeros(model.nv) if v is None else checked(model, 'v', v, model.nv).copy()
        report = DirectElimination.from_afar().eliminate(self.dyn, self.whole, place, pace, time)
        if not report.converged:
            raise InvalidValueError(
                'q', place.tolist(), 'a start from which the constraint can be met; '
                f'elimination is stuck at a violation of {report.violation:.3g} '
                f'(it began at {report.violation_before:.3g}) [m, rad]')
        return report

    def correct(self, t: float, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return the state after a step, corrected."""
        report = self.eliminate(t, q, v)
        return (q, v) if report is None else (report.q, report.v)

    def health(self, t: float, q: Vector, v: Vector) -> tuple[float, int, float]:
        """Return the norm of ``phi_dot``, how many rows are independent, and their margin."""
        rate, solution = self.whole.violation_rate(q, v, t), self.solve(t, q, v).solution
        return (0.0 if rate is None else float(np.linalg.norm(rate)), solution.rank,
                solution.margin)

    def violation(self, t: float, q: Vector) -> float:
        """Return the Euclidean norm of the constraint's violation at a state."""
        phi = self.whole.violation(q, t)
        return 0.0 if phi is None else float(np.linalg.norm(phi))


class _State:
    """The terms of a motion at one state, as arrays; see ``Terms``."""

    def __init__(self, motion: ConstrainedMotion, t: float, q: Vector, v: Vector) -> None:
        self._motion, self._state = motion, (t, q, v)
        self._drives: ActuatedSubspace | None = None

    def rows(self) -> tuple[Matrix, Vector]:
        """Return A (m, nv) and b (m,)."""
        (t, q, v), whole = self._state, self._motion.whole
        return whole.matrix(q, v, t), whole.right_side(q, v, t)

    def mass_matrix(self) -> Matrix:
        """Return M (nv, nv)."""
        return self._motion.dyn.mass_matrix(self._state[1])

    def bias_forces(self) -> Vector:
        """Return h (nv,)."""
        return self._motion.dyn.bias_forces(*self._state[1:])

    def applied_force(self, M: Matrix) -> tuple[Vector, Vector | None]:
        """Return what acts beside the constraint force, of what drives can do."""
        motion, (t, q, v) = self._motion, self._state
        applied = np.zeros_like(v) if motion.applied is None else motion.applied(t, q, v, M)
        if motion.under_actuated:
            assert motion.actuation is not None
            self._drives = reach(motion.dyn, q, M, motion.actuation)
            return applied if motion.applied is None else self._drives.efforts(applied), None
        spring = motion.applied
        return applied, spring.inertia_ahead(t, M) if isinstance(spring, PostureSpring) else None

    def solve(self, M: Matrix, Q: Vector, A: Matrix, b: Vector) -> ConstrainedSolution:
        """Return the motion, whatever the rank of the rows; closed loops hold."""
        motion = self._motion
        if self._drives is not None:
            return self._drives.solve(Q, A, b, motion.loop_rows, tolerance=motion.tolerance)
        solution = quick_constrained_acceleration(
            M, Q, A, b, tolerance=motion.tolerance, joint_names=motion.joint_of_velocity)
        if motion.would_tear(solution.conflicting):
            solution = where_loops_hold(motion.dyn.model, M, Q, A, b, motion.loop_rows,
                                        tolerance=motion.tolerance)
        return solution

    def accelerations(self, solution: ConstrainedSolution) -> Vector:
        """Return vdot (nv,) of a motion."""
        return solution.accelerations
