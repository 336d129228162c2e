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
A constrained motion in machine code, from Python: the accelerations, and a whole step.

What ``ConstrainedMotion``, ``rk4_step`` and ``DirectElimination`` do one operation after the other
from Python, for constraints on scalars (``recorded.py``). Where the rank is not clear, or Newton
steps do not reduce the violation, these run instead.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple

import numpy as np

from mbd_ros.control.constraints.approach import Approach
from mbd_ros.control.constraints.constraint_stack import recorded_form, RecordedStack
from mbd_ros.control.constraints.recorded import Structure
from mbd_ros.control.constraints.servo_constraints import Constraint
from mbd_ros.control.control_step.applied_forces import AppliedForce, PostureSpring
from mbd_ros.control.control_step.motion_kernels import (
    motion_kernels, MotionKernels, Setting, STEP_FACTS)
from mbd_ros.control.references.scalar_manifold import SMALL
from mbd_ros.control.references.scalars import all_positive, Row
from mbd_ros.control.references.time_code import TimeCode, unchanging
from mbd_ros.control.tracking.nominal_state import NominalState
from mbd_ros.control.udwadia_kalaba.actuation import Actuation
from mbd_ros.control.udwadia_kalaba.drives import driven_entries, is_under_actuated
from mbd_ros.control.udwadia_kalaba.elimination import DirectElimination
from mbd_ros.control.udwadia_kalaba.equation import ConstrainedSolution
from mbd_ros.control.udwadia_kalaba.rank_facts import FACTS, gaps, RANK
from mbd_ros.control.udwadia_kalaba.robot_code import has_machine_code, LARGEST_DENSE
from mbd_ros.control.udwadia_kalaba.solvers import clear_solution, is_conflicting
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import is_flat, Vector
from mbd_ros.spatial import Scalar
from mbd_ros.spatial.rank_thresholds import CLEARLY_FREE, CLEARLY_REGULAR


class Bounds(NamedTuple):
    """
    Bounds within which a compiled step is valid; beyond them the dense fallback runs.

    Least squared part of a row that is kept; largest violation after the Newton steps; largest
    corrections of configuration and velocity; longest way that is taken from a measured state.
    """

    rank: float
    violation: float
    moved: float
    velocity: float
    taken: float


def gaps_of_step(facts: Sequence[Scalar], bounds: Bounds) -> Row:
    """
    Return what is positive where the ``STEP_FACTS`` of a step are within bounds.

    The way that Newton steps went is not bounded where these were damped: ``moved`` is infinite.
    """
    _, after, moved, change, removed, *rank = facts
    return [*gaps(rank, bounds.rank), bounds.violation - after, removed,
            *within(moved, bounds.moved), *within(change, bounds.velocity)]


def gaps_of_observation(facts: Sequence[Scalar], least: float, longest: float) -> Row:
    """Return margins that are positive where an observation has a clear rank and a short way."""
    taken, *rank = facts
    return [*gaps(rank, least), *within(taken, longest)]


def within(value: Scalar, bound: float) -> Row:
    """Return how far a value is from its bound, nothing where there is none."""
    return [] if math.isinf(bound) else [bound - value]


def nominal_state(time: float, result: Vector, model: Model, m: int,
                  corrected: Sequence[float], facts: Sequence[float]) -> NominalState:
    """Return the state in a result of ``MotionKernels``; ``corrected`` by its elimination."""
    n, parts, first = model.nv, [], 0
    for size in (model.nq, n, n, n, m, n, n):
        parts.append(result[first:first + size])
        first += size
    q, v, a, force, multipliers, applied, effort = parts
    before, after, moved = corrected
    return NominalState(time, q, v, a, effort, applied, force, before, after, moved,
                        int(facts[RANK]), is_conflicting(facts, m), multipliers)


