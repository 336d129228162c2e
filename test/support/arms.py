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

"""Arms as they are sold, from their Denavit-Hartenberg tables, with links that are plain rods."""

import math
from typing import NamedTuple

RADIUS = 0.04
"""Of a link that is a rod [m]."""


class Axis(NamedTuple):
    """A joint, and the link behind it, by Denavit and Hartenberg's distal convention."""

    a: float
    alpha: float
    d: float
    mass: float
    top: float
    effort: float
    low: float = -math.inf
    high: float = math.inf
    slides: bool = False
    slim: float = 0.0   # radius of a rod, whose inertia it has about its own line, too [m]


TURN, QUARTER = 2.0 * math.pi, 0.5 * math.pi
ARMS = {
    # The UR5e's published table, masses, speeds and torques: three parallel axes, an offset wrist.
    'offset_wrist': (
        Axis(0.0, QUARTER, 0.1625, 3.761, math.pi, 150.0, -TURN, TURN),
        Axis(-0.425, 0.0, 0.0, 8.058, math.pi, 150.0, -TURN, TURN),
        Axis(-0.3922, 0.0, 0.0, 2.846, math.pi, 150.0, -math.pi, math.pi),
        Axis(0.0, QUARTER, 0.1333, 1.37, math.pi, 28.0, -TURN, TURN),
        Axis(0.0, -QUARTER, 0.0997, 1.3, math.pi, 28.0, -TURN, TURN),
        Axis(0.0, 0.0, 0.0996, 0.365, math.pi, 28.0, -TURN, TURN)),
    # The xArm 6's: an elbow and a wrist that are offset, narrow limits.
    'narrow': (
        Axis(0.0, -QUARTER, 0.267, 2.177, math.pi, 50.0, -TURN, TURN),
        Axis(0.28949, 0.0, 0.0, 2.011, math.pi, 50.0, -2.059, 2.0944),
        Axis(0.0775, -QUARTER, 0.0, 1.725, math.pi, 32.0, -3.927, 0.19198),
        Axis(0.0, QUARTER, 0.3425, 1.211, math.pi, 32.0, -TURN, TURN),
        Axis(0.076, -QUARTER, 0.0, 1.206, math.pi, 32.0, -1.69297, math.pi),
        Axis(0.0, 0.0, 0.097, 0.17, math.pi, 20.0, -TURN, TURN)),
    # The LBR iiwa 7's: seven axes, shoulder and wrist are spherical.
    'seven': tuple(
        Axis(0.0, alpha, d, mass, top, 100.0, -high, high) for alpha, d, mass, top, high in (
            (-QUARTER, 0.34, 3.4, 1.71, 2.967), (QUARTER, 0.0, 3.5, 1.71, 2.094),
            (QUARTER, 0.4, 4.0, 1.745, 2.967), (-QUARTER, 0.0, 2.7, 2.269, 2.094),
            (-QUARTER, 0.4, 1.7, 2.443, 2.967), (QUARTER, 0.0, 1.8, 3.142, 2.094),
            (0.0, 0.126, 0.3, 3.142, 3.054))),
    # The Gen3's lengths and masses: links are slim, and four joints have no limit.
    'slim': tuple(
        Axis(0.0, alpha, d, mass, top, effort, -high, high, slim=0.02)
        for alpha, d, mass, top, effort, high in (
            (-QUARTER, 0.2848, 1.377, 1.396, 39.0, math.inf),
            (QUARTER, -0.0118, 1.164, 1.396, 39.0, 2.24),
            (QUARTER, -0.4208, 1.164, 1.396, 39.0, math.inf),
            (-QUARTER, -0.0128, 0.930, 1.396, 39.0, 2.57),
            (-QUARTER, -0.3143, 0.678, 1.222, 9.0, math.inf),
            (QUARTER, 0.0, 0.678, 1.222, 9.0, 2.09),
            (0.0, -0.1674, 0.364, 1.222, 9.0, math.inf))),
    # A SCARA of common size; the third axis slides.
    'scara': (
        Axis(0.325, 0.0, 0.3, 6.0, 5.0, 80.0, -2.4, 2.4),
        Axis(0.225, math.pi, 0.0, 4.0, 6.0, 50.0, -2.6, 2.6),
        Axis(0.0, 0.0, 0.0, 1.0, 1.0, 150.0, 0.0, 0.2, slides=True),
        Axis(0.0, 0.0, 0.05, 0.3, 20.0, 5.0, -TURN, TURN))}
READY = {'offset_wrist': (0.0, -1.57, 1.57, -1.57, -1.57, 0.0),
         'narrow': (0.0, -1.8, -3.0, 0.0, 1.2, 0.0),
         'seven': (0.0, 0.5, 0.0, -1.4, 0.0, 1.0, 0.0), 'scara': (0.4, 1.6, 0.1, 0.0),
         'slim': (0.0, -0.26, math.pi, -2.27, 0.0, -0.96, 0.0)}
"""A posture of each from which it can go in any direction."""


def arm(name: str) -> str:
    """Return the URDF of one of ``ARMS``; its last link is ``tool``."""
    parts, origin = [f'<robot name="{name}"><link name="base"/>'], '<origin xyz="0 0 0"/>'
    parent = 'base'
    for k, axis in enumerate(ARMS[name]):
        length = math.hypot(axis.a, axis.d)
        across = axis.mass * (length**2 / 12.0 + RADIUS**2)
        along = 0.5 * axis.mass * axis.slim**2 if axis.slim else across
        kind = ('prismatic' if axis.slides else
                'continuous' if math.isinf(axis.high) else 'revolute')
        limits = '' if kind == 'continuous' else f'lower="{axis.low}" upper="{axis.high}"'
        parts.append(
            f'<joint name="j{k}" type="{kind}"><parent link="{parent}"/><child link="l{k}"/>'
            f'{origin}<axis xyz="0 0 1"/>'
            f'<limit velocity="{axis.top}" effort="{axis.effort}" {limits}/></joint>'
            f'<link name="l{k}"><inertial><origin xyz="{0.5 * axis.a} 0 {0.5 * axis.d}"/>'
            f'<mass value="{axis.mass}"/><inertia ixx="{across}" iyy="{across}" izz="{along}" '
            'ixy="0" ixz="0" iyz="0"/></inertial></link>')
        origin = f'<origin xyz="{axis.a} 0 {axis.d}" rpy="{axis.alpha} 0 0"/>'
        parent = f'l{k}'
    return '\n'.join([*parts, f'<joint name="flange" type="fixed"><parent link="{parent}"/>'
                      f'<child link="tool"/>{origin}</joint><link name="tool"/></robot>'])
