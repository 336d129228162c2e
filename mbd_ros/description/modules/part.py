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

"""A URDF or xacro file as the inside of a module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
import os
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from mbd_ros.description.modules.records import Body, Visual
from mbd_ros.description.records.mechanism import Joint, Mechanism, Pose, SpringDamper
from mbd_ros.description.records.poses import clean, matrix3
from mbd_ros.description.records.report import Report
from mbd_ros.description.urdf.robot import read_urdf
from mbd_ros.description.urdf.visuals import read_visuals, Shape
from mbd_ros.description.xml.file_content import is_xacro, read_content
from mbd_ros.description.xml.packages import find_package, packages_of
from mbd_ros.description.xml.xacro_file import expand_xacro
from mbd_ros.description.xml.xml_tree import parse_xml
from mbd_ros.description.xml.yaml_fields import NAME, NAME_IN_WORDS, Value

SUFFIXES = ('.urdf', '.xacro')


def read_part(value: Value, folder: str | None
              ) -> tuple[dict[str, Body], dict[str, Joint], tuple[SpringDamper, ...]]:
    """
    Return bodies, joints and springs of a robot description that is part of a module.

    Parameters
    ----------
    value : Value
        Its file: a path within the folder of the module graph, or ``package://name/path``.
    folder : str or None
        That folder; None if the module graph did not come from a file.

    Returns
    -------
    tuple of dict of str to Body, dict of str to Joint, tuple of SpringDamper
        Links and joints of the description by name, its root first; and its springs.

    Raises
    ------
    DescriptionError
        If the file is not allowed or cannot be read.

    """
    path = _path(value, folder)
    try:
        if not path.is_file():
            value.fail(f"is '{value.text()}', which is no file")
        data = expand_xacro(str(path)) if is_xacro(path) else read_content(path)
    except OSError as error:
        value.fail(f"is '{value.text()}', which cannot be read: {error.strerror or error}")
    report = Report(str(path), checked=value.report.checked)
    mechanism = read_urdf(parse_xml(data, report), report)
    value.report.findings.extend(mechanism.findings)
    for loop in mechanism.loop_joints:
        value.fail(f"is '{value.text()}', which has '{loop.name}'; allowed: no loop joints in the "
                   'inside of a module')
    return _bodies(value, mechanism), _joints(value, mechanism), mechanism.springs


def _path(value: Value, folder: str | None) -> Path:
    """Return the file; nothing outside the folder of the graph and of packages is opened."""
    text = value.text()
    if '\0' in text or PurePosixPath(text).suffix not in SUFFIXES:
        value.fail(f"is '{text[:100]!r}'; allowed: a file that ends with {', '.join(SUFFIXES)}")
    if text.startswith('package://'):
        package, _, rest = text.removeprefix('package://').partition('/')
        try:
            root = find_package(package, near=() if folder is None else (
                os.path.join(folder, 'graph'),))
        except LookupError as error:
            value.fail(f"is '{text}': {error}")
    elif folder is None:
        value.fail(f"is '{text}', but this module graph came from no file; allowed: package://...")
    else:
        root, rest = folder, text
    try:
        path = Path(os.path.realpath(os.path.join(root, rest)))
        inside = path.is_relative_to(os.path.realpath(root))
    except (OSError, ValueError):
        inside = False
    if not inside:
        value.fail(f"is '{text}'; allowed: files in the folder of the module graph and below, or "
                   'package://NAME/PATH')
    return path


def _bodies(value: Value, mechanism: Mechanism) -> dict[str, Body]:
    shapes, remarks = read_visuals(mechanism, find_package=packages_of(mechanism))
    for remark in remarks:
        value.report.remark('warning', f'{value.what}: {remark}', value.source)
    drawn = '<visual' in mechanism.text
    bodies = {mechanism.root: Body(mechanism.root)}
    for link in mechanism.links:
        if not NAME.fullmatch(link.name):
            raise value.report.error(f"link '{link.name}' is part of a module; allowed: names of "
                                     f'{NAME_IN_WORDS}', link.source)
        visuals = tuple(_visual(shape) for shape in shapes if shape.link == link.name and drawn)
        bodies[link.name] = Body(
            link.name, link.inertia, visuals, link.source,
            _of_link(mechanism.fluids, link.name), _of_link(mechanism.contacts, link.name),
            _of_link(mechanism.flexibles, link.name),
            tuple(one for one in mechanism.thrusters if one.link == link.name),
            link.gravity_compensation)
    return bodies


def _of_link(records: Sequence[Any], link: str) -> Any:
    """Return the record of a link, None if there is none."""
    return next((one for one in records if one.link == link), None)


def _visual(shape: Shape) -> Visual:
    x, y, z = shape.pose[:3, 3].tolist()
    pose = Pose(matrix3(clean(np.asarray(shape.pose[:3, :3]))), (x, y, z))
    return Visual(shape.kind, shape.size, pose, shape.color,
                  shape.package_name or ('' if shape.file is None else str(shape.file)))


def _joints(value: Value, mechanism: Mechanism) -> dict[str, Joint]:
    for joint in mechanism.joints:
        if not NAME.fullmatch(joint.name) or joint.kind == 'floating':
            raise value.report.error(
                f"joint '{joint.name}' of type '{joint.kind}' is part of a module; allowed: names "
                f'of {NAME_IN_WORDS}, and no floating joint', joint.source)
    return {joint.name: replace(joint, mimic=None) for joint in mechanism.joints}
