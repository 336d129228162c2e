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
Systems of least norm by orthogonal columns, with their rank decided, for ``execution.loop_code``.

Columns are made orthogonal one after the other (modified
Gram-Schmidt). As long as something is left of a column beside those before they come in their
turn, else the one of which most is left; where they are dependent a complete orthogonal
decomposition follows.

References
----------
Bjorck, Numerical Methods for Least Squares Problems, 1996, sections 2.4.4, 2.7.

"""

from __future__ import annotations

import math

import numpy as np

from mbd_ros.control.udwadia_kalaba.rank_facts import DROPPED, FACTS, KEPT, RANK
from mbd_ros.execution.ir.loop_code import cold
from mbd_ros.simulation.manifold import Matrix, Vector
from mbd_ros.spatial.rank_thresholds import IN_TURN, NO_COLUMN_LEFT, TINY_ROW


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
            if square <= NO_COLUMN_LEFT * lengths[k]:
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


@cold
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


@cold
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
