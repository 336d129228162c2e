"""
The Udwadia-Kalaba equation with its rank decided, for machine code with loops.

The mathematics of ``udwadia_kalaba.py`` and ``least_norm.py``: the Cholesky factor of M, columns
``L^-1 A^T`` made orthogonal one after the other, the longest first (modified Gram-Schmidt with
pivoting), and where rows are redundant a complete orthogonal decomposition. What it reports tells
whether the rank is beyond doubt; if not, the general form decides (``facts``).

Everything is written for ``execution.loop_code``; ``n``, ``m`` and other integers are fixed there.
Arrays may be wider than what they hold: columns of zeros make whole vectors.

References
----------
Bjorck, Numerical Methods for Least Squares Problems, 1996, sections 2.4.4, 2.7.

"""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np

from mbd_ros.control.regular_case import CLEARLY_REGULAR
from mbd_ros.control.scalars import all_positive, Row
from mbd_ros.simulation.manifold import Matrix, Vector
from mbd_ros.spatial import Scalar

NEGLIGIBLE = 1e-12
"""Squared part of a column of length one, left of those before, that ends the search: in the
middle of the gap of what is clear."""
RANK, KEPT, DROPPED, CONFLICT, PIVOT = 0, 1, 2, 3, 4
"""Places in ``facts``: number of independent rows; smallest squared part of a row that was kept,
largest that was dropped; largest residual of a row in its own scale; smallest pivot of M, as a
part of its diagonal entry."""
FACTS = 5
CLEARLY_DEPENDENT = 1e-22
"""Squared part of a row, left of those before, below which it is rounding: 1e-11 of its length."""
CLEARLY_FREE = 1e-6
"""Squared part below which it takes a closer look whether drives catch a motion of loops, or
loops leave one (``loop_rank.RANK``, ``loop_efforts.UNDRIVEN``)."""
TINY_ROW = 1e-20
"""Squared length of a row, beside the longest, that may be rounding."""


def gaps(facts: Sequence[Scalar], least: float) -> Row:
    """Return what is positive where a rank is beyond doubt; see ``clear``."""
    return [facts[KEPT] - least, facts[PIVOT] - CLEARLY_REGULAR,
            CLEARLY_DEPENDENT - facts[DROPPED]]


def clear(facts: Sequence[float], least: float) -> bool:
    """Return whether a rank is beyond doubt, where ``least`` is the smallest part of a row."""
    return all_positive(gaps(facts, least))


def no_facts() -> Row:
    """Return the facts of a system without rows."""
    facts: Row = [0.0] * FACTS
    facts[KEPT] = facts[PIVOT] = 1.0
    return facts


def constrained_motion(M: Matrix, Q: Vector, A: Matrix, b: Vector, result: Vector,
                       n: int, m: int, passive: int, width: int) -> None:
    """
    Solve ``M qdd = Q + Q_c`` under ``A qdd = b``.

    Parameters
    ----------
    M, Q, A, b : array
        (n, n), (n,), (m, n), (m,).
    result : array
        ``qdd`` (n,), ``Q_c`` (n,), multipliers (m,), residual (m,), facts (FACTS,).
    n, m : int
        Sizes.
    passive : int
        The first entries of v have no actuator: no constraint force acts along them. The part of
        L below them is the factor of what is left when they are eliminated.
    width : int
        Above m.

    """
    _constrained(M, Q, A, b, result[:n], result[n:2 * n], result[2 * n:2 * n + m],
                 result[2 * n + m:2 * (n + m)], result[2 * (n + m):], n, m, passive, width)


def _constrained(M: Matrix, Q: Vector, A: Matrix, b: Vector, accelerations: Vector,
                 force: Vector, multipliers: Vector, residual: Vector, facts: Vector,
                 n: int, m: int, passive: int, width: int) -> None:
    """Write what ``constrained_motion`` returns, part by part."""
    L = np.zeros((n, n))
    X = np.zeros((n, width))
    free = np.zeros(n)
    u = np.zeros(n)
    d = np.zeros(m)
    pivot = cholesky(M, L, n)
    for j in range(m):
        multipliers[j] = 0.0
        d[j] = b[j]
        for i in range(n):
            X[i, j] = A[j, i]
    for i in range(n):
        X[i, m] = Q[i]
    solve_lower(L, X, n, width)
    for i in range(n):
        free[i] = X[i, m]
        X[i, m] = 0.0
        for j in range(m):
            d[j] -= X[i, j] * free[i]
    least_norm(X[passive:], d, u[passive:], multipliers, facts, n - passive, m, width)
    facts[PIVOT] = pivot
    for i in range(n):
        accelerations[i] = free[i] + u[i]
    forces_and_residual(L, A, b, u, accelerations, force, residual, facts, n, m, 0)


