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

"""The kinematic tree of MJCF: bodies, their joints and masses."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transforms3d.axangles import axangle2mat

from mbd_ros.description.mjcf.copies import attached, replicas
from mbd_ros.description.mjcf.document import Document, Item
from mbd_ros.description.mjcf.fluid import drag_of
from mbd_ros.description.mjcf.geoms import Geom, read_geom
from mbd_ros.description.mjcf.masses import possible
from mbd_ros.description.mjcf.meshes import Meshes
from mbd_ros.description.mjcf.orientation import read_pose, read_rotation
from mbd_ros.description.mjcf.resistance import dampings
from mbd_ros.description.mjcf.springs import spring_of
from mbd_ros.description.records.mechanism import (
    Dynamics, FluidBody, Inertia, Joint, JointKind, Limits, Link, SpringDamper, Vector3)
from mbd_ros.description.records.poses import inverse, matrix3, pose_from
from mbd_ros.description.records.solids import combined, SOLIDS
from mbd_ros.description.xml.xml_tree import children
from mbd_ros.errors import UnsupportedError

Array = NDArray[np.float64]

WORLD = 'world'

_KINDS: dict[str, JointKind] = {'hinge': 'revolute', 'slide': 'prismatic', 'ball': 'spherical',
                                'free': 'floating'}
_LATER = ('composite', 'flexcomp', 'plugin')
_SEEN = ('site', 'camera', 'light')


@dataclass
class Tree:
    """
    The links and joints found, where bodies and sites stand, and what geoms look like.

    By joint: ``references``, its coordinate in the pose of the file; ``rests``, that of springs;
    ``timed``, time constant and damping ratio of ``springdamper``.
    """

    documents: list[Document]
    meshes: dict[int, Meshes] = field(default_factory=dict)
    links: list[Link] = field(default_factory=lambda: [Link(WORLD)])
    joints: list[Joint] = field(default_factory=list)
    at_start: dict[str, Array] = field(default_factory=lambda: {WORLD: np.eye(4)})
    sites: dict[str, tuple[str, Array]] = field(default_factory=dict)
    geoms: dict[str, list[Geom]] = field(default_factory=dict)
    references: dict[str, float] = field(default_factory=dict)
    rests: dict[str, float] = field(default_factory=dict)
    timed: dict[str, tuple[float, float]] = field(default_factory=dict)
    springs: list[SpringDamper] = field(default_factory=list)
    fluids: list[FluidBody] = field(default_factory=list)
    bodies: int = 0


@dataclass
class _Body:
    """A body as it is read: its parts, with the class and pose of the frames they stand in."""

    element: Any
    document: Document
    name: str
    childclass: str
    parent: str
    pose: Array
    inertial: tuple[Item, Array] | None = None
    joints: list[tuple[Item, Array]] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)


def read_bodies(document: Document) -> Tree:
    """
    Return the tree of a document.

    Raises
    ------
    DescriptionError
        If a body, joint, geom or frame cannot be read; with file, line and name.
    UnsupportedError
        If an element makes bodies in a way this package does not know.

    """
    tree = Tree([document])
    waiting = deque(_Body(element, document, WORLD, 'main', '', np.eye(4))
                    for element in document.root.iterfind('worldbody'))
    while waiting:
        body = waiting.popleft()
        document = body.document
        if body.name != WORLD and body.name in tree.at_start:
            raise document.error(body.element, f"body '{body.name}' is defined twice; names must "
                                 'differ')
        tree.at_start[body.name] = (
            tree.at_start[body.parent] @ body.pose if body.parent else np.eye(4))
        inner = list(_read_parts(body, tree))
        if not inner:
            _align(body, tree, document)
        waiting.extend(inner)
        tree.geoms.setdefault(body.name, []).extend(body.geoms)
        if body.name == WORLD:
            if body.joints or body.inertial is not None:
                raise document.error(body.element, '<worldbody> has a joint or an inertia; '
                                     'allowed: in bodies')
        else:
            _add(body, tree, document)
    return tree


def _read_parts(body: _Body, tree: Tree) -> Iterator[_Body]:
    """Read what stands in a body, and yield the bodies in it; frames are gone through."""
    waiting = deque((child, np.eye(4), body.childclass, body.document)
                    for child in children(body.element))
    while waiting:
        element, within, childclass, document = waiting.popleft()
        tag = element.tag
        item = document.item(element, childclass)
        inside = element.get('childclass', childclass)
        if tag == 'frame':
            pose = within @ read_pose(item)
            waiting.extendleft((child, pose, inside, document)
                               for child in reversed(children(element)))
        elif tag in ('replicate', 'attach'):
            parts = (replicas(item, inside, tree.documents) if tag == 'replicate' else
                     attached(item, tree.documents))
            waiting.extendleft((child, within @ pose, own, part) for child, pose, own, part in
                               reversed([(child, pose, own or inside, part)
                                         for child, pose, own, part in parts]))
        elif tag == 'body':
            _check_flags(item, document)
            tree.bodies += 1
            name = item.name or f'{body.name}.body_{tree.bodies}'
            document.names.add(element.get('name', ''))
            yield _Body(element, document, name, inside, body.name, within @ read_pose(item))
        elif tag == 'geom':
            body.geoms.append(read_geom(item, within, tree.meshes.setdefault(
                id(document.root), Meshes(document))))
        elif tag == 'site' and element.get('name'):
            if item.name in tree.sites:
                raise document.error(element, f'{item.called()} is defined twice; names must '
                                     'differ')
            document.names.add(element.get('name'))
            tree.sites[item.name] = (body.name, within @ read_pose(item))
        elif tag in ('joint', 'freejoint'):
            document.names.add(element.get('name', ''))
            body.joints.append((item, within))
        elif tag == 'inertial':
            if body.inertial is not None:
                raise document.error(element, f"body '{body.name}' has a further <inertial>; "
                                     'allowed: one')
            body.inertial = item, within
        elif tag in _LATER:
            raise UnsupportedError(f'<{tag}>',
                                   'write its bodies into the file',
                                   source=document.report.source(element))
        elif tag not in _SEEN:
            document.report.remark('warning', f"body '{body.name}': element <{tag}> is unknown "
                                   'and not used', document.report.source(element))


def _align(body: _Body, tree: Tree, document: Document) -> None:
    """Move the frame of a free body without children to the axes of its inertia, if asked."""
    if len(body.joints) != 1 or _kind(body.joints[0][0]) != 'floating':
        return
    joint, _ = body.joints[0]
    asked = joint.choice('align', ('true', 'false', 'auto'), 'auto')
    if asked == 'false' or (asked == 'auto' and not document.settings.free_aligned):
        return
    frame = _axes(body, document)
    if frame is None:
        raise UnsupportedError(
            f"body '{body.name}' with a free joint that is aligned with an inertia",
            'MuJoCo chooses the axes unless <inertial diaginertia> or one geom gives them; write '
            'the inertia so, or align="false"', source=document.report.source(joint.element))
    body.pose = body.pose @ frame
    tree.at_start[body.name] = tree.at_start[body.name] @ frame
    back = inverse(frame)
    body.geoms = [replace(geom, pose=back @ geom.pose) for geom in body.geoms]
    if body.inertial is not None:
        body.inertial = body.inertial[0], back @ body.inertial[1]
    for name, (owner, pose) in tree.sites.items():
        if owner == body.name:
            tree.sites[name] = owner, back @ pose


def _axes(body: _Body, document: Document) -> Array | None:
    """Return the frame of a body's inertia where the file gives its axes, else None."""
    if _from_geoms(body, document):
        heavy = [geom for geom in _counted(body, document) if geom.mass()[0] > 0.0]
        return heavy[0].pose if len(heavy) == 1 and heavy[0].kind in SOLIDS else None
    if body.inertial is None:
        return np.eye(4)
    item, within = body.inertial
    if 'diaginertia' in item.values:
        return within @ read_pose(item)
    return None


