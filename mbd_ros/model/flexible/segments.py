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
The tree of segments of a robot with flexible links.

A segment is what moves as one rigid body, or one flexible link. Fixed joints are merged between
rigid links only: what is fixed to a flexible link moves with the place where it is fixed, so that
it is a segment of its own, with a joint of no coordinate.

A joint with series elasticity moves a motor without mass, a segment whose one elastic coordinate
turns or shifts the link against it along the joint's axis: a spring is a flexible link of no
length. The inertia of the rotor is the joint's armature.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.budget import look
from mbd_ros.description.records.frames import axis_rotation
from mbd_ros.description.records.mechanism import FlexibleBody, Joint, Mechanism
from mbd_ros.errors import DescriptionError
from mbd_ros.model.flexible.attachment_segments import seated
from mbd_ros.model.flexible.modal_data import modal_data, ModalData, Shape
from mbd_ros.model.flexible.shape_integrals import (
    cross_matrices, elastic_body, ElasticBody, transmission, turned)
from mbd_ros.model.link_frame import LinkFrame
from mbd_ros.model.masses import MassProperties, merged, placed
from mbd_ros.spatial.rank_thresholds import MODAL_MASS

if TYPE_CHECKING:
    from mbd_ros.model.model import Model

Array = NDArray[np.float64]

WITHOUT_AXIS = ('fixed', 'floating', 'spherical')
CLAMPED = 1e-9
"""Of the length, and of the largest displacement: rounding of finite-element codes is less."""
ROUNDING = 1e-8
"""Of the scaled mass matrix of a whole link: an <inertial> is written with few digits."""


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """
    A rigid body or a flexible link; the frame is that of the body its joint moves.

    Attributes
    ----------
    link : str
        The link that its joint moves.
    parent : int
        Its parent segment, -1 for the ground.
    joint : int
        Its joint, -1 for a fixed one.
    rotation, translation : (3, 3) and (3,) array
        Pose of its joint in the parent, while nothing is bent.
    mass, first_moment, inertia : float, (3,) and (3, 3) array
        About the origin, while nothing is bent [kg, kg m, kg m^2].
    attachment : Shape, optional
        How its joint moves with the parent's elastic coordinates, in the parent's axes.
    elastic : ElasticBody, optional
        Its own elastic coordinates.

    """

    link: str
    parent: int
    joint: int
    rotation: Array
    translation: Array
    mass: float
    first_moment: Array
    inertia: Array
    attachment: Shape | None = None
    elastic: ElasticBody | None = None


class ElasticTree(NamedTuple):
    """
    Segments, parents first, and where on them each link is (-1: on the ground).

    ``seated``: the robot as it was described, with seats, which are among the links here.
    """

    segments: tuple[Segment, ...]
    links: Mapping[str, LinkFrame]
    seated: Mechanism

    @property
    def bodies(self) -> tuple[ElasticBody, ...]:
        """Return the flexible links in the order of their coordinates."""
        found = [segment.elastic for segment in self.segments if segment.elastic is not None]
        return tuple(sorted(found, key=lambda body: body.first))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the elastic coordinates."""
        return tuple(f'{body.link}/{name}' for body in self.bodies for name in body.names)


def rigid_tree(model: Model) -> ElasticTree:
    """Return the bodies of a model without elastic coordinates as segments."""
    segments = [Segment(
        model.body_names[i], model.parents[i], i, model.rotations[i], model.translations[i],
        *_about_origin(MassProperties(
            float(model.masses[i]), model.mass_centers[i], model.inertias[i])))
        for i in range(model.nb)]
    return ElasticTree(tuple(segments), model.links, model.mechanism)


def elastic_tree(mechanism: Mechanism, joints: Sequence[Joint], order: Sequence[Joint]
                 ) -> ElasticTree:
    """
    Return the segments of a robot with flexible links.

    Parameters
    ----------
    mechanism : Mechanism
        The robot.
    joints : sequence of Joint
        Those that move, in the order of the bodies; the first has no parent if the base floats.
    order : sequence of Joint
        All joints of the description, parents before children.

    Raises
    ------
    DescriptionError
        If modal data do not fit the link.

    """
    mechanism, seats = seated(mechanism)
    turnless = {id(seat.joint) for seat in seats if not seat.turns}
    first, firsts = 0, dict[str, int]()
    data = {}
    for body in mechanism.flexibles:
        look(body.source.file, body.source.line)
        data[body.link] = modal_data(body)
    for link in mechanism.links:
        if link.name in data:
            firsts[link.name] = first
            first += len(data[link.name].names)
    springs: dict[str, ElasticBody] = {}
    for joint in joints:
        if joint.dynamics.series_stiffness:
            springs[joint.name] = transmission(joint, first)
            first += 1
    motors: dict[int, ElasticBody] = {}
    bent = {body.link: body for body in mechanism.flexibles}
    found: list[tuple[str, int, int, Array, Array, Shape | None]] = []
    links = {mechanism.root: LinkFrame(-1, np.eye(3), np.zeros(3))}
    if joints and not joints[0].parent:
        found.append((mechanism.root, -1, 0, np.eye(3), np.zeros(3), None))
        links[mechanism.root] = LinkFrame(0, np.eye(3), np.zeros(3))
    elif mechanism.root in bent:
        found.append((mechanism.root, -1, -1, np.eye(3), np.zeros(3), None))
        links[mechanism.root] = LinkFrame(0, np.eye(3), np.zeros(3))
    number = {joint.name: k for k, joint in enumerate(joints)}
    for joint in (*order, *(seat.joint for seat in seats)):
        parent = links[joint.parent]
        rotation = parent.rotation @ np.array(joint.origin.rotation)
        translation = parent.translation + parent.rotation @ np.array(joint.origin.translation)
        if joint.kind == 'fixed' and not {joint.parent, joint.child} & bent.keys():
            links[joint.child] = LinkFrame(parent.body, rotation, translation)
            continue
        turn = np.eye(3) if joint.kind in WITHOUT_AXIS else axis_rotation(joint.axis)
        shape = _attachment(bent[joint.parent], data[joint.parent], joint, parent.rotation,
                            id(joint) not in turnless) if joint.parent in bent else None
        moves = joint.kind != 'fixed'   # a seat may have the name of a joint
        found.append((joint.child, parent.body, number[joint.name] if moves else -1,
                      rotation @ turn, translation, shape))
        if moves and joint.name in springs:
            motors[len(found) - 1] = springs[joint.name]
            found.append((joint.child, len(found) - 1, -1, np.eye(3), np.zeros(3),
                          along_axis(joint.kind)))
        links[joint.child] = LinkFrame(len(found) - 1, turn.T, np.zeros(3))
    parts: list[list[MassProperties]] = [[] for _ in found]
    for link in mechanism.links:
        frame = links[link.name]
        if frame.body >= 0 and link.inertia is not None:
            parts[frame.body].append(placed(link.inertia, frame.rotation, frame.translation))
    segments: list[Segment] = []
    for (name, parent_segment, moved, rotation, translation, shape), part in zip(found, parts):
        elastic = motors.get(len(segments))
        if elastic is None and name in bent:
            frame, pose = links[name], bent[name].frame
            elastic = elastic_body(
                name, firsts[name], data[name], frame.rotation @ np.array(pose.rotation),
                frame.translation + frame.rotation @ np.array(pose.translation))
        segments.append(Segment(name, parent_segment, moved, rotation, translation,
                                *_about_origin(merged(part)), shape, elastic))
        if elastic is not None and not elastic.is_spring:
            _check(bent[name], segments[-1], elastic)
    return ElasticTree(tuple(segments), links, mechanism)


def _attachment(body: FlexibleBody, data: ModalData, joint: Joint, link: Array, turns: bool
                ) -> Shape:
    """Return how a joint on a flexible link moves, in the axes of the link's segment."""
    rotation = np.array(body.frame.rotation)
    place = rotation.T @ (np.array(joint.origin.translation) - np.array(body.frame.translation))
    return turned(data.shape_at(joint.name, place, turns), link @ rotation)


