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


"""Springs of MJCF: along joints, by tendons, and those that MuJoCo finds from time constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from transforms3d.axangles import axangle2mat
from transforms3d.quaternions import mat2quat

from mbd_ros.description.mjcf.document import Item
from mbd_ros.description.records.mechanism import (
    Dynamics, Joint, JointKind, JointSpring, Link, SpringDamper)
from mbd_ros.description.records.zero_poses import zero_poses
from mbd_ros.errors import DescriptionError

if TYPE_CHECKING:
    from mbd_ros.description.mjcf.bodies import Tree

Array = NDArray[np.float64]
SMALLEST = 1e-15
"""Below it MuJoCo takes inertias and times to be this."""
MOST_RATES = 1000
"""Rates of a robot whose mass matrix is inverted while it is read: a third of a second."""
RATES = {'fixed': 0, 'spherical': 3, 'floating': 6}
"""Of joints; of others one."""


def spring_of(item: Item, kind: JointKind, rest: float, start: Array) -> tuple[JointSpring, ...]:
    """
    Return the spring of a joint's ``stiffness``.

    Parameters
    ----------
    item : Item
        The joint.
    kind : str
        What it is.
    rest : float
        Its ``springref`` [rad, m].
    start : array
        (4, 4) where the file has its body, which is where a free joint's spring is at rest.

    """
    stiffness = item.polynomial('stiffness')
    if not any(stiffness) or 'spring' in item.document.settings.disabled:
        return ()
    return (JointSpring(stiffness, _reference(kind, rest, start),
                        source=item.document.report.source(item.element)),)


def _reference(kind: JointKind, rest: float, start: Array) -> tuple[float, ...]:
    """Return the coordinates at which a joint's spring is at rest; none are zero."""
    if kind == 'spherical':
        return ()
    if kind == 'floating':
        w, *vector = mat2quat(start[:3, :3]).tolist()
        return (*start[:3, 3].tolist(), *vector, w)
    return (rest,)


def along_joint(item: Item, coefficient: float, at_rest: float) -> JointSpring | None:
    """
    Return the spring of a tendon whose length is that many times the coordinate of a joint.

    Parameters
    ----------
    item : Item
        The tendon.
    coefficient : float
        Its length over the coordinate.
    at_rest : float
        Its length where the springs of joints are at rest.

    """
    stiffness = item.polynomial('stiffness')
    if not any(stiffness) or not coefficient or 'spring' in item.document.settings.disabled:
        return None
    shortest, longest = range_of(item, at_rest)
    ends = sorted((shortest / coefficient, longest / coefficient))
    c1, c2, c3 = (c * coefficient**(2 + k) for k, c in enumerate(stiffness))
    return JointSpring((c1, c2, c3), (ends[0],), ends[1] - ends[0],
                       item.document.report.source(item.element))


def range_of(item: Item, at_rest: float) -> tuple[float, float]:
    """Return between which lengths the spring of a tendon is free of force."""
    shortest, longest = ((item.numbers('springlength', 1, 2) or (-1.0,)) * 2)[:2]
    if shortest > longest:
        raise item.document.error(item.element, f'{item.called()}: springlength is '
                                  f'{shortest:.9g} to {longest:.9g}; allowed: the smaller first')
    return (at_rest, at_rest) if shortest == longest == -1.0 else (shortest, longest)


def between(item: Item, ends: Sequence[tuple[str, Array]], at_rest: float, damping: float,
            tree: Tree) -> None:
    """
    Add what a straight tendon between two points does.

    Parameters
    ----------
    item : Item
        The tendon.
    ends : sequence
        Links, and points (3,) in them [m].
    at_rest : float
        Its length where the springs of joints are at rest [m].
    damping : float
        [N s/m].
    tree : Tree
        Takes the spring.

    """
    off = 'spring' in item.document.settings.disabled
    stiffness = 0.0 if off else item.polynomial('stiffness')[0]
    shortest, longest = range_of(item, at_rest)
    length = max(shortest, 0.0)
    (link1, point1), (link2, point2) = ends
    if stiffness or damping:
        tree.springs.append(SpringDamper(
            item.name or f'tendon_{len(tree.springs) + 1}', link1, link2,
            tuple(point1.tolist()), tuple(point2.tolist()), stiffness, damping, length,
            item.document.report.source(item.element), max(longest - length, 0.0)))


def places_of(tree: Tree, coordinates: Mapping[str, float]) -> dict[str, Array]:
    """
    Return the poses (4, 4) of all links.

    Parameters
    ----------
    tree : Tree
        Links and joints.
    coordinates : mapping
        Of joints with one coordinate; balls are at zero, free bodies where the file has them.

    """
    moved = {}
    for joint in tree.joints:
        motion = np.eye(4)
        if joint.kind in ('revolute', 'continuous'):
            motion[:3, :3] = axangle2mat(joint.axis, coordinates.get(joint.name, 0.0))
        elif joint.kind == 'prismatic':
            motion[:3, 3] = coordinates.get(joint.name, 0.0) * np.array(joint.axis)
        elif joint.kind == 'floating':
            motion = _start(joint, tree)
        moved[joint.name] = motion
    return zero_poses(tree.links[0].name, tree.joints, moved)