def forces_and_residual(L: Matrix, A: Matrix, b: Vector, u: Vector, accelerations: Vector,
                        force: Vector, residual: Vector, facts: Vector, n: int, m: int,
                        first: int) -> None:
    """Turn ``y = L^T qdd`` into qdd; write ``L u``, ``A qdd - b``, and its part of rows."""
    for i in range(n):
        force[i] = 0.0
        for k in range(i + 1):
            force[i] += L[i, k] * u[k]
    for i in range(n - 1, -1, -1):
        accelerations[i] = accelerations[i] / L[i, i]
        for k in range(i):
            accelerations[k] -= L[i, k] * accelerations[i]
    facts[CONFLICT] = 0.0
    most = 0.0
    for i in range(n):
        most = abs(accelerations[i]) if abs(accelerations[i]) > most else most
    for j in range(m):
        value = 0.0
        scale = abs(b[j])
        for i in range(n):
            value += A[j, i] * accelerations[i]
            scale += abs(A[j, i]) * most
        residual[j] = value - b[j]
        if j >= first and abs(residual[j]) > facts[CONFLICT] * scale:
            facts[CONFLICT] = abs(residual[j]) / scale


def cholesky(M: Matrix, L: Matrix, n: int) -> float:
    """Write L of ``M = L L^T``; return the least pivot as a part of its diagonal entry."""
    least = 1.0
    for i in range(n):
        for j in range(i):
            rest = M[i, j]
            for k in range(j):
                rest -= L[i, k] * L[j, k]
            L[i, j] = rest / L[j, j]
        pivot = M[i, i]
        for k in range(i):
            pivot -= L[i, k] * L[i, k]
        L[i, i] = math.sqrt(pivot)
        if pivot <= 0.0:
            least = 0.0
        elif pivot < least * M[i, i]:
            least = pivot / M[i, i]
    return least


def solve_lower(L: Matrix, X: Matrix, n: int, width: int) -> None:
    """Replace X (n, width) by ``L^-1 X``."""
    for i in range(n):
        for k in range(i):
            factor = L[i, k]
            for j in range(width):
                X[i, j] -= factor * X[k, j]
        factor = 1.0 / L[i, i]
        for j in range(width):
            X[i, j] = X[i, j] * factor


def least_norm(X: Matrix, d: Vector, u: Vector, multipliers: Vector, facts: Vector,
               n: int, m: int, width: int) -> None:
    """Write the u of least norm with ``X^T u = d``, and its multipliers: ``u = X lambda``."""
    R = np.zeros((m, width))
    order = np.zeros(m)
    squares = np.zeros(m)
    lengths = np.zeros(width)
    orthogonalize(X, R, order, squares, lengths, facts, n, m, width)
    solve_columns(X, R, order, squares, lengths, d, u, multipliers, facts, n, m, width)


def solve_columns(X: Matrix, R: Matrix, order: Vector, squares: Vector, lengths: Vector,
                  d: Vector, u: Vector, multipliers: Vector, facts: Vector,
                  n: int, m: int, width: int) -> None:
    """Write what ``least_norm`` does, from columns that are orthogonal."""
    if int(facts[RANK]) == m:
        least(X, R, order, squares, lengths, d, u, multipliers, facts, n, m, width)
    else:
        redundant(X, R, order, squares, lengths, d, u, multipliers, facts, n, m, width)


def orthogonalize(X: Matrix, R: Matrix, order: Vector, squares: Vector, lengths: Vector,
                  facts: Vector, n: int, m: int, width: int) -> None:
    """
    Replace columns of X by orthogonal ones, ``x_j = length_j sum_k R_kj q_k``.

    ``order`` has the columns that were taken, one after the other, ``squares`` the squared length
    of what of them was left, ``q_k`` in its place.
    """
    left = np.zeros(width)
    longest = 0.0
    for i in range(n):
        for j in range(width):
            lengths[j] += X[i, j] * X[i, j]
    for j in range(width):
        longest = lengths[j] if lengths[j] > longest else longest
    facts[KEPT] = 1.0
    for j in range(width):
        if lengths[j] > 0.0:
            if lengths[j] < TINY_ROW * longest:
                facts[KEPT] = 0.0
            left[j] = 1.0
            lengths[j] = math.sqrt(lengths[j])
        else:
            lengths[j] = 1.0
    for i in range(n):
        for j in range(width):
            X[i, j] = X[i, j] / lengths[j]
    rank = 0
    facts[DROPPED] = 0.0
    for k in range(m):
        best = 0
        for j in range(1, m):
            if left[j] > left[best]:
                best = j
        if left[best] < NEGLIGIBLE:
            facts[DROPPED] = left[best] if left[best] > 0.0 else 0.0
            break
        order[k] = best
        square = 0.0
        for i in range(n):
            square += X[i, best] * X[i, best]
        squares[k] = square
        if square < facts[KEPT]:
            facts[KEPT] = square
        left[best] = -1.0
        rank = k + 1
        for i in range(n):
            factor = X[i, best] / square
            for j in range(width):
                R[k, j] += factor * X[i, j]
        for j in range(width):
            R[k, j] = R[k, j] if left[j] >= 0.0 else 0.0
            left[j] = 0.0 if left[j] >= 0.0 else -1.0
        for i in range(n):
            factor = X[i, best]
            for j in range(width):
                X[i, j] -= factor * R[k, j]
                left[j] += X[i, j] * X[i, j] if left[j] >= 0.0 else 0.0
        R[k, best] = 1.0
    facts[RANK] = rank


