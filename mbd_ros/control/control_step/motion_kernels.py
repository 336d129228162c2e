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
Machine code of a constrained motion: its accelerations, corrections, and a whole step.

The system ``M qdd = Q + Q_c``, ``A qdd = b`` is put together from kernels of the robot and the
recorded rows, and solved by ``small_systems.py``, which reports of its rank (``rank_facts.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
import itertools
import math
from typing import NamedTuple

import numpy as np

from mbd_ros.control.constraints.constraint_stack import RecordedStack
from mbd_ros.control.constraints.link_constraint import MOTION
from mbd_ros.control.constraints.loop_constraint import ClosedLoops
from mbd_ros.control.constraints.recorded import Known, Quantity, Rows, Structure
from mbd_ros.control.control_step.applied_forces import (
    avoiding_force, dampers, Room, spring_force)
from mbd_ros.control.control_step.constrained_step import constrained_motion, corrected_step
from mbd_ros.control.control_step.observation import observation_parts
from mbd_ros.control.references.scalar_manifold import displaced
from mbd_ros.control.references.scalars import difference, length, smallest, sum_of
from mbd_ros.control.udwadia_kalaba.drives import driven_kernel, is_underactuated_by, loop_calls
from mbd_ros.control.udwadia_kalaba.rank_facts import empty_rank_report, FACTS, gathered
from mbd_ros.control.udwadia_kalaba.robot_code import robot
from mbd_ros.control.udwadia_kalaba.solvers import (
    limited_solver, reached_solver, solver, step_solver)
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.loops.newton import newton
from mbd_ros.execution.compiled_calls.call_recorder import CallRecorder, Symbols
from mbd_ros.execution.compiled_calls.fused import Argument, Fused
from mbd_ros.execution.ir.loop_code import LoopCode
from mbd_ros.execution.ir.machine_code import address_of
from mbd_ros.execution.ir.trace import Operand
from mbd_ros.model.caches import owned
from mbd_ros.spatial import larger, Scalar

STEP_FACTS = 5 + FACTS
"""Numbers behind the vectors of a step: violation before and after, the lengths of the two
corrections, the least share of the violation that a Newton step removed (1 where there was none),
then the facts, the least or largest of all stages but for rank and conflict."""
PULLS = 12
"""Newton steps that pull a state onto its constraint from far away, in a step of machine code."""


class Setting(NamedTuple):
    """
    What the machine code of a motion depends on, beside robot and constraint.

    Damping ratio, ``rooms`` and ``ahead`` of the applied spring, if any; metric of the
    eliminations, ``'mass'`` or ``'euclidean'``; entries of v that are driven.
    """

    spring: tuple[float, tuple[Room, ...], float] | None
    metric: str
    drives: tuple[int, ...]


class MotionKernels:
    """
    Machine code of a robot under a constraint; the same for every reference.

    ``counts``: numbers of rows with ``phi``, with ``phi_dot``, and of all, loops included;
    ``reach``: whether a robot with closed loops is underactuated; ``changing``: sizes of what
    changes with time, in order: references, approach, what springs pull to and how. ``drive`` is
    None without closed loops, ``observation`` for fully actuated robots.
    """

    def __init__(self, dyn: PreparedDynamics, constraint: RecordedStack, setting: Setting) -> None:
        self.model, self.size = dyn.model, dyn.model.nv
        self.dyn, self._constraint, self._setting = dyn, constraint, setting
        self._loops = ClosedLoops(dyn) if dyn.model.loops else None
        loops = 0 if self._loops is None else self._loops.count
        held, rated, m = constraint.counts
        self.rated = rated
        self.counts = held + loops, rated + loops, m + loops
        self._passive = () if loops else tuple(
            k for k in range(self.size) if k not in setting.drives)
        self._order = (*self._passive, *(k for k in range(self.size) if k not in self._passive))
        self.reach = bool(loops) and is_underactuated_by(dyn, setting.drives)
        self._drives = np.array(setting.drives, np.float64)
        self._place = [self._order.index(k) for k in range(self.size)]
        self._rest = np.zeros(self.size)
        self._keep = dyn, self._rest, self._drives
        self._references = {f'r{k}': size for k, size in enumerate(constraint.reference_sizes)}
        quantities = dict.fromkeys((*(() if self._loops is None else self._loops.quantities),
                                    *constraint.quantities))
        self._quantities = tuple(quantities)
        pull = {} if setting.spring is None else {'pull': 6 * self.size}
        self.changing = {**self._references, 'fade': 3 * rated, **pull}
        self._state = {'q': dyn.model.nq, 'v': self.size}
        self.acceleration = self._acceleration_kernel()
        self.drive = driven_kernel(dyn, setting.drives) if self._loops is not None else None
        self.step = self._step_kernel()
        self._pulled: dict[tuple[float, float], Fused] = {}
        self.observation = (self._observation_kernel() if self.reach or self._passive else None)

    def pulled_step(self, longest: float, tolerance: float) -> Fused:
        """
        Return ``step`` with up to ``PULLS`` damped Newton steps in place of the one.

        No joint changes by more than ``longest`` in each of them; a violation below ``tolerance``
        they need not reduce.
        """
        key = longest, tolerance
        if key not in self._pulled:
            self._pulled[key] = self._step_kernel(key)
        return self._pulled[key]

    def _acceleration_kernel(self) -> Fused:
        """
        Return (q, v, what changes) to what ``constrained_motion`` gives, applied force.

        In machine code what ``ConstrainedMotion.solve`` does, by the same text.
        """
        terms = _RecordedTerms(self, *self._recording(self._state))
        applied, solved = constrained_motion(terms)
        return terms.step.fused([*solved, *applied], 'constrained_motion',
                                (*self._keep, terms.code))

    def system_solver(self) -> LoopCode:
        """Return the machine code that solves the equations."""
        n, m = self.size, self.counts[2]
        if not self.reach:
            return solver(n, m, len(self._passive))
        assert self._loops is not None
        return reached_solver(n, m, self._loops.count, len(self._drives))

    def solved(self, step: CallRecorder, code: LoopCode, M: Symbols, Q: Symbols, A: Symbols,
               b: Symbols) -> Symbols:
        """Return what ``code`` makes of the equations, with passive entries of v first."""
        n, m, order = self.size, self.counts[2], list(self._order)
        if self._passive:
            M = M[np.ix_(order, order)]
        found = step.call(code.address, (
            M.ravel(), Q[order], A[:, order].ravel(), b,
            *[address_of(self._drives)] * self.reach), 2 * (n + m) + FACTS)
        return np.concatenate([found[:n][self._place], found[n:2 * n][self._place], found[2 * n:]])

    def _correction_kernel(self, of: str, longest: float = math.inf) -> Fused:
        """
        Return (q, v, what changes) to phi, the least step (nv,) that removes it, and facts.

        Or the step that removes ``phi_dot``, with ``of='rate'``; or the damped one where an entry
        would be longer than allowed. In machine code what ``DirectElimination`` asks
        ``constrained_acceleration`` for.
        """
        n = self.size
        count = self.counts[('violation', 'rate').index(of)]
        step, q, v, changing = self._recording(self._state)
        rows = self.rows(step, q, v, changing)
        weighted, limit, unit = self._setting.metric == 'mass', np.array((longest,)), np.eye(n)
        M: Argument | Symbols = address_of(unit)
        if weighted and count:
            M = robot(step, self.dyn, 'mass_matrix', n * n, q)
        wrong = np.array(getattr(rows, of), object)
        A = np.array([*rows.matrix[:count]], object).ravel()
        code, solved = None, np.array([*[0.0] * n, *empty_rank_report()], object)
        if count and longest < math.inf:
            code = limited_solver(n, count)
            solved = step.call(code.address, (M, A, wrong, address_of(limit)), n + FACTS)
        elif count:
            code = step_solver(n, count, weighted=weighted)
            solved = step.call(code.address, (M, A, wrong)[0 if weighted else 1:], n + FACTS)
        return step.fused([*rows.violation, *solved], f'{of}_correction',
                          (*self._keep, code, limit, unit))

    def _step_kernel(self, pull: tuple[float, float] | None = None) -> Fused:
        """
        Return a step of RK4, one of Newton, one of the velocity, and the motion at its end.

        In machine code what ``NominalModel`` does; with ``pull``, see ``pulled_step``, it takes
        more Newton steps, and damps them.

        (q, v, vdot, step, what changes at its middle and at its end) to q, v, vdot, constraint
        force, multipliers, applied force, effort; then what ``STEP_FACTS`` says.
        """
        model, n, (held, _, m) = self.model, self.size, self.counts
        longest, tolerance = (math.inf, 0.0) if pull is None else pull
        size, facts = 3 * n + 2 * m + FACTS, list[Symbols]()
        places = self._correction_kernel('violation', longest)
        rates = self._correction_kernel('rate')
        names = {when: [f'{when}_{name}' for name in self.changing] for when in ('middle', 'end')}
        step = CallRecorder({**self._state, 'a': n, 'step': 1, **{
            name: length for when in names.values()
            for name, length in zip(when, self.changing.values())}})
        q, v, first, h = (step.given[name] for name in (*self._state, 'a', 'step'))
        stages = iter(('middle', 'middle', 'end', 'end'))

        def called(kernel: Fused, size: int, when: str, q: Symbols, v: Symbols) -> Symbols:
            return step.call(kernel.address, (q, v, *names[when]), size)

        def motion(q: Symbols, v: Symbols) -> Symbols:
            found = called(self.acceleration, size, next(stages), q, v)
            facts.append(found[size - n - FACTS:size - n])
            return found

        sizes, way = list[Scalar](), list[Scalar]()

        def correction(q: Symbols, v: Symbols, kernel: Fused) -> Symbols:
            phi, change, about = np.split(
                called(kernel, held + n + FACTS, 'end', q, v), (held, held + n))
            sizes.append(length(phi))
            way.append(length(change))
            facts.append(about)
            return -change

        def after(q: Symbols, step: Symbols) -> Symbols:
            return np.array(displaced(model, list(q), list(step)), object)

        def corrected(q: Symbols, v: Symbols) -> tuple[Symbols, Symbols, Scalar]:
            *_, (q, change) = newton(q, lambda q: correction(q, v, places), after,
                                     most=1 if pull is None else PULLS, small=lambda _: False)
            q = after(q, change)
            v = v + correction(q, v, rates)
            return q, v, way.pop()

        q, v, pace = corrected_step(model, lambda t, q, v: motion(q, v)[:n], corrected, 0.0, q, v,
                                    h, first)
        a = motion(q, v)
        effort, driven = self._effort(step, q, a)
        removed = [] if pull is None else [
            larger(1.0 - after / larger(before, tolerance), (tolerance - before) / tolerance)
            for before, after in itertools.pairwise(sizes)]
        facts = [facts[-1], *facts[:-1], *driven]   # rank and conflict are those at its end
        return step.fused([
            *q, *v, *self._moved(a, effort), sizes[0], sizes[-1], sum_of(way), pace,
            smallest([1.0, *removed]), *gathered(facts)], 'nominal_step',
            (self.acceleration, places, rates, self.drive))

    def _observation_kernel(self) -> Fused:
        """
        Return what takes from a measured state the motion that no actuator can change.

        (q, v, way and pace that are missing to the measured state, what changes) to q, v, vdot,
        constraint force, multipliers, applied force, effort; then the length of the way that was
        taken, and facts. See ``NominalModel.observe``.
        """
        nq, n, m = self.model.nq, self.size, self.counts[2]
        size = 3 * n + 2 * m + FACTS
        step, _, _, changing = self._recording({**self._state, 'way': n, 'pace': n})
        parts = observation_parts(self.dyn, self._setting.drives, math.nan)
        q, v, taken, about = np.split(step.include(parts), (nq, nq + n, nq + n + 1))
        a = step.call(self.acceleration.address, (q, v, *changing.values()), size)
        effort, driven = self._effort(step, q, a)
        facts = gathered([a[size - n - FACTS:size - n], about, *driven])
        return step.fused([*q, *v, *self._moved(a, effort), *taken, *facts], 'observation',
                          (*self._keep, self.acceleration, self.drive, parts))

    def _recording(self, inputs: Mapping[str, int]
                   ) -> tuple[CallRecorder, Symbols, Symbols, dict[str, Symbols]]:
        """Return a function to be recorded, its q and v, and what changes with time."""
        found = CallRecorder({**inputs, **self.changing})
        return (found, found.given['q'], found.given['v'],
                {name: found.given[name] for name in self.changing})

    def _effort(self, step: CallRecorder, q: Symbols, a: Symbols) -> tuple[Symbols, list[Symbols]]:
        """Return the efforts of drives for accelerations with their force, and facts of these."""
        n = self.size
        needed = a[len(a) - n:] + a[n:2 * n]
        if self.drive is None:
            return needed, []
        driven = step.call(self.drive.address, (q, needed), n + FACTS)
        return driven[:n], [driven[n:]]

    def _moved(self, a: Symbols, effort: Symbols) -> list[Operand]:
        """Return accelerations, constraint force, multipliers, applied force and effort."""
        n, m = self.size, self.counts[2]
        return [*a[:2 * n + m], *a[len(a) - n:], *effort]

    def _quantity(self, step: CallRecorder, quantity: Quantity, q: Symbols, v: Symbols) -> Symbols:
        """Return a quantity that rows need, those of loops without rounding."""
        function, link = quantity
        if function == 'own_loop_rows':
            return step.include(loop_calls(self.dyn, step.place(q), step.place(v), 'loops'))
        if function == 'jacobian':
            return robot(step, self.dyn, function, 6 * self.size, q, link=link)
        return robot(step, self.dyn, function, MOTION, q, v, address_of(self._rest), link=link)

    def rows(self, step: CallRecorder, q: Symbols, v: Symbols, changing: Mapping[str, Symbols]
             ) -> Rows:
        """Return the rows of loops, then those of the constraint, less its approach."""
        known = Known(
            list(q), list(v),
            {one: list(self._quantity(step, one, q, v)) for one in self._quantities},
            [list(changing[name]) for name in self._references])
        rows = self._constraint.rows(known)
        held, rated, _ = self._constraint.counts
        value, slope, second = (list(changing['fade'][k * rated:(k + 1) * rated])
                                for k in range(3))
        own = Rows(difference(rows.violation, value),
                   difference(rows.rate, slope[:held] + value[held:]), rows.matrix,
                   [x + s for x, s in zip(rows.right_side, second[:held] + slope[held:])]
                   + rows.right_side[rated:])
        if self._loops is None:
            return own
        return Rows(*(first + then for first, then in zip(self._loops.rows(known), own)))

    def applied(self, step: CallRecorder, q: Symbols, v: Symbols, M: Symbols,
                changing: Mapping[str, Symbols]) -> tuple[Symbols, Symbols | None]:
        """Return force, zero without one, and ``inertia_ahead`` of the posture spring."""
        n = self.size
        if self._setting.spring is None:
            return np.zeros(n, object), None
        g = robot(step, self.dyn, 'bias_forces', n, q, address_of(self._rest))
        damping, rooms, ahead = self._setting.spring
        place, roots, pace = np.split(changing['pull'][:3 * n], 3)
        inertia = list(M.diagonal())
        spring = spring_force(damping, list(roots), list(g), list(place - q), list(pace - v),
                              inertia)
        away = avoiding_force(rooms, damping, list(roots), list(q), list(v), inertia)
        later = ahead * np.array(dampers(damping, list(roots), inertia), object) if ahead else None
        return np.array(spring, object) + np.array(away, object), later


class _RecordedTerms:
    """The terms of a motion at one state, as recorded symbols; see ``Terms``."""

    def __init__(self, kernels: MotionKernels, step: CallRecorder, q: Symbols, v: Symbols,
                 changing: Mapping[str, Symbols]) -> None:
        self.step, self.code = step, kernels.system_solver()
        self._kernels, self._state = kernels, (q, v, changing)

    def rows(self) -> tuple[Symbols, Symbols]:
        """Return A (m, nv) and b (m,)."""
        rows = self._kernels.rows(self.step, *self._state)
        return np.array([*rows.matrix], object), np.array(rows.right_side, object)

    def mass_matrix(self) -> Symbols:
        """Return M (nv, nv)."""
        n = self._kernels.size
        found = robot(self.step, self._kernels.dyn, 'mass_matrix', n * n, self._state[0])
        return found.reshape(n, n)

    def bias_forces(self) -> Symbols:
        """Return h (nv,)."""
        kernels = self._kernels
        return robot(self.step, kernels.dyn, 'bias_forces', kernels.size, *self._state[:2])

    def applied_force(self, M: Symbols) -> tuple[Symbols, Symbols | None]:
        """Return force, zero without one, and ``inertia_ahead`` of the posture spring."""
        q, v, changing = self._state
        return self._kernels.applied(self.step, q, v, M, changing)

    def solve(self, M: Symbols, Q: Symbols, A: Symbols, b: Symbols) -> Symbols:
        """Return the motion as the solver writes it; solved with passive entries of v first."""
        return self._kernels.solved(self.step, self.code, M, Q, A, b)

    def accelerations(self, solution: Symbols) -> Symbols:
        """Return vdot (nv,) of a motion."""
        return solution[:self._kernels.size]


@owned()
def motion_kernels(dyn: PreparedDynamics, structure: Structure, setting: Setting) -> MotionKernels:
    """Return machine code, made once: a robot goes from task to task without a compilation."""
    return MotionKernels(dyn, structure.constraint, setting)
