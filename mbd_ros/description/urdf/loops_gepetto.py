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
The loops of a URDF in the YAML file of ``example-parallel-robots``: ``robot.yaml`` beside it.

Its ``closed_loop`` lists pairs of frames, links or joints of the URDF, that coincide
(``type: 6d``) or whose origins do (``3d``); ``joint_name`` and ``joint_type`` make other joints of
some: SPHERICAL, UJOINT_XY (two revolute ones), FIXED.

"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
import re
from typing import Any, TYPE_CHECKING

from lxml import etree

from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.mechanism import LoopJoint, LoopKind
from mbd_ros.description.records.report import Report
from mbd_ros.description.records.side_file import stem_of
from mbd_ros.description.xml.file_content import read_content, utf8_text
from mbd_ros.errors import DescriptionError

if TYPE_CHECKING:
    from mbd_ros.description.xml.yaml_tree import Node

_KEY = re.compile(rb'^closed_loop\s*:', re.MULTILINE)
_KINDS: dict[str, LoopKind] = {'3d': 'spherical', '6d': 'fixed'}
_USED = ('closed_loop', 'type', 'joint_name', 'joint_type')
_UNIVERSAL = re.compile('UJOINT_([XYZ])([XYZ])')
_AXES = {'X': '1 0 0', 'Y': '0 1 0', 'Z': '0 0 1'}
_OF_OTHER_KINDS = ('axis', 'limit', 'mimic', 'safety_controller', 'calibration')


def closed_loops_beside(path: Path) -> tuple[bytes, str] | None:
    """
    Return content and name of ``NAME.yaml`` for ``NAME.urdf`` if it says ``closed_loop``.

    ``robot.yaml`` is that of a URDF of another name, too, which is alone in its folder.
    """
    file = path.with_name(stem_of(path) + '.yaml')
    if not file.is_file():
        file = path.with_name('robot.yaml')
        if not file.is_file() or any(
                one.suffix == '.urdf' and one.name != path.name for one in path.parent.iterdir()):
            return None
    data = read_content(file)
    return (data, str(file)) if _KEY.search(data) else None


class ClosedLoops:
    """
    What such a file says; nothing of it where it cannot be read, with a finding.

    Parameters
    ----------
    data : bytes
        The YAML document.
    file : str
        Its name.
    report : Report
        Of the robot; takes the findings.

    """

    def __init__(self, data: bytes, file: str, report: Report) -> None:
        self._file, self._report = file, report
        self._entries: dict[str, Node] = {}
        from mbd_ros.description.xml.yaml_tree import parse_yaml   # few robots have such a file
        try:
            root = parse_yaml(utf8_text(data, file), Report(file))
            if not isinstance(root.value, dict):
                raise DescriptionError('the file is no mapping', file=file)
            self._entries = root.value
        except DescriptionError as error:
            self._warn(f'closed_loop of this file is not used: {error.what}', error.line)

    def change_joints(self, robot: Any) -> None:
        """Give the joints of a ``<robot>`` the types that the file says."""
        joints = {element.get('name'): element for element in robot.findall('joint')}
        for name, kind in zip(self._words('joint_name'), self._words('joint_type')):
            element, line = joints.get(name.value), name.line
            axes = _UNIVERSAL.fullmatch(str(kind.value))
            if element is None or not (axes or kind.value in ('SPHERICAL', 'FIXED')):
                self._warn(f"joint_type {kind.value} of joint '{name.value}' is not used: " + (
                    'there is no such joint' if element is None else
                    'allowed are SPHERICAL, FIXED, and UJOINT_ with two of X, Y, Z'), line)
                continue
            for part in [one for tag in _OF_OTHER_KINDS for one in element.findall(tag)]:
                element.remove(part)
            element.set('type', 'continuous' if axes else str(kind.value).lower())
            if axes:
                _in_two(element, *axes.groups())
            self._report.remark('info', f"joint '{name.value}' is {kind.value}, as this file "
                                'beside the description says', Source(self._file, line))

    def loop_joints(self, robot: Any) -> Iterator[LoopJoint]:
        """Yield the loops of a ``<robot>``."""
        links = {element.get('name'): element.get('name') for element in robot.findall('link')}
        places = {element.get('name'): element.find('child').get('link')
                  for element in robot.findall('joint')} | links
        pairs, kinds = self._list('closed_loop'), self._words('type')
        for number, pair in enumerate(pairs):
            ends = pair.value if isinstance(pair.value, list) else []
            names = [one.value for one in ends if isinstance(one.value, str)]
            kind = _KINDS.get(str(kinds[number].value).lower()) if number < len(kinds) else None
            missing = [name for name in names if name not in places]
            if len(names) != 2 or missing or kind is None:
                self._warn(f'the loop {" ".join(names)} stays open: ' + (
                    f"the robot has no link or joint '{missing[0]}'" if missing else
                    'it has no two names' if len(names) != 2 else
                    'its type is not given; allowed: 3d and 6d'), pair.line)
                continue
            yield LoopJoint('_'.join(names), kind, places[names[0]], places[names[1]],
                            source=Source(self._file, pair.line))

    def remark_unused(self) -> None:
        """Remark what else is in the file."""
        others = [key for key in self._entries if key not in _USED]
        if others:
            self._report.remark('info', f"{', '.join(others)} of this file beside the "
                                'description: not used', Source(self._file))

    def _list(self, key: str) -> list[Node]:
        node = self._entries.get(key)
        return [] if node is None or not isinstance(node.value, list) else [
            one for one in node.value if key != 'closed_loop' or isinstance(one.value, list)]

    def _words(self, key: str) -> list[Node]:
        return [one for one in self._list(key) if isinstance(one.value, str)]

    def _warn(self, message: str, line: int | None) -> None:
        self._report.remark('warning', message, Source(self._file, line))


def _in_two(element: Any, first: str, second: str) -> None:
    """Make a joint two, one after the other at the same place; a link without mass is between."""
    name, child = element.get('name'), element.find('child').get('link')
    other = deepcopy(element)
    for origin in other.findall('origin'):
        other.remove(origin)
    between = f'{name}_{first}'
    other.find('parent').set('link', between)
    for one, axis, to in ((element, first, between), (other, second, child)):
        one.set('name', f'{name}_{axis}')
        one.find('child').set('link', to)
        etree.SubElement(one, 'axis', xyz=_AXES[axis])
    element.addnext(other)
    element.addprevious(etree.Element('link', name=between))
