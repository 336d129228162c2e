"""
A tool on a path, in machine code: the constrained motion, a step of RK4, and the elimination.

What ``ConstrainedMotion``, ``rk4_step`` and ``DirectElimination`` do one operation after the other
from Python, for one constraint on the position of a link and full row rank. Everything that is not
clearly regular is left to them.
"""

from __future__ import annotations

from collections.abc import Mapping
import functools
import math
from typing import NamedTuple, Protocol

import numpy as np

from mbd_ros.control.applied_forces import PostureSpring, SpringConstants
from mbd_ros.control.fused_solution import applied_force, can_fuse, square
from mbd_ros.control.references import PathPoint
from mbd_ros.control.regular_case import regular_case, Row
from mbd_ros.control.servo_constraints import AXES, ToolPosition
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.execution.fused import Computed, Fused, fused, KernelCall
from mbd_ros.execution.trace import Operand, Symbol
from mbd_ros.simulation.manifold import is_flat, Vector
from mbd_ros.spatial import Scalar

Given = Mapping[str, list[Symbol]]


class Target(Protocol):
    """What a tool's chosen axes should be."""

    def target(self, t: float) -> PathPoint:
        """Return position, velocity and acceleration (m,) at a time [s]."""
        ...


class Corrections(NamedTuple):
    """
    How far a state is from the path, and what leads there.

    Attributes
    ----------
    violation, step : Vector
        ``phi`` (m,), and the least change of q that removes it (n,).
    rate, velocity_step : Vector
        ``phi_dot`` (m,), and the least change of v that removes it (n,).
    independence : float
        Least squared independent part of a row or of a pivot of M.

    """

    violation: Vector
    step: Vector
    rate: Vector
    velocity_step: Vector
    independence: float


class FusedTool:
    """
    A robot whose tool follows a path.

    Parameters
    ----------
    kernels : ToolKernels
        Machine code for the robot, the link and the axes.
    target : Target
        Where the tool should be: a ``ToolPosition``, or an approach to it.
    spring : PostureSpring or None
        The applied force.

    """

    def __init__(self, kernels: ToolKernels, target: Target, spring: PostureSpring | None
                 ) -> None:
        self._n, self._m = kernels.size, kernels.rows
        self._target, self._spring = target, spring
        self._acceleration, self._rk4 = kernels.acceleration, kernels.rk4
        self._correction = kernels.correction

    def solve(self, t: float, q: Vector, v: Vector) -> Vector | None:
        """Return the results of ``regular_case`` with the applied force (n,) behind them."""
        result: Vector | None = self._acceleration.call(
            q, v, self._target.target(t).acceleration, *self._pull(t))
        return result

    def rk4(self, t: float, q: Vector, v: Vector, first: Vector, step: float
            ) -> tuple[Vector, Vector, float] | None:
        """Return q and v one step later, and the least independence on the way."""
        middle, end = t + 0.5 * step, t + step
        result = self._rk4.call(
            q, v, first, np.array((step,)), self._target.target(middle).acceleration,
            *self._pull(middle), self._target.target(end).acceleration, *self._pull(end))
        if result is None:
            return None
        n = self._n
        return result[:n], result[n:2 * n], min(result[2 * n:].tolist())

    def correction(self, t: float, q: Vector, v: Vector) -> Corrections | None:
        """Return how far a state is from the path and what leads there."""
        desired = self._target.target(t)
        result = self._correction.call(q, v, desired.position, desired.velocity)
        if result is None:
            return None
        n, m = self._n, self._m
        return Corrections(result[:m], result[m:m + n], result[m + n:2 * m + n],
                           result[2 * m + n:2 * (m + n)], min(result[2 * (m + n):].tolist()))

    def _pull(self, t: float) -> tuple[Vector, ...]:
        return () if self._spring is None else self._spring.target(t)


