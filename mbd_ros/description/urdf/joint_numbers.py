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

"""The numbers of URDF 1.0, read by yourdfpy."""

from __future__ import annotations

import io
from typing import Any

from lxml import etree

from mbd_ros.description.urdf.yourdfpy_without_meshes import urdf_reader
from mbd_ros.description.xml.xml_tree import children

_LINK_PARTS = ('inertial',)
_JOINT_PARTS = ('parent', 'child', 'origin', 'axis', 'limit', 'mimic')


def numbers_of(robot: Any) -> Any:
    """
    Return yourdfpy's records of a robot that has passed the strict pass.

    It is handed only the parts it is asked about: shapes, foreign elements and everything it
    reads otherwise than URDF 1.2 means are left out.

    Parameters
    ----------
    robot : lxml element
        The root of the description.

    Returns
    -------
    yourdfpy.Robot
        ``links`` and ``joints`` in the order of the file.

    """
    reduced = etree.Element('robot', name='robot')
    for element in robot.findall('link'):
        _copy_parts(element, _LINK_PARTS, reduced)
    for element in robot.findall('joint'):
        _copy_parts(element, _JOINT_PARTS, reduced)
    text = io.BytesIO(etree.tostring(reduced, encoding='utf-8'))
    return urdf_reader().load(text, build_scene_graph=False, load_meshes=False).robot


def _copy_parts(element: Any, parts: tuple[str, ...], target: Any) -> None:
    copy = etree.SubElement(target, element.tag, name=element.get('name'),
                            type=element.get('type', ''))
    for child in children(element):
        if child.tag in parts:
            _copy(child, copy)


def _copy(element: Any, target: Any) -> None:
    """Copy an element, but nothing whose name has a prefix: yourdfpy would stumble over it."""
    copy = etree.SubElement(target, element.tag)
    for name, text in element.attrib.items():
        if name.isidentifier():
            copy.set(name, text)
    for child in children(element):
        if child.tag.isidentifier():
            _copy(child, copy)
