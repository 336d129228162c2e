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

"""The kinematics in a URDF: links, joints and where they are."""

from __future__ import annotations

import math
from typing import NamedTuple

from lxml import etree
from rosless_tools.geometry import Displacement
from rosless_tools.geometry import Vector
from rosless_tools.rotations import from_rpy

TYPES = ('revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar')
DEFAULT_AXIS: Vector = (1.0, 0.0, 0.0)


class UrdfError(Exception):
    """The robot description cannot be used."""


class Mimic(NamedTuple):
    """A joint follows another one: position = multiplier * its position + offset."""

    joint: str
    multiplier: float
    offset: float


class Joint(NamedTuple):
    """
    A joint.

    Attributes
    ----------
    name, type, parent, child : str
        As in the file.
    origin : Displacement
        Frame of the joint in that of the parent link.
    axis : tuple of float
        Unit vector in the frame of the joint.
    mimic : Mimic or None
        The joint it follows.

    """

    name: str
    type: str
    parent: str
    child: str
    origin: Displacement
    axis: Vector
    mimic: Mimic | None


class Robot(NamedTuple):
    """
    A robot.

    Attributes
    ----------
    name, root : str
        Names of the robot and of its root link.
    joints : dict
        Joints of the tree by name, in the order of the file.
    remarks : tuple of str
        What was left out.

    """

    name: str
    root: str
    joints: dict[str, Joint]
    remarks: tuple[str, ...]


def parse_urdf(text: str) -> Robot:
    """
    Return the kinematics of a robot.

    Parameters
    ----------
    text : str
        The URDF.

    Raises
    ------
    UrdfError
        If the text is empty, no XML, no URDF, or does not describe one tree of links.

    """
    if not text.strip():
        raise UrdfError('robot_description parameter must not be empty')
    try:
        root = etree.fromstring(text.strip().encode(), etree.XMLParser(
            encoding='utf-8', resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        start = text.strip().splitlines()[0][:60]
        hint = '' if start.startswith('<') else \
            '; robot_description holds the XML text itself, not the path of a file'
        raise UrdfError(
            f"robot_description is not valid XML: {error} (it begins with '{start}'{hint})"
        ) from error
    for element in root.iter('*'):  # a namespace of the whole document counts for nothing
        if element.prefix is None:
            element.tag = etree.QName(element).localname
    if root.tag != 'robot':
        raise UrdfError(f'robot_description: the root element is <{root.tag}>, expected <robot>')
    links = [_attribute(link, 'name') for link in root.findall('link')]
    for name in links:
        if links.count(name) > 1:
            raise UrdfError(f"robot_description: link '{name}' is defined twice")
    if not links:
        raise UrdfError('robot_description: there is no link')
    joints: dict[str, Joint] = {}
    parents: dict[str, str] = {}
    remarks: list[str] = []
    for element in root.findall('joint'):
        joint = _joint(element, set(links))
        if joint.name in joints:
            raise _error(element, f"joint '{joint.name}' is defined twice")
        if joint.child in parents:
            remarks.append(f"joint '{joint.name}' closes a loop (link '{joint.child}' already has "
                           f"the parent '{parents[joint.child]}'): it is not used")
            continue
        parents[joint.child] = joint.parent
        joints[joint.name] = joint
    roots = [name for name in links if name not in parents]
    if len(roots) != 1:
        found = ', '.join(f"'{name}'" for name in roots) or 'none'
        raise UrdfError('robot_description: the links must form one tree with one root link, '
                        f'found {len(roots)} roots: {found}')
    _check_mimic(joints)
    return Robot(root.get('name', ''), roots[0], joints, tuple(remarks))


def _check_mimic(joints: dict[str, Joint]) -> None:
    for joint in joints.values():
        seen, current = {joint.name}, joint
        while current.mimic is not None:
            followed = joints.get(current.mimic.joint)
            if followed is None:
                raise UrdfError(f"robot_description: joint '{current.name}' mimics "
                                f"'{current.mimic.joint}', which is not a joint")
            if followed.name in seen:
                raise UrdfError(f"robot_description: joint '{joint.name}' mimics itself")
            seen.add(followed.name)
            current = followed


def _joint(element: etree._Element, links: set[str]) -> Joint:
    name = _attribute(element, 'name')
    kind = _attribute(element, 'type')
    if kind not in TYPES:
        raise _error(element, f"joint '{name}' has the unknown type '{kind}', "
                     f"expected one of: {', '.join(TYPES)}")
    ends = []
    for tag in ('parent', 'child'):
        end = element.find(tag)
        if end is None:
            raise _error(element, f"joint '{name}' has no <{tag}>")
        link = _attribute(end, 'link')
        if link not in links:
            raise _error(end, f"joint '{name}': its {tag} link '{link}' is not defined")
        ends.append(link)
    mimic = None
    found = element.find('mimic')
    if found is not None:
        mimic = Mimic(_attribute(found, 'joint'), _numbers(found, 'multiplier', (1.0,))[0],
                      _numbers(found, 'offset', (0.0,))[0])
    axis = None if kind in ('fixed', 'floating') else element.find('axis')  # as urdfdom has it
    return Joint(name, kind, ends[0], ends[1], _origin(element.find('origin')),
                 _axis(axis, name), mimic)


def _origin(element: etree._Element | None) -> Displacement:
    if element is None:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
    x, y, z = _numbers(element, 'xyz', (0.0, 0.0, 0.0))
    if element.get('quat_xyzw') is not None:
        a, b, c, d = _numbers(element, 'quat_xyzw', (0.0, 0.0, 0.0, 1.0))
        length = math.hypot(a, b, c, d)
        if length == 0.0:
            raise _error(element, 'quat_xyzw must not be zero')
        return (x, y, z), (a / length, b / length, c / length, d / length)
    roll, pitch, yaw = _numbers(element, 'rpy', (0.0, 0.0, 0.0))
    return (x, y, z), from_rpy(roll, pitch, yaw)


def _axis(element: etree._Element | None, joint: str) -> Vector:
    if element is None:
        return DEFAULT_AXIS
    x, y, z = _numbers(element, 'xyz', DEFAULT_AXIS)
    length = math.hypot(x, y, z)
    if length == 0.0:
        raise _error(element, f"joint '{joint}': its axis must not be zero")
    return x / length, y / length, z / length


def _attribute(element: etree._Element, name: str) -> str:
    value = element.get(name)
    if not value:
        raise _error(element, f"<{element.tag}> has no attribute '{name}'")
    return str(value)


def _numbers(
    element: etree._Element, name: str, default: tuple[float, ...],
) -> tuple[float, ...]:
    text = element.get(name)
    if text is None:
        return default
    try:
        values = tuple(float(word) for word in text.split())
    except ValueError:
        values = ()
    if len(values) != len(default) or not all(map(math.isfinite, values)):
        raise _error(element, f'{name}="{text}" of <{element.tag}>: expected {len(default)} '
                     f"finite number{'s'[:len(default) > 1]}")
    return values


def _error(element: etree._Element, message: str) -> UrdfError:
    return UrdfError(f'robot_description, line {element.sourceline}: {message}')
