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

"""Robots as URDF text with one element per line, so that tests can tell the lines."""

from __future__ import annotations

LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def robot(*parts: str, attributes: str = '') -> str:
    """Return a robot; part k, counted from 0, begins in line k + 2."""
    return '\n'.join((f'<robot name="r"{attributes}>', *parts, '</robot>'))


def link(name: str, mass: float | str = 1.0, center: str = '0 0 0',
         moments: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> str:
    """Return a link in one line."""
    x, y, z = moments
    return (f'<link name="{name}"><inertial><origin xyz="{center}"/><mass value="{mass}"/>'
            f'<inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="0" ixz="0" iyz="0"/></inertial></link>')


def bare(name: str) -> str:
    """Return a link without inertia."""
    return f'<link name="{name}"/>'


def joint(name: str, kind: str, parent: str, child: str, inside: str | None = None) -> str:
    """Return a joint in one line; what stands inside is a z axis and limits by default."""
    if inside is None:
        inside = '<axis xyz="0 0 1"/>' + (LIMIT if kind in ('revolute', 'prismatic') else '')
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/>'
            f'<child link="{child}"/>{inside}</joint>')


def one_joint(inside: str | None = None, kind: str = 'revolute') -> str:
    """Return a robot whose joint 'j', in line 4, moves link 'arm'."""
    return robot(bare('base'), link('arm'), joint('j', kind, 'base', 'arm', inside),
                 attributes=' xmlns:mbd="urn:mbd_ros"')


def on_platform(text: str) -> str:
    """Return a robot whose link ``base``, without inertia so far, is a platform of 5 kg."""
    platform = ('<link name="base"><inertial><mass value="5"/>'
                '<inertia ixx=".25" ixy="0" ixz="0" iyy=".25" iyz="0" izz=".25"/></inertial>')
    found = text.replace('<link name="base"/>', '<link name="base"></link>')
    assert found.count('<link name="base">') == 1
    return found.replace('<link name="base">', platform)
