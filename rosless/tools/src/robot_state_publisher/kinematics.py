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

"""Place of the child link of a joint in the frame of its parent link."""

from __future__ import annotations

from collections.abc import Mapping
import math

from robot_state_publisher.urdf import Joint
from robot_state_publisher.urdf import Robot
from rosless_tools.geometry import compose
from rosless_tools.geometry import Displacement

MOVING = ('revolute', 'continuous', 'prismatic')


def displacement(joint: Joint, position: float) -> Displacement:
    """
    Return the place of the child link in the parent link.

    Parameters
    ----------
    joint : Joint
        The joint.
    position : float
        Angle [rad] or distance [m]; of no effect where the joint is fixed.

    """
    x, y, z = joint.axis
    if joint.type == 'prismatic':
        return compose(joint.origin,
                       ((position * x, position * y, position * z), (0.0, 0.0, 0.0, 1.0)))
    if joint.type in MOVING:
        s, c = math.sin(position / 2), math.cos(position / 2)
        return compose(joint.origin, ((0.0, 0.0, 0.0), (s * x, s * y, s * z, c)))
    return joint.origin


def with_mimics(robot: Robot, positions: Mapping[str, float]) -> dict[str, float]:
    """
    Return positions of the moving joints, those that follow others included.

    Parameters
    ----------
    robot : Robot
        The robot.
    positions : mapping
        Names and positions; names that are no joint are left out.

    """
    known = {name: value for name, value in positions.items() if name in robot.joints}
    for name in robot.joints:
        value = _followed(robot, name, known)
        if value is not None:
            known[name] = value
    return {name: value for name, value in known.items() if robot.joints[name].type in MOVING}


def _followed(robot: Robot, name: str, known: Mapping[str, float]) -> float | None:
    mimic = robot.joints[name].mimic
    if mimic is None:
        return known.get(name)
    value = _followed(robot, mimic.joint, known)
    return None if value is None else mimic.multiplier * value + mimic.offset
