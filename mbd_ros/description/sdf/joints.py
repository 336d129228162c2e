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

"""Joints of SDFormat: those of the tree, and those that close loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.loop_joints import along, loop_kind
from mbd_ros.description.records.mechanism import (
    Dynamics, Joint, JointKind, JointSpring, Limits, Link, LoopJoint, Mimic, Pose, Vector3)
from mbd_ros.description.records.poses import inverse, pose_from
from mbd_ros.description.records.report import nearest, Report
from mbd_ros.description.records.vocabulary import DRAKE
from mbd_ros.description.sdf.frames import Frames, MODEL
from mbd_ros.description.sdf.parts import limit_of, remark_others, text_of, value_of
from mbd_ros.description.urdf.loops_gazebo import text_numbers
from mbd_ros.description.xml.xml_tree import children
from mbd_ros.errors import UnsupportedError

Array = NDArray[np.float64]

_KINDS: dict[str, JointKind] = {
    'revolute': 'revolute', 'continuous': 'continuous', 'prismatic': 'prismatic',
    'fixed': 'fixed', 'ball': 'spherical', 'universal': 'revolute', 'revolute2': 'revolute',
    'screw': 'revolute', 'gearbox': 'revolute'}
_TURNS = ('revolute', 'continuous', 'prismatic', 'fixed', 'ball', 'screw')
"""Types whose joints can be turned round: they have one axis, or none."""
_AXES_OF = {'fixed': 0, 'ball': 0, 'universal': 2, 'revolute2': 2, 'gearbox': 2}

COINCIDENT = 1e-12
"""Origins closer than this [m] differ by the rounding of the poses between them."""

PARALLEL = 1e-6
"""Axes are parallel if their cosine is closer to 1: files give few digits."""

_AXES = ('axis', 'axis2')
_ROTOR, _RATIO = ([prefix + name for prefix in DRAKE] for name in ('rotor_inertia', 'gear_ratio'))
_OWN = {'screw': ('thread_pitch', 'screw_thread_pitch'),
        'gearbox': ('gearbox_ratio', 'gearbox_reference_body')}
"""What joints of a type have beside axes."""
_UNUSED = {'physics': 'it is for the simulator', 'plugin': 'plugins are not read',
           'sensor': 'sensors are not part of the mechanism'}
_STOP = 'limits are those of the position, not springs'
_IN_AXIS = {
    'limit': (('lower', 'upper', 'effort', 'velocity'), {
        'stiffness': _STOP, 'dissipation': _STOP}),
    'dynamics': (('damping', 'friction', 'spring_stiffness', 'spring_reference'), {}),
    'mimic': (('multiplier', 'offset', 'reference'), {})}
"""What is read in the parts of an axis, and what is known and not used."""


@dataclass
class RawJoint:
    """A joint as written: what it connects, and where its frame stands in both."""

    element: Any
    name: str
    type: str
    parent: str
    child: str
    in_parent: Array
    in_child: Array
    axes: list[Vector3] = field(default_factory=list)
    source: Source = Source()
    own: list[Joint] = field(default_factory=list)

    @property
    def kind(self) -> JointKind:
        """Kind of the joint, or of each of the two it consists of."""
        return _KINDS[self.type]

    @property
    def proxy(self) -> Joint:
        """Return what the spanning tree is found from: what its coordinate is needed for, too."""
        needed = (one for one in self.own if one.mimic is not None or one.limits.effort < inf
                  or one.dynamics != Dynamics())
        return replace(next(needed, self.own[0]), name=self.name)

    @property
    def closes(self) -> bool:
        """Whether it can close a loop: as a loop joint it has no coordinate and no angles."""
        if self.type == 'screw' or len(self.axes) < 2:
            return self.type != 'screw'
        return abs(float(np.dot(self.axes[0], self.axes[1]))) < PARALLEL


def read_raw(element: Any, frames: Frames, old: bool, report: Report) -> RawJoint:
    """
    Return a joint before it is known whether it closes a loop.

    Parameters
    ----------
    element : lxml element
        The ``<joint>``.
    frames : Frames
        Of the model.
    old : bool
        Whether the version, below 1.5, gives axes in the frame of the model.
    report : Report
        Takes the findings.

    Raises
    ------
    DescriptionError
        If it cannot be read, with file, line and name.
    UnsupportedError
        If its type is known and not supported.

    """
    name, source = element.get('name'), report.source(element)
    what = f"joint '{name}'"
    kind = element.get('type', '')
    if kind not in _KINDS:
        raise report.error(f"{what} has the unknown type '{kind}'; allowed: {', '.join(_KINDS)}"
                           f'{nearest(kind, _KINDS)}', source)
    ends = [text_of(element, end) for end in ('parent', 'child')]
    for end, text in zip(('parent', 'child'), ends):
        if not text:
            raise report.error(f'{what} has no <{end}>', source)
    parent, child = (frames.link(end, element) for end in ends)
    if child == 'world':
        raise report.error(f'{what} has the child world; allowed: a link', source)
    here = frames.pose(name, element)
    in_parent, in_child = (inverse(frames.pose(end, element)) @ here for end in (parent, child))
    count = _AXES_OF.get(kind, 1)
    axes = [_axis(element, tag, here, frames, old, report) for tag in _AXES[:count]]
    unused = _UNUSED | dict.fromkeys(_AXES[count:], f'a joint of type {kind} has none')
    remark_others(element, ('parent', 'child', 'pose', *_AXES[:count], *_OWN.get(kind, ()),
                            *_ROTOR, *_RATIO), unused, what, report)
    raw = RawJoint(element, name, kind, parent, child, in_parent, in_child, axes, source)
    raw.own = [_joint(raw, one, tag, axis, report) for one, tag, axis in zip(
        raw_names(raw), _AXES, axes or [(0.0, 0.0, 1.0)])]
    return raw


def raw_names(raw: RawJoint) -> list[str]:
    """Return the names of the joints of the tree that a joint becomes."""
    if raw.type == 'screw':
        return [raw.name, f'{raw.name}/slide']
    if len(raw.axes) < 2:
        return [raw.name]
    return [f'{raw.name}/axis{number + 1}' for number in range(len(raw.axes))]


def _axis(element: Any, tag: str, here: Array, frames: Frames, old: bool,
          report: Report) -> Vector3:
    """Return an axis in the frame of the joint."""
    what = f"joint '{element.get('name')}'"
    for given in element.iterfind(tag):
        remark_others(given, ('xyz', 'limit', 'dynamics', 'mimic', 'use_parent_model_frame'), {
            'initial_position': 'states are not part of the mechanism'}, what, report)
        for inner, (read, unused) in _IN_AXIS.items():
            for found in given.iterfind(inner):
                remark_others(found, read, unused, what, report)
    part = element.find(f'{tag}/xyz')
    words = (part.text or '').split() if part is not None else ['0', '0', '1']
    try:
        vector = np.array([float(word) for word in words])
    except ValueError:
        vector = np.zeros(0)
    if vector.shape != (3,) or not np.isfinite(vector).all() or not vector.any():
        raise report.error(f"{what}: <{tag}><xyz> is '{' '.join(words)[:60]}'; allowed: a "
                           'direction', report.source(element))
    given = '' if part is None else (part.get('expressed_in') or '').strip()
    in_model = old or text_of(element, f'{tag}/use_parent_model_frame') in ('1', 'true')
    if given or in_model:
        there = frames.pose(given or MODEL, element)
        vector = here[:3, :3].T @ there[:3, :3] @ vector
    x, y, z = (vector / np.linalg.norm(vector) + 0.0).tolist()
    return x, y, z


def all_reached(raws: Sequence[RawJoint], links: Sequence[Link], report: Report
                ) -> list[RawJoint]:
    """
    Return joints, some of them turned round, so that ways lead to all links that are connected.

    While a link beside the root is no joint's child, a joint that leads from a link which is not
    reached to one that is reached is turned round. The angle or way of a joint is that
    between its links, and stays what it is when they change places and the axis its sign.

    Parameters
    ----------
    raws : sequence of RawJoint
        In the order of the file.
    links : sequence of Link
        The first of those that no joint leads to is the root.
    report : Report
        Takes the findings.

    """
    found = list(raws)
    children = {raw.child for raw in found}
    roots = [link.name for link in links if link.name not in children]
    reached = _reached(roots[0], found) if len(roots) > 1 else set()
    while len(roots) > 1 and not reached.issuperset(roots):
        turned = next(((k, raw) for k, raw in enumerate(found) if raw.parent not in reached
                       and raw.child in reached and raw.type in _TURNS), None)
        if turned is None:
            return found
        number, raw = turned
        found[number] = _turned_round(raw)
        report.remark('info', f"joint '{raw.name}' is read as one from '{raw.child}' to "
                      f"'{raw.parent}', to which no way leads from the root; its coordinate " + (
                          'is the inverse rotation' if raw.kind == 'spherical' else
                          'means the same'), raw.source)
        reached = _reached(roots[0], found)
    return found


def _reached(root: str, raws: Sequence[RawJoint]) -> set[str]:
    going: dict[str, list[str]] = {}
    for raw in raws:
        going.setdefault(raw.parent, []).append(raw.child)
    seen, waiting = {root}, [root]
    while waiting:
        for child in going.get(waiting.pop(), ()):
            if child not in seen:
                seen.add(child)
                waiting.append(child)
    return seen


def _turned_round(raw: RawJoint) -> RawJoint:
    """Return a joint of one axis, or none, from its child to its parent."""
    axes: list[Vector3] = [(-x, -y, -z) for x, y, z in raw.axes]
    own = [replace(joint, parent=raw.child, child=raw.parent, origin=pose_from(raw.in_child),
                   axis=axis) for joint, axis in zip(raw.own, axes or [raw.own[0].axis])]
    return replace(raw, parent=raw.child, child=raw.parent, in_parent=raw.in_child,
                   in_child=raw.in_parent, axes=axes, own=own)


def tree_joints(raw: RawJoint, report: Report) -> tuple[list[Link], list[Joint]]:
    """
    Return the joints that carry a link, and the massless links between them.

    A joint whose frame has its origin in that of the child is one record. Else, and for two axes,
    it takes a link in between, to which the child is fixed. A screw turns, and slides along the
    same axis in proportion.
    """
    if raw.kind == 'fixed':
        return [], [Joint(raw.name, 'fixed', raw.parent, raw.child,
                          pose_from(raw.in_parent @ inverse(raw.in_child)), source=raw.source)]
    direct = np.abs(raw.in_child[:3, 3]).max() < COINCIDENT
    links: list[Link] = []
    joints: list[Joint] = []
    parent, place = raw.parent, raw.in_parent
    own = list(raw.own)
    names = raw_names(raw)
    if raw.type == 'screw':
        own.append(Joint(names[1], 'prismatic', '', '', axis=own[0].axis, mimic=Mimic(
            raw.name, _advance(raw, report), 0.0, raw.source, always=True), source=raw.source))
    for number, (name, joint) in enumerate(zip(names, own)):
        axis = joint.axis
        last = direct and number == len(own) - 1
        child = raw.child if last else f'{raw.child}/{name}'
        if last:  # the frame of the child, not of the joint
            turn = raw.in_child[:3, :3]
            place = place @ inverse(raw.in_child)
            x, y, z = (turn @ axis + 0.0).tolist()
            axis = (x, y, z)
        joints.append(replace(joint, parent=parent, child=child, origin=pose_from(place),
                              axis=axis))
        if not last:
            links.append(Link(child, source=raw.source))
        parent, place = child, np.eye(4)
    if parent != raw.child:
        joints.append(Joint(f'{raw.name}/fixed', 'fixed', parent, raw.child,
                            pose_from(inverse(raw.in_child)), source=raw.source))
    return links, joints


def _advance(raw: RawJoint, report: Report) -> float:
    """Return how far a screw moves along its axis per angle [m/rad]."""
    what = f"joint '{raw.name}'"
    if raw.element.find('screw_thread_pitch') is not None or (
            raw.element.find('thread_pitch') is None):
        return value_of(raw.element, 'screw_thread_pitch', 1.0, what, report) / (2.0 * pi)
    angle = value_of(raw.element, 'thread_pitch', 1.0, what, report)
    if angle == 0.0:
        raise report.error(f'{what}: <thread_pitch> is 0 rad/m; allowed: another number, or '
                           '<screw_thread_pitch> in m', raw.source)
    return -1.0 / angle


def _joint(raw: RawJoint, name: str, tag: str, axis: Vector3, report: Report) -> Joint:
    """Return the joint about one axis, which is in the frame of the joint."""
    what = f"joint '{name}'"
    part = raw.element.find(tag)
    kind = raw.kind
    place = pose_from(raw.in_parent)
    if part is None or kind in ('spherical', 'fixed'):
        kind = 'continuous' if kind == 'revolute' else kind
        return Joint(name, kind, raw.parent, raw.child, place, axis, source=raw.source)
    lower, upper = (limit_of(part, f'limit/{end}', sign * inf, what, report)
                    for end, sign in (('lower', -1.0), ('upper', 1.0)))
    if lower > upper:
        raise report.error(f'{what}: lower={lower:.9g} is above upper={upper:.9g}', raw.source)
    rates = {}
    for limit in ('effort', 'velocity'):
        value = limit_of(part, f'limit/{limit}', inf, what, report)
        rates[limit] = inf if value < 0.0 else value  # -1 means none
    values = {ours: value_of(part, f'dynamics/{ours}', 0.0, what, report)
              for ours in ('damping', 'friction')}
    if _AXES_OF.get(raw.type, 1) == 1:   # Drake's, on the joint
        rotor, ratio = (next((text_numbers(own, 1, what, report)[0] for own in children(
            raw.element) if own.tag in tags), default)
            for tags, default in ((_ROTOR, 0.0), (_RATIO, 1.0)))
        if rotor < 0.0:
            raise report.error(f'{what}: <drake:rotor_inertia> is negative', raw.source)
        values['armature'] = rotor * ratio**2
    for ours, value in values.items():
        if value < 0.0:
            raise report.error(f'{what}: {ours}={value:.9g} is negative', raw.source)
    stiffness, rest = (value_of(part, f'dynamics/{one}', 0.0, what, report)
                       for one in ('spring_stiffness', 'spring_reference'))
    springs = (JointSpring((stiffness, 0.0, 0.0), (rest,), source=raw.source),) if (
        stiffness) else ()
    if kind == 'revolute' and lower == -inf and upper == inf:
        kind = 'continuous'
    return Joint(name, kind, raw.parent, raw.child, place, axis,
                 Limits(lower, upper, source=raw.source, **rates),
                 Dynamics(**values, springs=springs), _mimic(part, name, raw.source, report),
                 raw.source)


def _mimic(part: Any, name: str, source: Source, report: Report) -> Mimic | None:
    """Return SDFormat's mimic: multiplier * (leader - reference) + offset."""
    mimic = part.find('mimic')
    if mimic is None:
        return None
    multiplier, offset, reference = (
        value_of(mimic, tag, default, f"joint '{name}'", report)
        for tag, default in (('multiplier', 1.0), ('offset', 0.0), ('reference', 0.0)))
    leader = mimic.get('joint', '')
    report.follows(name, leader, source)
    return Mimic(leader, multiplier, offset - multiplier * reference, source)