class FusedMotion:
    """
    The constrained motion of a robot, from its kernels.

    ``approach``: by which the constraint is reached, if so; ``spring``: the applied force, if any;
    ``can_pull``: whether ``pulled_step`` is right, which it is where configurations just add.
    """

    def __init__(self, kernels: MotionKernels, constraint: RecordedStack,
                 approach: Approach | None, spring: PostureSpring | None) -> None:
        self.kernels = kernels
        self.can_pull = is_flat(kernels.model)
        self._n, self._m = kernels.size, kernels.counts[2]
        self._constraint, self._approach, self._spring = constraint, approach, spring
        self._acceleration, self._step = kernels.acceleration.call, kernels.step.call
        self._observation = kernels.observation
        self._none = np.zeros(3 * kernels.rated)
        self._longest = math.inf if is_flat(kernels.model) else SMALL
        self._regular = CLEARLY_FREE if kernels.reach else CLEARLY_REGULAR
        self._kept = CLEARLY_REGULAR if kernels.drive is None else CLEARLY_FREE

    def solve(self, t: float, q: Vector, v: Vector, tolerance: float
              ) -> tuple[ConstrainedSolution, Vector] | None:
        """Return the motion and the applied force, None where the rank is not clear."""
        result = self._acceleration(q, v, *self._changing(t))
        if result is None:
            return None
        solution = clear_solution(result, self._n, self._m, self.clear(tolerance))
        return None if solution is None else (solution, result[-self._n:])

    def clear(self, tolerance: float) -> float:
        """Return the least squared part of a row that makes the rank of a motion clear."""
        return max(self._regular, tolerance * tolerance)

    def bounds(self, settings: DirectElimination, tolerance: float) -> Bounds | None:
        """Return where a step is right, None if other eliminations are wanted."""
        if (settings.tolerance is None or settings.position_iterations < 1
                or settings.velocity_iterations != 1):
            return None
        return Bounds(max(self._kept, tolerance * tolerance, settings.rank_tolerance**2),
                      settings.tolerance, min(settings.max_step, self._longest),
                      settings.max_velocity_step, self._longest)

    def step(self, t: float, q: Vector, v: Vector, first: Vector, end: float,
             bounds: Bounds) -> NominalState | None:
        """Return the state at an end, corrected by Newton steps, as many as are needed."""
        step = end - t
        given = (q, v, first, np.array((step,)), *self._changing(t + 0.5 * step),
                 *self._changing(end))
        result = self._step(*given)
        if result is None:
            return None
        facts = result[-STEP_FACTS:].tolist()
        if facts[1] > bounds.violation and self.can_pull:
            result = self.kernels.pulled_step(bounds.moved, bounds.violation).call(*given)
            if result is None:
                return None
            facts, bounds = result[-STEP_FACTS:].tolist(), bounds._replace(moved=math.inf)
        if not all_positive(gaps_of_step(facts, bounds)):
            return None
        return nominal_state(end, result, self.kernels.model, self._m, facts[:3], facts[5:])

    def observed(self, old: NominalState, way: Vector, pace: Vector, tolerance: float
                 ) -> NominalState | None:
        """Return the state and motion after ``NominalModel.observe``."""
        if self._observation is None:
            return None
        result = self._observation.call(old.q, old.v, way, pace, *self._changing(old.time))
        if result is None:
            return None
        facts = result[-1 - FACTS:].tolist()
        least = max(self._kept, tolerance * tolerance)
        if not all_positive(gaps_of_observation(facts, least, self._longest)):
            return None
        return nominal_state(old.time, result, self.kernels.model, self._m,
                             (old.violation_before, old.violation, old.moved), facts[1:])

    def time_codes(self) -> tuple[TimeCode, ...] | None:
        """Return what depends on time alone as machine code, in order; None if some has none."""
        codes = self._constraint.time_codes()
        more = [unchanging(self._none) if self._approach is None else self._approach.fade_code(),
                *([] if self._spring is None else [self._spring.target_code()])]
        found = tuple(code for code in more if code is not None)
        return None if codes is None or len(found) < len(more) else codes + found

    def _changing(self, t: float) -> tuple[Vector, ...]:
        """Return what changes with time: reference, approach, where the springs pull to."""
        fade = self._none if self._approach is None else self._approach.fade(t).ravel()
        pull = None if self._spring is None else self._spring.target_code()
        return *self._constraint.reference(t), fade, *([] if pull is None else [pull(t)])


def fused_motion(dyn: PreparedDynamics, constraint: Constraint, applied: AppliedForce | None,
                 metric: str, actuation: Actuation | None) -> FusedMotion | None:
    """Return the machine code of a ``ConstrainedMotion`` with these, None where there is none."""
    approach = constraint if isinstance(constraint, Approach) else None
    inner = recorded_form(constraint if approach is None else approach.constraint)
    if not has_machine_code(dyn) or inner is None or not inner.counts[2] or not (
            applied is None or isinstance(applied, PostureSpring)):
        return None
    model, m = dyn.model, inner.counts[2]
    if any(dyn.machine_code(*quantity) is None for quantity in inner.quantities):
        return None
    spring = applied if isinstance(applied, PostureSpring) else None
    if applied is not None and actuation is not None and is_under_actuated(dyn, actuation):
        return None
    if applied is not None and not is_flat(model):
        return None
    if m > 2 * LARGEST_DENSE:
        return None
    setting = Setting(None if spring is None else (spring.damping, spring.rooms, spring.ahead),
                      metric, driven_entries(dyn, actuation))
    return FusedMotion(motion_kernels(dyn, Structure(inner), setting), inner, approach, spring)
