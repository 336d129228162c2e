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

"""``<mbd:thruster>``: propellers that push links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbd_ros.description.records.mechanism import Vector3
from mbd_ros.description.records.numbers import read_numbers
from mbd_ros.description.records.report import Report
from mbd_ros.description.records.thruster import ThrusterBody
from mbd_ros.description.records.vocabulary import THRUSTER


def read_thrusters(robot: Any, report: Report) -> tuple[ThrusterBody, ...]:
    """
    Return the thrusters on the links of a URDF.

    Raises
    ------
    DescriptionError
        If a number is not allowed, or two thrusters, or a joint, have one name.

    """
    thrusters = tuple(_thruster(link.get('name'), element, report)
                      for link in robot.iterfind('link') for element in link.iterfind(THRUSTER))
    check_thrusters(thrusters, [joint.get('name') for joint in robot.iterfind('joint')], report)
    return thrusters


def _thruster(link: str, element: Any, report: Report) -> ThrusterBody:
    origin, axis, curve, time, limit = map(
        element.find, ('origin', 'axis', 'curve', 'time_constant', 'limit'))
    point: Vector3 = (0.0, 0.0, 0.0)
    if origin is not None and origin.get('xyz') is not None:
        x, y, z = read_numbers(origin, 'xyz', 3, report)
        point = (x, y, z)
    x, y, z = read_numbers(axis, 'xyz', 3, report)
    values: dict[str, Any] = {}
    if curve is not None:
        values['curve'] = tuple(read_numbers(curve, name, 1, report)[0]
                                for name in ('forward', 'reverse'))
    if time is not None:
        values['time_constant'] = read_numbers(time, 'value', 1, report)[0]
    if limit is not None:
        values |= {name: read_numbers(limit, name, 1, report)[0] for name in ('lower', 'upper')}
    return ThrusterBody(element.get('name'), link, point, (x, y, z),
                        source=report.source(element), **values)


def check_thrusters(thrusters: Sequence[ThrusterBody], joints: Sequence[str], report: Report
                    ) -> None:
    """
    Refuse thrusters with numbers that none can have, and names that are taken.

    Commands name joints and thrusters side by side, so that all of their names differ.
    """
    taken = set(joints)
    for one in thrusters:
        what, length = f"thruster '{one.name}' of link '{one.link}'", np.linalg.norm(one.axis)
        problem = ''
        if one.name in taken:
            problem = 'has the name of another thruster or joint; allowed: a name of its own'
        elif not abs(length - 1.0) <= 1e-6:
            problem = f'has an axis of the length {length:.9g}; allowed: a unit vector'
        elif min(one.curve) < 0.0 or (min(one.curve) == 0.0) != (max(one.curve) == 0.0):
            forward, reverse = one.curve
            problem = (f'has the curve {forward:.9g}, {reverse:.9g}; allowed: thrust per square '
                       'of the speed forwards and in reverse, both more than 0')
        elif one.time_constant < 0.0:
            problem = f'has the time constant {one.time_constant:.9g}; allowed: 0 or more'
        elif not one.lower <= 0.0 <= one.upper or one.lower == one.upper:
            problem = (f'has the limits {one.lower:.9g} and {one.upper:.9g}; allowed: one below '
                       'or at 0, the other above or at 0')
        if problem:
            raise report.error(f'{what} {problem}', one.source)
        taken.add(one.name)
