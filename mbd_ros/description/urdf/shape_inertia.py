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

"""Mass and inertia of links that have no ``<inertial>``, from their shapes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lxml import etree
import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.finding import Finding
from mbd_ros.description.records.mechanism import Link, Mechanism
from mbd_ros.description.records.mesh_file import read_mesh
from mbd_ros.description.records.mesh_solid import is_closed, mesh_solid
from mbd_ros.description.records.solids import combined, SOLIDS
from mbd_ros.description.urdf.visuals import PALETTE, Shape, shape_of
from mbd_ros.description.write.urdf import inertial_element
from mbd_ros.description.xml.packages import packages_of
from mbd_ros.errors import DescriptionError

Array = NDArray[np.float64]

DENSITY = 1000.0
"""Of water [kg/m^3], as MuJoCo and SDFormat have it."""


def inertias_from_shapes(mechanism: Mechanism) -> Mechanism:
    """
    Return a robot whose links without ``<inertial>`` weigh what their shapes do.

    These are the ``<collision>`` shapes of a link, where it has any that can be used, else its
    ``<visual>`` ones, at the density of water. A mesh counts with what it encloses if it is
    closed, else with its convex hull.

    Parameters
    ----------
    mechanism : Mechanism
        The robot, with its description as URDF text.

    Returns
    -------
    Mechanism
        With a finding a link, and the ``<inertial>`` elements in its text.

    """
    root = etree.fromstring(mechanism.text.encode())
    elements = {element.get('name'): element for element in root.iterfind('link')}
    findings: list[Finding] = []
    links = []
    for link in mechanism.links:
        element = elements.get(link.name)
        if link.inertia is not None or element is None or link.name == 'world':
            links.append(link)
            continue
        link, remarks = _weighed(link, element, mechanism)
        findings += remarks
        links.append(link)
        if link.inertia is not None:
            element.insert(0, inertial_element(link.inertia))
    if not findings:
        return mechanism
    etree.indent(root)
    return replace(mechanism, links=tuple(links), findings=(*mechanism.findings, *findings),
                   text=str(etree.tostring(root, encoding='unicode')) + '\n')


def _weighed(link: Link, element: Any, mechanism: Mechanism) -> tuple[Link, list[Finding]]:
    """Return a link with the inertia of its shapes, and what there is to say of it."""
    problems: list[str] = []
    for tag in ('collision', 'visual'):
        parts = []
        for part in element.iterfind(tag):
            try:
                parts.append(_mass(shape_of(link.name, part, PALETTE[0], mechanism,
                                            packages_of(mechanism))))
            except (ValueError, LookupError, DescriptionError) as error:
                what = error.what if isinstance(error, DescriptionError) else error
                problems.append(f'a <{tag}> is left out: {what}')
        if parts:
            inertia = combined(parts, link.source)
            number = f'its {len(parts)} <{tag}> shapes' if len(parts) > 1 else f'its <{tag}> shape'
            said = (f"link '{link.name}' has no <inertial>: {inertia.mass:.4g} kg are those of "
                    f'{number} at {DENSITY:.0f} kg/m^3')
            return replace(link, inertia=inertia), [_remark(link, '; '.join([said, *problems]))]
    if not problems and element.find('collision') is None and element.find('visual') is None:
        return link, []
    return link, [_remark(link, '; '.join([
        f"link '{link.name}' has no <inertial>, and no shapes that have a mass", *problems]))]


def _remark(link: Link, message: str) -> Finding:
    return Finding('warning', message, link.source.file, link.source.line,
                   'write the <inertial> of the link, by measurement or CAD')


def _mass(shape: Shape) -> tuple[float, Array, Array]:
    """Return mass, pose and tensor about its centre, as ``combined`` takes them."""
    if shape.kind == 'mesh':
        assert shape.file is not None
        found = read_mesh(shape.file)
        scale = np.array(shape.size)
        faces = found.faces[:, ::-1] if scale.prod() < 0.0 else found.faces
        corners = found.vertices * scale
        solid = mesh_solid(corners, faces, 'exact' if is_closed(corners, faces) else 'convex')
        pose = shape.pose.copy()
        pose[:3, 3] += pose[:3, :3] @ solid.center
        return DENSITY * solid.volume, pose, DENSITY * solid.tensor
    sizes = [0.5 * size for size in shape.size] if shape.kind == 'box' else list(shape.size)
    if shape.kind in ('cylinder', 'capsule'):
        sizes[1] *= 0.5
    if not min(sizes) > 0.0:
        raise ValueError(f'its size is {list(shape.size)} m; allowed: positive')
    volume, moments = SOLIDS[shape.kind][1](*sizes)
    return DENSITY * volume, shape.pose, DENSITY * volume * np.diag(moments)
