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
Elimination in systems whose matrix has the pattern of the tree.

In a mass matrix two axes couple only if one lies on the path of the other to the ground.
Elimination from the tips to the ground keeps that pattern: an axis is subtracted only from the
axes on its own path to the ground.

References
----------
Featherstone, Rigid Body Dynamics Algorithms, 2008, section 6.5.

"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mbd_ros.spatial import Scalar


def axis_parents(parents: Sequence[int], v_offsets: Sequence[int], nv: int) -> list[int]:
    """
    Return for each entry of v the next one on the path to the ground; -1 at the ground.

    Parameters
    ----------
    parents : sequence of int
        Parents of the bodies; -1 for the ground.
    v_offsets : sequence of int
        First entry of v of each body.
    nv : int
        Number of entries of v.

    Returns
    -------
    list of int
        (nv,).

    """
    ends = [*v_offsets[1:], nv]
    found = list(range(-1, nv - 1))
    for parent, first in zip(parents, v_offsets):
        if first < nv:
            found[first] = ends[parent] - 1 if parent >= 0 else -1
    return found


def axis_ends(parents: Sequence[int]) -> list[int]:
    """
    Return for each entry of v the end of the entries that it carries.

    Those follow it without a gap where bodies are numbered depth first. Elsewhere others are among
    them, whose entries of M are zero.

    Parameters
    ----------
    parents : sequence of int
        (nv,) as from ``axis_parents``.

    Returns
    -------
    list of int
        (nv,); the entries that entry k carries end before the k-th of these.

    """
    ends = [k + 1 for k in range(len(parents))]
    for k in reversed(range(len(parents))):
        if parents[k] >= 0:
            ends[parents[k]] = max(ends[parents[k]], ends[k])
    return ends


def eliminate(matrices: list[Scalar], parents: Sequence[int]) -> None:
    """
    Replace matrices A..., M by -M^-1 A..., M^-1.

    Parameters
    ----------
    matrices : list of Scalar
        (..., nv, nv) flat in row-major order; M is symmetric with the pattern of the tree.
    parents : sequence of int
        (nv,) as from ``axis_parents``.

    """
    nv = len(parents)
    size = nv * nv
    last = len(matrices) - size
    mass = [matrices[last + i * nv:last + (i + 1) * nv] for i in range(nv)]
    sides = [[matrices[first + i * nv + j] * -1.0 for first in range(0, last, size)
              for j in range(nv)] + [1.0 if i == j else 0.0 for j in range(nv)]
             for i in range(nv)]
    inverses: list[Scalar] = [0.0] * nv
    for k in reversed(range(nv)):
        inverses[k] = 1.0 / mass[k][k]
        for i in _way(parents, k):
            factor = mass[k][i] * inverses[k]
            for j in (i, *_way(parents, i)):
                mass[i][j] = mass[i][j] - factor * mass[k][j]
            sides[i] = [own - factor * other for own, other in zip(sides[i], sides[k])]
    for k in range(nv):
        for i in _way(parents, k):
            sides[k] = [own - mass[k][i] * other for own, other in zip(sides[k], sides[i])]
        sides[k] = [entry * inverses[k] for entry in sides[k]]
    for i in range(nv):
        for j in range(nv):
            for place, first in enumerate(range(0, last, size)):
                matrices[first + i * nv + j] = sides[i][place * nv + j]
            row, column = min(i, j), max(i, j)
            matrices[last + i * nv + j] = sides[row][last // nv + column]


def _way(parents: Sequence[int], axis: int) -> Iterator[int]:
    """Yield the axes on the path from an axis to the ground, without itself."""
    axis = parents[axis]
    while axis >= 0:
        yield axis
        axis = parents[axis]
