"""
A constrained motion in machine code: the accelerations, and a whole step of the nominal model.

What ``ConstrainedMotion``, ``rk4_step`` and ``DirectElimination`` do one operation after the other
from Python, for constraints on scalars (``recorded.py``) and full row rank. Everything that is not
clearly regular is left to them.
"""

from __future__ import annotations

from collections.abc import Mapping
import functools
from typing import NamedTuple, TypeAlias

import numpy as np

from mbd_ros.control.applied_forces import AppliedForce, PostureSpring, SpringConstants
from mbd_ros.control.constraint_stack import recorded_form
from mbd_ros.control.recorded import Fading, Known, Recorded, Rows, Structure
from mbd_ros.control.regular_case import CLEARLY_REGULAR, LARGEST, regular_case
from mbd_ros.control.scalars import (
    difference, identity, length, Row, smallest, square, sum_of)
from mbd_ros.control.violation import DirectElimination
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.execution.fused import Computed, Fused, fused, KernelCall
from mbd_ros.execution.trace import Operand, Symbol
from mbd_ros.simulation.manifold import is_flat, Vector
from mbd_ros.spatial import root, Scalar

Given = Mapping[str, list[Symbol]]
Part: TypeAlias = KernelCall | Computed


class RegularStep(NamedTuple):
    """
    A step of the nominal model that met nothing unusual.

    Attributes
    ----------
    q, v : Vector
        The corrected state (nq,), (nv,).
    accelerations, constraint_force, multipliers, applied : Vector
        The constrained motion there.
    violation_before, violation, moved : float
        Of the one Newton step that was taken.

    """

    q: Vector
    v: Vector
    accelerations: Vector
    constraint_force: Vector
    multipliers: Vector
    applied: Vector
    violation_before: float
    violation: float
    moved: float


class FusedMotion:
    """
    The constrained motion of a robot.

    Parameters
    ----------
    kernels : MotionKernels
        Machine code for the robot and the structure of the constraint.
    constraint : Recorded
        The constraint.
    approach : Fading or None
        Its approach, if it is reached by one.
    spring : PostureSpring or None
        The applied force.

    """

    def __init__(self, kernels: MotionKernels, constraint: Recorded, approach: Fading | None,
                 spring: PostureSpring | None) -> None:
        self._n, (_, rated, self._m) = kernels.size, kernels.counts
        self._constraint, self._approach, self._spring = constraint, approach, spring
        self._acceleration = kernels.acceleration.call
        self._step = None if kernels.step is None else kernels.step.call
        self._none = (np.zeros(rated),) * 3

    def solve(self, t: float, q: Vector, v: Vector) -> Vector | None:
        """Return the results of ``regular_case`` with the applied force (n,) behind them."""
        result: Vector | None = self._acceleration(q, v, *self._at(t))
        return result

    def step(self, t: float, q: Vector, v: Vector, first: Vector, end: float,
             settings: DirectElimination) -> RegularStep | None:
        """Return the state at an end, corrected by one Newton step, if that is enough."""
        if (self._step is None or settings.tolerance is None or settings.position_iterations < 1
                or settings.velocity_iterations != 1):
            return None
        step = end - t
        result = self._step(q, v, first, np.array((step,)), *self._at(t + 0.5 * step),
                            *self._at(end))
        if result is None:
            return None
        n, m = self._n, self._m
        before, after, moved, change, independence = result[5 * n + m:].tolist()
        if (independence <= CLEARLY_REGULAR or after > settings.tolerance
                or moved > settings.max_step or change > settings.max_velocity_step):
            return None
        return RegularStep(
            result[:n], result[n:2 * n], result[2 * n:3 * n], result[3 * n:4 * n],
            result[4 * n:4 * n + m], result[4 * n + m:5 * n + m], before, after, moved)

    def _at(self, t: float) -> tuple[Vector, ...]:
        """Return what changes with time: reference, approach, where the springs pull to."""
        fade = self._none if self._approach is None else self._approach.fade(t)
        if self._spring is None:
            return *self._constraint.reference(t), *fade
        return *self._constraint.reference(t), *fade, *self._spring.target(t)


