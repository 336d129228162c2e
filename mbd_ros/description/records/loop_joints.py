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

"""Loop joints and springs of all dialects: frames, names, checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.frames import axis_rotation
from mbd_ros.description.records.mechanism import (
    Dynamics, Joint, Link, LoopJoint, LoopKind, Matrix3, Pose, SpringDamper, Vector3)
from mbd_ros.description.records.poses import clean, matrix3
from mbd_ros.description.records.report import nearest, Report
from mbd_ros.errors import UnsupportedError

KINDS: dict[str, LoopKind] = {
    'revolute': 'revolute', 'continuous': 'revolute', 'hinge': 'revolute',
    'spherical': 'spherical', 'ball': 'spherical', 'universal': 'universal',
    'prismatic': 'prismatic', 'fixed': 'fixed', 'planar': 'planar', 'distance': 'distance'}
"""What the dialects call the kinds of joints that close loops."""

_ALONG = {'x': (2, 0, 1), 'y': (1, 2, 0), 'z': (0, 1, 2)}
"""Which columns of a frame along z are the x, y and z axis of one along another axis."""


def loop_kind(name: str | None, what: str, source: Source, report: Report) -> LoopKind:
    """Return the kind of a loop joint by the name its dialect gives it."""
    if name in KINDS:
        return KINDS[name]
    allowed = ', '.join(KINDS)
    raise report.error(f"{what} has the unknown type '{name}'; allowed: {allowed}"
                       f'{nearest(name or "", KINDS)}', source)


def along(pose: Pose, axis: Vector3, which: Literal['x', 'y', 'z'] = 'z') -> Pose:
    """
    Return a frame at the origin of another, one of its axes along a given unit vector.

    Parameters
    ----------
    pose : Pose
        The frame the vector is given in.
    axis : (3,) tuple
        Unit vector.
    which : {'x', 'y', 'z'}
        The axis that is to lie along it.

    """
    turn = axis_rotation(axis)[:, _ALONG[which]]
    return Pose(turned(pose.rotation, turn), pose.translation)


def turned(rotation: Matrix3, turn: np.ndarray) -> Matrix3:
    """Return the product of two rotations."""
    return matrix3(clean(np.array(rotation) @ turn))


def closing(joint: Joint, report: Report) -> LoopJoint:
    """
    Return the loop joint that an ordinary joint is whose child another joint carries already.

    Raises
    ------
    UnsupportedError
        If joints of its kind cannot close loops.

    """
    kind = KINDS.get(joint.kind)
    if kind is None:
        raise UnsupportedError(
            f"joint '{joint.name}', which closes a loop, as a {joint.kind} joint",
            'remove it: it leaves all motions free',
            source=joint.source)
    turns = kind in ('revolute', 'prismatic', 'planar')
    missing = [word for word, there in (('springs', joint.dynamics.springs),
                                        ('rotor inertia', joint.dynamics.armature)) if there]
    if missing:
        report.leave_out('closing', f"{' and '.join(missing)} of joint '{joint.name}', which "
                         'closes a loop and has no coordinate,', joint.source)
    if replace(joint.dynamics, series_stiffness=0.0, series_damping=0.0, armature=0.0,
               springs=()) != Dynamics():
        report.remark('warning', f"joint '{joint.name}' closes a loop: its damping and friction "
                      'are not used', joint.source)
    if joint.dynamics.series_stiffness:
        report.remark('warning', f"joint '{joint.name}' closes a loop: its <mbd:series_elastic> "
                      'is not used', joint.source)
    if joint.mimic is not None:
        report.remark('warning', f"joint '{joint.name}' closes a loop: its <mimic> is not used",
                      joint.source)
    report.remark('info', f"joint '{joint.name}' closes a loop: it has no coordinate, and its "
                  'limits are not used', joint.source)
    return LoopJoint(joint.name, kind, joint.parent, joint.child,
                     along(joint.origin, joint.axis) if turns else joint.origin,
                     along(Pose(), joint.axis) if turns else Pose(), source=joint.source)


class Unnamed:
    """Gives names to what its dialect leaves without one: ``connect_1``, ``connect_2``, ..."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def new(self, stem: str) -> str:
        """Return the next name; one that is taken already is met by ``check_loops``."""
        self._counts[stem] += 1
        return f'{stem}_{self._counts[stem]}'


def check_loops(loop_joints: Sequence[LoopJoint], springs: Sequence[SpringDamper],
                links: Sequence[Link], joints: Sequence[Joint], report: Report) -> None:
    """
    Check that loop joints and springs have names of their own and connect two links that exist.

    Joints that mimic one that does not exist, or themselves, are findings.

    Parameters
    ----------
    loop_joints, springs, links, joints : sequence of LoopJoint, SpringDamper, Link and Joint
        Of the robot.
    report : Report
        Words the errors.

    Raises
    ------
    DescriptionError
        With file, line and name.

    """
    known = {link.name for link in links}
    lines: dict[str, Source] = {joint.name: joint.source for joint in joints}
    for items, what in ((loop_joints, 'loop joint'), (springs, 'spring')):
        for item in items:
            called = f"{what} '{item.name}'"
            for link in (item.link1, item.link2):
                if link not in known:
                    raise report.error(f"{called}: link '{link}' does not exist"
                                       f'{nearest(link, known)}', item.source)
            if item.link1 == item.link2:
                raise report.error(f"{called} connects link '{item.link1}' with itself; allowed: "
                                   'two links', item.source)
            if item.name in lines:
                raise report.error(f'{called} has the name of another joint or spring, in line '
                                   f'{lines[item.name].line}; names must differ', item.source)
            lines[item.name] = item.source
    _check_mimics(joints, report)
    for spring in springs:
        for name, value in (('stiffness', spring.stiffness), ('damping', spring.damping),
                            ('length', spring.length)):
            if value < 0.0:
                raise report.error(f"spring '{spring.name}': {name}={value:.9g} is negative",
                                   spring.source)


def _check_mimics(joints: Sequence[Joint], report: Report) -> None:
    followers = {joint.name: joint for joint in joints}
    for joint in joints:
        if joint.mimic is None:
            continue
        if joint.mimic.joint not in followers:
            report.remark('warning', f"joint '{joint.name}' mimics '{joint.mimic.joint}', which "
                          f'does not exist{nearest(joint.mimic.joint, followers)}',
                          joint.mimic.source)
        elif joint.mimic.joint == joint.name:
            report.remark('warning', f"joint '{joint.name}' mimics itself", joint.mimic.source)
    _check_rings(followers, report)


def _check_rings(joints: Mapping[str, Joint], report: Report) -> None:
    """Remark joints that follow each other in a circle, which holds all of them."""
    done: set[str] = set()
    for first in joints:
        way: dict[str, None] = {}
        name = first
        while name in joints and name not in done and name not in way:
            way[name] = None
            mimic = joints[name].mimic
            name = '' if mimic is None or mimic.joint == name else mimic.joint
        if name in way:
            ring = list(way)[list(way).index(name):]
            listed = ', '.join(f"'{one}'" for one in ring[:5]) + (', ...' if ring[5:] else '')
            report.remark('warning', f'the joints {listed} mimic each other in a circle; coupled '
                          '(mimic=True) they cannot move', joints[name].source,
                          'let one of them be free')
        done.update(way)
