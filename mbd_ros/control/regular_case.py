"""
The Udwadia-Kalaba equation as machine code, for a step of a controller.

The same mathematics as ``constrained_acceleration``, for full row rank only, written on scalars
and traced to straight-line code for one size. It reports how far the system is from the cases it
cannot decide; those are left to the general function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import functools
import math
from typing import Any

from mbd_ros.control.scalars import Row, sum_of
from mbd_ros.control.udwadia_kalaba import constrained_acceleration, ConstrainedSolution
from mbd_ros.execution.trace import Trace
from mbd_ros.execution.traced_function import machine_code_of
from mbd_ros.simulation.manifold import Matrix, Vector
from mbd_ros.spatial import Scalar

LARGEST = 16
"""Robots with more velocity variables use the general function: the code grows with n^3."""

CLEARLY_REGULAR = 1e-8
"""Squared fraction of a row, or of a pivot of M, that has to be independent of those before. With
less (an angle of 1e-4), rounding would be felt, and the rank is worth a closer look."""


def quick_constrained_acceleration(
    M: Matrix, force: Vector, rows: Matrix, right_side: Vector, *, tolerance: float,
    joint_names: Sequence[str],
) -> ConstrainedSolution:
    """
    Return what ``constrained_acceleration`` returns, faster in the regular case.

    Parameters
    ----------
    M, force, rows, right_side, tolerance, joint_names
        As in ``constrained_acceleration``; arrays of float64.

    Returns
    -------
    ConstrainedSolution
        Views of one new array in the regular case.

    Raises
    ------
    MbdError
        As ``constrained_acceleration``.

    """
    m, n = rows.shape
    result = None
    if 0 < m <= n <= LARGEST:
        result = machine_code(n, m)(M.ravel(), force, rows.ravel(), right_side)
    if result is not None:
        solution = regular_solution(result, n, m, tolerance)
        if solution is not None:
            return solution
    return constrained_acceleration(M, force, rows, right_side, tolerance=tolerance,
                                    joint_names=joint_names)


def regular_solution(result: Vector, n: int, m: int, tolerance: float
                     ) -> ConstrainedSolution | None:
    """Return the results of ``regular_case`` as a solution, None if it is not clearly regular."""
    independence = result[2 * (n + m):3 * (n + m)].tolist()
    if min(independence) <= max(CLEARLY_REGULAR, tolerance * tolerance):
        return None
    return ConstrainedSolution(
        result[:n], result[n:2 * n], result[2 * n:2 * n + m], m, result[2 * n + m:2 * (n + m)],
        False, math.sqrt(min(independence[n:])))


@functools.lru_cache(maxsize=64)
def machine_code(n: int, m: int) -> Callable[..., Any]:
    """
    Return ``(M, Q, A, b)``, flat, to the results of ``regular_case`` in one vector, compiled.

    Parameters
    ----------
    n, m : int
        Numbers of velocity variables and of rows, ``0 < m <= n``.

    Returns
    -------
    callable
        Takes vectors of float64; returns None where an entry or a result is not finite.

    """
    def record(_: Trace, M: Row, Q: Row, A: Row, b: Row) -> Row:
        return regular_case([M[n * i:n * (i + 1)] for i in range(n)], Q,
                            [A[n * i:n * (i + 1)] for i in range(m)], b)

    return machine_code_of(
        record, (n * n, n, m * n, m), 'regular_case',
        'constrained acceleration in the regular case', otherwise=lambda *arguments: None)


def regular_case(M: list[Row], Q: Row, A: list[Row], b: Row) -> Row:
    """
    Return the constrained motion for full row rank, on scalars.

    With ``M = L D L^T`` the rows ``L^-1 A^T`` are made orthogonal in the metric of ``D^-1`` one
    after the other (modified Gram-Schmidt), which avoids the squared condition of
    ``A M^-1 A^T``.

    Parameters
    ----------
    M : list of Row
        Mass matrix (n, n); its lower triangle is read.
    Q : Row
        Generalized force (n,).
    A, b : list of Row, Row
        Constraint rows (m, n) and right-hand side (m,).

    Returns
    -------
    Row
        Accelerations (n,), constraint force (n,), multipliers (m,), residual (m,); then for each
        pivot of M (n,) and each row (m,) the squared fraction that is independent of those
        before.

    References
    ----------
    Bjorck, Numerical Methods for Least Squares Problems, 1996, section 2.4.4.

    """
    n, m = len(Q), len(A)
    L, D = _factors(M)
    weights = [1.0 / pivot for pivot in D]

    def inner(x: Row, y: Row) -> Scalar:
        return sum_of(a * c * w for a, c, w in zip(x, y, weights))
    columns = [_forward(L, row) for row in A]
    free = _forward(L, Q)
    lengths = [inner(column, column) for column in columns]
    R: list[dict[int, Scalar]] = [{} for _ in range(m)]
    orthogonal: list[Row] = []
    squares: Row = []
    z: Row = []
    for i, column in enumerate(columns):
        for k in range(i):
            R[k][i] = inner(orthogonal[k], column) / squares[k]
            column = [c - R[k][i] * w for c, w in zip(column, orthogonal[k])]
        orthogonal.append(column)
        squares.append(inner(column, column))
        z.append(b[i] - inner(columns[i], free) - sum_of(R[k][i] * z[k] for k in range(i)))
    u: Row = [0.0] * n
    multipliers: Row = [0.0] * m
    for k in reversed(range(m)):
        step = (z[k] - inner(orthogonal[k], u)) / squares[k]
        u = [entry + step * w for entry, w in zip(u, orthogonal[k])]
        multipliers[k] = z[k] / squares[k] - sum_of(
            R[k][i] * multipliers[i] for i in range(k + 1, m))
    accelerations = _backward(L, [(x + y) * w for x, y, w in zip(free, u, weights)])
    force = [u[i] + sum_of(L[i][k] * u[k] for k in range(i)) for i in range(n)]
    residual = [sum_of(a * x for a, x in zip(row, accelerations)) - right
                for row, right in zip(A, b)]
    return [*accelerations, *force, *multipliers, *residual,
            *(D[i] / M[i][i] for i in range(n)),
            *(square / length for square, length in zip(squares, lengths))]


def _factors(M: list[Row]) -> tuple[list[Row], Row]:
    """Return L, unit lower triangular without its diagonal, and D of ``M = L D L^T``."""
    L: list[Row] = []
    D: Row = []
    for i, row in enumerate(M):
        scaled: Row = []
        for j in range(i):
            scaled.append(row[j] - sum_of(scaled[k] * L[j][k] for k in range(j)))
        L.append([entry / pivot for entry, pivot in zip(scaled, D)])
        D.append(row[i] - sum_of(a * c for a, c in zip(scaled, L[i])))
    return L, D


def _forward(L: list[Row], right_side: Row) -> Row:
    """Return ``L^-1 x``."""
    solution: Row = []
    for i, entry in enumerate(right_side):
        solution.append(entry - sum_of(L[i][k] * solution[k] for k in range(i)))
    return solution


def _backward(L: list[Row], right_side: Row) -> Row:
    """Return ``L^-T x``."""
    solution = list(right_side)
    for i in reversed(range(len(solution))):
        solution[i] = solution[i] - sum_of(
            L[k][i] * solution[k] for k in range(i + 1, len(solution)))
    return solution
