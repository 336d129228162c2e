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
The inertia of motors' rotors that ``<transmission>`` elements of a URDF give.

``motorInertia`` by ``mechanicalReduction`` squared, as ros_control's files have it, and Drake's
``drake:rotor_inertia`` by ``drake:gear_ratio`` squared.

"""

from __future__ import annotations

from typing import Any

from lxml import etree

from mbd_ros.description.records.numbers import numbers_in
from mbd_ros.description.records.report import Report
from mbd_ros.description.records.vocabulary import ARMATURE, DRAKE, NAMESPACE

_INERTIA, _RATIO = ('motorInertia', 'rotor_inertia'), (
    'mechanicalReduction', 'mechanical_reduction', 'gear_ratio')
MOVES = ('revolute', 'continuous', 'prismatic')


def add_rotors(robot: Any, report: Report) -> None:
    """
    Give joints of a ``<robot>`` the ``<mbd:armature>`` of their transmissions, or remark these.

    Parameters
    ----------
    robot : lxml element
        The ``<robot>``, which has passed the strict pass; changed where ``report.rotors`` asks for
        it.
    report : Report
        Takes the findings.

    Raises
    ------
    DescriptionError
        If an inertia or a ratio is no number, or an inertia is negative.

    """
    joints = {element.get('name'): element for element in robot.iterfind('joint')}
    found: dict[str, float] = {}
    for transmission in robot.iterfind('transmission'):
        called = f"transmission '{transmission.get('name', '')}'"
        value = _number(transmission, _INERTIA, called, report)
        if not value:
            continue
        ratio = _number(transmission, _RATIO, called, report)
        names = [joint.get('name', '') for joint in transmission.iterfind('joint')]
        source = report.source(transmission)
        ratio = 1.0 if ratio is None else ratio
        if value < 0.0:
            raise report.error(f'{called}: the inertia of its rotor is {value:.9g}; allowed: 0 or '
                               'more', source)
        if not report.rotors:
            report.remark(
                'warning', f'{called} has a rotor of {value:.9g} kg m^2 behind a gear of '
                f'{ratio:.9g}, which is not used', source,
                "load(..., rotor_inertia='transmissions') adds it, --rotor-inertia of the command "
                'and rotor_inertia of launch files')
            continue
        joint = joints.get(names[0]) if len(names) == 1 else None
        if joint is None or joint.get('type') not in MOVES or joint.find(ARMATURE) is not None:
            report.remark('warning', f'{called}: its rotor is not used: ' + (
                f'it has {len(names)} joints; allowed: one' if len(names) != 1 else
                f"there is no joint '{names[0]}'" if joint is None else
                f"joint '{names[0]}' has <mbd:armature>" if joint.find(ARMATURE) is not None else
                f"joint '{names[0]}' is {joint.get('type')}"), source)
            continue
        found[names[0]] = found.get(names[0], 0.0) + value * ratio * ratio
        report.remark('info', f"{called}: joint '{names[0]}' has the inertia {value:.9g} of its "
                      f'rotor times the square of the ratio {ratio:.9g}', source)
    for name, armature in found.items():
        etree.SubElement(joints[name], ARMATURE, {'value': repr(armature)},
                         nsmap={'mbd': NAMESPACE})


def _number(transmission: Any, names: tuple[str, ...], called: str, report: Report
            ) -> float | None:
    """Return the first number that an element of these names has in a transmission."""
    for element in transmission.iter('*'):
        tag: str = element.tag
        for prefix in DRAKE:
            tag = tag.removeprefix(prefix)
        if tag not in names:
            continue
        text = (element.get('value') or element.text or '').strip()
        numbers = numbers_in(text, 1)
        if isinstance(numbers, str):
            raise report.error(f'{called}: <{tag}> {numbers}', report.source(element))
        return numbers[0]
    return None
