"""
The constrained equation of a robot in one call: mass matrix, bias, applied springs, solution.

The same mathematics as ``ConstrainedMotion.solve`` step by step; what cannot be decided in the
regular case is left to that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import functools
from typing import Any

import numpy as np

from mbd_ros.control.applied_forces import AppliedForce, PostureSpring, SpringConstants
from mbd_ros.control.regular_case import LARGEST, regular_case, Row
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.execution.fused import Computed, fused, KernelCall
from mbd_ros.execution.trace import Operand, Symbol
from mbd_ros.simulation.manifold import Matrix, Vector
from mbd_ros.spatial import root, Scalar


class FusedSolution:
    """
    Applied force and constrained motion of a robot, for m rows, in machine code.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics whose functions are machine code.
    spring : SpringConstants or None
        Of the applied force.
    rows : int
        Number m of constraint rows.

    """

    def __init__(self, dyn: PreparedDynamics, spring: SpringConstants | None, rows: int) -> None:
        model = dyn.model
        n, m = model.nv, rows
        mass, bias = dyn.machine_code('mass_matrix'), dyn.machine_code('bias_forces')
        assert mass is not None
        assert bias is not None
        inputs = {'q': model.nq, 'v': n, 'A': m * n, 'b': m}
        calls: list[KernelCall | Computed] = [
            KernelCall(mass[0], ('q', mass[1]), 'M', n * n),
            KernelCall(bias[0], ('q', 'v', bias[1]), 'h', n)]
        if spring is not None:
            inputs = {**inputs, 'target': n, 'rate': n}
            self._rest = np.zeros(n)
            calls.append(KernelCall(bias[0], ('q', self._rest.ctypes.data, bias[1]), 'g', n))

        def record(given: dict[str, list[Symbol]]) -> list[Operand]:
            M = square(given['M'], n)
            A: list[Row] = [list(given['A'][n * i:n * (i + 1)]) for i in range(m)]
            applied = applied_force(spring, given, M)
            force = [x - y for x, y in zip(applied, given['h'])]
            return [*regular_case(M, force, A, list(given['b'])), *applied]

        self._function: Callable[..., Any] = fused(
            inputs, [*calls, Computed(record, 'all', 4 * n + 3 * m)], 'constrained_motion',
            (dyn, self)).call

    def __call__(self, spring: PostureSpring | None, t: float, q: Vector, v: Vector, A: Matrix,
                 b: Vector) -> Any:
        """Return the results of ``regular_case`` with the applied force (n,) behind them."""
        if spring is None:
            return self._function(q, v, A.ravel(), b)
        return self._function(q, v, A.ravel(), b, *spring.target(t))


class FusedStep:
    """
    The correction of least norm ``M^-1 A^T (A M^-1 A^T)^-1 phi``, in machine code.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics whose functions are machine code.
    metric : str
        ``'mass'`` or ``'euclidean'``.
    rows : int
        Number m of constraint rows.

    """

    def __init__(self, dyn: PreparedDynamics, metric: str, rows: int) -> None:
        n, m = dyn.model.nv, rows
        inputs = {'q': dyn.model.nq, 'A': m * n, 'b': m}
        calls: list[KernelCall | Computed] = []
        if metric == 'mass':
            mass = dyn.machine_code('mass_matrix')
            assert mass is not None
            calls.append(KernelCall(mass[0], ('q', mass[1]), 'M', n * n))

        def record(given: dict[str, list[Symbol]]) -> list[Operand]:
            M: list[Row] = [[float(i == k) for k in range(n)] for i in range(n)]
            if metric == 'mass':
                M = square(given['M'], n)
            A: list[Row] = [list(given['A'][n * i:n * (i + 1)]) for i in range(m)]
            result = regular_case(M, [0.0] * n, A, list(given['b']))
            return [*result[:n], *result[2 * (n + m):]]

        self.function: Callable[..., Any] = fused(
            inputs, [*calls, Computed(record, 'all', 2 * n + m)], 'least_step', dyn).call


fused_solution = functools.lru_cache(maxsize=64)(FusedSolution)
"""Made once for a robot, its springs and a number of rows."""


def square(entries: Sequence[Scalar], n: int) -> list[Row]:
    """Return the rows of a square matrix."""
    return [list(entries[n * i:n * (i + 1)]) for i in range(n)]


def applied_force(spring: SpringConstants | None, given: Mapping[str, Sequence[Scalar]],
                  M: list[Row]) -> Row:
    """Return the force of a posture spring, on scalars, zero without one."""
    if spring is None:
        return [0.0] * len(M)
    return [given['g'][i] + k * (given['target'][i] - given['q'][i])
            - (2.0 * spring.damping * k**0.5) * root(M[i][i])
            * (given['v'][i] - given['rate'][i]) for i, k in enumerate(spring.stiffness)]


def can_fuse(dyn: object, rows: int, applied: AppliedForce | None = None) -> bool:
    """Return whether a robot, its force and its constraint have machine code to be fused."""
    return (isinstance(dyn, PreparedDynamics) and 0 < rows <= dyn.model.nv <= LARGEST
            and (applied is None or isinstance(applied, PostureSpring))
            and dyn.machine_code('mass_matrix') is not None
            and dyn.machine_code('bias_forces') is not None)
