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

"""What is read as it stands in a URDF and rarely meant: angles in degrees, and the like."""

from __future__ import annotations

from math import tau
from typing import Any

from mbd_ros.description.records.numbers import numbers_in
from mbd_ros.description.records.report import owner, Report, tag_name

MOST_ANGLE = tau + 0.01
"""[rad]: one turn, rounded."""

_TRUE, _FALSE = ('true', '1'), ('false', '0')
SPRING = 'the spring is not in the equations; <mbd:spring stiffness="{}"/> in the joint is'
_NOT_READ = {
    'springStiffness': SPRING, 'springReference': '', 'spring_stiffness': SPRING,
    'dampingFactor': 'the damping of the link is not in the equations',
    'provideFeedback': '', 'initial_joint_position': ''}
"""Parts of ``<gazebo reference>`` that Gazebo moves the robot by, and what to say of them."""


def remark_suspicious(robot: Any, report: Report) -> None:
    """
    Remark angles beyond a turn, and what Gazebo would move the robot by.

    Parameters
    ----------
    robot : lxml element
        The ``<robot>``, which has passed the strict pass.
    report : Report
        Takes the findings.

    """
    for element in robot.iter('*'):
        text = element.get('rpy')
        angles = () if text is None else numbers_in(text, 3)
        if not isinstance(angles, str) and any(abs(angle) > MOST_ANGLE for angle in angles):
            report.remark('warning', f'{owner(element)}rpy="{text}" of <{tag_name(element)}> is '
                          'more than a turn', report.source(element),
                          'angles are radians: 90 degrees are 1.5707963267948966')
    for gazebo in robot.iterfind('gazebo'):
        name = gazebo.get('reference', '').strip()
        for part in gazebo.iterchildren('*') if name else ():
            value = (part.text or part.get('value') or '').strip()
            if (part.tag == 'gravity' and value.lower() in _FALSE) or (
                    part.tag == 'turnGravityOff' and value.lower() in _TRUE):
                what = ('gravity acts on the link all the same; <mbd:gravity_compensation '
                        'value="1"/> in the link takes its weight off')
            else:
                what = _NOT_READ.get(part.tag, '').format(value)
            if what and value not in ('0', '0.0'):
                report.remark('warning', f"<gazebo reference='{name}'>: <{part.tag}>{value}"
                              f'</{part.tag}> is not used: {what}', report.source(part))
