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

"""Loop joints and springs in a YAML file beside a URDF: ``arm.loops.yaml`` for ``arm.urdf``."""

from __future__ import annotations

from mbd_ros.description.records.loop_joints import KINDS
from mbd_ros.description.records.mechanism import LoopJoint, Pose, SpringDamper, Vector3
from mbd_ros.description.records.poses import pose_of
from mbd_ros.description.records.report import Report
from mbd_ros.description.urdf.loops import Found
from mbd_ros.description.xml.file_content import utf8_text
from mbd_ros.description.xml.yaml_fields import Fields, Value
from mbd_ros.description.xml.yaml_tree import parse_yaml

VERSION = '1'
"""Of the form of these files."""


def read_loops_yaml(data: bytes, report: Report) -> Found:
    """
    Return the loop joints and springs of a side file.

    Parameters
    ----------
    data : bytes
        The YAML document.
    report : Report
        With the name of the side file; takes the findings.

    Returns
    -------
    Found
        In the order of the file.

    Raises
    ------
    DescriptionError
        With file, line and name.

    """
    root = Value(parse_yaml(utf8_text(data, report.file), report), 'the file', report)
    fields = root.fields('version', 'loop_joints', 'springs')
    if fields['version'].text() != VERSION:
        fields['version'].fail(f"is '{fields['version'].text()[:20]}'; allowed: {VERSION}")
    found = Found()
    if 'loop_joints' in fields:
        found.loop_joints.extend(map(_loop_joint, fields['loop_joints'].items()))
    if 'springs' in fields:
        found.springs.extend(map(_spring, fields['springs'].items()))
    return found


def _named(value: Value, what: str, *allowed: str) -> tuple[str, Fields]:
    """Return the name of an entry of a list, and its fields, whose messages say that name."""
    name = value.fields('name', *allowed)['name'].word()
    return name, Value(value.node, f"{what} '{name}'", value.report).fields('name', *allowed)


def _loop_joint(value: Value) -> LoopJoint:
    name, fields = _named(value, 'loop joint', 'type', 'link1', 'link2', 'distance')
    kind = KINDS[fields['type'].choice(tuple(KINDS))]
    (link1, frame1), (link2, frame2) = (_end(fields[key]) for key in ('link1', 'link2'))
    distance = None
    if kind == 'distance':
        distance = fields['distance'].number()
        if distance <= 0.0:
            fields['distance'].fail(f'is {distance:.9g} m; allowed: more than 0, or a spherical '
                                    'joint')
    elif 'distance' in fields:
        fields['distance'].fail(f'has no meaning for a {kind} joint')
    return LoopJoint(name, kind, link1, link2, frame1, frame2, distance, value.source)


def _end(value: Value) -> tuple[str, Pose]:
    fields = value.fields('link', 'xyz', 'rpy')
    rpy = fields['rpy'].numbers(3, angle=True) if 'rpy' in fields else (0.0, 0.0, 0.0)
    return fields['link'].word(), pose_of(_point(fields), rpy)


def _point(fields: Fields) -> Vector3:
    return fields['xyz'].vector() if 'xyz' in fields else (0.0, 0.0, 0.0)


def _spring(value: Value) -> SpringDamper:
    name, fields = _named(value, 'spring', 'link1', 'link2', 'stiffness', 'damping', 'length',
                          'slack')
    one, other = (fields[key].fields('link', 'xyz') for key in ('link1', 'link2'))
    stiffness, damping, length, slack = (fields.not_negative(key)
                                         for key in ('stiffness', 'damping', 'length', 'slack'))
    return SpringDamper(name, one['link'].word(), other['link'].word(), _point(one),
                        _point(other), stiffness, damping, length, value.source, slack)
