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

"""Values between the tags of SDFormat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transforms3d.quaternions import quat2mat

from mbd_ros.description.records.poses import clean, matrix_of, pose_of
from mbd_ros.description.records.report import nearest, Report, tag_name
from mbd_ros.description.urdf.loops_gazebo import text_numbers
from mbd_ros.description.xml.xml_tree import children

Array = NDArray[np.float64]

_MANY = ('link', 'joint', 'frame', 'visual', 'collision')
"""What may stand in an element more than once."""

UNLIMITED = 1e16
"""A limit beyond it is none; SDFormat writes it, or inf."""


def text_of(element: Any, path: str, default: str = '') -> str:
    """Return the text of a part."""
    part = element.find(path)
    return default if part is None else (part.text or '').strip()


def value_of(element: Any, path: str, default: float, what: str, report: Report) -> float:
    """Return the number of a part."""
    part = element.find(path)
    return default if part is None else text_numbers(part, 1, what, report)[0]


def limit_of(element: Any, path: str, default: float, what: str, report: Report) -> float:
    """Return the number of a part, which may be infinite."""
    text = text_of(element, path).lower()
    if text.lstrip('+-') in ('inf', 'infinity'):
        return -inf if text.startswith('-') else inf
    value = value_of(element, path, default, what, report)
    return value if abs(value) < UNLIMITED else float(np.copysign(inf, value))


def pose_in(element: Any, what: str, report: Report) -> Array:
    """
    Return the pose in the ``<pose>`` of an element, homogeneous (4, 4).

    Six numbers: position, then roll, pitch and yaw in radians, or in degrees where the element
    says so; or seven with a quaternion x y z w.
    """
    part = element.find('pose')
    if part is None or not (part.text or '').strip():
        return np.eye(4)
    if part.get('rotation_format', 'euler_rpy') == 'quat_xyzw':
        *position, x, y, z, w = text_numbers(part, 7, what, report)
        if not any((x, y, z, w)):
            raise report.error(f'{what}: <pose> has a quaternion of zeros; allowed: x y z w',
                               report.source(part))
        matrix = np.eye(4)
        matrix[:3, :3] = clean(quat2mat((w, x, y, z)))
        matrix[:3, 3] = position
        return matrix
    values = text_numbers(part, 6, what, report)
    unit = pi / 180.0 if part.get('degrees', 'false') in ('true', '1') else 1.0
    return matrix_of(pose_of(values[:3], [angle * unit for angle in values[3:]]))


def base_of(element: Any) -> str:
    """Return the frame that the ``<pose>`` of an element is given in, if it names one."""
    part = element.find('pose')
    return '' if part is None else (part.get('relative_to') or part.get('frame') or '').strip()


def remark_others(element: Any, read: Iterable[str], unused: Mapping[str, str], what: str,
                  report: Report) -> None:
    """Remark every part of an element that is not read, and why; of equal parts the first is."""
    known = (*read, *unused)
    seen: set[str] = set()
    for part in children(element):
        if part.tag in unused:
            report.remark('info', f'{what}: <{part.tag}> is not used: {unused[part.tag]}',
                          report.source(part))
        elif part.tag not in read:
            report.remark('warning', f'{what}: element <{tag_name(part)}> is unknown and not used'
                          f'{nearest(str(part.tag), known, "<{}>")}', report.source(part))
        elif part.tag in seen and part.tag not in _MANY:
            report.remark('warning', f'{what}: a further <{part.tag}> is not used; only the first '
                          'is', report.source(part))
        seen.add(part.tag)
