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

"""Volume, mass centre and inertia of what triangles enclose, or of the triangles themselves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

Array = NDArray[np.float64]

WAYS = ('legacy', 'exact', 'convex', 'shell')
SMALLEST = 1e-14
"""Volume [m^3] or area [m^2] below which a mesh has no mass."""
_PRODUCTS = np.eye(3) + 1.0
"""Of the corners a, b and c of a tetrahedron at the origin: its second moment is a sum of these
times the outer products of the corners, times volume / 20."""


class MeshSolid(NamedTuple):
    """
    What a mesh weighs at a density of 1.

    Attributes
    ----------
    volume : float
        [m^3]; of a shell its area [m^2].
    center : (3,) array
        Mass centre [m].
    tensor : (3, 3) array
        About the mass centre [m^5]; of a shell [m^4].

    """

    volume: float
    center: Array
    tensor: Array


def mesh_solid(vertices: Array, faces: NDArray[np.int64] | None, way: str) -> MeshSolid:
    """
    Return volume, mass centre and inertia of a mesh, in the ways that MuJoCo has.

    Parameters
    ----------
    vertices : (n, 3) array
        Corners [m].
    faces : (m, 3) array of int, optional
        Triangles, anticlockwise seen from outside; those of the convex hull if left out.
    way : {'legacy', 'exact', 'convex', 'shell'}
        ``'exact'``: of what the triangles enclose. ``'convex'``: of their convex hull.
        ``'legacy'``: every pyramid from a point inside to a triangle counts with a positive
        volume, which is too much where the mesh is not convex. ``'shell'``: the triangles have
        an area density.

    Raises
    ------
    ValueError
        If there is no volume, or ``'exact'`` finds a negative one: the triangles face inwards.

    """
    if faces is None or way == 'convex':
        faces = _hull(vertices)
    corners = vertices[faces]                               # (m, 3 corners, 3)
    normals = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    area = float(areas.sum())
    if not area > SMALLEST:
        raise ValueError(f'the area of the mesh is {area:.3g} m^2')
    middles = corners.mean(axis=1)
    surface = areas @ middles / area
    if way == 'shell':
        moved = corners - surface
        return MeshSolid(area, surface, _tensor(moved, areas / 12.0))
    volumes = np.einsum('ij,ij->i', middles - surface, normals) / 3.0
    if way == 'legacy':
        volumes = np.abs(volumes)
    volume = float(volumes.sum())
    if not volume > SMALLEST:
        raise ValueError(f'the volume of the mesh is {volume:.3g} m^3' + (
            ': its triangles face inwards' if volume < -SMALLEST else ''))
    center = volumes @ (0.75 * middles + 0.25 * surface) / volume
    moved = corners - center
    shares = np.einsum('ij,ij->i', moved[:, 0], normals) / 3.0
    if way == 'legacy':   # pyramids from the mass centre now, also for the mass
        shares = np.abs(shares)
    return MeshSolid(float(shares.sum()), center, _tensor(moved, shares / 20.0))


def is_closed(vertices: Array, faces: NDArray[np.int64]) -> bool:
    """Return whether triangles enclose a volume: each edge is passed once each way."""
    _, same = np.unique(vertices, axis=0, return_inverse=True)
    corners = same.reshape(-1)[faces]
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    edges = edges[edges[:, 0] != edges[:, 1]]
    there, counts = np.unique(edges, axis=0, return_counts=True)
    back, others = np.unique(edges[:, ::-1], axis=0, return_counts=True)
    return bool(np.array_equal(there, back) and np.array_equal(counts, others))


def _tensor(corners: Array, weights: Array) -> Array:
    """Return the inertia tensor of weighted corners (m, 3, 3)."""
    second = np.einsum('m,mai,ab,mbj->ij', weights, corners, _PRODUCTS, corners)
    second = 0.5 * (second + second.T)
    tensor: Array = np.trace(second) * np.eye(3) - second
    return tensor


def _hull(vertices: Array) -> NDArray[np.int64]:
    """Return the triangles of the convex hull, facing outwards."""
    try:
        hull = ConvexHull(vertices)
    except (QhullError, ValueError):
        raise ValueError(f'its {len(vertices)} corners have no convex hull') from None
    faces: NDArray[np.int64] = hull.simplices.astype(np.int64)
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inwards = np.einsum('ij,ij->i', normals, hull.equations[:, :3]) < 0.0
    faces[inwards] = faces[inwards][:, ::-1]
    return faces
