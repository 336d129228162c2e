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
Frames in pairs that stand for loops, as exporters of CAD leave them in a URDF.

``onshape-to-robot`` writes frames ``closing_NAME_1`` and ``closing_NAME_2`` for a mate that closes
a loop, and for a hinge ``closing_NAME_1_z`` and ``closing_NAME_2_z`` on its axis. A hinge is read;
of the others, and of ``closedloopN_A`` and ``closedloopN_B``, the kind is not written anywhere.

"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import hypot
import re

from mbd_ros.description.records.mechanism import Joint, Link, LoopJoint
from mbd_ros.description.records.report import Report

_CLOSING = re.compile('(closing_.+)_([12])')
_LETTERS = re.compile(r'(.*(?:closed_?loop|fermeture).*?)([AB])(_[36]D)?', re.IGNORECASE)
OFF_AXIS = 1e-6
"""Of the way along the axis: files give few digits."""


def loops_of_frames(links: Iterable[Link], joints: Iterable[Joint], loops: Iterable[LoopJoint],
                    report: Report) -> list[LoopJoint]:
    """
    Return the loops that frames in pairs close, and remark pairs whose loops stay open.

    Parameters
    ----------
    links, joints, loops : iterable of Link, Joint and LoopJoint
        Of the robot as it was read otherwise.
    report : Report
        Takes the findings.

    """
    carriers = {joint.child: joint for joint in joints}
    places = {joint.name: joint.child for joint in carriers.values()} | {
        link.name: link.name for link in links}
    closed = {frozenset((loop.link1, loop.link2)) for loop in loops}
    found: list[LoopJoint] = []
    for stem, sides in _pairs(places).items():
        first, second = (places[name] for name in sides)
        if first == second or frozenset((first, second)) in closed:
            continue
        closed.add(frozenset((first, second)))
        carrier = carriers.get(first)
        source = carrier.source if carrier is not None else next(
            link.source for link in links if link.name == first)
        if all(_is_on_axis(carriers.get(end), carriers.get(f'{end}_z')) for end in (first, second)
               ) and _CLOSING.fullmatch(first):
            found.append(LoopJoint(stem, 'revolute', first, second, source=source))
            report.remark('info', f"the frames '{first}' and '{second}', which have others on "
                          'their z axes, close a loop by a revolute joint, as onshape-to-robot '
                          'writes them', source)
        else:
            report.remark(
                'warning', f"the frames '{sides[0]}' and '{sides[1]}' stand for a loop; it is "
                'open, because no file says what joint closes it', source,
                'write a <loop_joint> between the two links, or a file *.loops.yaml beside the '
                'description')
    return found


def _pairs(places: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the two names of each pair, by what they have in common."""
    sides: dict[str, dict[str, str]] = {}
    for name in places:
        match = _CLOSING.fullmatch(name)
        if match:
            sides.setdefault(match[1], {})[match[2]] = name
            continue
        match = _LETTERS.fullmatch(name)
        if match:
            sides.setdefault(match[1].rstrip('_') + (match[3] or ''), {})[
                '12'['AB'.index(match[2].upper())]] = name
    return {stem: (both['1'], both['2']) for stem, both in sides.items() if len(both) == 2}


def _is_on_axis(frame: Joint | None, further: Joint | None) -> bool:
    """Return whether a frame is on the z axis of another one that is fixed to the same link."""
    if frame is None or further is None or frame.parent != further.parent or (
            frame.kind != 'fixed' or further.kind != 'fixed'):
        return False
    way = [b - a for a, b in zip(frame.origin.translation, further.origin.translation)]
    x, y, z = (sum(frame.origin.rotation[row][k] * way[row] for row in range(3))
               for k in range(3))
    return z > 0.0 and hypot(x, y) <= OFF_AXIS * z
