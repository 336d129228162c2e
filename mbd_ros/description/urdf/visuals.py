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

"""The ``<visual>`` and ``<collision>`` elements of a URDF as plain shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
import math
import os
from pathlib import Path
from typing import Literal

from lxml import etree
import numpy as np
from numpy.typing import NDArray
from transforms3d.euler import euler2mat
from transforms3d.quaternions import quat2mat

from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.description.records.mesh_file import DRAWN
from mbd_ros.description.urdf.mesh_names import file_of

Matrix = NDArray[np.float64]
Color = tuple[float, float, float, float]
ShapeKind = Literal['box', 'cylinder', 'sphere', 'capsule', 'mesh']

MESHES = DRAWN
"""Names of meshes end so; nothing else that a description names is opened to be drawn."""

FOLDERS = 'MBD_ROS_MESH_FOLDERS'
"""Variable of the environment: folders of robots that a launch file was given, as in ``PATH``."""

SMALLEST, LARGEST = 1e-6, 1e6
"""Sizes of shapes that robots collide with [m]."""

PALETTE: tuple[Color, ...] = (
    (0.27, 0.33, 0.41, 1.0), (0.12, 0.47, 0.71, 1.0), (0.95, 0.61, 0.16, 1.0),
    (0.30, 0.62, 0.60, 1.0), (0.55, 0.44, 0.68, 1.0), (0.62, 0.65, 0.70, 1.0),
)
"""Colours of links whose description gives none, taken in turn."""


@dataclass(frozen=True, slots=True)
class Shape:
    """
    One visible shape of a link.

    Attributes
    ----------
    link : str
        The link it is fixed to.
    kind : str
        ``'box'``, ``'cylinder'``, ``'sphere'``, ``'capsule'`` (both with their axis along z) or
        ``'mesh'``.
    size : tuple of float
        Box: x, y, z; cylinder and capsule: radius, length; sphere: radius [m]; mesh: scale.
    pose : (4, 4) array
        Shape in the frame of its link.
    color : tuple of float
        Red, green, blue, opacity, 0 to 1.
    file : Path, optional
        Of a mesh.
    package_name : str, optional
        Of a mesh, where the description names it by ``package://``.

    """

    link: str
    kind: ShapeKind
    size: tuple[float, ...]
    pose: Matrix
    color: Color
    file: Path | None = None
    package_name: str = ''


def read_visuals(
    mechanism: Mechanism, *, find_package: Callable[[str], str] | None = None,
) -> tuple[tuple[Shape, ...], tuple[str, ...]]:
    """
    Read the shapes of a robot.

    A robot without any ``<visual>`` is drawn as rods from joint to joint.

    Parameters
    ----------
    mechanism : Mechanism
        The robot, with its description as URDF text.
    find_package : callable, optional
        Gives the share folder of a ROS package, for ``package://`` names of meshes; raises
        LookupError if there is none.

    Returns
    -------
    tuple of Shape
        The shapes, in the order of the file.
    tuple of str
        One remark for every ``<visual>`` that cannot be shown.

    """
    try:
        root = etree.fromstring(mechanism.text.encode())
    except etree.XMLSyntaxError as error:
        return tuple(_rods(mechanism)), (f'no visuals: {error}',)
    named = {element.get('name', ''): color for element in root.iterfind('material')
             if (color := _color(element)) is not None}
    shapes: list[Shape] = []
    remarks: list[str] = []
    for index, link in enumerate(root.iterfind('link')):
        for visual in link.iterfind('visual'):
            color = _material(visual, named, PALETTE[index % len(PALETTE)])
            try:
                shapes.append(shape_of(link.get('name', ''), visual, color, mechanism,
                                       find_package))
            except (ValueError, LookupError, OSError) as error:
                remarks.append(f"line {visual.sourceline}: visual of link '{link.get('name')}' "
                               f'is not shown: {error}')
    if not shapes:
        shapes.extend(_rods(mechanism))
    return tuple(shapes), tuple(remarks)


def read_collisions(mechanism: Mechanism) -> tuple[tuple[Shape, ...], tuple[str, ...]]:
    """
    Read the plain shapes that robots collide with.

    Parameters
    ----------
    mechanism : Mechanism
        The robot, with its description as URDF text.

    Returns
    -------
    tuple of Shape
        Of each ``<collision>``, without meshes.
    tuple of str
        One remark for every one that is a mesh or cannot be read.

    """
    try:
        root = etree.fromstring(mechanism.text.encode())
    except etree.XMLSyntaxError as error:
        return (), (f'no collision geometry: {error}',)
    shapes: list[Shape] = []
    remarks: list[str] = []
    for link in root.iterfind('link'):
        for collision in link.iterfind('collision'):
            name, mesh = link.get('name', ''), collision.find('geometry/mesh')
            try:
                if mesh is not None:
                    raise ValueError('it is a mesh')
                shape = shape_of(name, collision, PALETTE[0], mechanism, None)
                # A capsule without a length is a sphere.
                sizes = shape.size[:1] if shape.kind == 'capsule' else shape.size
                if not (all(SMALLEST <= one <= LARGEST for one in sizes)
                        and 0.0 <= min(shape.size) <= max(shape.size) <= LARGEST):
                    raise ValueError(f'its size is {list(shape.size)} m; allowed: from '
                                     f'{SMALLEST:g} to {LARGEST:g}')
                shapes.append(shape)
            except (ValueError, LookupError) as error:
                remarks.append(f"line {collision.sourceline}: collision of link '{name}' is not "
                               f'used: {error}')
    return tuple(shapes), tuple(remarks)


def shape_of(
    link: str, visual: etree._Element, color: Color, mechanism: Mechanism,
    find_package: Callable[[str], str] | None,
) -> Shape:
    """
    Return a ``<visual>`` or ``<collision>`` as a shape.

    Raises
    ------
    ValueError, LookupError
        If it is none that can be used.

    """
    geometry = visual.find('geometry')
    element = None if geometry is None else next(
        (child for child in geometry if isinstance(child.tag, str)), None)
    if element is None:
        raise ValueError('it has no geometry')
    pose = _origin(visual.find('origin'))
    if element.tag == 'box':
        return Shape(link, 'box', _numbers(element.get('size', ''), 3), pose, color)
    if element.tag == 'sphere':
        return Shape(link, 'sphere', _numbers(element.get('radius', ''), 1), pose, color)
    if element.tag in ('cylinder', 'capsule'):
        size = (*_numbers(element.get('radius', ''), 1), *_numbers(element.get('length', ''), 1))
        kind: ShapeKind = 'cylinder' if element.tag == 'cylinder' else 'capsule'
        return Shape(link, kind, size, pose, color)
    if element.tag == 'mesh':
        name = element.get('filename', '')
        return Shape(link, 'mesh', _numbers(element.get('scale', '1 1 1'), 3), pose, color,
                     _mesh_file(name, mechanism, find_package),
                     name if name.startswith('package://') else '')
    raise ValueError(f'geometry <{element.tag}> is not known; known: box, cylinder, sphere, '
                     'capsule, mesh')


def _mesh_file(
    name: str, mechanism: Mechanism, find_package: Callable[[str], str] | None,
) -> Path:
    """
    Return the file of a mesh named by ``package://``, ``file://`` or a path.

    Of a description that came as text, which others may have sent, only files of packages, and of
    the folders that a launch file says its user's robot is in.
    """
    if name.startswith('package://'):
        package, _, rest = name.removeprefix('package://').partition('/')
        if find_package is None:
            raise LookupError(f'no way to find package {package[:100]}')
        folder = Path(find_package(package))
        file = folder / rest
        if '..' in file.parts or not file.is_relative_to(folder):
            raise ValueError(f"its mesh '{name[:100]}' leads out of the package; allowed: "
                             'package://NAME/PATH')
    else:
        file = file_of(name)
        if mechanism.came_as_text and not (
                _in_package(file, find_package) or _is_offered(file)):
            raise ValueError(f"its mesh '{name[:100]}' is no file of a package; allowed in a "
                             'description that came as text: package://NAME/PATH, or a path into '
                             'a package')
        if not file.is_absolute():
            file = Path(str(mechanism.file)).parent / file
    if file.suffix.lower() not in MESHES:
        raise ValueError(f"its mesh '{name[:100]}' is no file of a known kind; known: "
                         f'{", ".join(MESHES)}')
    try:
        there = file.is_file()
    except OSError as error:   # of a name that is too long
        raise ValueError(f"its mesh '{name[:100]}' cannot be opened: {error.strerror}") from None
    if not there:
        raise LookupError(f'there is no file {str(file)[:300]}')
    return file


def _in_package(file: Path, find_package: Callable[[str], str] | None) -> bool:
    """Tell whether a path leads, by its names alone, into the share folder of a package."""
    if find_package is None or not file.is_absolute() or '..' in file.parts:
        return False
    for folder in file.parents:
        try:
            if Path(find_package(folder.name)) == folder:
                return True
        except (LookupError, ValueError):
            pass  # no package has the name of this folder
    return False


def _is_offered(file: Path) -> bool:
    """Tell whether a path leads, by its names alone, into a folder of ``FOLDERS``."""
    folders = filter(None, os.environ.get(FOLDERS, '').split(os.pathsep))
    return file.is_absolute() and '..' not in file.parts and any(
        file.is_relative_to(folder) for folder in folders)


def _material(visual: etree._Element, named: Mapping[str, Color], default: Color) -> Color:
    """Return the colour of a visual: its own, that of the material it names, or the default."""
    material = visual.find('material')
    if material is None:
        return default
    own = _color(material)
    return named.get(material.get('name', ''), default) if own is None else own


def _color(material: etree._Element) -> Color | None:
    """Return a material's colour, None where it gives none that can be read."""
    color = material.find('color')
    if color is None:
        return None
    try:
        r, g, b, a = _numbers(color.get('rgba', ''), 4)
    except ValueError:
        return None
    return r, g, b, a