def closing_joint(raw: RawJoint, report: Report) -> LoopJoint:
    """Return the loop joint that a joint onto a link is which another carries."""
    what = f"joint '{raw.name}'"
    if not raw.closes:
        raise UnsupportedError(
            f"{what} of type '{raw.type}', which closes a loop,", 'no more than one joint onto a '
            'link whose coordinates are needed: screws, joints that a gearbox couples, and those '
            'of two axes that are not at right angles', source=raw.source)
    frames: list[Pose] = [pose_from(raw.in_parent), pose_from(raw.in_child)]
    if len(raw.axes) == 2:
        frames = [along(frames[0], raw.axes[0], 'x'), along(frames[1], raw.axes[1], 'y')]
    elif raw.axes:
        frames = [along(frame, raw.axes[0]) for frame in frames]
    kind = loop_kind('universal' if len(raw.axes) == 2 else raw.type, what, raw.source, report)
    return LoopJoint(raw.name, kind, raw.parent, raw.child, frames[0], frames[1],
                     source=raw.source)


def carrying(raws: Sequence[RawJoint], gears: Sequence[RawJoint], frames: Frames) -> set[str]:
    """Return the joints that must not be cut: those that cannot close loops, and gears' axles."""
    kept = {raw.name for raw in raws if not raw.closes}
    for gear in gears:
        housing = frames.link(text_of(gear.element, 'gearbox_reference_body'), gear.element)
        kept.update(raw.name for raw in raws for wheel in (gear.parent, gear.child)
                    if {raw.parent, raw.child} == {housing, wheel})
    return kept


