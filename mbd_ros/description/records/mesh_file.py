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

"""Corners and triangles of mesh files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import DescriptionError

KINDS = ('.stl', '.obj', '.dae', '.ply', '.msh')
MAX_BYTES = 64 * 1024 * 1024
"""Size of the largest mesh that is opened."""
_COUNTS = 4
"""Of vertices, normals, texture coordinates and faces: how a file of MuJoCo's begins."""


class Triangles(NamedTuple):
    """Corners (n, 3) [m or what the file counts in] and triangles (m, 3) of a mesh."""

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]


def read_mesh(path: Path) -> Triangles:
    """
    Return the triangles of a mesh file.

    Parameters
    ----------
    path : Path
        An STL, OBJ, COLLADA or PLY file, or one of MuJoCo's (``.msh``).

    Raises
    ------
    DescriptionError
        If it is none of these, too large, or cannot be read.

    """
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise DescriptionError(f"the mesh '{path.name}' is no {', '.join(KINDS)} file")
    if path.exists() and not path.is_file():   # a pipe or a device would be read for ever
        raise DescriptionError(f"the mesh '{path}' is no regular file")
    try:
        with path.open('rb') as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, 'strerror', None) or error
        raise DescriptionError(f"the mesh '{path}' cannot be read: {reason}") from None
    if len(data) > MAX_BYTES:
        raise DescriptionError(f"the mesh '{path}' is larger than {MAX_BYTES} bytes")
    try:
        found = _of_mujoco(data) if kind == '.msh' else _by_trimesh(data, kind)
        if not len(found.faces) or not np.isfinite(found.vertices).all() or (
                found.faces.min() < 0 or found.faces.max() >= len(found.vertices)):
            raise ValueError('it has no triangles, or corners that do not exist')
    except Exception as error:   # a library that reads files of others may raise anything
        raise DescriptionError(f"the mesh '{path}' cannot be read: {str(error)[:200]}") from None
    return found


def _by_trimesh(data: bytes, kind: str) -> Triangles:
    import trimesh   # a tenth of a second, which few robots need
    mesh: Any = trimesh.load(io.BytesIO(data), file_type=kind[1:], force='mesh', process=False,
                             skip_materials=True)
    return Triangles(np.array(mesh.vertices, dtype=np.float64),
                     np.array(mesh.faces, dtype=np.int64))


def _of_mujoco(data: bytes) -> Triangles:
    """Read MuJoCo's own format: four counts, then floats and integers of 4 bytes."""
    counts = np.frombuffer(data, np.int32, _COUNTS).astype(np.int64)
    vertices, normals, texture, faces = counts.tolist()
    if min(counts) < 0 or len(data) != 4 * (
            _COUNTS + 3 * vertices + 3 * normals + 2 * texture + 3 * faces):
        raise ValueError('its counts do not fit its size')
    corners = np.frombuffer(data, np.float32, 3 * vertices, 4 * _COUNTS)
    triangles = np.frombuffer(data, np.int32, 3 * faces, len(data) - 12 * faces)
    return Triangles(corners.reshape(-1, 3).astype(np.float64),
                     triangles.reshape(-1, 3).astype(np.int64))
