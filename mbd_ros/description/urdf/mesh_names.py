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

"""
Names of meshes that hold wherever a description is read.

``meshes/arm.stl`` is a file beside the description. On the topic ``robot_description`` there is no
beside: RViz and pages find it by ``file:///home/me/robot/meshes/arm.stl``.

"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote, unquote

from lxml import etree

from mbd_ros.description.records.mechanism import Mechanism

URL = 'file://'


def with_absolute_meshes(mechanism: Mechanism) -> str:
    """
    Return the description of a robot, with meshes and textures beside its file by ``file://``.

    Names with another scheme, absolute ones, and those of files that are not there stay as they
    are; so does all of a description that came as text.

    Parameters
    ----------
    mechanism : Mechanism
        The robot.

    Returns
    -------
    str
        URDF; ``mechanism.text`` itself where nothing changes.

    """
    if mechanism.came_as_text or not mechanism.text:
        return mechanism.text
    folder = Path(str(mechanism.file)).resolve().parent
    try:
        root = etree.fromstring(mechanism.text.encode())
    except etree.XMLSyntaxError:
        return mechanism.text
    changed = False
    for element in root.iter('mesh', 'texture'):
        name = element.get('filename', '')
        file = Path(os.path.normpath(folder / name.removeprefix(URL)))
        if '://' in name.removeprefix(URL) or name.removeprefix(URL).startswith('/'):
            continue
        try:
            there = bool(name) and file.is_file()
        except (OSError, ValueError):   # a name that no file can have
            continue
        if there:
            element.set('filename', URL + quote(str(file)))
            changed = True
    return str(etree.tostring(root, encoding='unicode')) + '\n' if changed else mechanism.text


def file_of(name: str) -> Path:
    """Return the path that a name of a mesh stands for, a path or ``file://`` and one."""
    path = Path(name.removeprefix(URL))
    if name.startswith(URL) and '%' in name:
        try:
            if not path.is_file():
                return Path(unquote(name.removeprefix(URL)))
        except (OSError, ValueError):
            pass
    return path
