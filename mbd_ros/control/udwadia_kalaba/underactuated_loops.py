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
Underactuated robots with closed loops, written for ``execution.loop_code``.

The mathematics of ``actuation.py`` in coordinates ``y = F^T qdd``, ``M = F F^T`` with
``F = L D^1/2``: loops ask for ``X^T y = b_l``, ``X = F^-1 A_l^T``, and what drives S reach is
spanned by the columns of ``G = P F^-1 S^T`` where P leaves out those of X. Both are made
orthogonal by ``orthogonal_columns.orthogonalize``, whose report of the ranks decides whether they
are clear.
"""

from __future__ import annotations

import numpy as np

from mbd_ros.control.udwadia_kalaba.orthogonal_columns import (
    least_norm, nearest, orthogonalize, solve_columns)
from mbd_ros.control.udwadia_kalaba.rank_facts import CONFLICT, DROPPED, FACTS, KEPT, PIVOT, RANK
from mbd_ros.control.udwadia_kalaba.small_systems import (
    compare, factorize, multiply, solve_lower, solve_upper)
from mbd_ros.simulation.manifold import Matrix, Vector


def reached_motion(M: Matrix, Q: Vector, A: Matrix, b: Vector, places: Vector, result: Vector,
                   n: int, m: int, loops: int, drives: int, width: int, wide: int, broad: int
                   ) -> None:
    """
    Solve ``M qdd = Q + Q_c`` under rows of loops, and of a task that drives have to bring about.

    M, Q, A, b are (n, n), (n,), (m, n), (m,), the rows of loops first; ``places`` (drives,)
    entries of v with a drive. The result is as of ``small_systems.constrained_motion``; the
    conflict is that of the task's rows. ``width`` and ``wide`` are at least ``loops`` and
    ``drives``, ``broad`` is above ``m - loops``.
    """
    accelerations = result[:n]
    force = result[n:2 * n]
    of_loops = result[2 * n:2 * n + loops]
    multipliers = result[2 * n + loops:2 * n + m]
    residual = result[2 * n + m:2 * (n + m)]
    facts = result[2 * (n + m):]
    L = np.empty((n, n))
    scales = np.empty(n)
    B = np.zeros((n, width))
    X = np.zeros((n, width))
    R = np.zeros((loops, width))
    order = np.empty(loops)
    weights = np.empty(loops)
    about = np.zeros(FACTS)
    pushes = np.zeros((n, wide))
    G = np.zeros((n, wide))
    T = np.zeros((drives, wide))
    turn = np.empty(drives)
    its = np.empty(drives)
    drive = np.zeros(FACTS)
    Y = np.zeros((n, broad))
    Z = np.zeros((n, broad))
    free = np.zeros(n)
    u = np.zeros(n)
    rest = np.zeros(n)
    tau = np.zeros(drives)
    d = np.zeros(loops)
    asked = np.zeros(m - loops)
    pivot = factorize(M, L, scales, n)
    _loop_columns(L, scales, A, B, n, loops, width)
    _drive_columns(L, scales, places, pushes, n, drives, wide)
    for i in range(n):
        for j in range(m - loops):
            Y[i, j] = A[loops + j, i]
        Y[i, m - loops] = Q[i]
    solve_lower(L, scales, Y, n, broad)
    for i in range(n):
        free[i] = Y[i, m - loops]
        Y[i, m - loops] = 0.0
        for j in range(loops):
            X[i, j] = B[i, j]
        for e in range(drives):
            G[i, e] = pushes[i, e]
    # What moves by itself: the loops' least force, in the metric of M.
    for j in range(loops):
        d[j] = b[j]
        for i in range(n):
            d[j] -= B[i, j] * free[i]
    orthogonalize(X, R, order, weights, about, n, loops, width)
    solve_columns(X, R, order, weights, d, u, of_loops, about, n, loops, width)
    # What the drives add to that.
    left = _leave_out(X, weights, about, G, n, wide)
    orthogonalize(G, T, turn, its, drive, n, drives, wide)
    drive[KEPT] = left if left < drive[KEPT] else drive[KEPT]
    for j in range(m - loops):
        asked[j] = b[loops + j]
        for i in range(n):
            asked[j] -= Y[i, j] * (free[i] + u[i])
    part = _reached_part(G, its, drive, Y, Z, n, m - loops)
    least_norm(Z, asked, rest, multipliers, facts, n, m - loops, broad)
    for i in range(n):
        u[i] += rest[i]
    nearest(G, T, turn, its, rest, tau, drive, n)
    # The loops carry what of the force is not the drives' own.
    for i in range(n):
        rest[i] = u[i]
        for e in range(drives):
            rest[i] -= pushes[i, e] * tau[e]
        free[i] += u[i]
    for j in range(loops):
        d[j] = 0.0
        for i in range(n):
            d[j] += B[i, j] * rest[i]
    solve_columns(X, R, order, weights, d, rest, of_loops, about, n, loops, width)
    task_rank = facts[RANK]
    solve_upper(L, scales, free, accelerations, n)
    multiply(L, scales, u, force, n)
    compare(A, b, L, scales, u, accelerations, residual, facts, n, m, loops)
    facts[KEPT] = part if part < facts[KEPT] else facts[KEPT]
    _judge(about, drive, facts, drives)
    facts[PIVOT] = pivot
    facts[RANK] = task_rank + about[RANK]


def reached_share(M: Matrix, A: Matrix, force: Vector, places: Vector, result: Vector,
                  n: int, loops: int, drives: int, width: int, wide: int) -> None:
    """
    Find the efforts of drives that come nearest to a force, in the norm of Gauss' principle.

    The result has efforts (n,) and facts, with a rank of zero; sizes as of ``reached_motion``.
    """
    efforts = result[:n]
    facts = result[n:]
    L = np.empty((n, n))
    scales = np.empty(n)
    X = np.zeros((n, width))
    R = np.zeros((loops, width))
    order = np.empty(loops)
    weights = np.empty(loops)
    about = np.zeros(FACTS)
    G = np.zeros((n, wide))
    T = np.zeros((drives, wide))
    turn = np.empty(drives)
    its = np.empty(drives)
    drive = np.zeros(FACTS)
    push = np.zeros((n, 1))
    rest = np.zeros(n)
    tau = np.zeros(drives)
    facts[PIVOT] = factorize(M, L, scales, n)
    _loop_columns(L, scales, A, X, n, loops, width)
    _drive_columns(L, scales, places, G, n, drives, wide)
    for i in range(n):
        push[i, 0] = force[i]
    solve_lower(L, scales, push, n, 1)
    for i in range(n):
        rest[i] = push[i, 0]
        efforts[i] = 0.0
    orthogonalize(X, R, order, weights, about, n, loops, width)
    left = _leave_out(X, weights, about, G, n, wide)
    orthogonalize(G, T, turn, its, drive, n, drives, wide)
    drive[KEPT] = left if left < drive[KEPT] else drive[KEPT]
    nearest(G, T, turn, its, rest, tau, drive, n)
    for e in range(drives):
        efforts[int(places[e])] = tau[e]
    facts[RANK] = 0.0
    facts[KEPT] = 1.0
    facts[DROPPED] = 0.0
    facts[CONFLICT] = 0.0
    _judge(about, drive, facts, drives)


def _loop_columns(L: Matrix, scales: Vector, A: Matrix, X: Matrix, n: int, loops: int, width: int
                  ) -> None:
    """Write ``F^-1 A_l^T`` for the first rows of A."""
    for j in range(loops):
        for i in range(n):
            X[i, j] = A[j, i]
    solve_lower(L, scales, X, n, width)


def _drive_columns(L: Matrix, scales: Vector, places: Vector, G: Matrix, n: int, drives: int,
                   wide: int) -> None:
    """Write ``F^-1 S^T``."""
    for e in range(drives):
        G[int(places[e]), e] = 1.0
    solve_lower(L, scales, G, n, wide)


def _leave_out(X: Matrix, weights: Vector, about: Vector, G: Matrix, n: int, wide: int) -> float:
    """Leave the columns of X out of those of G; return the least squared part that is left."""
    before = np.zeros(wide)
    after = np.zeros(wide)
    least = 1.0
    for i in range(n):
        for e in range(wide):
            before[e] += G[i, e] * G[i, e]
    for k in range(int(about[RANK])):
        for e in range(wide):
            after[e] = 0.0
        for i in range(n):
            factor = X[i, k] * weights[k]
            for e in range(wide):
                after[e] += factor * G[i, e]
        for i in range(n):
            factor = X[i, k]
            for e in range(wide):
                G[i, e] -= factor * after[e]
    for e in range(wide):
        after[e] = 0.0
    for i in range(n):
        for e in range(wide):
            after[e] += G[i, e] * G[i, e]
    for e in range(wide):
        if after[e] < least * before[e]:
            least = after[e] / before[e]
    return least


def _reached_part(G: Matrix, its: Vector, drive: Vector, Y: Matrix, Z: Matrix, n: int, count: int
                  ) -> float:
    """Write of columns of Y the part that G spans to Z; return the least squared part it is."""
    least = 1.0
    for j in range(count):
        before = 0.0
        after = 0.0
        for k in range(int(drive[RANK])):
            share = 0.0
            for i in range(n):
                share += G[i, k] * Y[i, j]
            share = share * its[k]
            for i in range(n):
                Z[i, j] += share * G[i, k]
        for i in range(n):
            before += Y[i, j] * Y[i, j]
            after += Z[i, j] * Z[i, j]
        if after < least * before:
            least = after / before
    return least


def _judge(about: Vector, drive: Vector, facts: Vector, drives: int) -> None:
    """Merge the rank reports of loops and drives; redundant drives count as not clear."""
    if about[KEPT] < facts[KEPT]:
        facts[KEPT] = about[KEPT]
    if drive[KEPT] < facts[KEPT]:
        facts[KEPT] = drive[KEPT]
    if int(drive[RANK]) < drives:
        facts[KEPT] = 0.0
    if about[DROPPED] > facts[DROPPED]:
        facts[DROPPED] = about[DROPPED]
