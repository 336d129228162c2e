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
Ancestor relations: adjacency, accessibility and path matrices of a tree of links.

Row and column i stand for link s_i. The adjacency matrix has alpha_ij = 1 where s_j is docked
outboard of s_i; the accessibility matrix A has A_ij = 1 where a directed path leads from s_i to
s_j; each row of the path matrix P has ones at the links on the way to one end link.

References
----------
Xu, Yang, Ge and Wang, Modelling of underwater self-reconfigurable robots based on Kane dynamics
and path matrix, Journal of Ship Mechanics 2018 (1), definitions 1 and 2.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.errors import DockingError, InvalidValueError, ShapeError

if TYPE_CHECKING:
    from mbd_ros.description.modules.records import ModuleGraph

Matrix = NDArray[np.int64]

NONE: Sequence[str] = ()


def adjacency_of(graph: ModuleGraph) -> tuple[tuple[str, ...], Matrix]:
    """
    Return the adjacency matrix of a robot made of modules.

    Parameters
    ----------
    graph : ModuleGraph
        The robot; connections that close loops are left out.

    Returns
    -------
    tuple of str, (n, n) array
        The modules in the order of the document, and alpha.

    """
    names = tuple(graph.instances)
    place = {name: index for index, name in enumerate(names)}
    alpha = np.zeros((len(names), len(names)), dtype=np.int64)
    for one in graph.connections:
        if not one.closes_loop:
            alpha[place[one.parent], place[one.child]] = 1
    return names, alpha


def accessibility(adjacency: ArrayLike, names: Sequence[str] = NONE) -> Matrix:
    """
    Return the accessibility matrix ``A = (1 - alpha)^-1 - 1 = alpha + alpha^2 + ...``.

    Each entry of the sum counts paths: it ends because the links of a tree are finitely deep, and
    no entry is above 1 because only one path leads to each link.

    Parameters
    ----------
    adjacency : (n, n) array_like
        alpha, of zeros and ones.
    names : sequence of str, optional
        Of the links, for messages; s0, s1, ... if left out.

    Returns
    -------
    (n, n) array
        Of zeros and ones, zero on the diagonal.

    Raises
    ------
    DockingError
        If links carry each other in a cycle or one has two parents; with their names.
    ShapeError, InvalidValueError
        If this is no square matrix of zeros and ones.

    """
    alpha = _zeros_and_ones('adjacency', adjacency)
    known = tuple(names) or tuple(f's{i}' for i in range(len(alpha)))
    for j in np.flatnonzero(alpha.sum(axis=0) > 1).tolist():
        parents = ' and '.join(f"'{known[i]}'" for i in np.flatnonzero(alpha[:, j]).tolist())
        raise DockingError('two parents', known[j], f"'{known[j]}' has the parents {parents}; "
                           'allowed: one')
    paths = np.eye(len(alpha), dtype=np.int64)
    for link, parent in _inboard_first(alpha, known):
        if parent >= 0:   # what reaches the parent reaches the link
            paths[:, link] += paths[:, parent]
    return paths - np.eye(len(alpha), dtype=np.int64)


def _inboard_first(alpha: Matrix, names: Sequence[str]) -> list[tuple[int, int]]:
    """Return each link with its parent, -1 for roots, parents before children."""
    children: Mapping[int, list[int]] = {
        i: np.flatnonzero(row).tolist() for i, row in enumerate(alpha)}
    order = [(i, -1) for i in np.flatnonzero(alpha.sum(axis=0) == 0).tolist()]
    for link, _ in order:
        order.extend((child, link) for child in children[link])
    if len(order) < len(alpha):
        ring = sorted(set(range(len(alpha))) - {link for link, _ in order})
        shown = ', '.join(f"'{names[i]}'" for i in ring[:5])
        raise DockingError('cycle', names[ring[0]], f'{shown} carry each other in a cycle')
    return order


def adjacency(accessible: ArrayLike) -> Matrix:
    """
    Return the adjacency matrix that an accessibility matrix comes from.

    ``alpha_ij = 1`` where ``A_ij = 1`` and ``(A^2)_ij = 0``: no third link lies on the path.

    Parameters
    ----------
    accessible : (n, n) array_like
        A.

    Returns
    -------
    (n, n) array
        alpha.

    """
    a = _zeros_and_ones('accessible', accessible)
    return np.where((a == 1) & (a @ a == 0), 1, 0)


def end_links(accessible: ArrayLike) -> list[int]:
    """Return the links that carry no other: the zero rows of the accessibility matrix."""
    a = _zeros_and_ones('accessible', accessible)
    return np.flatnonzero(~a.any(axis=1)).tolist()


def path_matrix(accessible: ArrayLike) -> Matrix:
    """
    Return the path matrix.

    Parameters
    ----------
    accessible : (n, n) array_like
        A.

    Returns
    -------
    (m, n) array
        The columns of ``A + 1`` that belong to the m end links, as rows, in the order of the
        links.

    """
    a = _zeros_and_ones('accessible', accessible)
    return (a + np.eye(len(a), dtype=np.int64)).T[end_links(a)]


def depths(accessible: ArrayLike) -> list[int]:
    """Return how many links carry each link: the order along every path."""
    return _zeros_and_ones('accessible', accessible).sum(axis=0).tolist()


def moved(accessible: ArrayLike, link: int, parent: int) -> Matrix:
    """
    Return the accessibility matrix after a link was undocked and docked to another.

    With ``anc(i)`` the row of ones at link i and at all that carry it (column i of ``A + 1``) and
    ``desc(j)`` that at link j and at all it carries (row j of ``A + 1``), two updates of rank one
    take the link j from its parent i to k::

        A' = A - anc(i)^T desc(j) + anc(k)^T desc(j)

    Parameters
    ----------
    accessible : (n, n) array_like
        A.
    link : int
        j; if it is the root of a tree of its own, it is docked only.
    parent : int
        k; -1: the link is undocked only and becomes the root of a tree of its own.

    Returns
    -------
    (n, n) array
        A', a new array.

    Raises
    ------
    DockingError
        If k is j or is carried by j.
    InvalidValueError
        If there is no such link.

    """
    a = _zeros_and_ones('accessible', accessible)
    for name, value, lowest in (('link', link, 0), ('parent', parent, -1)):
        if not lowest <= value < len(a):
            raise InvalidValueError(name, value, f'{lowest} to {len(a) - 1}')
    reach = a + np.eye(len(a), dtype=np.int64)
    carried = reach[link]
    if parent >= 0 and carried[parent]:
        what = 'itself' if parent == link else f"'s{parent}', which it carries"
        raise DockingError('self-dock' if parent == link else 'descendant', f's{link}',
                           f"'s{link}' cannot be docked to {what}")
    carriers = a[:, link]   # anc(i) for every i
    new = reach[:, parent] if parent >= 0 else np.zeros(len(a), dtype=np.int64)
    return a - np.outer(carriers, carried) + np.outer(new, carried)


def _zeros_and_ones(name: str, values: ArrayLike) -> Matrix:
    array = np.asarray(values)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ShapeError(name, array.shape, '(n, n)')
    if not np.isin(array, (0, 1)).all():
        raise InvalidValueError(name, 'a matrix with other entries', 'zeros and ones')
    return array.astype(np.int64)