class MotionKernels:
    """
    Machine code of a robot under a constraint; the same for every reference.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics whose functions are machine code.
    constraint : Recorded
        The constraint, of which the reference is not used.
    spring : SpringConstants or None
        Of the applied force.
    metric : str
        Of the eliminations: ``'mass'`` or ``'euclidean'``.

    """

    def __init__(self, dyn: PreparedDynamics, constraint: Recorded,
                 spring: SpringConstants | None, metric: str) -> None:
        self.size, self.counts = dyn.model.nv, constraint.counts
        self._dyn, self._constraint = dyn, constraint
        self._spring, self._metric = spring, metric
        self._rest = np.zeros(self.size)
        self._references = {f'r{k}': size for k, size in enumerate(constraint.reference_sizes)}
        self._names = {one: f'K{k}' for k, one in enumerate(constraint.quantities)}
        rated = self.counts[1]
        pull = {} if spring is None else {'target': self.size, 'rate': self.size}
        self._changing = {**self._references, **dict.fromkeys(FADE, rated), **pull}
        self.acceleration = self._acceleration_kernel()
        self.step = self._step_kernel() if is_flat(dyn.model) else None

    def _acceleration_kernel(self) -> Fused:
        """Return (q, v, what changes) to the results of ``regular_case`` and applied force."""
        n, m = self.size, self.counts[2]
        calls = [*self._calls(), self._call('mass_matrix', 'M', n * n, 'q'),
                 self._call('bias_forces', 'h', n, 'q', 'v')]
        if self._spring is not None:
            calls.append(self._call('bias_forces', 'g', n, 'q', self._rest.ctypes.data))

        def record(given: Given) -> list[Operand]:
            rows, M = self._rows(given), square(given['M'], n)
            applied = applied_force(self._spring, given, M)
            force = [x - y for x, y in zip(applied, given['h'])]
            return [*regular_case(M, force, rows.matrix, rows.right_side), *applied]
        return fused({'q': self._dyn.model.nq, 'v': n, **self._changing},
                     [*calls, Computed(record, 'all', 4 * n + 3 * m)], 'constrained_motion',
                     (self._dyn, self._rest))

    def _correction_kernel(self) -> Fused:
        """Return (q, v, what changes) to phi, its least step, that of phi_dot, independence."""
        n, held = self.size, self.counts[0]
        calls = self._calls()
        if self._metric == 'mass':
            calls.append(self._call('mass_matrix', 'M', n * n, 'q'))

        def record(given: Given) -> list[Operand]:
            rows, none = self._rows(given), [0.0] * n
            M = square(given['M'], n) if self._metric == 'mass' else identity(n)
            results: list[Operand] = [*rows.violation]
            margins: Row = []
            for values in (rows.violation, rows.rate):
                count = len(values)
                if not count:
                    results += none
                    continue
                solution = regular_case(M, none, rows.matrix[:count], values)
                results += solution[:n]
                margins += solution[2 * (n + count):]
            return [*results, smallest(margins)]
        return fused({'q': self._dyn.model.nq, 'v': n, **self._changing},
                     [*calls, Computed(record, 'all', held + 2 * n + 1)], 'correction', self._dyn)

    def _step_kernel(self) -> Fused:
        """
        Return a step of RK4, one of Newton, one of the velocity, and the motion at its end.

        (q, v, vdot, step, what changes at its middle and at its end) to q, v, vdot, constraint
        force, multipliers, applied force; then ``|phi|`` before and after, the lengths of both
        corrections, and the least independence of a row or pivot on the way.
        """
        n, (held, _, m) = self.size, self.counts
        correction = self._correction_kernel()
        at = {when: tuple(f'{when}_{name}' for name in self._changing)
              for when in ('middle', 'end')}
        inputs = {'q': n, 'v': n, 'a1': n, 'step': 1,
                  **{f'{when}_{name}': size for when in at
                     for name, size in self._changing.items()}}
        parts: list[Part] = []

        def combined(result: str, start: str, *terms: tuple[Scalar, str]) -> None:
            """Add ``result = start + step * (sum of factors times rates)``."""
            def record(given: Given) -> list[Operand]:
                h = given['step'][0]
                return [x + h * sum_of(factor * rate for factor, rate in zip(
                    [factor for factor, _ in terms], rates))
                    for x, *rates in zip(given[start], *(given[name] for _, name in terms))]
            parts.append(Computed(record, result, n))

        def called(kernel: Fused, result: str, size: int, *arguments: str) -> None:
            parts.append(KernelCall(kernel.address, arguments, result, size))

        size = 4 * n + 3 * m
        for stage, fraction, when in ((2, 0.5, 'middle'), (3, 0.5, 'middle'), (4, 1.0, 'end')):
            before = str(stage - 1) if stage > 2 else ''
            combined(f'q{stage}', 'q', (fraction, f'v{before}'))
            combined(f'v{stage}', 'v', (fraction, f'a{stage - 1}'))
            called(self.acceleration, f'a{stage}', size, f'q{stage}', f'v{stage}', *at[when])
        sixth, third = 1.0 / 6.0, 1.0 / 3.0
        combined('q5', 'q', (sixth, 'v'), (third, 'v2'), (third, 'v3'), (sixth, 'v4'))
        combined('v5', 'v', (sixth, 'a1'), (third, 'a2'), (third, 'a3'), (sixth, 'a4'))
        space = held + 2 * n + 1
        called(correction, 'c1', space, 'q5', 'v5', *at['end'])
        parts.append(Computed(lambda given: difference(given['q5'], given['c1'][held:]), 'q6', n))
        called(correction, 'c2', space, 'q6', 'v5', *at['end'])
        parts.append(Computed(
            lambda given: difference(given['v5'], given['c2'][held + n:]), 'v6', n))
        called(self.acceleration, 'a6', size, 'q6', 'v6', *at['end'])

        def results(given: Given) -> list[Operand]:
            a, c1, c2 = given['a6'], given['c1'], given['c2']
            margins = [given[stage][k] for stage in ('a2', 'a3', 'a4', 'a6')
                       for k in range(2 * (n + m), 3 * (n + m))]
            return [*given['q6'], *given['v6'], *a[:2 * n + m], *a[3 * (n + m):],
                    length(c1[:held]), length(c2[:held]), length(c1[held:held + n]),
                    length(c2[held + n:held + 2 * n]), smallest([c1[-1], c2[-1], *margins])]
        return fused(inputs, [*parts, Computed(results, 'all', 5 * n + m + 5)], 'nominal_step',
                     (self.acceleration, correction))

    def _calls(self) -> list[Part]:
        """Return calls of the kernels that the rows need."""
        return [self._call(function, name, *(
            (28, 'q', 'v', self._rest.ctypes.data) if function == 'motion' else
            (6 * self.size, 'q')), link=link) for (function, link), name in self._names.items()]

    def _call(self, function: str, result: str, size: int, *arguments: str | int, link: str = ''
              ) -> Part:
        address, gravity = machine_code(self._dyn, function, link)
        return KernelCall(address, (*arguments, gravity), result, size)

    def _rows(self, given: Given) -> Rows:
        """Return the rows of the constraint, less its approach."""
        rows = self._constraint.rows(Known(
            list(given['q']), list(given['v']),
            {quantity: list(given[name]) for quantity, name in self._names.items()},
            [list(given[name]) for name in self._references]))
        held, rated, _ = self.counts
        value, slope, second = (list(given[name]) for name in FADE)
        return Rows(difference(rows.violation, value),
                    difference(rows.rate, slope[:held] + value[held:]), rows.matrix,
                    [x + s for x, s in zip(rows.right_side, second[:held] + slope[held:])]
                    + rows.right_side[rated:])