def add_timed_springs(tree: Tree, links: Sequence[Link]) -> None:
    """
    Give joints the stiffness and damping of ``springdamper``.

    With the inertia I that an effort meets where the file has the robot, the mean over the rates
    of a joint of ``1 / I`` being that of the inverse mass matrix's diagonal, ``k = I / (T z)^2``
    and ``c = 2 I / T`` for the time constant T and the damping ratio z.

    Parameters
    ----------
    tree : Tree
        Whose joints are replaced.
    links : sequence of Link
        With the masses that they have in the end.

    """
    if not tree.timed:
        return
    count = sum(RATES.get(joint.kind, 1) for joint in tree.joints)
    if count > MOST_RATES:
        source = next(joint.source for joint in tree.joints if joint.name in tree.timed)
        raise DescriptionError(
            f'springdamper in a robot of {count} rates of joints, whose mass matrix it takes; '
            f'allowed: {MOST_RATES}; give stiffness and damping', file=source.file,
            line=source.line)
    first, matrix = mass_matrix(tree, links)
    inverse = np.diagonal(np.linalg.pinv(matrix, hermitian=True))
    for k, joint in enumerate(tree.joints):
        if joint.name not in tree.timed:
            continue
        time, ratio = tree.timed[joint.name]
        start, count = first[joint.name]
        inertia = 1.0 / max(float(inverse[start:start + count].mean()), SMALLEST)
        tree.joints[k] = replace(joint, dynamics=_timed(
            joint, inertia / max((time * ratio)**2, SMALLEST), 2.0 * inertia / max(
                time, SMALLEST), tree))


def _timed(joint: Joint, stiffness: float, damping: float, tree: Tree) -> Dynamics:
    """Return a joint's dynamics with other linear coefficients."""
    own, settings = joint.dynamics, tree.documents[0].settings
    if 'damper' not in settings.disabled:
        own = replace(own, damping=damping)
    if 'spring' in settings.disabled:
        return own
    rest = tree.rests[joint.name]
    given = own.springs[0] if own.springs else JointSpring((0.0, 0.0, 0.0), _reference(
        joint.kind, rest, _start(joint, tree)), source=joint.source)
    _, c2, c3 = given.stiffness
    return replace(own, springs=(replace(given, stiffness=(stiffness, c2, c3)),
                                 *own.springs[1:]))


def _start(joint: Joint, tree: Tree) -> Array:
    """Return the pose (4, 4) in the file of the body whose joint it is."""
    child = joint.child
    return tree.at_start[child if child in tree.at_start else child.removesuffix(f'/{joint.name}')]


def mass_matrix(tree: Tree, links: Sequence[Link]) -> tuple[dict[str, tuple[int, int]], Array]:
    """
    Return the mass matrix (n, n) where the file has the robot.

    Returns
    -------
    tuple of dict and array
        Where the rates of each joint begin and how many they are, and the matrix; balls turn
        about the axes of their bodies, free bodies slide along those of the world first.

    """
    poses = places_of(tree, tree.references)
    columns: dict[str, list[tuple[int, Array, Array]]] = {tree.links[0].name: []}
    first: dict[str, tuple[int, int]] = {}
    rotors: list[float] = []
    waiting = [tree.links[0].name]
    below: dict[str, list[Joint]] = {}
    for joint in tree.joints:
        below.setdefault(joint.parent, []).append(joint)
    while waiting:
        parent = waiting.pop()
        for joint in below.get(parent, ()):
            pose = poses[joint.child]
            turns, slides = _axes_of(joint, pose)
            count = len(turns)
            first[joint.name] = len(rotors), count
            own = [(len(rotors) + k, turn, slide + np.cross(pose[:3, 3], turn))
                   for k, (turn, slide) in enumerate(zip(turns, slides))]
            rotors += [joint.dynamics.armature] * count
            columns[joint.child] = [*columns[parent], *own]
            waiting.append(joint.child)
    matrix = np.diag(rotors)
    for link in links:
        if link.inertia is None or not columns.get(link.name):
            continue
        pose, inertia = poses[link.name], link.inertia
        center = (pose @ [*inertia.center, 1.0])[:3]
        tensor = pose[:3, :3] @ np.array(inertia.tensor) @ pose[:3, :3].T
        numbers = [number for number, _, _ in columns[link.name]]
        w = np.array([turn for _, turn, _ in columns[link.name]])
        v = np.array([slide for _, _, slide in columns[link.name]]) + np.cross(w, center)
        matrix[np.ix_(numbers, numbers)] += inertia.mass * v @ v.T + w @ tensor @ w.T
    return first, matrix


def _axes_of(joint: Joint, pose: Array) -> tuple[Array, Array]:
    """Return how a joint's rates turn its child and slide its origin (n, 3), in the world."""
    along = (pose[:3, :3] @ joint.axis)[None]
    if joint.kind in ('revolute', 'continuous'):
        return along, np.zeros((1, 3))
    if joint.kind == 'prismatic':
        return np.zeros((1, 3)), along
    if joint.kind == 'spherical':
        return pose[:3, :3].T, np.zeros((3, 3))
    if joint.kind == 'floating':
        return np.vstack([np.zeros((3, 3)), pose[:3, :3].T]), np.vstack(
            [np.eye(3), np.zeros((3, 3))])
    return np.zeros((0, 3)), np.zeros((0, 3))
