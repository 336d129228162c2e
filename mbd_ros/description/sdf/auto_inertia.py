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


"""``<inertial auto="true">``: mass and inertia of a link from its collision shapes."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import Inertia
from mbd_ros.description.records.mesh_file import read_mesh
from mbd_ros.description.records.mesh_solid import is_closed, mesh_solid
from mbd_ros.description.records.report import Report, tag_name
from mbd_ros.description.records.solids import combined, SOLIDS
from mbd_ros.description.sdf.parts import base_of, pose_in, text_of, value_of
from mbd_ros.description.sdf.resources import Resources
from mbd_ros.description.urdf.loops_gazebo import text_numbers
from mbd_ros.description.xml.xml_tree import children
from mbd_ros.errors import DescriptionError, UnsupportedError

Array = NDArray[np.float64]

DENSITY = 1000.0
"""SDFormat's default, that of water [kg/m^3]."""

_SIZES = {'box': ('size', 3), 'sphere': ('radius', 1), 'cylinder': ('radius length', 1),
          'capsule': ('radius length', 1), 'ellipsoid': ('radii', 3),
          'cone': ('radius length', 1)}
"""By shape: the elements with its sizes, and how many numbers each holds."""
_WHOLE = {'box': (0.5, 0.5, 0.5), 'cylinder': (1.0, 0.5), 'capsule': (1.0, 0.5)}
"""What sizes of SDFormat are to those of ``SOLIDS``, which are halves."""


def auto_inertia(link: Any, report: Report) -> Inertia:
    """
    Return the inertia that a link has of its ``<collision>`` shapes.

    Each weighs its density, else that of ``<inertial>``, else 1000 kg/m^3. A ``<mass>`` in
    ``<inertial>`` scales all of it.

    Parameters
    ----------
    link : lxml element
        With an ``<inertial auto="true">``.
    report : Report
        Words the errors.

    Raises
    ------
    DescriptionError
        If there are no shapes, or one has no volume.
    UnsupportedError
        If one is of a kind that has no mass here.

    """
    part = link.find('inertial')
    what = f"link '{link.get('name')}'"
    density = value_of(part, 'density', DENSITY, what, report)
    parts = []
    for collision in link.iterfind('collision'):
        each = value_of(collision, 'density', density, what, report)
        if not each > 0.0:
            raise report.error(f'{what}: a density of {each:g} kg/m^3; allowed: positive',
                               report.source(collision))
        if base_of(collision):
            raise UnsupportedError(f'{what}: a collision shape relative to another frame, of a '
                                   'link whose inertia comes from its shapes,', 'give its pose '
                                   'in the link', source=report.source(collision))
        for shape in (one for geometry in collision.iterfind('geometry')
                      for one in children(geometry)):
            volume, pose, tensor = _solid(shape, what, report)
            parts.append((each * volume, pose_in(collision, what, report) @ pose, each * tensor))
    if not parts:
        raise report.error(f'{what}: its inertia is to come from <collision> shapes; it has none',
                           report.source(part))
    if part.find('mass') is not None:
        mass = value_of(part, 'mass', 1.0, what, report)
        scale = mass / sum(one[0] for one in parts)
        parts = [(scale * own, pose, scale * tensor) for own, pose, tensor in parts]
    return combined(parts, report.source(part))


def _solid(shape: Any, what: str, report: Report) -> tuple[float, Array, Array]:
    """Return volume, pose of the mass centre, and tensor about it at a density of 1."""
    kind = str(shape.tag)
    if kind == 'mesh':
        return _mesh(shape, what, report)
    if kind not in _SIZES:
        raise UnsupportedError(f'{what}: a mass of its collision shape <{tag_name(shape)}>',
                               f"{', '.join(_SIZES)} and mesh, or mass and inertia as numbers",
                               source=report.source(shape))
    tags, count = _SIZES[kind]
    sizes: list[float] = []
    for tag in tags.split():
        given = shape.find(tag)
        if given is None:
            raise report.error(f'{what}: <{kind}> has no <{tag}>', report.source(shape))
        sizes += text_numbers(given, count, what, report)
    if not min(sizes) > 0.0:
        raise report.error(f'{what}: <{kind}> has the sizes {sizes}; allowed: positive',
                           report.source(shape))
    if kind == 'cone':
        return _cone(*sizes)
    volume, moments = SOLIDS[kind][1](*np.multiply(sizes, _WHOLE.get(kind, 1.0)).tolist())
    return volume, np.eye(4), volume * np.diag(moments)


def _cone(r: float, h: float) -> tuple[float, Array, Array]:
    """Return the same of a cone with its tip up, whose middle is at half its height h."""
    volume, pose = pi * r * r * h / 3.0, np.eye(4)
    pose[2, 3] = -0.25 * h
    across = 0.15 * r * r + 0.0375 * h * h
    return volume, pose, volume * np.diag((across, across, 0.3 * r * r))


def _mesh(shape: Any, what: str, report: Report) -> tuple[float, Array, Array]:
    source = report.source(shape)
    if shape.find('submesh') is not None:
        raise UnsupportedError(f'{what}: a mass of a <submesh>', 'mass and inertia as numbers: '
                               'Gazebo weighs the whole file, SDFormat names a part of it',
                               source=source)
    optimized = shape.get('optimization', 'none')
    if optimized not in ('', 'none'):
        raise UnsupportedError(f"{what}: a mass of a mesh with optimization='{optimized}'",
                               "mass and inertia as numbers, or 'none': Gazebo weighs hulls that "
                               'it finds on a grid', source=source)
    try:
        found = read_mesh(Resources(report).find(text_of(shape, 'uri'), source.file or ''))
    except (DescriptionError, OSError, ValueError) as error:
        reason = error.what if isinstance(error, DescriptionError) else error
        raise report.error(f'{what}: its mass is that of a mesh: {reason}', source) from None
    given = shape.find('scale')
    scale = np.ones(3) if given is None else np.array(text_numbers(given, 3, what, report))
    faces = found.faces[:, ::-1] if scale.prod() < 0.0 else found.faces
    corners = found.vertices * scale
    if not is_closed(corners, faces):
        raise report.error(f'{what}: its mass is that of a mesh which is not closed; allowed: '
                           'mass and inertia as numbers', source)
    try:
        solid = mesh_solid(corners, faces, 'exact')
    except ValueError as error:
        raise report.error(f'{what}: its mass is that of a mesh: {error}', source) from None
    pose = np.eye(4)
    pose[:3, 3] = solid.center
    return solid.volume, pose, solid.tensor
