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
Small systems of robots with closed loops, written for ``execution.loop_code``.

Efforts of drives equivalent to a force, and motion of unmeasured joints from measured ones, both
by ``orthogonal_columns.orthogonalize``, with its rank report.
"""

from __future__ import annotations

import numpy as np

from mbd_ros.control.udwadia_kalaba.orthogonal_columns import least_norm, nearest, orthogonalize
from mbd_ros.control.udwadia_kalaba.rank_facts import CONFLICT, DROPPED, FACTS, KEPT, PIVOT, RANK
from mbd_ros.simulation.manifold import Matrix, Vector
from mbd_ros.spatial.rank_thresholds import NO_LOOP_ROW, PROJECTION_ROUNDING


def clean_rows(rows: Matrix, result: Matrix, n: int, m: int, values: int) -> None:
    """
    Copy rows of loops, (m, values + n) with A at the end, without those of A that are rounding.

    Of a planar loop the rows across its plane are zero, or, where the robot floats, nearly so:
    what is left of them depends on those in the plane. See ``NO_LOOP_ROW``.
    """
    longest = 0.0
    for j in range(m):
        square = 0.0
        for i in range(values, values + n):
            square += rows[j, i] * rows[j, i]
        longest = square if square > longest else longest
    for j in range(m):
        square = 0.0
        for i in range(values):
            result[j, i] = rows[j, i]
        for i in range(values, values + n):
            square += rows[j, i] * rows[j, i]
        for i in range(values, values + n):
            result[j, i] = rows[j, i] if square > NO_LOOP_ROW * NO_LOOP_ROW * longest else 0.0


def driven_share(A: Matrix, force: Vector, places: Vector, result: Vector,
                 n: int, m: int, drives: int, width: int, wide: int) -> None:
    """
    Find the efforts of drives that move a robot with closed loops as a force would.

    With the projection P onto what the loops allow, ``A P = 0``, the efforts tau of least norm
    with ``P S^T tau = P force``: what ``N^T S^T tau = N^T force`` says, see ``loop_efforts``. The
    rest of the force is no combination of rows of ``P S^T`` and changes nothing. A (m, n) are the
    rows of the loops, ``places`` (drives,) the entries of v with a drive; the result has efforts
    (n,) and facts, where the rank is what the drives lack. ``width`` and ``wide`` are at least m
    and n.
    """
    efforts = result[:n]
    facts = result[n:]
    tau = np.zeros(drives)
    X = np.zeros((n, width))
    R = np.zeros((m, width))
    order = np.empty(m)
    weights = np.empty(m)
    G = np.zeros((drives, wide))
    about = np.zeros(FACTS)
    multipliers = np.zeros(n)
    for j in range(m):
        for i in range(n):
            X[i, j] = A[j, i]
    orthogonalize(X, R, order, weights, about, n, m, width)
    for e in range(drives):
        G[e, int(places[e])] = 1.0
    for k in range(int(about[RANK])):
        for e in range(drives):
            share = X[int(places[e]), k] * weights[k]
            for i in range(n):
                G[e, i] -= share * X[i, k]
    for e in range(drives):
        for i in range(n):
            G[e, i] = G[e, i] if abs(G[e, i]) > PROJECTION_ROUNDING else 0.0
    least_norm(G, force, tau, multipliers, facts, drives, n, wide)
    for i in range(n):
        efforts[i] = 0.0
    for e in range(drives):
        efforts[int(places[e])] = tau[e]
    facts[RANK] = n - about[RANK] - facts[RANK]
    if facts[RANK] > 0.0:
        facts[KEPT] = 0.0
    facts[CONFLICT] = 0.0
    facts[PIVOT] = 1.0
    if about[KEPT] < facts[KEPT]:
        facts[KEPT] = about[KEPT]
    if about[DROPPED] > facts[DROPPED]:
        facts[DROPPED] = about[DROPPED]


def passive_step(rows: Matrix, rates: Vector, places: Vector, result: Vector,
                 n: int, m: int, passive: int, width: int, values: int) -> None:
    """
    Find how passive joints must move: ``A_p dq_p = -phi`` and ``A_p v_p = -A_k v_k``.

    ``rows`` (m, values + n) have phi, more values, A; ``rates`` (n,) are zero at passive entries,
    which ``places`` (passive,) names. The result has dq (n,), v (n,), facts, and the largest
    entries of phi and of dq. ``width`` is at least ``passive``.
    """
    dq = result[:n]
    v = result[n:2 * n]
    facts = result[2 * n:2 * n + FACTS]
    X = np.zeros((m, width))
    R = np.zeros((passive, width))
    order = np.empty(passive)
    weights = np.empty(passive)
    rest = np.zeros(m)
    step = np.zeros(passive)
    largest = 0.0
    for j in range(m):
        for k in range(passive):
            X[j, k] = rows[j, values + int(places[k])]
    orthogonalize(X, R, order, weights, facts, m, passive, width)
    for j in range(m):
        rest[j] = -rows[j, 0]
        largest = abs(rows[j, 0]) if abs(rows[j, 0]) > largest else largest
    nearest(X, R, order, weights, rest, step, facts, m)
    result[2 * n + FACTS] = largest
    largest = 0.0
    for i in range(n):
        dq[i] = 0.0
    for k in range(passive):
        dq[int(places[k])] = step[k]
        largest = abs(step[k]) if abs(step[k]) > largest else largest
    result[2 * n + FACTS + 1] = largest
    for j in range(m):
        rest[j] = 0.0
        for i in range(n):
            rest[j] -= rows[j, values + i] * rates[i]
    nearest(X, R, order, weights, rest, step, facts, m)
    for i in range(n):
        v[i] = rates[i]
    for k in range(passive):
        v[int(places[k])] = step[k]
    facts[PIVOT] = 1.0
    facts[CONFLICT] = 0.0
    if facts[RANK] < passive:
        facts[KEPT] = 0.0
