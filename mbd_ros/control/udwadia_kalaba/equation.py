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
The Udwadia-Kalaba equation on plain arrays.

Among all accelerations that satisfy ``A qdd = b`` it takes the one nearest to the free one in the
metric of the mass matrix (Gauss's principle). No square root of the mass matrix is formed: with
``M = L L^T`` and ``B = A L^-T`` the force is ``Q_c = L B^+ (b - A M^-1 Q)`` for any such L.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike
import scipy

from mbd_ros.dynamics.prepared.triangles import solve_triangle
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError, SingularMassError
from mbd_ros.simulation.manifold import Matrix, Vector
from mbd_ros.spatial.rank_thresholds import (
    CONSTRAINT_CONFLICT, CONSTRAINT_RANK, CONSTRAINT_ROUNDING, MASS_PIVOT)


class ConstrainedSolution(NamedTuple):
    """
    Constrained accelerations and the force that brings them about.

    Attributes
    ----------
    accelerations : Vector
        ``qdd`` (n,) [rad/s^2 or m/s^2].
    constraint_force : Vector
        ``Q_c`` (n,) [N m or N], ``M qdd = Q + Q_c``.
    multipliers : Vector
        ``lambda`` (m,), ``Q_c = A^T lambda``; of least norm where rows are redundant.
    rank : int
        Number of independent rows.
    residual : Vector
        ``A qdd - b`` (m,): not zero where rows conflict, which get the least-squares compromise.
    conflicting : bool
        Whether some row cannot be satisfied together with the others.
    margin : float
        How far the independent rows are from losing their rank: 1 best, 0 worst.

    """

    accelerations: Vector
    constraint_force: Vector
    multipliers: Vector
    rank: int
    residual: Vector
    conflicting: bool
    margin: float


def constrained_acceleration(
    mass_matrix: ArrayLike,
    generalized_force: ArrayLike,
    A: ArrayLike,
    b: ArrayLike,
    *,
    tolerance: float = CONSTRAINT_RANK,
    joint_names: Sequence[str] | None = None,
) -> ConstrainedSolution:
    """
    Return the constrained motion of ``M qdd = Q + Q_c`` under ``A qdd = b``.

    Parameters
    ----------
    mass_matrix : array_like
        ``M`` (n, n), symmetric positive definite; only its lower triangle is read.
    generalized_force : array_like
        ``Q`` (n,): applied minus velocity and gravity terms [N m or N].
    A : array_like
        Constraint rows (m, n); they may be redundant, and m may be zero.
    b : array_like
        Right-hand side (m,).
    tolerance : float, optional
        Rank decision: a row (scaled to length one in the metric of M) whose independent part
        is below this fraction of the largest counts as dependent. Machine epsilon is too small
        for computed Jacobians.
    joint_names : sequence of str, optional
        Names for messages, in the order of the columns.

    Returns
    -------
    ConstrainedSolution
        Accelerations, constraint force, multipliers, rank, residual.

    Raises
    ------
    ShapeError
        If the sizes do not fit.
    NotFiniteError
        If an input holds NaN or infinity.
    SingularMassError
        If M is not positive definite (see ``singular_mass_acceleration`` for that case).
    InvalidValueError
        If the tolerance is not between 0 and 1.

    References
    ----------
    Udwadia, Kalaba, Analytical Dynamics, 1996; Lyu, Liu, 2018, eqs. (4), (5).

    """
    M = np.asarray(mass_matrix, np.float64)
    Q = np.asarray(generalized_force, np.float64)
    rows = np.asarray(A, np.float64)
    right_side = np.asarray(b, np.float64)
    _check_shapes(M, Q, rows, right_side)
    if not 0.0 < tolerance < 1.0:
        raise InvalidValueError('tolerance', tolerance, 'a number between 0 and 1')
    L = factorize(M, joint_names)
    free = solve_triangle(L, Q)
    if rows.shape[0] == 0:
        accelerations = solve_triangle(L, free, transposed=True)
        _check_result(accelerations, M, Q, rows, right_side, joint_names)
        return ConstrainedSolution(
            accelerations, np.zeros_like(Q), np.zeros(0), 0, np.zeros(0), False, 1.0)
    columns = solve_triangle(L, rows.T)
    u, multipliers, rank, margin = least_norm(
        columns, right_side - free.dot(columns), tolerance=tolerance)
    accelerations = solve_triangle(L, free + u, transposed=True)
    residual = rows.dot(accelerations) - right_side
    _check_result(accelerations, M, Q, rows, right_side, joint_names)
    conflicting = rank < len(residual) and conflict(
        rows, accelerations, solve_triangle(L, free, transposed=True), right_side, residual)
    return ConstrainedSolution(
        accelerations, L.dot(u), multipliers, rank, residual, conflicting, margin)


def least_norm(columns: Matrix, right_side: Vector, *, tolerance: float
               ) -> tuple[Vector, Vector, int, float]:
    """
    Return the u of least norm with ``B u = d``, its multipliers, the rank and its margin.

    ``columns`` is ``B^T`` (n, m), m > 0, d (m,); u (n,) is the least-squares compromise where rows
    conflict, and lambda (m,) with ``u = B^T lambda`` of least norm where rows are redundant. The
    rank is that of rows scaled to length one, so that metres and radians weigh the same: those
    whose independent part is below ``tolerance`` of the largest are dependent; ``margin`` is the
    smallest part that is kept. With the basis V of the rows that QR with column pivoting finds,
    ``B V`` has full column rank; ``B B^T`` is never formed.
    """
    lengths = np.linalg.norm(columns, axis=0)
    if not math.isfinite(lengths.sum()):
        row = int(np.argmin(np.isfinite(lengths)))
        raise NotFiniteError('A', f'constraint row {row}', float(lengths[row]))
    # Scaled to length one, rows of rounding would count as rows of their own.
    columns = np.where(lengths > CONSTRAINT_ROUNDING * lengths.max(), columns, 0.0)
    lengths = np.where(lengths, lengths, 1.0)
    basis, triangle, _ = scipy.linalg.qr(columns / lengths, mode='economic', pivoting=True)
    sizes = np.abs(triangle.diagonal())
    rank = int((sizes > tolerance * sizes[0]).sum())
    if rank == 0:
        return np.zeros(len(columns)), np.zeros(len(lengths)), 0, 0.0
    basis = basis[:, :rank]
    if rank < len(lengths):   # whose compromise is weighted by the rows as they are
        lengths = np.ones_like(lengths)
    thin, triangle = np.linalg.qr((columns / lengths).T @ basis)
    z = solve_triangle(triangle, thin.T @ (right_side / lengths), lower=False)
    multipliers = thin @ solve_triangle(triangle, z, lower=False, transposed=True) / lengths
    return basis @ z, multipliers, rank, float(sizes[rank - 1] / sizes[0])


def factorize(mass_matrix: Matrix, joint_names: Sequence[str] | None = None) -> Matrix:
    """
    Return the lower Cholesky factor L of ``M = L L^T``, zero above the diagonal.

    Raises SingularMassError, naming the first joint at fault, if M is not positive definite beyond
    rounding error, and NotFiniteError if an entry is not finite. Only the lower triangle is read.
    """
    L: Matrix
    L, info = scipy.linalg.lapack.dpotrf(mass_matrix, lower=True)
    sound = L.diagonal() ** 2 > MASS_PIVOT * mass_matrix.diagonal()
    if info or not sound.all():
        index = info - 1 if info else int(np.argmin(sound))
        joint = _joint(index, joint_names)
        if not np.isfinite(mass_matrix).all():
            _blame('mass_matrix', mass_matrix, joint_names)
        raise SingularMassError(
            joint, 'the mass matrix is not positive definite from this row on '
            f'(its diagonal entry is {mass_matrix[index, index]:.3g})')
    return L


def _check_shapes(M: Matrix, Q: Vector, rows: Matrix, right_side: Vector) -> None:
    """Raise ShapeError unless M (n, n), Q (n,), A (m, n) and b (m,) fit."""
    if M.ndim != 2 or M.shape[0] != M.shape[1] or not M.size:
        raise ShapeError('mass_matrix', M.shape, '(n, n) with n > 0')
    n = M.shape[0]
    if Q.shape != (n,):
        raise ShapeError('generalized_force', Q.shape, f'({n},), as the mass matrix')
    if rows.ndim != 2 or rows.shape[1] != n:
        raise ShapeError('A', rows.shape, f'(m, {n}), one column per row of the mass matrix')
    if right_side.shape != rows.shape[:1]:
        raise ShapeError('b', right_side.shape, f'({rows.shape[0]},), one entry per row of A')


def _check_result(
    accelerations: Vector, M: Matrix, Q: Vector, rows: Matrix, right_side: Vector,
    joint_names: Sequence[str] | None,
) -> None:
    """Raise NotFiniteError, naming the input at fault, unless the result is finite."""
    if math.isfinite(accelerations.sum()):
        return
    _blame('mass_matrix', M, joint_names)
    _blame('generalized_force', Q, joint_names)
    for name, array in (('A', rows), ('b', right_side)):
        if not np.isfinite(array).all():
            index = int(np.argmin(np.isfinite(array).reshape(len(array), -1).all(axis=1)))
            bad = array[index][~np.isfinite(array[index])]
            raise NotFiniteError(name, f'constraint row {index}', float(bad[0]))
    _blame('accelerations', accelerations, joint_names)


def _blame(name: str, array: Vector, joint_names: Sequence[str] | None) -> NoReturn | None:
    """Raise NotFiniteError for the first row of an array that is not finite, if there is one."""
    finite = np.isfinite(array)
    if finite.all():
        return None
    index = np.unravel_index(int(np.argmin(finite)), array.shape)
    raise NotFiniteError(
        name, f"joint '{_joint(int(index[0]), joint_names)}'", float(array[index]))


def _joint(index: int, joint_names: Sequence[str] | None) -> str:
    """Return a joint's name, or its number where no names are known."""
    return f'number {index}' if joint_names is None else joint_names[index]


def conflict(rows: Matrix, accelerations: Vector, free: Vector, right_side: Vector,
             residual: Vector) -> bool:
    """
    Return whether a residual is more than rounding, row by row in the row's own scale.

    The largest acceleration counts, not that of the row's joints: theirs may be zero but for what
    rounding makes of the others. So does the largest ``free`` one, without the constraint: of a
    robot that is held what is left of them is rounding.
    """
    most = max(np.abs(accelerations).max(), np.abs(free).max())
    scale = np.abs(rows).sum(1) * most + np.abs(right_side)
    allowed = np.maximum(CONSTRAINT_CONFLICT * scale, CONSTRAINT_ROUNDING * scale.max())
    return bool((np.abs(residual) > allowed).any())