def _from_geoms(body: _Body, document: Document) -> bool:
    geoms = document.settings.geoms
    return geoms == 'true' or (geoms == 'auto' and body.inertial is None)


def _counted(body: _Body, document: Document) -> list[Geom]:
    """Return the geoms that count for the inertia of a body."""
    low, high = document.settings.groups
    return [geom for geom in body.geoms if low <= geom.item.number('group', 0.0) <= high]


def _check_flags(item: Item, document: Document) -> None:
    if item.text('mocap', 'false') not in ('0', 'false'):
        document.report.remark('warning', f'{item.called()}: mocap is not used',
                               document.report.source(item.element))


def _add(body: _Body, tree: Tree, document: Document) -> None:
    """
    Add the links and joints of a body.

    A body of MJCF may move by several joints, each about a point of its own. Each becomes a joint
    whose child has its origin at that point; the last child is the body itself if the point is
    its origin, else the body is fixed to it.
    """
    source = document.report.source(body.element)
    inertia = _inertia(body, document)
    parent, pose = body.parent, body.pose
    for number, (item, within) in enumerate(body.joints):
        kind, place = _kind(item), _place(item, within)
        last = number == len(body.joints) - 1 and not place[:3, 3].any()
        joint = _joint(item, kind, _axis(item, within, kind), parent, body, number, tree,
                       document)
        child = body.name if last else f'{body.name}/{joint.name}'
        at_zero = pose @ place @ _back(item, kind, joint.axis)
        if kind == 'revolute' and joint.limits == Limits():
            kind = 'continuous'
        tree.joints.append(Joint(
            joint.name, kind, parent, child, pose_from(np.eye(4) if kind == 'floating' else
                                                       at_zero),
            joint.axis, joint.limits, joint.dynamics, source=joint.source))
        if not last:
            tree.links.append(Link(child, source=source))
        parent, pose = child, inverse(place)
    if parent != body.name:
        tree.joints.append(Joint(f'{body.name}/fixed', 'fixed', parent, body.name,
                                 pose_from(pose), source=source))
    ellipsoid = any(geom.item.text('fluidshape', 'none') == 'ellipsoid' for geom in body.geoms)
    drag = drag_of(body.name, inertia, _axes(body, document), ellipsoid, document, source)
    tree.fluids.extend([] if drag is None else [drag])
    tree.links.append(Link(
        body.name, inertia, source,
        Item(body.element, dict(body.element.attrib), document).number('gravcomp', 0.0)))


