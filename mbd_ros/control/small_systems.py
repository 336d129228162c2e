"""
The Udwadia-Kalaba equation for small systems, with its rank decided, as machine code.

The mathematics of ``udwadia_kalaba.py`` and ``least_norm.py``: with ``M = L D L^T`` the columns
``D^-1/2 L^-1 A^T`` are made orthogonal one after the other (modified Gram-Schmidt), which avoids
the squared condition of ``A M^-1 A^T``. As long as much of a column is left of those before they
come in their turn, else the one of which most is left; where rows are redundant a complete
orthogonal decomposition follows. What is reported tells whether the rank is beyond doubt; if not,
the general form decides (``facts``).

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

from mbd_ros.control.scalars import all_positive, Row
from mbd_ros.execution.loop_code import seldom
from mbd_ros.simulation.manifold import Matrix, Vector
from mbd_ros.spatial import Scalar

CLEARLY_REGULAR = 1e-8
"""Squared fraction of a row, or of a pivot of M, that has to be independent of those before. With
less (an angle of 1e-4), rounding would be felt, and the rank is worth a closer look."""
IN_TURN = 1e-4
"""Squared part of a column, left of those before, with which it comes in its turn."""
NEGLIGIBLE = 1e-12
"""Squared part of a column, left of those before, that ends the search: in the middle of the gap
of what is clear."""
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
    accelerations = result[:n]
    force = result[n:2 * n]
    multipliers = result[2 * n:2 * n + m]
    residual = result[2 * n + m:2 * (n + m)]
    facts = result[2 * (n + m):]
    L = np.empty((n, n))
    scales = np.empty(n)
    X = np.zeros((n, width))
    free = np.empty(n)
    u = np.zeros(n)
    d = np.empty(m)
    pivot = factorize(M, L, scales, n)
    for i in range(n):
        for j in range(m):
            X[i, j] = A[j, i]
        X[i, m] = Q[i]
    solve_lower(L, scales, X, n, width)
    for i in range(n):
        free[i] = X[i, m]
        X[i, m] = 0.0
    for j in range(m):
        d[j] = b[j]
        for i in range(n):
            d[j] -= X[i, j] * free[i]
    least_norm(X[passive:], d, u[passive:], multipliers, facts, n - passive, m, width)
    facts[PIVOT] = pivot
    for i in range(n):
        free[i] += u[i]
    solve_upper(L, scales, free, accelerations, n)
    multiply(L, scales, u, force, n)
    compare(A, b, L, scales, u, accelerations, residual, facts, n, m, 0)


def least_step(M: Matrix, A: Matrix, d: Vector, result: Vector, n: int, m: int, width: int
               ) -> None:
    """
    Find the x with ``A x = d`` of least length in the metric of M.

    Parameters
    ----------
    M, A, d : array
        (n, n), (m, n), (m,).
    result : array
        x (n,), facts (FACTS,).
    n, m : int
        Sizes.
    width : int
        At least m.

    """
    L = np.empty((n, n))
    scales = np.empty(n)
    X = np.zeros((n, width))
    u = np.zeros(n)
    multipliers = np.empty(m)
    pivot = factorize(M, L, scales, n)
    for i in range(n):
        for j in range(m):
            X[i, j] = A[j, i]
    solve_lower(L, scales, X, n, width)
    least_norm(X, d, u, multipliers, result[n:], n, m, width)
    result[n + PIVOT] = pivot
    solve_upper(L, scales, u, result, n)


def shortest_step(A: Matrix, d: Vector, result: Vector, n: int, m: int, width: int) -> None:
    """Find what ``least_step`` does, where M is the unit matrix."""
    X = np.zeros((n, width))
    multipliers = np.empty(m)
    for i in range(n):
        result[i] = 0.0
        for j in range(m):
            X[i, j] = A[j, i]
    least_norm(X, d, result, multipliers, result[n:], n, m, width)
    result[n + PIVOT] = 1.0


def factorize(M: Matrix, L: Matrix, scales: Vector, n: int) -> float:
    """
    Write L, of which the diagonal of ones is left out, and ``D^-1/2`` of ``M = L D L^T``.

    Return the least pivot as a part of its diagonal entry, zero or less if M is singular.
    """
    inverse = np.empty(n)
    scaled = np.empty(n)
    least = 1.0
    for i in range(n):
        pivot = M[i, i]
        for j in range(i):
            scaled[j] = M[i, j]
            for k in range(j):
                scaled[j] -= scaled[k] * L[j, k]
            L[i, j] = scaled[j] * inverse[j]
            pivot -= scaled[j] * L[i, j]
        inverse[i] = 1.0 / pivot
        scales[i] = math.sqrt(inverse[i])
        if pivot <= 0.0:
            least = 0.0
        elif pivot < least * M[i, i]:
            least = pivot / M[i, i]
    return least


def solve_lower(L: Matrix, scales: Vector, X: Matrix, n: int, width: int) -> None:
    """Replace X (n, width) by ``D^-1/2 L^-1 X``."""
    for i in range(n):
        for k in range(i):
            factor = L[i, k]
            for j in range(width):
                X[i, j] -= factor * X[k, j]
    for i in range(n):
        for j in range(width):
            X[i, j] = X[i, j] * scales[i]


def solve_upper(L: Matrix, scales: Vector, y: Vector, x: Vector, n: int) -> None:
    """Write ``x = L^-T D^-1/2 y``."""
    for i in range(n):
        x[i] = y[i] * scales[i]
    for i in range(n - 1, -1, -1):
        for k in range(i):
            x[k] -= L[i, k] * x[i]


def multiply(L: Matrix, scales: Vector, u: Vector, force: Vector, n: int) -> None:
    """Write ``L D^1/2 u``."""
    scaled = np.empty(n)
    for i in range(n):
        scaled[i] = u[i] / scales[i]
        force[i] = scaled[i]
        for k in range(i):
            force[i] += L[i, k] * scaled[k]


def compare(A: Matrix, b: Vector, L: Matrix, scales: Vector, u: Vector, accelerations: Vector,
            residual: Vector, facts: Vector, n: int, m: int, first: int) -> None:
    """Write ``A qdd - b`` and how far redundant rows contradict each other, from a first on."""
    for j in range(m):
        residual[j] = -b[j]
        for i in range(n):
            residual[j] += A[j, i] * accelerations[i]
    facts[CONFLICT] = 0.0
    if int(facts[RANK]) < m - first:
        contradiction(A, b, L, scales, u, accelerations, residual, facts, n, m, first)


@seldom
def contradiction(A: Matrix, b: Vector, L: Matrix, scales: Vector, u: Vector,
                  accelerations: Vector, residual: Vector, facts: Vector, n: int, m: int,
                  first: int) -> None:
    """Write the largest residual of a row in its own scale, that of ``conflict``."""
    own = np.empty(n)
    solve_upper(L, scales, u, own, n)
    most = 0.0
    for i in range(n):
        free = abs(accelerations[i] - own[i])
        most = abs(accelerations[i]) if abs(accelerations[i]) > most else most
        most = free if free > most else most
    for j in range(first, m):
        scale = abs(b[j])
        for i in range(n):
            scale += abs(A[j, i]) * most
        if abs(residual[j]) > facts[CONFLICT] * scale:
            facts[CONFLICT] = abs(residual[j]) / scale


def least_norm(X: Matrix, d: Vector, u: Vector, multipliers: Vector, facts: Vector,
               n: int, m: int, width: int) -> None:
    """Write the u of least norm with ``X^T u = d``, and its multipliers: ``u = X lambda``."""
    R = np.zeros((m, width))
    order = np.empty(m)
    weights = np.empty(m)
    orthogonalize(X, R, order, weights, facts, n, m, width)
    solve_columns(X, R, order, weights, d, u, multipliers, facts, n, m, width)


def solve_columns(X: Matrix, R: Matrix, order: Vector, weights: Vector, d: Vector,
                  u: Vector, multipliers: Vector, facts: Vector, n: int, m: int, width: int
                  ) -> None:
    """Write what ``least_norm`` does, from columns that are orthogonal."""
    if int(facts[RANK]) == m:
        least(X, R, order, weights, d, u, multipliers, n, m)
    else:
        redundant(X, R, order, weights, d, u, multipliers, facts, n, m, width)


def orthogonalize(X: Matrix, R: Matrix, order: Vector, weights: Vector, facts: Vector,
                  n: int, m: int, width: int) -> None:
    """
    Replace columns of X by orthogonal ones, ``x_order[j] = sum_k R_kj q_k``.

    ``weights`` has one by the squared length of ``q_k``, one for columns that are not taken: they
    come behind the others. R, (m, width), is zero before.
    """
    lengths = np.zeros(width)
    share = np.empty(width)
    longest = 0.0
    for i in range(n):
        for j in range(width):
            lengths[j] += X[i, j] * X[i, j]
    for j in range(m):
        longest = lengths[j] if lengths[j] > longest else longest
        order[j] = j
        weights[j] = 1.0
    facts[KEPT] = 1.0
    for j in range(m):
        if lengths[j] > 0.0 and lengths[j] < TINY_ROW * longest:
            facts[KEPT] = 0.0
    facts[DROPPED] = 0.0
    facts[RANK] = 0.0
    for k in range(m):
        square = 0.0
        for i in range(n):
            square += X[i, k] * X[i, k]
        if square <= IN_TURN * lengths[k]:
            square = exchange(X, R, order, lengths, facts, n, m)
            if square <= NEGLIGIBLE * lengths[k]:
                facts[DROPPED] = square / lengths[k] if square > 0.0 else 0.0
                break
        weights[k] = 1.0 / square
        if square < facts[KEPT] * lengths[k]:
            facts[KEPT] = square / lengths[k]
        for j in range(width):
            share[j] = 0.0
        for i in range(n):
            factor = X[i, k]
            for j in range(width):
                share[j] += factor * X[i, j]
        for j in range(width):
            share[j] = share[j] * weights[k] if j > k else 0.0
            R[k, j] = share[j]
        for i in range(n):
            factor = X[i, k]
            for j in range(width):
                X[i, j] -= factor * share[j]
        R[k, k] = 1.0
        facts[RANK] = k + 1


@seldom
def exchange(X: Matrix, R: Matrix, order: Vector, lengths: Vector, facts: Vector,
             n: int, m: int) -> float:
    """Bring the column of which most is left to the place of the next one; return its square."""
    k = int(facts[RANK])
    best = k
    most = 0.0
    square = 0.0
    for j in range(k, m):
        rest = 0.0
        for i in range(n):
            rest += X[i, j] * X[i, j]
        if rest > most * lengths[j]:
            best = j
            most = rest / lengths[j]
            square = rest
    for i in range(n):
        entry = X[i, k]
        X[i, k] = X[i, best]
        X[i, best] = entry
    for i in range(k):
        entry = R[i, k]
        R[i, k] = R[i, best]
        R[i, best] = entry
    entry = lengths[k]
    lengths[k] = lengths[best]
    lengths[best] = entry
    entry = order[k]
    order[k] = order[best]
    order[best] = entry
    return square


def least(X: Matrix, R: Matrix, order: Vector, weights: Vector, d: Vector, u: Vector,
          multipliers: Vector, n: int, m: int) -> None:
    """Write ``u = X lambda`` and lambda where the columns that were taken are all there are."""
    z = np.empty(m)
    for k in range(m):
        z[k] = d[int(order[k])]
        for i in range(k):
            z[k] -= R[i, k] * z[i]
    for i in range(n):
        u[i] = 0.0
    for k in range(m - 1, -1, -1):
        step = z[k]
        for i in range(n):
            step -= X[i, k] * u[i]
        step = step * weights[k]
        for i in range(n):
            u[i] += step * X[i, k]
        z[k] = z[k] * weights[k]
        for i in range(k + 1, m):
            z[k] -= R[k, i] * z[i]
        multipliers[int(order[k])] = z[k]


@seldom
def redundant(X: Matrix, R: Matrix, order: Vector, weights: Vector, d: Vector, u: Vector,
              multipliers: Vector, facts: Vector, n: int, m: int, width: int) -> None:
    """
    Write u and lambda of least norm where rows are redundant.

    With the orthonormal basis ``e_k`` of the columns, ``X^T = C E^T``: ``C z`` is nearest to d,
    ``u = E z``, and ``C^T lambda = z``.
    """
    C = np.zeros((m, width))
    T = np.zeros((m, width))
    turn = np.empty(m)
    its = np.empty(m)
    z = np.zeros(m)
    rest = np.empty(m)
    about = np.empty(FACTS)
    rank = int(facts[RANK])
    for j in range(m):
        rest[j] = d[j]
        for k in range(rank):
            C[int(order[j]), k] = R[k, j] / math.sqrt(weights[k])
    orthogonalize(C, T, turn, its, about, m, m, width)
    nearest(C, T, turn, its, rest, z, about, m)
    for i in range(n):
        u[i] = 0.0
        for k in range(rank):
            u[i] += X[i, k] * z[k] * math.sqrt(weights[k])
    least(C, T, turn, its, z, multipliers, rest, m, m)


def nearest(X: Matrix, R: Matrix, order: Vector, weights: Vector, rest: Vector, z: Vector,
            facts: Vector, n: int) -> None:
    """Write the z for which ``X z`` is nearest to ``rest`` (n,), which becomes what is left."""
    rank = int(facts[RANK])
    for k in range(rank):
        share = 0.0
        for i in range(n):
            share += X[i, k] * rest[i]
        share = share * weights[k]
        for i in range(n):
            rest[i] -= share * X[i, k]
        z[int(order[k])] = share
    for k in range(rank - 1, -1, -1):
        for i in range(k + 1, rank):
            z[int(order[k])] -= R[k, i] * z[int(order[i])]


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
    L = np.empty((n, n))
    scales = np.empty(n)
    pushed = np.empty((passive, 1))
    rest = np.empty(passive)
    moved = np.empty(passive)
    factorize(M, L, scales, passive)
    for i in range(passive):
        pushed[i, 0] = -h[i]
        for k in range(passive, n):
            pushed[i, 0] -= M[i, k] * wanted[k]
    solve_lower(L, scales, pushed, passive, 1)
    for i in range(passive):
        rest[i] = pushed[i, 0]
    solve_upper(L, scales, rest, moved, passive)
    for i in range(n):
        efforts[i] = 0.0
    for i in range(passive, n):
        efforts[i] = h[i]
        for k in range(passive):
            efforts[i] += M[i, k] * moved[k]
        for k in range(passive, n):
            efforts[i] += M[i, k] * wanted[k]
