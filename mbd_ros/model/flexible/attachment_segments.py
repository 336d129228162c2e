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
What is attached to a link that bends, on seats: links without mass that are fixed to it.

A seat is where a loop joint, an end of a spring, a contact point, a thruster or a strip of water
sits. As all that is fixed to a flexible link it moves and turns with the shapes at its place: one
rule serves child joints and attachments. Seats are segments; the links of the robot do not change.

"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from mbd_ros.description.records.mechanism import (
    ContactBody, FluidBody, Joint, Link, LoopJoint, Mechanism, Pose, SpringDamper, Vector3)
from mbd_ros.description.records.thruster import ThrusterBody
from mbd_ros.model.flexible.strips import strips

TURNLESS = ('spherical', 'distance')
"""Kinds of loop joints whose rows do not depend on how their frames are turned."""
ORIGIN = (0.0, 0.0, 0.0)


class Seat(NamedTuple):
    """
    A place on a flexible link.

    Attributes
    ----------
    joint : Joint
        The fixed joint that holds it, with the name of what sits there.
    turns : bool
        Whether it matters how the place turns.

    """

    joint: Joint
    turns: bool


class Seats:
    """
    The seats of a robot, one for each attachment and place.

    Parameters
    ----------
    mechanism : Mechanism
        The robot.

    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._bent = {body.link: body for body in mechanism.flexibles}
        self._taken = {link.name for link in mechanism.links}
        self._touching: Counter[str] = Counter()
        self.made: list[Seat] = []

    def on(self, link: str, attached: str, place: Vector3, turns: bool) -> tuple[str, Vector3]:
        """Return the seat of an attachment at a place (3,) of a link, or the link; the place."""
        if link not in self._bent:
            return link, place
        name = f'{attached} on {link}'
        while name in self._taken:
            name += "'"
        self._taken.add(name)
        self.made.append(Seat(
            Joint(attached, 'fixed', link, name, Pose(translation=place)), turns))
        return name, ORIGIN

    def loop(self, one: LoopJoint) -> LoopJoint:
        """Return a loop joint between seats."""
        turns = one.kind not in TURNLESS
        first, place1 = self.on(one.link1, one.name, one.frame1.translation, turns)
        second, place2 = self.on(one.link2, one.name, one.frame2.translation, turns)
        return replace(one, link1=first, frame1=replace(one.frame1, translation=place1),
                       link2=second, frame2=replace(one.frame2, translation=place2))

    def spring(self, one: SpringDamper) -> SpringDamper:
        """Return a spring between seats."""
        first, point1 = self.on(one.link1, one.name, one.point1, False)
        second, point2 = self.on(one.link2, one.name, one.point2, False)
        return replace(one, link1=first, point1=point1, link2=second, point2=point2)

    def contacts(self, one: ContactBody) -> Iterator[ContactBody]:
        """Yield the points of a contact, each on a seat."""
        for point, radius in zip(one.points, one.radii):
            self._touching[one.link] += 1
            seat, place = self.on(
                one.link, f'{one.link}/contact_{self._touching[one.link]}', point, False)
            yield replace(one, link=seat, points=(place,), radii=(radius,))

    def fluids(self, one: FluidBody) -> Iterator[FluidBody]:
        """Yield the strips of a fluid around a beam, each on a seat, and what is left of it."""
        parts = strips(one, self._bent[one.link]) if one.link in self._bent else None
        if parts is None:
            yield one
            return
        for k, (place, strip) in enumerate(parts[0], start=1):
            yield replace(strip, link=self.on(one.link, f'{one.link}/strip_{k}', place, True)[0])
        yield parts[1]

    def thruster(self, one: ThrusterBody) -> ThrusterBody:
        """Return a thruster on a seat."""
        seat, point = self.on(one.link, one.name, one.point, True)
        return replace(one, link=seat, point=point)


def seated(mechanism: Mechanism) -> tuple[Mechanism, tuple[Seat, ...]]:
    """
    Return a robot whose attachments to flexible links sit on seats, and the seats.

    Parameters
    ----------
    mechanism : Mechanism
        The robot as it was described.

    Returns
    -------
    tuple of Mechanism and tuple of Seat
        Seats are its last links and its last joints. Each contact point has a record of its own,
        and so has each strip of a fluid around a beam.

    """
    seats = Seats(mechanism)
    moved = replace(
        mechanism, loop_joints=tuple(map(seats.loop, mechanism.loop_joints)),
        springs=tuple(map(seats.spring, mechanism.springs)),
        contacts=tuple(point for one in mechanism.contacts for point in seats.contacts(one)),
        thrusters=tuple(map(seats.thruster, mechanism.thrusters)),
        fluids=tuple(strip for one in mechanism.fluids for strip in seats.fluids(one)))
    joints = tuple(seat.joint for seat in seats.made)
    return replace(moved, links=(*mechanism.links, *(Link(one.child) for one in joints)),
                   joints=(*mechanism.joints, *joints)), tuple(seats.made)