def mesh_gears(gears: Sequence[RawJoint], raws: Sequence[RawJoint], joints: list[Joint],
               frames: Frames, report: Report) -> None:
    """
    Couple the joints by which the two wheels of each gearbox turn in their housing.

    ``gearbox_reference_body`` is the housing. ``theta_2 = -ratio theta_1``, the angles from it to
    the parent about ``axis`` and to the child about ``axis2``.

    Parameters
    ----------
    gears, raws : sequence of RawJoint
        The gearboxes, and all other joints.
    joints : list of Joint
        Those of the tree; changed.
    frames : Frames
        Of the model.
    report : Report
        Words the errors.

    Raises
    ------
    DescriptionError
        If a gearbox names no such link.
    UnsupportedError
        If a wheel does not turn in the housing about that axis by a joint of the tree, or both
        joints follow others already.

    """
    numbers = {joint.name: k for k, joint in enumerate(joints)}
    for gear in gears:
        housing = frames.link(text_of(gear.element, 'gearbox_reference_body'), gear.element)
        here = frames.pose(gear.name, gear.element)[:3, :3]
        wheels = []
        for link, axis in zip((gear.parent, gear.child), gear.axes):
            found = next((raw for raw in raws if {raw.parent, raw.child} == {housing, link} and
                          raw.name in numbers and raw.type in ('revolute', 'continuous')), None)
            turn = 0.0 if found is None else float(
                frames.pose(found.name, gear.element)[:3, :3] @ found.axes[0] @ here @ axis)
            if found is None or abs(turn) < 1.0 - PARALLEL:
                raise UnsupportedError(
                    f"joint '{gear.name}' of type 'gearbox', whose wheel '{link}' has no revolute "
                    f"joint along its axis in '{housing}',", 'remove it to load the robot '
                    'without it', source=gear.source)
            sign = round(turn) * (1.0 if found.parent == housing else -1.0)
            wheels.append((numbers[found.name], sign))
        (first, sign1), (second, sign2) = wheels
        ratio = -sign1 * sign2 * value_of(gear.element, 'gearbox_ratio', 1.0,
                                          f"joint '{gear.name}'", report)
        if joints[second].mimic is not None and ratio:
            first, second, ratio = second, first, 1.0 / ratio
        if joints[second].mimic is not None or joints[first].mimic is not None and (
                _follows(joints, numbers, first, second)):
            raise UnsupportedError(f"joint '{gear.name}' of type 'gearbox', whose joints follow "
                                   'others already,', 'remove it to load the robot without it',
                                   source=gear.source)
        joints[second] = replace(joints[second], mimic=Mimic(
            joints[first].name, ratio, 0.0, gear.source, always=True))


def _follows(joints: Sequence[Joint], numbers: Mapping[str, int], follower: int,
             leader: int) -> bool:
    """Return whether a joint follows another, maybe by way of others."""
    seen: set[int] = set()
    while follower not in seen:
        seen.add(follower)
        mimic = joints[follower].mimic
        if mimic is None or mimic.joint not in numbers:
            return False
        follower = numbers[mimic.joint]
        if follower == leader:
            return True
    return False