FADE = ('fade', 'fade_rate', 'fade_second')


def fused_motion(dyn: PreparedDynamics, constraint: object, applied: AppliedForce | None,
                 metric: str) -> FusedMotion | None:
    """Return the machine code of a motion, None where there is none."""
    approach = constraint if isinstance(constraint, Fading) else None
    inner = recorded_form(constraint if approach is None else approach.constraint)
    if (inner is None or not 0 < inner.counts[2] <= dyn.model.nv <= LARGEST
            or not (applied is None or isinstance(applied, PostureSpring))):
        return None
    needed = (('mass_matrix', ''), ('bias_forces', ''), *inner.quantities)
    if (not isinstance(dyn, PreparedDynamics)
            or any(dyn.machine_code(*quantity) is None for quantity in needed)):
        return None
    spring = applied if isinstance(applied, PostureSpring) else None
    try:
        code = _kernels(dyn, Structure(inner), None if spring is None else spring.constants,
                        metric)
    except ZeroDivisionError:   # rows of constants that depend on each other
        return None
    return FusedMotion(code, inner, approach, spring)


@functools.lru_cache(maxsize=64)
def _kernels(dyn: PreparedDynamics, structure: Structure, spring: SpringConstants | None,
             metric: str) -> MotionKernels:
    """Return machine code, made once: a robot goes from task to task without a compilation."""
    return MotionKernels(dyn, structure.constraint, spring, metric)


def machine_code(dyn: PreparedDynamics, function: str, link: str = '') -> tuple[int, int]:
    """Return addresses of a kernel and of its gravity, which are known to be there."""
    code = dyn.machine_code(function, link)
    assert code is not None
    return code


def applied_force(spring: SpringConstants | None, given: Given,
                  M: list[Row]) -> Row:
    """Return the force of a posture spring, on scalars, zero without one."""
    if spring is None:
        return [0.0] * len(M)
    return [given['g'][i] + k * (given['target'][i] - given['q'][i])
            - (2.0 * spring.damping * k**0.5) * root(M[i][i])
            * (given['v'][i] - given['rate'][i]) for i, k in enumerate(spring.stiffness)]
