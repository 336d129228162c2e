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

"""Loop joints and springs in a URDF: plain, proposed to urdfdom, Drake, and ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import hypot
from typing import Any

import numpy as np

from mbd_ros.description.records.loop_joints import along, loop_kind, Unnamed
from mbd_ros.description.records.mechanism import LoopJoint, Pose, SpringDamper, Vector3
from mbd_ros.description.records.numbers import read_numbers
from mbd_ros.description.records.poses import read_placement
from mbd_ros.description.records.report import Report, tag_name
from mbd_ros.description.records.vocabulary import DRAKE, SPRING_DAMPER
from mbd_ros.description.xml.xml_tree import children
from mbd_ros.errors import UnsupportedError


_TURNED = ('revolute', 'prismatic', 'planar')
"""Kinds of loop joints with one axis."""


@dataclass
class Found:
    """What a reader of loops has found."""

    loop_joints: list[LoopJoint] = field(default_factory=list)
    springs: list[SpringDamper] = field(default_factory=list)
    names: Unnamed = field(default_factory=Unnamed)


def read_loops(robot: Any, report: Report) -> Found:
    """
    Return the loop joints and springs that stand in a ``<robot>`` as elements of their own.

    Parameters
    ----------
    robot : lxml element
        The root of the description, which has passed the strict pass.
    report : Report
        Takes the findings.

    Returns
    -------
    Found
        In the order of the file.

    Raises
    ------
    DescriptionError
        If an element cannot be read, with file, line and name.

    """
    found = Found()
    for element in children(robot):
        reader = _READERS.get(element.tag)
        if reader is not None:
            reader(element, found, report)
    return found


def refuse_unread(robot: Any, report: Report) -> None:
    """
    Refuse joints and constraints of Drake that are not read, before anything else misses them.

    Raises
    ------
    UnsupportedError
        With the element and what is read.

    """
    for element in children(robot):
        if element.tag.startswith(DRAKE) and element.tag not in _READERS:
            _refuse_others(element, report)


def _loop_joint(element: Any, found: Found, report: Report) -> None:
    source = report.source(element)
    name = element.get('name')
    kind = loop_kind(element.get('type'), f"loop joint '{name}'", source, report)
    ends = sorted(element.iterfind('*'), key=lambda end: str(end.tag))  # stable
    ends = [end for end in ends if end.tag in ('link1', 'link2')]
    if len(ends) != 2:
        raise report.error(f"loop joint '{name}' has {len(ends)} of <link1> and <link2>; allowed: "
                           'one each, or two times <link1>, as Isaac Sim documents it', source)
    distance = None
    if kind == 'distance':
        if element.get('distance') is None:
            raise report.error(f"loop joint '{name}' of type 'distance' has no attribute "
                               "'distance' [m]", source)
        distance = _positive(element, 'distance', f"loop joint '{name}'", report)
    elif element.get('distance') is not None:
        report.remark('warning', f"loop joint '{name}': the attribute 'distance' has no meaning "
                      f'for a {kind} joint and is not used', source)
    frames = [read_placement(end, report) for end in ends]
    part = element.find('axis')
    if part is not None and kind == 'universal':
        raise report.error(f"loop joint '{name}' of type 'universal' has an <axis>, and two axes; "
                           'allowed: none, with x of the first and y of the second frame along '
                           'them', report.source(part))
    if part is not None and kind not in _TURNED:
        report.remark('info', f"loop joint '{name}': <axis> has no meaning for a {kind} joint and "
                      'is not used', report.source(part))
    elif part is not None:
        axis = unit_vector(part, 'xyz', f"loop joint '{name}'", report)
        frames = [along(frame, axis) for frame in frames]
    found.loop_joints.append(LoopJoint(
        name, kind, ends[0].get('link'), ends[1].get('link'), frames[0], frames[1], distance,
        source))


def _constraint(element: Any, found: Found, report: Report) -> None:
    source = report.source(element)
    name = element.get('name')
    kind = loop_kind(element.get('type'), f"constraint '{name}'", source, report)
    if kind == 'distance':
        raise report.error(f"constraint '{name}' of type 'distance' has no place for the distance;"
                           ' allowed: <loop_joint type="distance" distance="...">', source)
    origins = [Pose() if (part := element.find(tag)) is None else read_placement(part, report)
               for tag in ('parent_origin', 'child_origin')]
    if kind in ('spherical', 'fixed'):
        for tag in ('parent_axis', 'child_axis'):
            if element.find(tag) is not None:
                report.remark('info', f"constraint '{name}': <{tag}> has no meaning for a {kind} "
                              'joint and is not used', source)
    else:
        axes = _axes(element, name, kind, report)
        which = ('x', 'y') if kind == 'universal' else ('z', 'z')
        origins = [along(*end) for end in zip(origins, axes, which)]  # type: ignore[arg-type]
    found.loop_joints.append(LoopJoint(
        name, kind, element.find('parent').get('link'), element.find('child').get('link'),
        origins[0], origins[1], source=source))


def _axes(element: Any, name: str, kind: str, report: Report) -> list[Vector3]:
    """Return the axes of both ends, each in the frame of its origin; x is URDF's default."""
    what = f"constraint '{name}'"
    axes = [unit_vector(part, 'xyz', what, report) for tag in ('parent_axis', 'child_axis')
            if (part := element.find(tag)) is not None]
    if kind == 'universal' and len(axes) < 2:
        raise report.error(f"constraint '{name}' of type 'universal' has not both <parent_axis> "
                           'and <child_axis>', report.source(element))
    if not axes:
        report.remark('info', f"{what} has no <parent_axis>; URDF's default, x, is "
                      'used', report.source(element))
        axes = [(1.0, 0.0, 0.0)]
    first, last = axes[0], axes[-1]
    if kind in ('prismatic', 'planar') and not np.allclose(first, last, rtol=0.0, atol=1e-9):
        raise report.error(f"{what} of type '{kind}' has two different axes, which "
                           'leaves open how its frames are turned; allowed: the same axis, each '
                           'in the frame of its origin', report.source(element))
    return [first, last]


