"""
The least-norm solution of a small linear system, with its rank decided.

Both halves of the method rest on it: the Udwadia-Kalaba force and the elimination of violations.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy

from mbd_ros.dynamics.prepared.triangles import solve_triangle
from mbd_ros.errors import NotFiniteError
from mbd_ros.simulation.manifold import Matrix, Vector

ROUNDING = 1e-12
"""Part of the longest row below which a row is zero but for rounding."""


class LeastNorm(NamedTuple):
    """
    Solution of ``B u = d`` of least Euclidean norm.

    u (n,), the least-squares compromise where rows conflict; lambda (m,) with ``u = B^T lambda``,
    of least norm where they are not unique; number of independent rows; ``margin``: smallest kept
    over largest diagonal entry of R for rows scaled to length one (1 best, 0 worst).
    """

    solution: Vector
    multipliers: Vector
    rank: int
    margin: float


def least_norm(columns: Matrix, right_side: Vector, *, tolerance: float) -> LeastNorm:
    """
    Solve ``B u = d`` for the ``u`` of least norm by QR with column pivoting.

    ``columns`` is ``B^T`` (n, m), m > 0, ``right_side`` d (m,). The rows of B are scaled to length
    one before the rank is decided, so that metres and radians weigh the same: those whose
    independent part is below ``tolerance`` of the largest are dependent. With full row rank the
    triangular factor gives the answer; a rank deficit is handled by a complete orthogonal
    decomposition, which returns what the Moore-Penrose inverse of the unscaled B would. ``B B^T``
    is never formed. Raises NotFiniteError if an entry of B is NaN or infinite.
    """
    n, m = columns.shape
    lengths = np.sqrt(np.add.reduce(columns * columns, 0))
    if not math.isfinite(lengths.sum()):
        row = int(np.argmin(np.isfinite(lengths)))
        raise NotFiniteError('A', f'constraint row {row}', float(lengths[row]))
    nothing = lengths <= ROUNDING * lengths.max()
    if nothing.any():   # scaled to length one they would count as rows of their own
        columns, lengths = np.where(nothing, 0.0, columns), np.where(nothing, 1.0, lengths)
    factor, pivots, tau, _, _ = scipy.linalg.lapack.dgeqp3(columns / lengths, overwrite_a=1)
    diagonal = [abs(entry) for entry in factor.diagonal().tolist()]
    cut = tolerance * diagonal[0]
    rank = 0
    while rank < len(diagonal) and diagonal[rank] > cut:
        rank += 1
    if rank == 0:
        return LeastNorm(np.zeros(n), np.zeros(m), 0, 0.0)
    margin = diagonal[rank - 1] / diagonal[0]
    if rank < m:
        basis = scipy.linalg.lapack.dorgqr(factor[:, :rank], tau[:rank])[0]
        solution, multipliers = _complete(columns, basis, right_side)
        return LeastNorm(solution, multipliers, rank, margin)
    order = pivots - 1
    triangle = factor[:m]
    z = solve_triangle(triangle, (right_side / lengths)[order], lower=False, transposed=True)
    padded = np.zeros((n, 1))
    padded[:m, 0] = z
    solution = scipy.linalg.lapack.dormqr(
        'L', 'N', factor, tau, padded, 64, overwrite_c=1)[0][:, 0]
    multipliers = np.empty(m)
    multipliers[order] = solve_triangle(triangle, z, lower=False)
    multipliers /= lengths
    return LeastNorm(solution, multipliers, rank, margin)


def _complete(columns: Matrix, basis: Matrix, right_side: Vector) -> tuple[Vector, Vector]:
    """Return solution and multipliers of a rank-deficient system from its row-space basis."""
    thin, triangle = np.linalg.qr(columns.T @ basis)
    z = solve_triangle(triangle, thin.T @ right_side, lower=False)
    return basis @ z, thin @ solve_triangle(triangle, z, lower=False, transposed=True)
