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

"""Elements of a URDF without influence on the equations, kept for writing it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.description.records.report import Report, TEXT
from mbd_ros.description.xml.xml_tree import parse_xml

SHAPES = ('visual', 'collision')
OTHERS = ('material', 'transmission', 'ros2_control', 'gazebo')


def kept_shapes(mechanism: Mechanism) -> Mapping[str, list[Any]]:
    """Return the ``<visual>`` and ``<collision>`` elements of a robot by the name of the link."""
    return {link.get('name'): [part for part in link if part.tag in SHAPES]
            for link in _parsed(mechanism).findall('link')}


def kept_elements(mechanism: Mechanism) -> list[Any]:
    """Return the children of ``<robot>`` that are for other programs and describe no joint."""
    return [element for element in _parsed(mechanism)
            if element.tag in OTHERS and element.find('joint[@type]') is None]


def _parsed(mechanism: Mechanism) -> Any:
    return parse_xml(mechanism.text.encode() or b'<robot/>', Report(mechanism.file or TEXT))
