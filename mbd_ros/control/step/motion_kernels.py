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
import functools
import itertools
import math
from typing import NamedTuple, TypeAlias

import numpy as np

from mbd_ros.control.constraints.constraint_stack import RecordedStack
from mbd_ros.control.constraints.link_constraint import MOTION
from mbd_ros.control.constraints.loop_constraint import ClosedLoops
from mbd_ros.control.constraints.recorded import Known, Quantity, Rows, Structure
from mbd_ros.control.references.scalar_manifold import configuration_rate, displaced, normalized
from mbd_ros.control.references.scalars import (
    difference, length, Row, smallest, square, sum_of)
from mbd_ros.control.step.applied_forces import avoiding_force, Room, spring_force
from mbd_ros.control.step.observation import observation_parts
from mbd_ros.control.udwadia_kalaba.drives import driven_kernel, leave_a_motion, loop_calls
from mbd_ros.control.udwadia_kalaba.rank_facts import FACTS, gathered, no_facts
from mbd_ros.control.udwadia_kalaba.robot_code import robot_call
from mbd_ros.control.udwadia_kalaba.solvers import (
    limited_solver, reached_solver, solver, step_solver)
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.execution.calls.fused import Argument, Computed, Fused, fused, Inside, KernelCall
from mbd_ros.execution.ir.trace import Operand, Symbol
from mbd_ros.spatial import larger, Scalar

Given = Mapping[str, list[Symbol]]
Part: TypeAlias = KernelCall | Computed

STEP_FACTS = 5 + FACTS
"""Numbers behind the vectors of a step: violation before and after, the lengths of the two
corrections, the least share of the violation that a Newton step removed (1 where there was none),
then the facts, the least or largest of all stages but for rank and conflict."""
PULLS = 12
"""Newton steps that pull a state onto its constraint from far away, in a step of machine code."""


