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

"""``<mbd:contact>``: where a link touches the ground."""

from __future__ import annotations

from typing import Any

from mbd_ros.description.records.mechanism import ContactBody, Vector3
from mbd_ros.description.records.numbers import read_numbers
from mbd_ros.description.records.report import Report
from mbd_ros.description.records.vocabulary import CONTACT


def read_contacts(robot: Any, report: Report) -> tuple[ContactBody, ...]:
    """
    Return where the links of a URDF touch the ground.

    Raises
    ------
    DescriptionError
        If a number is negative, or the stiffness or the slip speed zero.

    """
    return tuple(_contact(link.get('name'), element, report) for link in robot.iterfind('link')
                 for element in link.iterfind(CONTACT))


def _contact(link: str, element: Any, report: Report) -> ContactBody:
    points: list[Vector3] = []
    radii = []
    for point in element.iterfind('point'):
        x, y, z = read_numbers(point, 'xyz', 3, report)
        points.append((x, y, z))
        radii.append(_number(link, point, 'radius', 0.0, report))
    values = {tag: _number(link, part, 'value', 0.0, report, what=tag)
              for tag in ('stiffness', 'damping', 'friction')
              if (part := element.find(tag)) is not None}
    friction = element.find('friction')
    if friction is not None:
        values['slip_speed'] = _number(link, friction, 'slip_speed', 0.01, report)
    for name in ('stiffness', 'slip_speed'):
        if values.get(name) == 0.0:
            raise report.error(f"link '{link}': <mbd:contact> has the {name} 0; allowed: more "
                               'than 0', report.source(element))
    return ContactBody(link, tuple(points), tuple(radii), source=report.source(element), **values)


def _number(link: str, element: Any, name: str, default: float, report: Report, *,
            what: str = '') -> float:
    """Return a number that is not negative."""
    value = default if element.get(name) is None else read_numbers(element, name, 1, report)[0]
    if value < 0.0:
        raise report.error(f"link '{link}': <mbd:contact> has the {what or name} {value:.9g}; "
                           'allowed: 0 or more', report.source(element))
    return value
