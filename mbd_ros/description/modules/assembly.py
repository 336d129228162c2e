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
A ModuleGraph to a Mechanism: modules become links and joints, rings become loop joints.

Body ``b`` of module ``m`` is the link ``m/b``, its joint ``j`` the joint ``m/j``, and the joint by
which it is docked has the name of its port, ``m/p``. Docked port frames have one origin, opposite
x axes, and the outboard z axis is turned by the angle about the inboard x axis::

    X_PC = X_PA  Rot_x(angle) Rot_z(pi)  M(q)  X_CB^-1

with the inboard body P and its port A, the outboard body C and its port B, and the motion M(q) of
the port's joint.

"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.modules.inner_tree import Branch, tree_from
from mbd_ros.description.modules.read_types import FRAME
from mbd_ros.description.modules.records import (
    Connection, FREE, ModuleGraph, ModuleType, Port, PortJoint)
from mbd_ros.description.modules.rules import carriers
from mbd_ros.description.modules.shapes import shapes_of
from mbd_ros.description.records.finding import Finding
from mbd_ros.description.records.mechanism import (
    Dynamics, Joint, JointKind, Link, LoopJoint, LoopKind, Mechanism, Pose, SpringDamper, Vector3)
from mbd_ros.description.records.poses import clean, matrix3
from mbd_ros.description.write.urdf import urdf_text
from mbd_ros.errors import UnsupportedError

Array = NDArray[np.float64]

IDENTITY = Pose()

WORLD = 'world'
"""Root link where the base is not fixed at the origin."""

BASE_JOINT = {'floating': 'floating_base', 'fixed': 'base_mount'}

AXIS_REVERSES: tuple[JointKind, ...] = ('revolute', 'continuous', 'prismatic', 'fixed')
"""Joints that are the same seen from their other side, with the axis reversed."""

_LOOPS: dict[JointKind, LoopKind] = {
    'fixed': 'fixed', 'revolute': 'revolute', 'continuous': 'revolute', 'prismatic': 'prismatic',
    'spherical': 'spherical', 'planar': 'planar'}


class Docking(NamedTuple):
    """
    Where docked bodies are to each other.

    Attributes
    ----------
    joint : PortJoint
        The joint between them.
    origin : Pose
        The frame M in the inboard body: the outboard port's frame at q = 0.
    axis : (3,) tuple
        Of the joint, in M.
    place : Pose
        The outboard body in M; the identity where the joint acts the same on the body's own
        frame, which then is M.

    """

    joint: PortJoint
    origin: Pose
    axis: Vector3
    place: Pose


def assemble(graph: ModuleGraph, *, generation: int = 0) -> Mechanism:
    """
    Return the links and joints of a robot made of modules.

    Parameters
    ----------
    graph : ModuleGraph
        Checked, as readers and operations give it.
    generation : int
        Written into the description; 0: none.

    Returns
    -------
    Mechanism
        With the description as URDF in ``text``.

    Raises
    ------
    UnsupportedError
        If a module is docked so that a joint is reversed that has no reverse.

    """
    links: list[Link] = []
    joints: list[Joint] = []
    carrier = carriers(graph)
    root = _base(graph, links, joints)
    _module(graph, graph.base.module, '', links, joints)
    for module, one in carrier.items():
        _dock(graph, one, links, joints)
        _module(graph, module, one.child_port, links, joints)
    closing = [one for one in graph.connections if one.closes_loop]
    loops = tuple(_loop(graph, one) for one in closing)
    unused = (finding for one in closing for finding in _unused(graph, one))
    mechanism = Mechanism(graph.name, root, tuple(links), tuple(joints),
                          (*graph.findings, *unused), graph.file, loop_joints=loops,
                          springs=tuple(_springs(graph)), generation=generation)
    mechanism = replace(mechanism, **_annotations(graph))
    return replace(mechanism, text=urdf_text(mechanism, shapes=shapes_of(graph)))


