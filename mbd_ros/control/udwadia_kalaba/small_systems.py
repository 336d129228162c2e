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
The Udwadia-Kalaba equation for small systems, as machine code.

The mathematics of ``equation.py``: with ``M = L D L^T`` the columns ``D^-1/2 L^-1 A^T`` are
made orthogonal, which avoids the squared condition of ``A M^-1 A^T``
(``orthogonal_columns.py``). The result ends with a rank report (``rank_facts.py``); where the rank
is not clear the dense fallback of ``equation.py`` decides.

Everything is written for ``execution.loop_code``; ``n``, ``m`` and other integers are fixed there.
Arrays may be wider than what they hold: columns of zeros make whole vectors.
"""

from __future__ import annotations

import math

import numpy as np

from mbd_ros.control.udwadia_kalaba.orthogonal_columns import least_norm
from mbd_ros.control.udwadia_kalaba.rank_facts import CONFLICT, DROPPED, KEPT, PIVOT, RANK
from mbd_ros.execution.ir.loop_code import cold
from mbd_ros.simulation.manifold import Matrix, Vector

DAMPING_RANGE = 1e11
"""The squared damping is sought between this part and this multiple of the sum of all squared
singular values."""
BISECTIONS = 40
"""They leave 1e-10 of the damping open."""


def constrained_motion(M: Matrix, Q: Vector, A: Matrix, b: Vector, result: Vector,
                       n: int, m: int, passive: int, width: int) -> None:
    """
    Solve ``M qdd = Q + Q_c`` under ``A qdd = b``: (n, n), (n,), (m, n), (m,).

    The result has ``qdd`` (n,), ``Q_c`` (n,), multipliers (m,), residual (m,), facts. The first
    ``passive`` entries of v have no actuator: no constraint force acts along them, and the part of
    L below them is the factor of what is left when they are eliminated. ``width`` is above m.
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
    Find the x with ``A x = d`` of least length in the metric of M; the result has x (n,), facts.

    M, A, d are (n, n), (m, n), (m,); ``width`` is at least m.
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
    result[n + CONFLICT] = 0.0
    solve_upper(L, scales, u, result, n)


def shortest_step(A: Matrix, d: Vector, result: Vector, n: int, m: int, width: int) -> None:
    """Find what ``least_step`` does, where M is the unit matrix."""
    X = np.zeros((n, width))
    multipliers = np.empty(m)
    for i in range(n):
        for j in range(m):
            X[i, j] = A[j, i]
    least_norm(X, d, result, multipliers, result[n:], n, m, width)
    result[n + PIVOT] = 1.0
    result[n + CONFLICT] = 0.0


def limited_step(M: Matrix, A: Matrix, d: Vector, limit: Vector, result: Vector,
                 n: int, m: int, width: int) -> None:
    """
    Find what ``least_step`` does, with no entry of x longer than ``limit`` (1,).

    Where one is longer the damped step (Levenberg-Marquardt) takes the place of the least one, ``x
    = M^-1 A^T (A M^-1 A^T + mu^2)^-1 d`` with mu such that the longest entry is at the limit: it
    avoids the directions in which a singularity makes steps long.
    """
    least_step(M, A, d, result, n, m, width)
    longest = 0.0
    for i in range(n):
        longest = abs(result[i]) if abs(result[i]) > longest else longest
    if longest > limit[0]:
        damp(M, A, d, limit, result, n, m, width)


@cold
def damp(M: Matrix, A: Matrix, d: Vector, limit: Vector, result: Vector,
         n: int, m: int, width: int) -> None:
    """Write the damped step of ``limited_step``: mu by bisection of its logarithm."""
    L = np.empty((n, n))
    scales = np.empty(n)
    X = np.zeros((n, width))
    G = np.zeros((m, m))
    T = np.empty((m, m))
    roots = np.empty(m)
    w = np.empty((m, 1))
    z = np.empty(m)
    multipliers = np.empty(m)
    y = np.empty(n)
    factorize(M, L, scales, n)
    for i in range(n):
        for j in range(m):
            X[i, j] = A[j, i]
    solve_lower(L, scales, X, n, width)
    low = 0.0
    for i in range(m):
        for j in range(m):
            for k in range(n):
                G[i, j] += X[k, i] * X[k, j]
        low += G[i, i]
    high = DAMPING_RANGE * low
    low = low / DAMPING_RANGE
    for _ in range(BISECTIONS):
        square = math.sqrt(low * high)
        for i in range(m):
            G[i, i] += square
            w[i, 0] = d[i]
        factorize(G, T, roots, m)
        solve_lower(T, roots, w, m, 1)
        for i in range(m):
            G[i, i] -= square
            z[i] = w[i, 0]
        solve_upper(T, roots, z, multipliers, m)
        for i in range(n):
            y[i] = 0.0
            for j in range(m):
                y[i] += X[i, j] * multipliers[j]
        solve_upper(L, scales, y, result, n)
        longest = 0.0
        for i in range(n):
            longest = abs(result[i]) if abs(result[i]) > longest else longest
        if longest > limit[0]:
            low = square
        else:
            high = square


def factorize(M: Matrix, L: Matrix, scales: Vector, n: int) -> float:
    """
    Factorize ``M = L D L^T``; return the least ratio of a pivot to its diagonal entry of M.

    L (n, n) gets the factor below its diagonal of ones, which is not written; ``scales`` (n,) gets
    ``D^-1/2``. Only the lower triangle of M is read. The ratio is 0 where a pivot is not positive:
    M is singular then, and what L and ``scales`` hold is not to be used.
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


@cold
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


def actuated_share(M: Matrix, force: Vector, result: Vector, n: int, passive: int) -> None:
    """
    Find the efforts of actuated joints that are nearest to a force: these accelerate alike.

    The first ``passive`` entries of v have no actuator. With ``M = F F^T``, F lower triangular,
    the efforts are ``F y`` where y is ``F^-1 force`` without its passive entries. The result has
    efforts (n,) and facts, with a rank of zero.
    """
    facts = result[n:]
    L = np.empty((n, n))
    scales = np.empty(n)
    y = np.empty((n, 1))
    u = np.zeros(n)
    facts[PIVOT] = factorize(M, L, scales, n)
    facts[KEPT] = 1.0
    facts[RANK] = 0.0
    facts[DROPPED] = 0.0
    facts[CONFLICT] = 0.0
    for i in range(n):
        y[i, 0] = force[i]
    solve_lower(L, scales, y, n, 1)
    for i in range(passive, n):
        u[i] = y[i, 0]
    multiply(L, scales, u, result, n)
