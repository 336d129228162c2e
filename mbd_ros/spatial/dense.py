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

"""Small symmetric matrices, by rows, factored without a choice of pivots."""

from __future__ import annotations

from collections.abc import Sequence

from mbd_ros.spatial.vector import Scalar

Rows = Sequence[Sequence[Scalar]]


def factors(matrix: Rows) -> tuple[list[list[Scalar]], list[Scalar]]:
    """
    Return L and the inverse of D in ``L D L^T`` of a positive definite matrix.

    Row i of L holds the entries left of its diagonal, which is one.
    """
    lower: list[list[Scalar]] = []
    inverse: list[Scalar] = []
    for i in range(len(matrix)):
        scaled: list[Scalar] = []  # row i of L D
        for j in range(i):
            scaled.append(matrix[i][j] - dot(scaled, lower[j]))
        lower.append([x * d for x, d in zip(scaled, inverse)])
        inverse.append(1.0 / (matrix[i][i] - dot(scaled, lower[i])))
    return lower, inverse


def forward(lower: Rows, vector: Sequence[Scalar]) -> list[Scalar]:
    """Return ``L^-1 x``."""
    found: list[Scalar] = []
    for row, x in zip(lower, vector):
        found.append(x - dot(row, found))
    return found


def backward(lower: Rows, vector: Sequence[Scalar]) -> list[Scalar]:
    """Return ``L^-T x``."""
    found = list(vector)
    for i in reversed(range(len(found))):
        for j, entry in enumerate(lower[i]):
            found[j] = found[j] - entry * found[i]
    return found


def solve(lower: Rows, inverse: Sequence[Scalar], vector: Sequence[Scalar]) -> list[Scalar]:
    """Return ``(L D L^T)^-1 x``."""
    return backward(lower, [x * d for x, d in zip(forward(lower, vector), inverse)])


def dot(first: Sequence[Scalar], second: Sequence[Scalar]) -> Scalar:
    """Return the inner product of the common length of two rows."""
    total: Scalar = 0.0
    for x, y in zip(first, second):
        total = total + x * y
    return total
