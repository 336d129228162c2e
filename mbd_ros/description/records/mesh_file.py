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

"""Mesh files of others, opened within bounds of size, time and place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
import io
from pathlib import Path
from typing import Any, NamedTuple
import zipfile

from lxml import etree
import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.budget import look, reading, take
from mbd_ros.errors import DescriptionError

KINDS = ('.stl', '.obj', '.dae', '.ply', '.msh')
DRAWN = ('.stl', '.dae', '.obj', '.ply', '.glb', '.gltf', '.off', '.3mf')
"""Kinds that are drawn, by trimesh."""
MAX_BYTES = 64 * 1024 * 1024
"""Size of the largest mesh that is opened, and of what it names."""
MAX_UNPACKED = 16 * 1024 * 1024
"""Of all that is packed in a .3mf: XML that takes thirty times as much when it is read."""
MAX_INSTANCES = 10_000
"""Of parts in a COLLADA or 3MF file, which may be used in others any number of times."""
_COUNTS = 4
"""Of vertices, normals, texture coordinates and faces: how a file of MuJoCo's begins."""


class Triangles(NamedTuple):
    """Corners (n, 3) [m or what the file counts in] and triangles (m, 3) of a mesh."""

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]


@reading()
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
    data = _content(path)
    try:
        found = _of_mujoco(data) if kind == '.msh' else _corners(_by_trimesh(data, kind))
        if not len(found.faces) or not np.isfinite(found.vertices).all() or (
                found.faces.min() < 0 or found.faces.max() >= len(found.vertices)):
            raise ValueError('it has no triangles, or corners that do not exist')
    except Exception as error:   # a library that reads files of others may raise anything
        raise DescriptionError(f"the mesh '{path}' cannot be read: {str(error)[:200]}") from None
    return found


@reading()
def drawn_mesh(path: Path, allowed: Callable[[Path], Path]) -> Any:
    """
    Return a mesh with its colours and textures, to be drawn.

    Parameters
    ----------
    path : Path
        A file of one of the kinds ``DRAWN``.
    allowed : callable
        Returns the path of a material or texture that it names if that may be opened, as
        ``Roots.check`` does; raises ``DescriptionError`` otherwise.

    Returns
    -------
    trimesh.Trimesh
        All that is in it as one.

    Raises
    ------
    DescriptionError
        As for ``read_mesh``.

    """
    kind = path.suffix.lower()
    if kind not in DRAWN:
        raise DescriptionError(f"the mesh '{path.name[:200]}' is no {', '.join(DRAWN)} file")
    data = _content(path)
    try:
        return _by_trimesh(data, kind, _files_beside(path, allowed))
    except Exception as error:   # a library that reads files of others may raise anything
        raise DescriptionError(
            f"the mesh '{str(path)[:300]}' cannot be read: {str(error)[:200]}") from None


def _content(path: Path) -> bytes:
    """Return what is in a file."""
    called = f"the mesh '{str(path)[:300]}'"
    try:
        if path.exists() and not path.is_file():   # a pipe or a device would be read for ever
            raise DescriptionError(f'{called} is no regular file')
        with path.open('rb') as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, 'strerror', None) or error
        raise DescriptionError(f'{called} cannot be read: {reason}') from None
    if len(data) > MAX_BYTES:
        raise DescriptionError(f'{called} is larger than {MAX_BYTES} bytes')
    look()
    return data


def _by_trimesh(data: bytes, kind: str, beside: Any = None) -> Any:
    """Return a mesh; with materials where there is what opens the files that they are in."""
    import trimesh   # a tenth of a second, which few robots need
    if kind == '.3mf':
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
            if size > MAX_UNPACKED:
                raise ValueError(f'it holds {size} bytes; allowed: {MAX_UNPACKED}')
            _check_instances((packed.read(entry) for entry in packed.infolist()
                              if entry.filename.endswith('.model')), 'object',
                             {'component': 'objectid'})
    if kind == '.dae':
        _check_instances([data], 'node', {'instance_node': 'url'})
    options: dict[str, Any] = {'process': False, 'skip_materials': True} if beside is None else {
        'resolver': beside}
    return trimesh.load(io.BytesIO(data), file_type=kind[1:], force='mesh', **options)


def _corners(mesh: Any) -> Triangles:
    return Triangles(np.array(mesh.vertices, dtype=np.float64),
                     np.array(mesh.faces, dtype=np.int64))


def _files_beside(path: Path, allowed: Callable[[Path], Path]) -> Any:
    """Return what opens the textures and materials that a mesh names."""
    from trimesh.resolvers import FilePathResolver

    class Beside(FilePathResolver):
        """Opens regular files of bounded size around the mesh."""

        def get(self, name: str) -> bytes:
            content = allowed(path.parent / name.strip()).read_bytes()
            take(len(content))
            return content

    return Beside(str(path))


def _check_instances(documents: Iterable[bytes], parts: str, uses: Mapping[str, str]) -> None:
    """
    Raise ValueError where parts that are made of other parts make too many.

    Parameters
    ----------
    documents : iterable of bytes
        The XML of a file.
    parts : str
        Tag of a part, which has an ``id``.
    uses : mapping of str to str
        By the tag of an element inside a part: the attribute that names the part it stands for.

    """
    inner: dict[str, list[str]] = {}
    for data in documents:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True,
                                                      load_dtd=False, recover=True))
        if root is None or root.getroottree().docinfo.doctype:
            raise ValueError('it is no XML, or has a document type')
        for number, part in enumerate(root.iter(f'{{*}}{parts}')):
            look()
            inner.setdefault(part.get('id') or f'{number} without', []).extend(
                (used.get(name) or '').removeprefix('#') for tag, name in uses.items()
                for used in part.iter(f'{{*}}{tag}'))
    counts: dict[str, int] = {}
    for first in inner:
        waiting: list[tuple[str, bool]] = [(first, False)]
        open_now: set[str] = set()
        while waiting:   # without recursion: a file may nest as deep as it likes
            name, ends = waiting.pop()
            if ends:
                open_now.discard(name)
                counts[name] = 1 + sum(counts.get(one, 1) for one in inner[name])
                if counts[name] > MAX_INSTANCES:
                    raise ValueError(f'its parts make more than {MAX_INSTANCES} shapes')
            elif name in open_now:
                raise ValueError('a part of it is used within itself')
            elif name in inner and name not in counts:
                look()
                open_now.add(name)
                waiting.append((name, True))
                waiting.extend((one, False) for one in dict.fromkeys(inner[name]))


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