class Setting(NamedTuple):
    """
    What the machine code of a motion depends on, beside robot and constraint.

    Damping ratio and ``rooms`` of the applied spring, if any; metric of the eliminations,
    ``'mass'`` or ``'euclidean'``; entries of v that are driven.
    """

    spring: tuple[float, tuple[Room, ...]] | None
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
        self._dyn, self._constraint, self._setting = dyn, constraint, setting
        self._loops = ClosedLoops(dyn) if dyn.model.loops else None
        loops = 0 if self._loops is None else self._loops.count
        held, rated, m = constraint.counts
        self.rated = rated
        self.counts = held + loops, rated + loops, m + loops
        self._passive = () if loops else tuple(
            k for k in range(self.size) if k not in setting.drives)
        self._order = (*self._passive, *(k for k in range(self.size) if k not in self._passive))
        self.reach = bool(loops) and leave_a_motion(dyn, setting.drives)
        self._drives = np.array(setting.drives, np.float64)
        self._place = [self._order.index(k) for k in range(self.size)]
        self._rest = np.zeros(self.size)
        self._keep = dyn, self._rest, self._drives
        self._references = {f'r{k}': size for k, size in enumerate(constraint.reference_sizes)}
        quantities = dict.fromkeys((*(() if self._loops is None else self._loops.quantities),
                                    *constraint.quantities))
        self._names = {one: f'K{k}' for k, one in enumerate(quantities)}
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
        """Return (q, v, what changes) to what ``constrained_motion`` gives, applied force."""
        dyn, n, m = self._dyn, self.size, self.counts[2]
        spring, passive = self._setting.spring, len(self._passive)
        calls = [*self._calls(), robot_call(dyn, 'mass_matrix', 'M', n * n, 'q'),
                 robot_call(dyn, 'bias_forces', 'h', n, 'q', 'v')]
        if spring is not None:
            calls.append(robot_call(dyn, 'bias_forces', 'g', n, 'q', self._rest.ctypes.data))

        def system(given: Given) -> list[Operand]:
            """Return force, rows, right-hand side, M, with passive entries first; applied."""
            applied = applied_force(spring, given, square(given['M'], n))
            force, rows = difference(applied, list(given['h'])), self._rows(given)
            return [*(force[k] for k in self._order),
                    *(row[k] for row in rows.matrix for k in self._order), *rows.right_side,
                    *applied, *(given['M'][n * i + k] for i in self._order for k in self._order
                                if passive)]

        def results(given: Given) -> list[Operand]:
            solved = list(given['solved'])
            return [*self._in_order(solved[:n]), *self._in_order(solved[n:2 * n]), *solved[2 * n:],
                    *given['system'][after:after + n]]
        after, size = n + m * n + m, 2 * (n + m) + FACTS
        loops = 0 if self._loops is None else self._loops.count
        code = (reached_solver(n, m, loops, len(self._drives)) if self.reach
                else solver(n, m, passive))
        more = (self._drives.ctypes.data,) if self.reach else ()
        return fused({**self._state, **self.changing}, [
            *calls, Computed(system, 'system', after + n + (n * n if passive else 0)),
            KernelCall(code.address, (Inside('system', after + n) if passive else 'M',
                                      Inside('system', 0), Inside('system', n),
                                      Inside('system', n + m * n), *more), 'solved', size),
            Computed(results, 'all', size + n)], 'constrained_motion', (*self._keep, code))

    def _in_order(self, entries: Row) -> Row:
        """Return a vector of a solved system in the order of v."""
        return [entries[k] for k in self._place]

    def _correction_kernel(self, of: str, longest: float = math.inf) -> Fused:
        """
        Return (q, v, what changes) to phi, the least step (nv,) that removes it, and facts.

        Or the step that removes ``phi_dot``, with ``of='rate'``; or the damped one where an entry
        would be longer than allowed.
        """
        dyn, n, held = self._dyn, self.size, self.counts[0]
        count = self.counts[('violation', 'rate').index(of)]
        calls = self._calls()
        weight: tuple[Argument, ...] = ()
        if self._setting.metric == 'mass' and count:
            weight = 'M',
            calls.append(robot_call(dyn, 'mass_matrix', 'M', n * n, 'q'))

        def system(given: Given) -> list[Operand]:
            rows = self._rows(given)
            return [*rows.violation, *getattr(rows, of),
                    *(entry for row in rows.matrix[:count] for entry in row)]
        calls.append(Computed(system, 'system', held + count + count * n))
        code, limit, unit = None, np.array((longest,)), np.eye(n)
        if count and longest < math.inf:
            code = limited_solver(n, count)
            more: tuple[Argument, ...] = (limit.ctypes.data,)
            weight = weight or (unit.ctypes.data,)
        elif count:
            code, more = step_solver(n, count, weighted=bool(weight)), ()
        if code is not None:
            calls.append(KernelCall(code.address, (
                *weight, Inside('system', held + count), Inside('system', held), *more),
                'solved', n + FACTS))

        def results(given: Given) -> list[Operand]:
            solved = [*[0.0] * n, *no_facts()] if code is None else given['solved']
            return [*given['system'][:held], *solved]
        return fused({**self._state, **self.changing},
                     [*calls, Computed(results, 'all', held + n + FACTS)], f'{of}_correction',
                     (*self._keep, code, limit, unit))

    def _step_kernel(self, pull: tuple[float, float] | None = None) -> Fused:
        """
        Return a step of RK4, one of Newton, one of the velocity, and the motion at its end.

        With ``pull``, see ``pulled_step``, it takes more Newton steps, and damps them.

        (q, v, vdot, step, what changes at its middle and at its end) to q, v, vdot, constraint
        force, multipliers, applied force, effort; then what ``STEP_FACTS`` says.
        """
        model, n, (held, _, m) = self.model, self.size, self.counts
        longest, tolerance = (math.inf, 0.0) if pull is None else pull
        places = self._correction_kernel('violation', longest)
        rates = self._correction_kernel('rate')
        steps = 1 if pull is None else PULLS
        at = {when: tuple(f'{when}_{name}' for name in self.changing)
              for when in ('middle', 'end')}
        inputs = {'q': model.nq, 'v': n, 'a1': n, 'step': 1,
                  **{f'{when}_{name}': size for when in at
                     for name, size in self.changing.items()}}
        parts: list[Part] = []

        def combined(stage: int, *terms: tuple[Scalar, str]) -> None:
            """Add the state ``q + step * (sum of factors times rates)`` and v likewise."""
            def ahead(given: Given, start: str, rates: list[Row]) -> Row:
                step, = given['step']
                return [x + step * sum_of(
                    factor * entry for (factor, _), entry in zip(terms, its))
                    for x, *its in zip(given[start], *rates)]

            def place(given: Given) -> Row:
                q = ahead(given, 'q', [configuration_rate(
                    model, list(given[f'q{k}']), list(given[f'v{k}'])) for _, k in terms])
                return q if stage < 5 else normalized(model, q)
            parts.append(Computed(place, f'q{stage}', model.nq))
            parts.append(Computed(lambda given: ahead(
                given, 'v', [list(given[f'a{k or 1}'][:n]) for _, k in terms]), f'v{stage}', n))

        def called(kernel: Fused, result: str, size: int, *arguments: str) -> None:
            parts.append(KernelCall(kernel.address, arguments, result, size))

        size = 3 * n + 2 * m + FACTS
        for stage, fraction, when in ((2, 0.5, 'middle'), (3, 0.5, 'middle'), (4, 1.0, 'end')):
            combined(stage, (fraction, str(stage - 1) if stage > 2 else ''))
            called(self.acceleration, f'a{stage}', size, f'q{stage}', f'v{stage}', *at[when])
        sixth, third = 1.0 / 6.0, 1.0 / 3.0
        combined(5, (sixth, ''), (third, '2'), (third, '3'), (sixth, '4'))
        space = held + n + FACTS

        def corrected(step: int) -> None:
            """Take a Newton step from one configuration to the next."""
            called(places, f'c{step}', space, f'q{4 + step}', 'v5', *at['end'])
            parts.append(Computed(lambda given: displaced(
                model, list(given[f'q{4 + step}']),
                [-x for x in given[f'c{step}'][held:held + n]]), f'q{5 + step}', model.nq))
        for step in range(1, 1 + steps):
            corrected(step)
        corrections = [f'c{step}' for step in range(1, 1 + steps)]
        last = f'q{5 + steps}'
        called(rates, 'w', space, last, 'v5', *at['end'])
        parts.append(Computed(
            lambda given: difference(given['v5'], given['w'][held:held + n]), 'w5', n))
        called(self.acceleration, 'a6', size, last, 'w5', *at['end'])
        parts += self._driven(last, 'a6')

        def results(given: Given) -> list[Operand]:
            a, w = given['a6'], given['w']
            facts = [given[stage][size - n - FACTS:size - n] for stage in ('a6', 'a2', 'a3', 'a4')]
            facts += [given[correction][held + n:] for correction in (*corrections, 'w')]
            sizes = [length(given[name][:held]) for name in (*corrections, 'w')]
            removed = [] if pull is None else [
                larger(1.0 - after / larger(before, tolerance), (tolerance - before) / tolerance)
                for before, after in itertools.pairwise(sizes)]
            if self.drive is not None:
                facts.append(given['driven'][n:])
            return [*given[last], *given['w5'], *self._moved(given, a), sizes[0], sizes[-1],
                    sum_of(length(given[name][held:held + n]) for name in corrections),
                    length(w[held:held + n]), smallest([1.0, *removed]), *gathered(facts)]
        return fused(inputs, [*parts, Computed(
            results, 'all', model.nq + 5 * n + m + STEP_FACTS)], 'nominal_step',
            (self.acceleration, places, rates, self.drive))

    def _observation_kernel(self) -> Fused:
        """
        Return what takes from a measured state the motion that no actuator can change.

        (q, v, way and pace that are missing to the measured state, what changes) to q, v, vdot,
        constraint force, multipliers, applied force, effort; then the length of the way that was
        taken, and facts. See ``NominalModel.observe``.
        """
        model, n, m = self.model, self.size, self.counts[2]
        size, at = 3 * n + 2 * m + FACTS, self.model.nq + n
        parts: list[Part] = [
            *observation_parts(self._dyn, self._setting.drives, math.nan),
            Computed(lambda given: given['seen'][:at], 'state', at),
            KernelCall(self.acceleration.address, (
                'state', Inside('state', model.nq), *self.changing), 'a', size),
            *self._driven('state', 'a')]

        def results(given: Given) -> list[Operand]:
            a, (taken, *facts) = given['a'], given['seen'][at:]
            every = [a[size - n - FACTS:size - n], facts]
            if self.drive is not None:
                every.append(given['driven'][n:])
            return [*given['state'], *self._moved(given, a), taken, *gathered(every)]
        return fused({**self._state, 'way': n, 'pace': n, **self.changing},
                     [*parts, Computed(results, 'all', model.nq + 5 * n + m + 1 + FACTS)],
                     'observation', (*self._keep, self.acceleration, self.drive, parts))

    def _driven(self, q: str, a: str) -> list[Part]:
        """Return what finds the efforts of drives for accelerations with their force."""
        n, size = self.size, 3 * self.size + 2 * self.counts[2] + FACTS
        if self.drive is None:
            return []
        return [Computed(lambda given: [x + y for x, y in zip(
                    given[a][size - n:], given[a][n:2 * n])], 'needed', n),
                KernelCall(self.drive.address, (q, 'needed'), 'driven', n + FACTS)]

    def _moved(self, given: Given, a: list[Symbol]) -> Row:
        """Return accelerations, constraint force, multipliers, applied force and effort."""
        n, m = self.size, self.counts[2]
        applied, force = a[len(a) - n:], a[n:2 * n]
        effort = ([x + y for x, y in zip(applied, force)] if self.drive is None
                  else list(given['driven'][:n]))
        return [*a[:2 * n + m], *applied, *effort]

    def _calls(self) -> list[Part]:
        """Return calls of the kernels that the rows need."""
        return [part for quantity in self._names for part in self._called(quantity)]

    def _called(self, quantity: Quantity) -> list[Part]:
        """Return what finds a quantity, and takes rounding out of the rows of loops."""
        name = self._names[quantity]
        function, link = quantity
        if function == 'own_loop_rows':
            return [*loop_calls(self._dyn, 'q', 'v', name)]
        if function == 'jacobian':
            return [robot_call(self._dyn, function, name, 6 * self.size, 'q', link=link)]
        return [robot_call(self._dyn, function, name, MOTION, 'q', 'v', self._rest.ctypes.data,
                           link=link)]

    def _rows(self, given: Given) -> Rows:
        """Return the rows of loops, then those of the constraint, less its approach."""
        known = Known(
            list(given['q']), list(given['v']),
            {quantity: list(given[name]) for quantity, name in self._names.items()},
            [list(given[name]) for name in self._references])
        rows = self._constraint.rows(known)
        held, rated, _ = self._constraint.counts
        value, slope, second = (list(given['fade'][k * rated:(k + 1) * rated]) for k in range(3))
        own = Rows(difference(rows.violation, value),
                   difference(rows.rate, slope[:held] + value[held:]), rows.matrix,
                   [x + s for x, s in zip(rows.right_side, second[:held] + slope[held:])]
                   + rows.right_side[rated:])
        if self._loops is None:
            return own
        return Rows(*(first + then for first, then in zip(self._loops.rows(known), own)))


@functools.lru_cache(maxsize=64)
def motion_kernels(dyn: PreparedDynamics, structure: Structure, setting: Setting) -> MotionKernels:
    """Return machine code, made once: a robot goes from task to task without a compilation."""
    return MotionKernels(dyn, structure.constraint, setting)


def applied_force(kind: tuple[float, tuple[Room, ...]] | None, given: Given, M: list[Row]) -> Row:
    """Return the force of a posture spring, on scalars, zero without one."""
    if kind is None:
        return [0.0] * len(M)
    damping, rooms = kind
    n, pull = len(M), given['pull']
    inertia, roots = [row[i] for i, row in enumerate(M)], list(pull[n:2 * n])
    spring = spring_force(damping, roots, list(given['g']), difference(pull[:n], given['q']),
                          difference(pull[2 * n:3 * n], given['v']), inertia)
    away = avoiding_force(rooms, damping, roots, list(given['q']), list(given['v']),
                          inertia)
    return [x + y for x, y in zip(spring, away)]
