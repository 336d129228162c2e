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

"""Links that are fixed to others, merged with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.finding import Finding
from mbd_ros.description.records.mechanism import (
    FluidBody, Inertia, Joint, Link, Mechanism, Pose, Vector3)
from mbd_ros.description.records.numbers import numbers_in
from mbd_ros.description.records.poses import (
    matrix_of, pose_from, pose_of, read_placement, roll_pitch_yaw)
from mbd_ros.description.records.report import Report, TEXT
from mbd_ros.description.records.solids import combined
from mbd_ros.description.write.loops import numbers_text, placement

Array = NDArray[np.float64]


class Merged(NamedTuple):
    """A robot without the fixed joints, and what URDF keeps beside its equations."""

    mechanism: Mechanism
    shapes: Mapping[str, Sequence[Any]]
    others: Sequence[Any]
    findings: tuple[Finding, ...]


class _Place(NamedTuple):
    """The link that a link is part of now, and its pose (4, 4) in that."""

    link: str
    pose: Array

    def of(self, pose: Pose) -> Pose:
        """Return where a frame is that is given in the link that was."""
        return pose_from(self.pose @ matrix_of(pose))

    def point(self, point: Vector3) -> Vector3:
        """Return where a point is."""
        return self.of(Pose(translation=point)).translation

    def along(self, axis: Vector3) -> Vector3:
        """Return a vector in the axes of the new link."""
        x, y, z = (self.pose[:3, :3] @ axis + 0.0).tolist()
        return x, y, z


def merge_fixed(mechanism: Mechanism, shapes: Mapping[str, Sequence[Any]],
                others: Sequence[Any]) -> Merged:
    """
    Merge each link that is fixed to another with it.

    Mass properties are added (parallel axis theorem); joints, loop joints, springs, contacts,
    thrusters, fluids, shapes and the sensors of ``<gazebo reference>`` move along. There stays
    what is fixed to a link that bends, a link with ``<mbd:fluid>`` on one that has its own, a link
    whose weight is taken off by another share, and moments of inertia without a mass.

    Parameters
    ----------
    mechanism : Mechanism
        The robot.
    shapes : mapping of str to sequence of lxml element
        ``<visual>`` and ``<collision>`` of its links.
    others : sequence of lxml element
        Further elements of URDF.

    Returns
    -------
    Merged
        With a finding of severity ``info`` for each link that is no longer there, which says where
        its frame is.

    """
    places, findings = _places(mechanism)
    new = {link: [part for name, place in places.items() if place.link == link
                  for part in _moved(shapes.get(name, ()), place)]
           for link in dict.fromkeys(place.link for place in places.values())}
    return Merged(_merged(mechanism, places), new, _others(others, places, findings),
                  tuple(findings))


def _places(mechanism: Mechanism) -> tuple[dict[str, _Place], list[Finding]]:
    """Return where each link is now, in the order of the links, and what to say."""
    children: dict[str, list[Joint]] = {}
    for joint in mechanism.joints:
        children.setdefault(joint.parent, []).append(joint)
    bent = {body.link for body in mechanism.flexibles}
    wet = {body.link for body in mechanism.fluids}
    links = {link.name: link for link in mechanism.links}
    found = {mechanism.root: _Place(mechanism.root, np.eye(4))}
    findings = []
    waiting = [mechanism.root]
    while waiting:
        name = waiting.pop()
        place = found[name]
        for joint in children.get(name, ()):
            child = joint.child
            waiting.append(child)
            inertia = links[child].inertia
            if joint.kind != 'fixed' or {place.link, child} & bent or (
                    child in wet and place.link in wet) or (
                    links[child].gravity_compensation != links[place.link].gravity_compensation
                    ) or (
                    inertia is not None and not inertia.mass and np.any(inertia.tensor)):
                found[child] = _Place(child, np.eye(4))
                continue
            found[child] = _Place(place.link, place.pose @ matrix_of(joint.origin))
            wet |= {place.link} if child in wet else set()
            pose = pose_from(found[child].pose)
            findings.append(Finding(
                'info', f"link '{child}' is part of link '{place.link}' now: its frame is at xyz="
                f'"{numbers_text(pose.translation)}" rpy="'
                f'{numbers_text(roll_pitch_yaw(pose.rotation))}"', joint.source.file,
                joint.source.line))
    return {link.name: found[link.name] for link in mechanism.links}, findings


def _merged(mechanism: Mechanism, places: Mapping[str, _Place]) -> Mechanism:
    parts: dict[str, list[tuple[Inertia, _Place]]] = {}
    for link in mechanism.links:
        if link.inertia is not None:
            parts.setdefault(places[link.name].link, []).append((link.inertia, places[link.name]))
    return replace(
        mechanism,
        links=tuple(replace(link, inertia=_inertia(link, parts.get(link.name, ())))
                    for link in mechanism.links if places[link.name].link == link.name),
        joints=tuple(
            replace(joint, parent=places[joint.parent].link,
                    origin=places[joint.parent].of(joint.origin))
            for joint in mechanism.joints if places[joint.child].link == joint.child),
        loop_joints=tuple(
            replace(loop, link1=places[loop.link1].link, link2=places[loop.link2].link,
                    frame1=places[loop.link1].of(loop.frame1),
                    frame2=places[loop.link2].of(loop.frame2)) for loop in mechanism.loop_joints),
        springs=tuple(
            replace(spring, link1=places[spring.link1].link, link2=places[spring.link2].link,
                    point1=places[spring.link1].point(spring.point1),
                    point2=places[spring.link2].point(spring.point2))
            for spring in mechanism.springs),
        fluids=tuple(_fluid(fluid, places[fluid.link]) for fluid in mechanism.fluids),
        contacts=tuple(
            replace(contact, link=places[contact.link].link,
                    points=tuple(map(places[contact.link].point, contact.points)))
            for contact in mechanism.contacts),
        thrusters=tuple(
            replace(one, link=places[one.link].link, point=places[one.link].point(one.point),
                    axis=places[one.link].along(one.axis)) for one in mechanism.thrusters))


def _fluid(fluid: FluidBody, place: _Place) -> FluidBody:
    return replace(fluid, link=place.link, frame=place.of(fluid.frame))


def _inertia(link: Link, parts: Sequence[tuple[Inertia, _Place]]) -> Inertia | None:
    if not parts or (len(parts) == 1 and link.inertia is not None):
        return link.inertia
    return combined(((
        inertia.mass, place.pose @ matrix_of(Pose(translation=inertia.center)),
        np.array(inertia.tensor)) for inertia, place in parts), parts[0][0].source)


def _moved(elements: Sequence[Any], place: _Place) -> list[Any]:
    """Return copies of shapes at their new places."""
    copies = [deepcopy(element) for element in elements]
    for element in copies if not np.array_equal(place.pose, np.eye(4)) else ():
        origin = element.find('origin')
        before = Pose() if origin is None else read_placement(origin, Report(TEXT))
        if origin is None:
            origin = element.makeelement('origin')
            element.insert(0, origin)
        origin.attrib.clear()
        origin.attrib.update(placement(place.of(before)))
    return copies


def _others(elements: Sequence[Any], places: Mapping[str, _Place], findings: list[Finding]
            ) -> list[Any]:
    """Return further elements, of which those about a link that is gone keep their sensors."""
    kept = []
    for element in elements:
        place = places.get(element.get('reference', '')) if element.tag == 'gazebo' else None
        if place is None or place.link == element.get('reference'):
            kept.append(element)
            continue
        moved = deepcopy(element)
        moved.set('reference', place.link)
        left = [part for part in moved.iterchildren('*') if part.tag != 'sensor']
        for part in left:
            moved.remove(part)
        for sensor in moved.iterfind('sensor'):
            pose = sensor.find('pose')
            if pose is None:
                pose = sensor.makeelement('pose')
                sensor.insert(0, pose)
            numbers = numbers_in(pose.text or '0 0 0 0 0 0', 6)
            if isinstance(numbers, str):
                numbers = (0.0,) * 6
            new = place.of(pose_of(numbers[:3], numbers[3:]))
            pose.text = numbers_text((*new.translation, *roll_pitch_yaw(new.rotation)))
        if len(moved):
            kept.append(moved)
        if left:
            findings.append(Finding(
                'warning', f"<gazebo reference='{element.get('reference')}'>: "
                f"{', '.join(f'<{part.tag}>' for part in left)} left out, as the link is part of "
                f"'{place.link}' now", None, None))
    return kept
