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

"""URDF to Mechanism."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.inertia_check import check_inertias
from mbd_ros.description.records.loop_joints import check_loops
from mbd_ros.description.records.mechanism import (
    Inertia, Link, LoopJoint, Mechanism, STANDARD_GRAVITY, Vector3)
from mbd_ros.description.records.numbers import read_numbers
from mbd_ros.description.records.poses import matrix3, read_pose
from mbd_ros.description.records.report import Report, tag_name
from mbd_ros.description.records.side_file import stem_of
from mbd_ros.description.records.tree import span
from mbd_ros.description.records.vocabulary import (
    AS_PUBLISHED, GENERATION, GRAVITY, GRAVITY_COMPENSATION, ROBOT)
from mbd_ros.description.urdf.annotations import read_flexibles, read_fluids
from mbd_ros.description.urdf.contacts import read_contacts
from mbd_ros.description.urdf.joint import read_joint
from mbd_ros.description.urdf.joint_numbers import numbers_of
from mbd_ros.description.urdf.loops import Found, read_loops, refuse_unread
from mbd_ros.description.urdf.loops_frames import loops_of_frames
from mbd_ros.description.urdf.loops_gazebo import read_gazebo_joints
from mbd_ros.description.urdf.loops_gepetto import ClosedLoops
from mbd_ros.description.urdf.rotors import add_rotors
from mbd_ros.description.urdf.strict import check_element
from mbd_ros.description.urdf.suspicious import remark_suspicious
from mbd_ros.description.urdf.thrusters import read_thrusters
from mbd_ros.description.write.loops import loop_element, spring_element
from mbd_ros.description.xml.xml_tree import as_text

VERSIONS = ('1.0', '1.1', '1.2')


def read_urdf(robot: Any, report: Report, *,
              side: tuple[bytes, str] | None = None,
              further: tuple[bytes, str] | None = None) -> Mechanism:
    """
    Read a robot from URDF 1.0 to 1.2.

    Parameters
    ----------
    robot : lxml element
        The ``<robot>``.
    report : Report
        Knows the file; takes the findings.
    side : (bytes, str), optional
        Content and path of the YAML file beside the description that closes its loops.
    further : (bytes, str), optional
        The same of a file that says ``closed_loop``, where there is no other.

    Returns
    -------
    Mechanism
        Links and joints in the order of the file, and what there is to remark.

    Raises
    ------
    DescriptionError
        If the document is not the description of one robot; with file, line and name.
    UnsupportedError
        If it has something that this version cannot do.

    """
    _check_root(robot, report)
    check_element(robot, ROBOT, report)
    refuse_unread(robot, report)
    remark_suspicious(robot, report)
    closed = None if further is None else ClosedLoops(*further, report)
    if closed is not None:
        closed.change_joints(robot)
    add_rotors(robot, report)
    numbers = numbers_of(robot)
    links = tuple(_read_link(element, raw, report)
                  for element, raw in zip(robot.findall('link'), numbers.links))
    joints = tuple(read_joint(element, raw, report)
                   for element, raw in zip(robot.findall('joint'), numbers.joints))
    tree = span(links, joints, report, driven=_driven(robot))
    found = read_loops(robot, report)
    read_gazebo_joints(robot, tree, found, report)
    if side is not None:
        _add_side_file(robot, side, found, report)
    more: list[LoopJoint] = []
    if closed is not None:
        more.extend(closed.loop_joints(robot))
        closed.remark_unused()
    more.extend(loops_of_frames(links, tree.joints, (*found.loop_joints, *more), report))
    found.loop_joints.extend(more)
    robot.extend(map(loop_element, more))
    loop_joints = (*tree.closing, *found.loop_joints)
    contacts, thrusters = read_contacts(robot, report), read_thrusters(robot, report)
    fluids, flexibles = read_fluids(robot, report), read_flexibles(
        robot, links, joints, (*loop_joints, *found.springs, *contacts, *thrusters), report)
    check_loops(loop_joints, found.springs, links, tree.joints, report)
    check_inertias(links, report, as_published={
        element.get('name', '') for element in robot.findall('link')
        if element.find(f"inertial[@{AS_PUBLISHED}='true']") is not None})
    return Mechanism(_name(robot, report), tree.root, links, tree.joints, tuple(report.findings),
                     report.file, as_text(robot), loop_joints, tuple(found.springs),
                     _read_generation(robot, report), fluids, flexibles, contacts, thrusters,
                     _read_gravity(robot, report))


def _driven(robot: Any) -> set[str]:
    """Return the names of the joints that transmissions and ros2_control drive."""
    return {joint.get('name', '') for way in ('transmission/joint', 'ros2_control/joint')
            for joint in robot.findall(way)}


def _read_generation(robot: Any, report: Report) -> int:
    text = robot.get(GENERATION, '0')
    if not text.isdecimal() or not text.isascii() or len(text) > 18:
        raise report.error(f'mbd:generation="{text}" of <robot>; allowed: a whole number',
                           report.source(robot))
    return int(text)


def _read_gravity(robot: Any, report: Report) -> Vector3:
    if robot.get(GRAVITY) is None:
        return STANDARD_GRAVITY
    x, y, z = read_numbers(robot, GRAVITY, 3, report)
    return x, y, z


def _name(robot: Any, report: Report) -> str:
    """Return the name of the robot; one without is named after its file."""
    name: str = robot.get('name', '').strip()
    if not name:
        name = stem_of(Path(report.file.removesuffix(' (expanded)'))).strip('<>')
        report.remark('warning', f"<robot> has no name; it is called '{name}' after its file",
                      report.source(robot))
    return name


def _add_side_file(robot: Any, side: tuple[bytes, str], found: Found, report: Report) -> None:
    """Add what a side file holds to the records, and to the description that is passed on."""
    data, file = side
    inner = Report(file)
    from mbd_ros.description.urdf.loops_yaml import read_loops_yaml
    more = read_loops_yaml(data, inner)
    report.remark('info', f'{len(more.loop_joints)} loop joints and {len(more.springs)} springs '
                  'are read from this file beside the description', Source(file))
    report.findings.extend(inner.findings)
    found.loop_joints.extend(more.loop_joints)
    found.springs.extend(more.springs)
    robot.extend([*map(loop_element, more.loop_joints), *map(spring_element, more.springs)])


def _check_root(robot: Any, report: Report) -> None:
    version = robot.get('version', '1.0')
    if version not in VERSIONS:
        report.remark('warning', f"the URDF version '{version}' is unknown; it is read as "
                      f'{VERSIONS[-1]}', report.source(robot))
    for element in robot.iter('*'):
        if (element.prefix or element.tag.partition(':')[0]) == 'xacro':
            raise report.error(
                f'<{tag_name(element)}> is not URDF but xacro, which is expanded in files that '
                'are named *.xacro or *.urdf', report.source(element))


def _read_link(element: Any, raw: Any, report: Report) -> Link:
    inertial = element.find('inertial')
    inertia = None
    if inertial is not None:
        pose = read_pose(inertial.find('origin'), raw.inertial.origin, report)
        rotation = np.array(pose.rotation)
        tensor = rotation @ raw.inertial.inertia @ rotation.T
        inertia = Inertia(raw.inertial.mass, pose.translation,
                          matrix3(0.5 * (tensor + tensor.T) + 0.0), report.source(inertial))
    return Link(element.get('name'), inertia, report.source(element),
                _gravity_compensation(element, report))


def _gravity_compensation(element: Any, report: Report) -> float:
    part = element.find(GRAVITY_COMPENSATION)
    return 0.0 if part is None else read_numbers(part, 'value', 1, report)[0]