def _module(graph: ModuleGraph, module: str, port: str, links: list[Link],
            joints: list[Joint]) -> None:
    """Add bodies and joints of a module that is carried by a port, or by its first body."""
    kind = graph.types[graph.instances[module].type]
    for name, body in kind.bodies.items():
        links.append(Link(f'{module}/{name}', body.inertia, body.source,
                          body.gravity_compensation))
    for branch in _branches(kind, kind.ports[port].body if port else next(iter(kind.bodies))):
        _inside(module, branch, links, joints)


def _annotations(graph: ModuleGraph) -> dict[str, Any]:
    """Return fluids, contacts, bending and thrusters of the bodies of all modules."""
    found: dict[str, list[Any]] = {'fluids': [], 'contacts': [], 'flexibles': [], 'thrusters': []}
    for module, one in graph.instances.items():
        for name, body in graph.types[one.type].bodies.items():
            link = f'{module}/{name}'
            for key, record in (('fluids', body.fluid), ('contacts', body.contact)):
                if record is not None:
                    found[key].append(replace(record, link=link))
            found['thrusters'] += (replace(thruster, link=link, name=f'{module}/{thruster.name}')
                                   for thruster in body.thrusters)
            if body.flexible is not None:   # joints on it are those of the module
                found['flexibles'].append(replace(body.flexible, link=link, points=tuple(
                    replace(point, joint=point.joint and f'{module}/{point.joint}')
                    for point in body.flexible.points)))
    return {key: tuple(records) for key, records in found.items()}


def _springs(graph: ModuleGraph) -> Iterator[SpringDamper]:
    """Yield the springs inside all modules."""
    for module, one in graph.instances.items():
        for spring in graph.types[one.type].springs:
            yield replace(spring, name=f'{module}/{spring.name}',
                          link1=f'{module}/{spring.link1}', link2=f'{module}/{spring.link2}')


def _base(graph: ModuleGraph, links: list[Link], joints: list[Joint]) -> str:
    """Add what the base stands on, if it is not its own root body, and return the root link."""
    base = graph.base
    kind = graph.types[graph.instances[base.module].type]
    link = f'{base.module}/{next(iter(kind.bodies))}'
    if base.motion == 'fixed' and base.pose == IDENTITY:
        return link
    links.append(Link(WORLD, source=base.source))
    joints.append(Joint(BASE_JOINT[base.motion], base.motion, WORLD, link, base.pose,
                        source=base.source))
    return WORLD


def _dock(graph: ModuleGraph, one: Connection, links: list[Link], joints: list[Joint]) -> None:
    """Add the joint by which a module is carried, and a frame for it where it needs one."""
    inner, outer = graph.port(*one.ends[0]), graph.port(*one.ends[1])
    joint, origin, axis, place = _on_own_frame(_docking(inner, outer, one.angle))
    name, child = f'{one.child}/{one.child_port}', f'{one.child}/{outer.body}'
    frame = child if place == IDENTITY else name + FRAME
    joints.append(Joint(name, joint.kind, f'{one.parent}/{inner.body}', frame, origin, axis,
                        joint.limits, joint.dynamics, source=one.source))
    if frame != child:
        links.append(Link(frame, source=one.source))
        joints.append(Joint(frame, 'fixed', frame, child, place, source=one.source))


@lru_cache(maxsize=4096)
def _docking(inner: Port, outer: Port, angle: float) -> Docking:
    turn = clean(np.array([[1.0, 0.0, 0.0],
                           [0.0, math.cos(angle), -math.sin(angle)],
                           [0.0, math.sin(angle), math.cos(angle)]]))
    facing = turn @ np.diag([-1.0, -1.0, 1.0])
    joint = inner.joint if outer.joint.kind == 'fixed' else outer.joint
    axis = facing.T @ np.array(joint.axis) if joint is inner.joint else np.array(joint.axis)
    return Docking(joint, _composed(inner.pose, Pose(matrix3(facing))), _vector(axis),
                   _inverse(outer.pose))


@lru_cache(maxsize=4096)
def _on_own_frame(docking: Docking) -> Docking:
    """Return the docking with M in the outboard body's frame, if the joint acts the same there."""
    kind, arm = docking.joint.kind, np.array(docking.place.translation)
    free = (kind in ('fixed', 'prismatic') or not arm.any()
            or (kind in ('revolute', 'continuous') and not np.cross(docking.axis, arm).any()))
    if not free:
        return docking
    axis = np.array(docking.place.rotation).T @ np.array(docking.axis)
    return Docking(docking.joint, _composed(docking.origin, docking.place), _vector(axis),
                   IDENTITY)