def unit_vector(element: Any, attribute: str, what: str, report: Report) -> Vector3:
    """Return a vector of an attribute, scaled to 1."""
    vector = read_numbers(element, attribute, 3, report)
    length = hypot(*vector)
    if length == 0.0:
        raise report.error(f'{what}: <{tag_name(element)}> is zero; allowed: a unit vector',
                           report.source(element))
    if abs(length - 1.0) > 1e-9:
        report.remark('info', f'{what}: <{tag_name(element)}> has the length {length:.9g}; it is '
                      'scaled to 1', report.source(element))
    x, y, z = (component / length + 0.0 for component in vector)
    return x, y, z


def _drake_ball(element: Any, found: Found, report: Report) -> None:
    (body1, point1), (body2, point2) = _drake_ends(element, report)
    found.loop_joints.append(LoopJoint(
        _drake_name(element, found), 'spherical', body1, body2, Pose(translation=point1),
        Pose(translation=point2), source=report.source(element)))


def _drake_distance(element: Any, found: Found, report: Report) -> None:
    (body1, point1), (body2, point2) = _drake_ends(element, report)
    name = _drake_name(element, found)
    for tag in ('stiffness', 'damping'):
        if _drake_part(element, tag) is not None:
            report.remark('warning', f"distance constraint '{name}': its {tag} is not used; the "
                          'distance is kept exactly', report.source(element))
    distance = _positive(_drake_part(element, 'distance'), 'value',
                         f"distance constraint '{name}'", report)
    found.loop_joints.append(LoopJoint(
        name, 'distance', body1, body2, Pose(translation=point1), Pose(translation=point2),
        distance, report.source(element)))


def _drake_spring(element: Any, found: Found, report: Report) -> None:
    (body1, point1), (body2, point2) = _drake_ends(element, report)
    values = {name: 0.0 if (part := _drake_part(element, tag)) is None
              else read_numbers(part, 'value', 1, report)[0]
              for name, tag in (('length', 'free_length'), ('stiffness', 'stiffness'),
                                ('damping', 'damping'))}
    found.springs.append(SpringDamper(_drake_name(element, found), body1, body2, point1, point2,
                                      source=report.source(element), **values))


def _drake_ends(element: Any, report: Report) -> Iterator[tuple[str, Vector3]]:
    for body, point in (('A', 'p_AP'), ('B', 'p_BQ')):
        x, y, z = read_numbers(_drake_part(element, point), 'value', 3, report)
        yield _drake_part(element, f'body_{body}').get('name'), (x, y, z)


def _drake_part(element: Any, name: str) -> Any:
    """Return a part; its tag may begin with a prefix without namespace, which find() refuses."""
    tag = f'{element.tag}_{name}'
    return next((child for child in children(element) if child.tag == tag), None)


def _drake_name(element: Any, found: Found) -> str:
    """Return the name, which Drake's elements do not need to have."""
    return element.get('name') or found.names.new(local_name(element))


def local_name(element: Any) -> str:
    """Return the tag without prefix and namespace."""
    tag: str = element.tag
    return tag.rpartition('}')[2].rpartition(':')[2]


def _refuse_others(element: Any, report: Report) -> None:
    name = local_name(element)
    if name == 'joint':
        raise UnsupportedError(
            f"<{tag_name(element)}> '{element.get('name', '')}' of type "
            f"'{element.get('type', '')}'",
            'write it as <joint>, whose types are planar, spherical, floating and those with one '
            'axis; a universal joint is two revolute ones',
            source=report.source(element))
    if name.endswith('_constraint') or name == 'linear_bushing_rpy':
        raise UnsupportedError(
            f'<{tag_name(element)}>',
            'allowed of Drake: ball_constraint, distance_constraint, linear_spring_damper; remove '
            'it to load the robot without it',
            source=report.source(element))


def _spring_damper(element: Any, found: Found, report: Report) -> None:
    first, second = element.find('link1'), element.find('link2')
    points: list[Vector3] = []
    for end in (first, second):
        x, y, z = (read_numbers(end, 'xyz', 3, report) if end.get('xyz') is not None
                   else (0.0, 0.0, 0.0))
        points.append((x, y, z))
    values = {name: read_numbers(element, name, 1, report)[0]
              for name in ('stiffness', 'damping', 'length', 'slack')
              if element.get(name) is not None}
    found.springs.append(SpringDamper(
        element.get('name'), first.get('link'), second.get('link'), points[0], points[1],
        source=report.source(element), **values))


def _positive(element: Any, attribute: str, what: str, report: Report) -> float:
    (value,) = read_numbers(element, attribute, 1, report)
    if value <= 0.0:
        raise report.error(f'{what}: the distance is {value:.9g} m; allowed: more than 0, or a '
                           'spherical joint', report.source(element))
    return value


_READERS: dict[str, Callable[[Any, Found, Report], None]] = {
    'loop_joint': _loop_joint, 'constraint': _constraint, SPRING_DAMPER: _spring_damper,
    **{f'{prefix}{tag}': reader for prefix in DRAKE for tag, reader in (
        ('ball_constraint', _drake_ball), ('distance_constraint', _drake_distance),
        ('linear_spring_damper', _drake_spring))}}