class ToolKernels:
    """
    Machine code of a robot whose tool follows a path; the same for every path.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics whose functions are machine code.
    link, axes : str
        What is constrained.
    spring : SpringConstants or None
        Of the applied force.
    metric : str
        Of the eliminations: ``'mass'`` or ``'euclidean'``.

    """

    def __init__(self, dyn: PreparedDynamics, link: str, axes: str,
                 spring: SpringConstants | None, metric: str) -> None:
        self.size, self.rows = dyn.model.nv, len(axes)
        self._n, self._m, self._spring = self.size, self.rows, spring
        self._rest = np.zeros(self._n)
        self._rows = [AXES.index(axis) for axis in axes]
        self.acceleration = self._acceleration = self._acceleration_kernel(dyn, link)
        self.rk4 = self._rk4_kernel()
        self.correction = self._correction_kernel(dyn, link, metric)

    def _acceleration_kernel(self, dyn: PreparedDynamics, link: str) -> Fused:
        n, m, spring = self._n, self._m, self._spring
        mass, bias = _code(dyn, 'mass_matrix'), _code(dyn, 'bias_forces')
        jacobian, motion = _code(dyn, 'jacobian', link), _code(dyn, 'motion', link)
        rest = self._rest.ctypes.data
        calls = [KernelCall(mass[0], ('q', mass[1]), 'M', n * n),
                 KernelCall(bias[0], ('q', 'v', bias[1]), 'h', n),
                 KernelCall(jacobian[0], ('q', jacobian[1]), 'J', 6 * n),
                 KernelCall(motion[0], ('q', 'v', rest, motion[1]), 'X', 28)]
        inputs = {'q': n, 'v': n, 'wanted': m}
        if spring is not None:
            inputs = {**inputs, 'target': n, 'rate': n}
            calls.append(KernelCall(bias[0], ('q', rest, bias[1]), 'g', n))

        def record(given: dict[str, list[Symbol]]) -> list[Operand]:
            M = square(given['M'], n)
            applied = applied_force(spring, given, M)
            force = [x - y for x, y in zip(applied, given['h'])]
            b = [wanted - given['X'][22 + row] for wanted, row in zip(given['wanted'], self._rows)]
            return [*regular_case(M, force, self._jacobian_rows(given), b), *applied]
        return fused(inputs, [*calls, Computed(record, 'all', 4 * n + 3 * m)], 'tool_motion',
                     (dyn, self._rest))

    def _rk4_kernel(self) -> Fused:
        n, m = self._n, self._m
        pull = {} if self._spring is None else {'target': n, 'rate': n}
        inputs = {'q': n, 'v': n, 'a1': n, 'step': 1}
        for when in ('middle', 'end'):
            inputs.update({f'{when}_wanted': m,
                           **{f'{when}_{name}': size for name, size in pull.items()}})
        size = 4 * n + 3 * m
        parts: list[KernelCall | Computed] = []

        def advanced(rates: str, fraction: float) -> tuple[Computed, ...]:
            """Return q and v advanced by a part of the step with the rates of a stage."""
            number = int(rates[-1]) + 1
            speeds = 'v' if rates == 'a1' else f'v{rates[-1]}'

            def positions(given: dict[str, list[Symbol]]) -> list[Operand]:
                return [x + given['step'][0] * fraction * y
                        for x, y in zip(given['q'], given[speeds])]

            def velocities(given: dict[str, list[Symbol]]) -> list[Operand]:
                return [x + given['step'][0] * fraction * y
                        for x, y in zip(given['v'], given[rates])]
            return (Computed(positions, f'q{number}', n), Computed(velocities, f'v{number}', n))
        for rates, fraction, when in (('a1', 0.5, 'middle'), ('a2', 0.5, 'middle'),
                                      ('a3', 1.0, 'end')):
            number = int(rates[-1]) + 1
            parts += advanced(rates, fraction)
            parts.append(KernelCall(self._acceleration.address, (
                f'q{number}', f'v{number}', f'{when}_wanted',
                *(f'{when}_{name}' for name in pull)), f'a{number}', size))

        def combined(given: dict[str, list[Symbol]]) -> list[Operand]:
            sixth = given['step'][0] * (1.0 / 6.0)
            q = [x + sixth * (s1 + 2.0 * (s2 + s3) + s4) for x, s1, s2, s3, s4 in zip(
                given['q'], given['v'], given['v2'], given['v3'], given['v4'])]
            v = [x + sixth * (s1 + 2.0 * (s2 + s3) + s4) for x, s1, s2, s3, s4 in zip(
                given['v'], given['a1'], given['a2'], given['a3'], given['a4'])]
            independence = [entry for stage in ('a2', 'a3', 'a4')
                            for entry in given[stage][2 * (n + m):3 * (n + m)]]
            return [*q, *v, *independence]
        return fused(inputs, [*parts, Computed(combined, 'all', 2 * n + 3 * (n + m))], 'tool_rk4',
                     self._acceleration)

    def _correction_kernel(self, dyn: PreparedDynamics, link: str, metric: str) -> Fused:
        n, m = self._n, self._m
        mass, pose = _code(dyn, 'mass_matrix'), _code(dyn, 'pose', link)
        jacobian = _code(dyn, 'jacobian', link)
        calls: list[KernelCall | Computed] = [
            KernelCall(jacobian[0], ('q', jacobian[1]), 'J', 6 * n),
            KernelCall(pose[0], ('q', pose[1]), 'T', 16)]
        if metric == 'mass':
            calls.append(KernelCall(mass[0], ('q', mass[1]), 'M', n * n))

        def record(given: dict[str, list[Symbol]]) -> list[Operand]:
            M: list[Row] = (square(given['M'], n) if metric == 'mass' else
                            [[float(i == k) for k in range(n)] for i in range(n)])
            A, none = self._jacobian_rows(given), [0.0] * n
            phi = [given['T'][4 * row + 3] - x for row, x in zip(self._rows, given['x'])]
            rate: list[Scalar] = []
            for row, x in zip(A, given['speed']):
                total: Scalar = -x
                for a, b in zip(row, given['v']):
                    total = total + a * b
                rate.append(total)
            step = regular_case(M, none, A, phi)
            velocity_step = regular_case(M, none, A, rate)
            return [*phi, *step[:n], *rate, *velocity_step[:n],
                    *step[2 * (n + m):3 * (n + m)]]
        return fused({'q': n, 'v': n, 'x': m, 'speed': m},
                     [*calls, Computed(record, 'all', 3 * (n + m))], 'tool_correction', dyn)

    def _jacobian_rows(self, given: Given) -> list[Row]:
        n = self._n
        return [list(given['J'][n * row:n * (row + 1)]) for row in self._rows]