@lru_cache(maxsize=1024)
def _branches_of(joints: tuple[Joint, ...], body: str) -> tuple[Branch, ...]:
    return tuple(tree_from(body, {joint.name: joint for joint in joints}))


def _branches(kind: ModuleType, body: str) -> tuple[Branch, ...]:
    return _branches_of(tuple(kind.joints.values()), body) if kind.joints else ()


def _inside(module: str, branch: Branch, links: list[Link], joints: list[Joint]) -> None:
    """Add a joint of a module; reversed, it begins at its child and needs a frame."""
    joint, name = branch.joint, f'{module}/{branch.joint.name}'
    parent, child = f'{module}/{joint.parent}', f'{module}/{joint.child}'
    if not branch.reversed:
        joints.append(Joint(name, joint.kind, parent, child, joint.origin, joint.axis,
                            joint.limits, joint.dynamics, source=joint.source))
        return
    if joint.kind not in AXIS_REVERSES:
        raise UnsupportedError(
            f"module '{module}' docked so that its {joint.kind} joint "
            f"'{joint.name}' is reversed", 'dock it by a port on the other side of that joint',
            source=joint.source)
    if joint.kind == 'fixed':
        joints.append(Joint(name, 'fixed', child, parent, _inverse(joint.origin),
                            source=joint.source))
        return
    frame = name + FRAME
    links.append(Link(frame, source=joint.source))
    axis = _vector(-np.array(joint.axis))
    joints.append(Joint(name, joint.kind, child, frame, Pose(), axis, joint.limits,
                        joint.dynamics, source=joint.source))
    joints.append(Joint(frame, 'fixed', frame, parent, _inverse(joint.origin),
                        source=joint.source))


def _loop(graph: ModuleGraph, one: Connection) -> LoopJoint:
    inner, outer = graph.port(*one.ends[0]), graph.port(*one.ends[1])
    docking = _docking(inner, outer, one.angle)
    kind = docking.joint.kind
    along = IDENTITY if kind == 'fixed' else Pose(matrix3(_z_along(docking.axis)))
    return LoopJoint(
        f'{one.child}/{one.child_port}', _LOOPS[kind], f'{one.parent}/{inner.body}',
        f'{one.child}/{outer.body}', _composed(docking.origin, along),
        _composed(outer.pose, along), source=one.source)


def _unused(graph: ModuleGraph, one: Connection) -> Iterator[Finding]:
    """Yield what a port's joint has that a joint without a coordinate cannot have."""
    for joint in (graph.port(*end).joint for end in one.ends):
        what = f"port joint '{one.child}/{one.child_port}' closes a loop: it has no coordinate"
        if joint.dynamics != Dynamics():
            yield Finding('warning', f'{what}, and its damping, friction and armature are not '
                          'used', one.source.file, one.source.line,
                          'close the ring where a port has none')
        if joint.limits != FREE:
            yield Finding('info', f'{what}, and its limits are not used', one.source.file,
                          one.source.line)


def _z_along(axis: Vector3) -> Array:
    """Return the rotation matrix of a frame whose z axis is a unit vector."""
    z = np.array(axis)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return clean(np.column_stack((x, np.cross(z, x), z)))


@lru_cache(maxsize=4096)
def _composed(first: Pose, second: Pose) -> Pose:
    rotation = np.array(first.rotation)
    place = np.array(first.translation) + rotation @ np.array(second.translation)
    return Pose(matrix3(clean(rotation @ np.array(second.rotation))), _vector(place))


@lru_cache(maxsize=4096)
def _inverse(pose: Pose) -> Pose:
    rotation = np.array(pose.rotation).T
    return Pose(matrix3(clean(rotation)), _vector(-rotation @ np.array(pose.translation)))


def _vector(array: Array) -> Vector3:
    x, y, z = (array + 0.0).tolist()
    return x, y, z