def along_axis(kind: str) -> Shape:
    """Return how the coordinate of a series spring moves a link: along z of its joint."""
    axis, nothing = np.eye(3)[:, 2:], np.zeros((3, 1))
    return Shape(axis, nothing) if kind == 'prismatic' else Shape(nothing, axis)


def _about_origin(body: MassProperties) -> tuple[float, Array, Array]:
    moment = cross_matrices(body.center)
    return body.mass, body.mass * body.center, body.tensor - body.mass * moment @ moment


def _check(body: FlexibleBody, segment: Segment, elastic: ElasticBody) -> None:
    """Refuse modes whose mass matrix is not positive definite."""
    def refused(what: str) -> DescriptionError:
        return DescriptionError(f"link '{body.link}': <mbd:flexible> {what}",
                                file=body.source.file, line=body.source.line)

    n = elastic.count
    modal = elastic.mass[:n, :n]
    if np.diag(modal).min() <= 0.0 or _least(modal) < MODAL_MASS:
        raise refused('has modes that move no mass of their own; allowed: shapes that are '
                      'linearly independent at its mass points')
    largest = CLAMPED * max((abs(x) for point in body.points for x in point.shape), default=0.0)
    for point in body.points:
        at_root = np.linalg.norm(point.position) < CLAMPED * elastic.length
        turns = elastic.length * max(map(abs, point.rotation), default=0.0)
        if at_root and max(*map(abs, point.shape), turns) > largest:
            raise refused(f'has a shape that is not zero at its origin, {point.shape}; allowed: '
                          'modes that vanish there with their slopes, where the link is clamped')
    whole = np.zeros((6 + n, 6 + n))
    moment = cross_matrices(segment.first_moment)
    whole[:3, :3], whole[3:6, 3:6] = segment.mass * np.eye(3), segment.inertia
    whole[:3, 3:6], whole[3:6, :3] = -moment, moment
    whole[:3, 6:], whole[3:6, 6:] = elastic.first_moments[:, :n], elastic.rotations[:, :n]
    whole[6:, :6], whole[6:, 6:] = whole[:6, 6:].T, modal
    if _least(whole) < -ROUNDING:
        raise refused('and the <inertial> of its link do not fit: with some motion the kinetic '
                      'energy is negative; allowed: an <inertial> that holds all of the mass that '
                      'bends, where it is')


def _least(matrix: Array) -> float:
    """Return the least eigenvalue of a matrix scaled to the diagonal 1."""
    scale = np.sqrt(np.maximum(np.diag(matrix), np.finfo(float).tiny))
    return float(np.linalg.eigvalsh(matrix / np.outer(scale, scale))[0])