def _kind(item: Item) -> JointKind:
    if item.element.tag == 'freejoint':
        return 'floating'
    return _KINDS[item.choice('type', _KINDS, 'hinge')]


def _place(item: Item, within: Array) -> Array:
    matrix = np.eye(4)
    if item.element.tag == 'joint' and item.text('type', 'hinge') not in ('free', 'slide'):
        matrix[:3, 3] = (within @ [*(item.numbers('pos', 3) or (0.0, 0.0, 0.0)), 1.0])[:3]
    return matrix


def _back(item: Item, kind: JointKind, axis: Vector3) -> Array:
    """Return the motion from the pose in the file, where a joint is at ``ref``, to zero."""
    matrix = np.eye(4)
    ref = item.number('ref', 0.0)
    if kind == 'revolute' and ref:
        matrix[:3, :3] = axangle2mat(axis, -ref * item.document.settings.angle)
    elif kind == 'prismatic':
        matrix[:3, 3] = -ref * np.array(axis)
    return matrix


def _axis(item: Item, within: Array, kind: JointKind) -> Vector3:
    if kind not in ('revolute', 'prismatic'):
        return (0.0, 0.0, 1.0)
    vector = within[:3, :3] @ (item.numbers('axis', 3) or (0.0, 0.0, 1.0))
    length = float(np.linalg.norm(vector))
    if length < 1e-12:
        raise item.document.error(item.element, f'{item.called()}: the axis is zero; allowed: a '
                                  'direction')
    x, y, z = (vector / length + 0.0).tolist()
    return x, y, z


