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

"""What RViz's RobotModel takes of a URDF: links and their visual shapes, strictly by urdfdom."""

from __future__ import annotations

from typing import Any, NamedTuple
from xml.etree import ElementTree

from ament_index_python.packages import get_package_share_directory
import numpy as np
from transforms3d.affines import compose
from transforms3d.euler import euler2mat
import trimesh

JOINTS = {'revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar'}
"""Types that urdfdom knows; with another RViz shows nothing of the robot."""
GREY = (0.7, 0.7, 0.7, 1.0)


class Solid(NamedTuple):
    """
    A shape to draw.

    Attributes
    ----------
    kind : str
        box, cylinder, sphere or mesh.
    size : tuple
        Edges; radius and length; radius; the mesh with its scale.
    pose : array
        (4, 4), in the link or in the fixed frame.
    color : tuple of float
        Red, green, blue, alpha.

    """

    kind: str
    size: tuple[Any, ...]
    pose: Any
    color: tuple[float, ...]

    def triangles(self) -> Any:
        """Return its surface, (n, 3, 3) [m]."""
        if self.kind == 'mesh':
            mesh, scale = self.size
            mesh = mesh.copy()
            mesh.apply_scale(scale)
        else:
            mesh = {'box': lambda: trimesh.creation.box(self.size),
                    'cylinder': lambda: trimesh.creation.cylinder(*self.size, sections=16),
                    'sphere': lambda: trimesh.creation.icosphere(1, self.size[0])}[self.kind]()
        mesh.apply_transform(self.pose)
        return np.asarray(mesh.triangles)


def links_of(text: str) -> dict[str, list[Solid]]:
    """
    Return the visual shapes of each link; raises AssertionError as RViz shows an error.

    All of a link are in the colour of its first (``robot_link.cpp``, which asks for no name).
    """
    root = ElementTree.fromstring(text)
    assert root.tag == 'robot', 'URDF failed Model parse'
    names = [link.get('name') for link in root.findall('link')]
    assert names and len(set(names)) == len(names), 'links of one name'
    children = []
    for joint in root.findall('joint'):
        name, kind = joint.get('name'), joint.get('type')
        assert kind in JOINTS, f'URDF failed Model parse: joint {name} is {kind}'
        assert kind not in ('revolute', 'prismatic') or joint.find('limit') is not None, name
        children.append(joint.find('child').get('link'))
        assert {children[-1], joint.find('parent').get('link')} <= set(names), name
    assert len(set(children)) == len(children), 'a link with two parents'
    assert len(set(names) - set(children)) == 1, 'not one root link'
    colors = {one.get('name'): numbers(one.find('color').get('rgba'))
              for one in root.findall('material') if one.find('color') is not None}
    found = {link.get('name'): [shape_of(visual, colors) for visual in link.findall('visual')]
             for link in root.findall('link')}
    return {name: [one._replace(color=shapes[0].color) for one in shapes]
            for name, shapes in found.items()}


def shape_of(visual: Any, colors: dict[str, tuple[float, ...]]) -> Solid:
    """Return the shape of a ``<visual>``."""
    origin, color = visual.find('origin'), GREY
    given = {} if origin is None else origin.attrib
    pose = compose(numbers(given.get('xyz', '0 0 0')),
                   euler2mat(*numbers(given.get('rpy', '0 0 0'))), np.ones(3))
    material = visual.find('material')
    if material is not None:
        own = material.find('color')
        color = (colors.get(material.get('name'), GREY) if own is None
                 else numbers(own.get('rgba')))
    (shape,) = visual.find('geometry')
    if shape.tag == 'mesh':
        return Solid('mesh', (trimesh.load(mesh_file(shape.get('filename')), force='mesh'),
                              numbers(shape.get('scale', '1 1 1'))), pose, color)
    size = {'box': lambda: numbers(shape.get('size')),
            'cylinder': lambda: (float(shape.get('radius')), float(shape.get('length'))),
            'sphere': lambda: (float(shape.get('radius')),)}[shape.tag]()
    assert min(size) > 0.0, 'a shape without extent'
    return Solid(shape.tag, size, pose, color)


def mesh_file(name: str | None) -> str:
    """Return the path of a mesh as resource_retriever finds it: by URI, never a bare path."""
    assert name, 'an empty mesh path'
    for begin in ('package://', 'file://'):
        if name.startswith(begin):
            place = name.removeprefix(begin)
            if begin == 'file://':
                return place
            package, _, path = place.partition('/')
            return f'{get_package_share_directory(package)}/{path}'
    raise AssertionError(f'could not load resource [{name}]')


def numbers(text: str) -> tuple[float, ...]:
    """Return the numbers of an attribute."""
    return tuple(map(float, text.split()))
