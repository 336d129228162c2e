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

"""Meshes of MJCF: what they weigh, and the solids that geoms are fitted to."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.mjcf.document import Document, Item
from mbd_ros.description.mjcf.orientation import rotation_of
from mbd_ros.description.records.mesh_file import MAX_BYTES, read_mesh
from mbd_ros.description.records.mesh_solid import mesh_solid, MeshSolid, WAYS
from mbd_ros.description.records.numbers import numbers_in
from mbd_ros.description.records.report import nearest, TEXT
from mbd_ros.description.urdf.mesh_names import URL
from mbd_ros.description.xml.roots import Roots
from mbd_ros.errors import DescriptionError, UnsupportedError
from mbd_ros.spatial.inertia_box import inertia_box

Array = NDArray[np.float64]

KINDS = ('.obj', '.stl', '.msh')
DRAWN = ('.obj', '.stl')
"""What viewers open."""


class Meshes:
    """
    The meshes and height fields of a document; files are opened when a mass is asked for.

    Parameters
    ----------
    document : Document
        The document.

    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._solids: dict[str, MeshSolid] = {}

    @cached_property
    def _assets(self) -> dict[str, dict[str, Item]]:
        found: dict[str, dict[str, Item]] = {'mesh': {}, 'hfield': {}}
        for part in self._document.root.iterfind('asset'):
            for element in part.iterfind('*'):
                if element.tag in found:
                    item = self._document.item(element, 'main')
                    name = item.text('name') or Path(item.text('file')).stem
                    found[str(element.tag)][name] = item
        return found

    def _asset(self, geom: Item, kind: str) -> Item:
        name, known = geom.text(kind), self._assets[kind]
        if name not in known:
            raise self._document.error(geom.element, f"{geom.called()}: {kind} '{name}' does not "
                                       f'exist{nearest(name, known)}')
        return known[name]

    def heights(self, geom: Item) -> tuple[float, float, float]:
        """
        Return the half sizes of the box as which MuJoCo weighs the height field of a geom.

        Raises
        ------
        DescriptionError
            If there is no such field, or its size is not four positive numbers.

        """
        item = self._asset(geom, 'hfield')
        sizes = item.numbers('size', 4) or (0.0, 0.0, 0.0, 0.0)
        if min(sizes) <= 0.0:
            text = item.text('size')
            raise self._document.error(item.element, f"{item.called()} has the size '{text}'; "
                                       'allowed: 4 positive numbers')
        x, y, top, base = sizes
        return x, y, 0.25 * top + 0.5 * base

    def drawn(self, geom: Item) -> tuple[str, tuple[float, ...], Array] | None:
        """
        Return file, scale and pose in the geom (4, 4) of a mesh; None where it cannot be drawn.

        The file is not opened. MuJoCo turns a mesh by ``refquat`` before it scales it, which is a
        pose only if the scale is the same in all directions.
        """
        item = self._assets['mesh'].get(geom.text('mesh'))
        if item is None or not item.text('file'):
            return None
        try:
            path = self._file(item.text('file'))
        except (DescriptionError, OSError, ValueError):
            return None
        scale = item.numbers('scale', 3) or (1.0, 1.0, 1.0)
        quaternion = item.numbers('refquat', 4)
        if path.suffix.lower() not in DRAWN or (quaternion is not None and len(set(scale)) > 1):
            return None
        pose = np.eye(4)
        if quaternion is not None:
            pose[:3, :3] = rotation_of(item, quaternion).T
        pose[:3, 3] = -np.array(scale) * (pose[:3, :3] @ (item.numbers('refpos', 3) or (
            0.0, 0.0, 0.0)))
        return URL + quote(str(path)), scale, pose

    def solid(self, geom: Item) -> MeshSolid:
        """
        Return what the mesh of a geom weighs at a density of 1, in the mesh's own frame.

        Raises
        ------
        DescriptionError
            If there is no such mesh, or its file cannot be read or is elsewhere.
        UnsupportedError
            If MuJoCo makes the mesh itself.

        """
        item, name = self._asset(geom, 'mesh'), geom.text('mesh')
        if name not in self._solids:
            try:
                self._solids[name] = self._weighed(item)
            except (DescriptionError, ValueError) as error:
                what = error.what if isinstance(error, DescriptionError) else str(error)
                raise self._document.error(item.element, f"mesh '{name}': {what}") from None
        return self._solids[name]

    def _weighed(self, item: Item) -> MeshSolid:
        way = item.choice('inertia', WAYS, (
            'exact' if self._document.settings.exact_meshes else 'legacy'))
        vertices, faces = self._triangles(item)
        scale = np.array(item.numbers('scale', 3) or (1.0, 1.0, 1.0))
        if scale.prod() < 0.0 and faces is not None:   # mirrored: still seen from outside
            faces = faces[:, ::-1]
        # MuJoCo keeps the corners of files in 4 bytes each
        vertices = vertices.astype(np.float32).astype(np.float64)
        vertices = vertices - (item.numbers('refpos', 3) or (0.0, 0.0, 0.0))
        quaternion = item.numbers('refquat', 4)
        if quaternion is not None:
            vertices = vertices @ rotation_of(item, quaternion)
        return mesh_solid(vertices * scale, faces, way)

    def _triangles(self, item: Item) -> tuple[Array, NDArray[np.int64] | None]:
        if item.text('builtin', 'none') != 'none':
            raise UnsupportedError(f'the mass of {item.called()}, which MuJoCo makes itself,',
                                   'give the bodies that it is in an <inertial>',
                                   source=self._document.report.source(item.element))
        if 'vertex' in item.values:
            numbers = _many(item, 'vertex')
            faces = _many(item, 'face') if 'face' in item.values else None
            corners = np.array(numbers).reshape(-1, 3)
            if faces is None:
                return corners, None
            triangles = np.array(faces).astype(np.int64).reshape(-1, 3)
            if triangles.min() < 0 or triangles.max() >= len(corners):
                raise ValueError(f'its faces name corners from {triangles.min()} to '
                                 f'{triangles.max()}; allowed: 0 to {len(corners) - 1}')
            return corners, triangles
        found = read_mesh(self._file(item.text('file')))
        return found.vertices, found.faces

    def _file(self, name: str) -> Path:
        """Return the path of a mesh file, in the folders a description may read from."""
        if self._document.report.file == TEXT:
            raise DescriptionError(f"its file '{name}' in a text that has no folder; allowed: in "
                                   'files')
        settings = self._document.settings
        path = Path(name)
        if settings.strips_paths:
            path = Path(path.name)
        if path.suffix.lower() not in KINDS:
            raise DescriptionError(f"its file '{name}' is no {', '.join(KINDS)} file")
        folder = Path(self._document.file).parent / settings.mesh_folder
        return Roots(self._document.report.file, max_bytes=MAX_BYTES,
                     folders=self._document.report.folders).check(folder / path)


def _many(item: Item, name: str) -> tuple[float, ...]:
    """Return the numbers of an attribute, a multiple of three."""
    text = item.text(name)
    count = len(text.split())
    numbers = numbers_in(text, max(count, 1))
    if isinstance(numbers, str):
        raise ValueError(f'{name} {numbers}')
    if count % 3:
        raise ValueError(f'{name} has {count} numbers; allowed: three for each')
    return numbers


def fitted(solid: MeshSolid, kind: str, scale: float) -> tuple[Array, tuple[float, ...]]:
    """
    Return pose in the mesh's frame and half sizes of the solid that is fitted to a mesh.

    Parameters
    ----------
    solid : MeshSolid
        The mesh.
    kind : str
        Of the solid, as in ``SOLIDS``.
    scale : float
        By which all sizes are multiplied.

    """
    axes, (x, y, z) = inertia_box(solid.tensor, solid.volume)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = axes, solid.center
    across = 0.5 * (x + y)
    sizes: Any = {'sphere': ((x + y + z) / 3.0,), 'capsule': (across, max(0.0, z - 0.5 * across)),
                  'cylinder': (across, z), 'box': (x, y, z), 'ellipsoid': (x, y, z)}[kind]
    return pose, tuple(float(scale * size) for size in sizes)