def _joint(item: Item, kind: JointKind, axis: Vector3, parent: str, body: _Body, number: int,
           tree: Tree, document: Document) -> Joint:
    """Return name, limits and resistance of a joint."""
    source = document.report.source(item.element)
    name = item.name or f'{body.name}/joint_{number + 1}'
    unit = document.settings.angle if kind == 'revolute' else 1.0
    limits = Limits()
    if kind in ('revolute', 'prismatic'):
        tree.references[name] = item.number('ref', 0.0) * unit
        span = item.numbers('range', 2)
        limited = item.choice('limited', ('true', 'false', 'auto'), 'auto')
        if 'limit' not in document.settings.disabled and (limited == 'true' or (
                limited == 'auto' and document.settings.limited and span)):
            lower, upper = span or (0.0, 0.0)
            if lower < upper:
                limits = Limits(lower * unit, upper * unit, source=source)
            elif limited == 'true':
                raise document.error(item.element, f'{item.called()}: the range {lower:.9g} to '
                                     f'{upper:.9g} is empty')
            else:
                document.report.remark('info' if lower == upper else 'warning', f"joint '{name}': "
                                       f'the range {lower:.9g} to {upper:.9g} is empty, which '
                                       'means no limit', source)
    return Joint(name, kind, parent, body.name, axis=axis, limits=limits,
                 dynamics=_resistance(item, kind, name, body, tree, document), source=source)


def _resistance(item: Item, kind: JointKind, name: str, body: _Body, tree: Tree,
                document: Document) -> Dynamics:
    """Return what resists a joint's motion; of ball and free joints it resists each rate."""
    unit = document.settings.angle if kind == 'revolute' else 1.0
    rest = item.number('springref', 0.0) * unit
    tree.rests[name] = rest
    times = item.numbers('springdamper', 2)
    if times is not None and min(times) > 0.0:
        tree.timed[name] = times[0], times[1]
    springs = spring_of(item, kind, rest, tree.at_start[body.name])
    values = {**dampings(item), 'friction': item.number('frictionloss', 0.0),
              'armature': item.number('armature', 0.0)}
    for ours, value in values.items():
        if value < 0.0:
            raise document.error(item.element, f"joint '{name}': {ours}={value:.9g} is negative")
    if 'frictionloss' in document.settings.disabled:
        values['friction'] = 0.0
    return Dynamics(**values, springs=springs)


def _inertia(body: _Body, document: Document) -> Inertia | None:
    settings = document.settings
    source = document.report.source(body.element)
    if _from_geoms(body, document):
        parts = [geom.mass() for geom in _counted(body, document)]
        inertia = combined(parts, source) if parts else None
    elif body.inertial is not None:
        inertia = _inertial(*body.inertial, document)
    else:
        inertia = None
    return None if inertia is None else possible(inertia, settings)


def _inertial(item: Item, within: Array, document: Document) -> Inertia:
    mass = item.numbers('mass', 1)
    diagonal, full = item.numbers('diaginertia', 3), item.numbers('fullinertia', 6)
    position = item.numbers('pos', 3)
    if mass is None or position is None or (diagonal is None) == (full is None):
        raise document.error(item.element, '<inertial> has not all of pos, mass and either '
                             'diaginertia or fullinertia')
    if diagonal is not None:
        tensor = np.diag(diagonal)
    else:
        xx, yy, zz, xy, xz, yz = full or ()
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    rotation = within[:3, :3] @ read_rotation(item)
    turned = rotation @ tensor @ rotation.T
    x, y, z = (within @ [*position, 1.0])[:3].tolist()
    return Inertia(mass[0], (x, y, z), matrix3(0.5 * (turned + turned.T) + 0.0),
                   document.report.source(item.element))
