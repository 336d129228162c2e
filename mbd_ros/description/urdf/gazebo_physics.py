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


"""What a URDF says for Gazebo that enters the equations: springs, and links without weight."""

from __future__ import annotations

from typing import Any

from lxml import etree

from mbd_ros.description.records.numbers import numbers_in
from mbd_ros.description.records.report import Report
from mbd_ros.description.records.vocabulary import GRAVITY_COMPENSATION, NAMESPACE, SPRING

WORDS = {'springStiffness': 'stiffness', 'springReference': 'reference'}
_MOVES = ('revolute', 'continuous', 'prismatic')
_TRUE, _FALSE = ('true', '1'), ('false', '0')


def add_gazebo_physics(robot: Any, report: Report) -> None:
    """
    Add springs of joints, and what takes off the weight of links on which no gravity acts.

    Parameters
    ----------
    robot : lxml element
        The ``<robot>``, which has passed the strict pass.
    report : Report
        Takes the findings.

    Raises
    ------
    DescriptionError
        If a number is none.

    """
    _add_springs(robot, report)
    links = {link.get('name'): link for link in robot.findall('link')}
    off: dict[str, bool] = {}
    for gazebo in robot.iterfind('gazebo'):
        name = gazebo.get('reference', '').strip()
        for part in gazebo.iterchildren('*') if name in links else ():
            value = (part.text or part.get('value') or '').strip().lower()
            if part.tag in ('gravity', 'turnGravityOff') and value in (*_TRUE, *_FALSE):
                off[name] = value in (_FALSE if part.tag == 'gravity' else _TRUE)
    for name in (name for name, without in off.items() if without):
        if links[name].find(GRAVITY_COMPENSATION) is None:
            etree.SubElement(links[name], GRAVITY_COMPENSATION, value='1',
                             nsmap={'mbd': NAMESPACE})


def _add_springs(robot: Any, report: Report) -> None:
    """
    Give joints the springs that ``<gazebo reference="JOINT">`` has, as ``<mbd:spring>``.

    Of several elements about a joint the last one counts, as in Gazebo's conversion to SDFormat;
    of a joint that has ``<mbd:spring>`` none does.
    """
    joints = {joint.get('name'): joint for joint in robot.findall('joint')}
    found: dict[str, dict[str, Any]] = {}
    for gazebo in robot.iterfind('gazebo'):
        name = gazebo.get('reference', '').strip()
        for part in gazebo.iterchildren('*'):
            if part.tag in WORDS and name in joints:
                found.setdefault(name, {})[part.tag] = part
    for name, parts in found.items():
        values = {}
        for tag, part in parts.items():
            numbers = numbers_in((part.text or part.get('value') or '').strip(), 1)
            if isinstance(numbers, str):
                raise report.error(f"<gazebo reference='{name}'>: <{tag}> {numbers}",
                                   report.source(part))
            values[WORDS[tag]] = repr(numbers[0])
        if not float(values.get('stiffness', '0')) or joints[name].find(SPRING) is not None:
            continue   # it has none, or was read and written before
        source = report.source(parts['springStiffness'])
        if joints[name].get('type') not in _MOVES:
            report.remark('info', f"<gazebo reference='{name}'>: <springStiffness> has no meaning "
                          f"for a {joints[name].get('type')} joint and is not used", source)
            continue
        etree.SubElement(joints[name], SPRING, values, nsmap={'mbd': NAMESPACE}).sourceline = (
            source.line)