def _origin(element: etree._Element | None) -> Matrix:
    """Return the pose that an ``<origin>`` gives: fixed-axis roll, pitch, yaw, or a quaternion."""
    pose = np.eye(4)
    if element is None:
        return pose
    if element.get('quat_xyzw') is not None:
        x, y, z, w = _numbers(element.get('quat_xyzw', ''), 4)
        pose[:3, :3] = quat2mat((w, x, y, z))
    else:
        pose[:3, :3] = euler2mat(*_numbers(element.get('rpy', '0 0 0'), 3), axes='sxyz')
    pose[:3, 3] = _numbers(element.get('xyz', '0 0 0'), 3)
    return pose


def _numbers(text: str, count: int) -> tuple[float, ...]:
    values = tuple(float(word) for word in text.split())
    if len(values) != count or not all(math.isfinite(value) for value in values):
        raise ValueError(f"'{text}' is not {count} finite numbers")
    return values


def _rods(mechanism: Mechanism) -> Iterator[Shape]:
    """
    Yield a rod along every link from its own joint to the next, and a knob at every joint.

    The rod of a link without a next joint ends at its centre of mass.
    """
    spans = [math.dist(joint.origin.translation, (0.0, 0.0, 0.0)) for joint in mechanism.joints]
    radius = 0.06 * (max(spans, default=0.0) or 1.0)
    order = [link.name for link in mechanism.links]
    for joint, span in zip(mechanism.joints, spans):
        color = PALETTE[order.index(joint.parent) % len(PALETTE)]
        if span > radius:
            yield Shape(joint.parent, 'cylinder', (radius, span),
                        _along(joint.origin.translation, span), color)
        yield Shape(joint.child, 'sphere', (1.3 * radius,), np.eye(4), color)
    parents = {joint.parent for joint in mechanism.joints}
    for link in mechanism.links:
        if link.name in parents or link.inertia is None:
            continue
        span = math.dist(link.inertia.center, (0.0, 0.0, 0.0))
        if span > radius:
            yield Shape(link.name, 'cylinder', (radius, span), _along(link.inertia.center, span),
                        PALETTE[order.index(link.name) % len(PALETTE)])


def _along(target: Iterable[float], span: float) -> Matrix:
    """Return the pose of a rod, its axis along z, that reaches from the origin to a point."""
    end = np.array(tuple(target))
    z = end / span
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack((x, np.cross(z, x), z))
    pose[:3, 3] = end / 2.0
    return pose
