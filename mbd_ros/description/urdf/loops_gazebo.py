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

"""Joints of SDFormat inside ``<gazebo>`` of a URDF, which close loops for Gazebo."""

from __future__ import annotations

from math import hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.loop_joints import along, loop_kind
from mbd_ros.description.records.mechanism import LoopJoint, Pose, Vector3
from mbd_ros.description.records.numbers import numbers_in
from mbd_ros.description.records.poses import inverse, matrix_of, pose_from, pose_of
from mbd_ros.description.records.report import nearest, Report, tag_name
from mbd_ros.description.records.tree import Tree
from mbd_ros.description.records.zero_poses import zero_poses
from mbd_ros.description.urdf.loops import Found
from mbd_ros.description.xml.xml_tree import children

Array = NDArray[np.float64]

_KNOWN = ('parent', 'child', 'pose', 'axis', 'axis2')


def read_gazebo_joints(robot: Any, tree: Tree, found: Found, report: Report) -> None:
    """
    Add the joints that stand in ``<gazebo>`` elements.

    Their frame is given in the child link; its pose in the parent is that of the robot with all
    joints at zero, as Gazebo takes it from the spawned model.

    Parameters
    ----------
    robot : lxml element
        The root of the description.
    tree : Tree
        The spanning tree of the URDF.
    found : Found
        Takes the loop joints.
    report : Report
        Takes the findings.

    Raises
    ------
    DescriptionError
        If a joint cannot be read, with file, line and name.

    """
    joints = [joint for gazebo in robot.iterfind('gazebo') for joint in gazebo.iterfind('joint')
              if len(joint) > 0]
    if not joints:
        return
    poses = zero_poses(tree.root, tree.joints)
    for joint in joints:
        found.loop_joints.append(_read(joint, poses, report))


def _read(joint: Any, poses: dict[str, Array], report: Report) -> LoopJoint:
    source = report.source(joint)
    name = joint.get('name', '').strip()
    if not name:
        raise report.error('a <joint> in <gazebo> has no name', source)
    what = f"joint '{name}' in <gazebo>"
    for part in children(joint):
        if part.tag not in _KNOWN:
            report.remark('warning', f'{what}: element <{tag_name(part)}> is not used',
                          report.source(part))
    given = joint.get('type')
    kind = loop_kind('universal' if given == 'revolute2' else given, what, source, report)
    if kind == 'distance':
        raise report.error(f"{what} has the unknown type 'distance'", source)
    link1, link2 = (_text(joint, end, what, report) for end in ('parent', 'child'))
    for link in (link1, link2):
        if link not in poses:
            raise report.error(f"{what}: link '{link}' does not exist{nearest(link, poses)}",
                               source)
    frame2 = _pose(joint, what, report)
    frame1 = pose_from(inverse(poses[link1]) @ poses[link2] @ matrix_of(frame2))
    if kind == 'universal':
        axis, axis2 = (_axis(joint, tag, link2, frame2, poses, what, report)
                       for tag in ('axis', 'axis2'))
        frame1, frame2 = along(frame1, axis, 'x'), along(frame2, axis2, 'y')
    elif kind in ('revolute', 'prismatic', 'planar'):
        axis = _axis(joint, 'axis', link2, frame2, poses, what, report)
        frame1, frame2 = along(frame1, axis), along(frame2, axis)
    return LoopJoint(name, kind, link1, link2, frame1, frame2, source=source)


def _text(joint: Any, tag: str, what: str, report: Report) -> str:
    text = (joint.findtext(tag) or '').strip()
    if not text:
        raise report.error(f'{what} has no <{tag}>', report.source(joint))
    return text


def _pose(joint: Any, what: str, report: Report) -> Pose:
    part = joint.find('pose')
    if part is None or not (part.text or '').strip():
        return Pose()
    if part.get('relative_to') or part.get('frame'):
        raise report.error(f'{what}: <pose> relative to another frame; allowed: relative to the '
                           'child link, without an attribute', report.source(part))
    values = text_numbers(part, 6, what, report)
    return pose_of(values[:3], values[3:])


def _axis(joint: Any, tag: str, child: str, frame: Pose, poses: dict[str, Array], what: str,
          report: Report) -> Vector3:
    """Return an axis in the frame of the joint; z is SDFormat's default."""
    part = joint.find(f'{tag}/xyz')
    if part is None:
        report.remark('info', f"{what} has no <{tag}><xyz>; SDFormat's default, z, is used",
                      report.source(joint))
        return (0.0, 0.0, 1.0)
    vector = np.array(text_numbers(part, 3, what, report))
    length = hypot(*vector)
    if length == 0.0:
        raise report.error(f'{what}: the <{tag}> is zero; allowed: a unit vector',
                           report.source(part))
    given = part.get('expressed_in', '').strip()
    if given and given not in poses and given != '__model__':
        raise report.error(f"{what}: <xyz> is expressed in '{given}', which is no link"
                           f'{nearest(given, poses)}', report.source(part))
    if given:
        rotation = np.eye(3) if given == '__model__' else poses[given][:3, :3]
        vector = (poses[child][:3, :3] @ np.array(frame.rotation)).T @ rotation @ vector
    x, y, z = (vector / length + 0.0).tolist()
    return x, y, z


def text_numbers(element: Any, count: int, what: str, report: Report) -> tuple[float, ...]:
    """Return the numbers between the tags of an element."""
    text = element.text or ''
    numbers = numbers_in(text, count)
    if isinstance(numbers, str):
        raise report.error(f'{what}: <{tag_name(element)}>{text.strip()[:40]}'
                           f'</{tag_name(element)}> {numbers}', report.source(element))
    return numbers