def least(X: Matrix, R: Matrix, order: Vector, squares: Vector, lengths: Vector, d: Vector,
          u: Vector, multipliers: Vector, facts: Vector, n: int, m: int, width: int) -> None:
    """Write ``u = X lambda`` and lambda where the columns that were taken are all there are."""
    z = np.zeros(m)
    rank = int(facts[RANK])
    for k in range(rank):
        j = int(order[k])
        z[k] = d[j] / lengths[j]
        for i in range(k):
            z[k] -= R[i, j] * z[i]
    for i in range(n):
        u[i] = 0.0
    for k in range(rank - 1, -1, -1):
        j = int(order[k])
        step = z[k]
        for i in range(n):
            step -= X[i, j] * u[i]
        step = step / squares[k]
        for i in range(n):
            u[i] += step * X[i, j]
        share = z[k] / squares[k]
        for i in range(k + 1, rank):
            share -= R[k, int(order[i])] * multipliers[int(order[i])]
        multipliers[j] = share
    for k in range(rank):
        j = int(order[k])
        multipliers[j] = multipliers[j] / lengths[j]


def redundant(X: Matrix, R: Matrix, order: Vector, squares: Vector, lengths: Vector, d: Vector,
              u: Vector, multipliers: Vector, facts: Vector, n: int, m: int, width: int) -> None:
    """
    Write u and lambda of least norm where rows are redundant.

    With the orthonormal basis ``e_k`` of the columns, ``X^T = C E^T``: ``C z`` is nearest to d,
    ``u = E z``, and ``C^T lambda = z``.
    """
    C = np.zeros((m, width))
    T = np.zeros((m, width))
    turn = np.zeros(m)
    its = np.zeros(m)
    scales = np.zeros(width)
    z = np.zeros(m)
    rest = np.zeros(m)
    about = np.zeros(FACTS)
    rank = int(facts[RANK])
    for k in range(rank):
        size = math.sqrt(squares[k])
        for j in range(m):
            C[j, k] = lengths[j] * R[k, j] * size
    orthogonalize(C, T, turn, its, scales, about, m, m, width)
    for j in range(m):
        rest[j] = d[j]
    nearest(C, T, turn, its, scales, rest, z, about, m)
    for i in range(n):
        u[i] = 0.0
    for k in range(rank):
        share = z[k] / math.sqrt(squares[k])
        j = int(order[k])
        for i in range(n):
            u[i] += share * X[i, j]
    least(C, T, turn, its, scales, z, multipliers, rest, about, m, m, width)


def nearest(X: Matrix, R: Matrix, order: Vector, squares: Vector, lengths: Vector, rest: Vector,
            z: Vector, facts: Vector, n: int) -> None:
    """Write the z for which ``X z`` is nearest to ``rest`` (n,), which becomes what is left."""
    rank = int(facts[RANK])
    for k in range(rank):
        j = int(order[k])
        share = 0.0
        for i in range(n):
            share += X[i, j] * rest[i]
        share = share / squares[k]
        for i in range(n):
            rest[i] -= share * X[i, j]
        z[j] = share
    for k in range(rank - 1, -1, -1):
        j = int(order[k])
        for i in range(k + 1, rank):
            z[j] -= R[k, int(order[i])] * z[int(order[i])]
    for k in range(rank):
        j = int(order[k])
        z[j] = z[j] / lengths[j]


def actuated_efforts(M: Matrix, h: Vector, wanted: Vector, efforts: Vector, n: int, passive: int
                     ) -> None:
    """
    Find the efforts that let the actuated joints accelerate as wanted.

    The first entries of v are passive: ``M_pp q''_p = -h_p - M_pa q''_a``; see ``Actuation``.

    Parameters
    ----------
    M, h, wanted : array
        (n, n), (n,), (n,), of which the passive entries are not read.
    efforts : array
        Result (n,), zero along passive entries.
    n, passive : int
        Sizes.

    """
    L = np.zeros((n, n))
    moved = np.zeros((passive, 1))
    cholesky(M, L, passive)
    for i in range(passive):
        moved[i, 0] = -h[i]
        for k in range(passive, n):
            moved[i, 0] -= M[i, k] * wanted[k]
    solve_lower(L, moved, passive, 1)
    for i in range(passive - 1, -1, -1):
        moved[i, 0] = moved[i, 0] / L[i, i]
        for k in range(i):
            moved[k, 0] -= L[i, k] * moved[i, 0]
    for i in range(n):
        efforts[i] = 0.0
    for i in range(passive, n):
        efforts[i] = h[i]
        for k in range(passive):
            efforts[i] += M[i, k] * moved[k, 0]
        for k in range(passive, n):
            efforts[i] += M[i, k] * wanted[k]
