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

"""From the text of a URDF to a model, against the readers of others, all imported before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import io

from lxml import etree
import pinocchio as pin
from yourdfpy import URDF

from benchmarks.robots import cases
from benchmarks.timing import interleaved
import mbd_ros

BODIES = 30


def chain(count: int = BODIES) -> str:
    """Return a chain of revolute joints as URDF text, with shapes to be drawn."""
    robot = etree.Element('robot', name='chain')
    for i in range(count + 1):
        link = etree.SubElement(robot, 'link', name=f'link{i}')
        inertial = etree.SubElement(link, 'inertial')
        etree.SubElement(inertial, 'origin', xyz='0.1 0.02 0.03', rpy='0.1 0.2 0.3')
        etree.SubElement(inertial, 'mass', value='1.5')
        etree.SubElement(inertial, 'inertia', ixx='0.1', ixy='0', ixz='0', iyy='0.12', iyz='0',
                         izz='0.08')
        geometry = etree.SubElement(etree.SubElement(link, 'visual'), 'geometry')
        etree.SubElement(geometry, 'box', size='0.2 0.1 0.1')
    for i in range(count):
        joint = etree.SubElement(robot, 'joint', name=f'joint{i}', type='revolute')
        etree.SubElement(joint, 'origin', xyz='0.2 0 0.1', rpy='0.3 0.1 0')
        etree.SubElement(joint, 'parent', link=f'link{i}')
        etree.SubElement(joint, 'child', link=f'link{i + 1}')
        etree.SubElement(joint, 'axis', xyz='0 0 1')
        etree.SubElement(joint, 'limit', lower='-2', upper='2', effort='10', velocity='3')
        etree.SubElement(joint, 'dynamics', damping='0.1')
    return etree.tostring(robot, encoding='unicode')


def readers() -> dict[str, Callable[[str], object]]:
    """Return what reads a robot from its text, by name."""
    return {
        'mbd_ros': mbd_ros.load,
        'yourdfpy': lambda text: URDF.load(io.BytesIO(text.encode()), build_scene_graph=False,
                                           load_meshes=False),
        'Pinocchio': pin.buildModelFromXML,
    }


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    names = list(readers())
    yield f'| robot | {" | ".join(f"{name} [ms]" for name in names)} |'
    yield '|---|' + '---|' * len(names)
    for name, text in [(f'chain of {BODIES} bodies', chain()),
                       *((case.name, case.text) for case in cases())]:
        times = interleaved({reader: (read, (text,)) for reader, read in readers().items()},
                            rounds=11, seconds=0.02, fewest=1)
        values = ' | '.join(f'{times[reader].median / 1000.0:.2f}' for reader in names)
        yield f'| {name} | {values} |'
