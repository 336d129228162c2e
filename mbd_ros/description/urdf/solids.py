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

"""The surface of one visible shape of a link."""

from __future__ import annotations

from typing import Any

from mbd_ros.description.records.mesh_file import read_mesh
from mbd_ros.description.urdf.visuals import Shape

SIDES = 24
"""Of what is round."""


def solid_of(shape: Shape) -> Any:
    """
    Return the triangles of a shape in its own frame.

    Parameters
    ----------
    shape : Shape
        The shape.

    Returns
    -------
    trimesh.Trimesh
        Its surface [m], without colours.

    Raises
    ------
    DescriptionError
        If a mesh cannot be read.

    """
    from trimesh import creation, Trimesh

    if shape.kind == 'mesh':
        assert shape.file is not None
        mesh = read_mesh(shape.file)
        return Trimesh(mesh.vertices * shape.size, mesh.faces, process=False)
    if shape.kind == 'box':
        return creation.box(shape.size)
    if shape.kind == 'sphere':
        return creation.icosphere(subdivisions=2, radius=shape.size[0])
    radius, length = shape.size
    if shape.kind == 'cylinder':
        return creation.cylinder(radius, length, sections=SIDES)
    solid = creation.capsule(length, radius, count=[SIDES, SIDES])
    solid.apply_translation(-solid.bounds.mean(axis=0))
    return solid