def fused_tool(dyn: PreparedDynamics, constraint: object, applied: object, metric: str
               ) -> FusedTool | None:
    """Return the machine code of a tool on a path, None where the motion is something else."""
    tool = getattr(constraint, 'constraint', constraint)
    if (type(tool) is not ToolPosition or not tool.at_origin or not hasattr(constraint, 'target')
            or not isinstance(dyn, PreparedDynamics) or not is_flat(dyn.model)):
        return None
    if applied is not None and not isinstance(applied, PostureSpring):
        return None
    if not can_fuse(dyn, len(tool.axes), applied):
        return None
    if any(dyn.machine_code(what, tool.link) is None for what in ('jacobian', 'motion', 'pose')):
        return None
    constants = None if applied is None else applied.constants
    return FusedTool(tool_kernels(dyn, tool.link, tool.axes, constants, metric), constraint,
                     applied)


tool_kernels = functools.lru_cache(maxsize=64)(ToolKernels)
"""Made once: a robot goes from task to task without waiting for a compilation."""


def norm(vector: Vector) -> float:
    """Return the Euclidean norm."""
    return math.sqrt(vector.dot(vector))


def _code(dyn: PreparedDynamics, function: str, link: str = '') -> tuple[int, int]:
    code = dyn.machine_code(function, link)
    assert code is not None
    return code
