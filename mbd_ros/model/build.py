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

"""Mechanism to Model: order the joints, merge what is fixed, turn the frames."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import inf

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.budget import look
from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.frames import axis_rotation
from mbd_ros.description.records.mechanism import Joint, Limits, Mechanism
from mbd_ros.description.records.poses import clean
from mbd_ros.errors import DescriptionError
from mbd_ros.model.attachments.contacts import make_contacts
from mbd_ros.model.attachments.fluids import make_submerged
from mbd_ros.model.attachments.joint_springs import make_joint_springs
from mbd_ros.model.attachments.lifted_links import is_lifted, make_lifted
from mbd_ros.model.attachments.thrusters import make_thruster
from mbd_ros.model.flexible.segments import elastic_tree, ElasticTree
from mbd_ros.model.joints.joint_type import JointType
from mbd_ros.model.link_frame import LinkFrame
from mbd_ros.model.loops import COUPLED, Loop, make_coupling, make_loop, make_spring
from mbd_ros.model.masses import MassProperties, merged, placed
from mbd_ros.model.model import Model

Array = NDArray[np.float64]

FLOATING_BASE = 'floating_base'
"""Name of the joint that sets the root link free."""

_TYPES = {'revolute': JointType.REVOLUTE, 'continuous': JointType.REVOLUTE,
          'prismatic': JointType.PRISMATIC, 'floating': JointType.FLOATING,
          'spherical': JointType.SPHERICAL, 'planar': JointType.PLANAR}
_WITHOUT_AXIS = ('floating', 'spherical')


def build_model(mechanism: Mechanism, *, floating_base: bool = False, mimic: bool = False,
                flexible: bool = False, generation: int = 1) -> Model:
    """
    Compile the records of a robot to the arrays the algorithms read.

    Parameters
    ----------
    mechanism : Mechanism
        Links and joints that span a tree.
    floating_base : bool
        Whether the root link moves freely, by a joint named ``floating_base``, instead of being
        part of the ground.
    mimic : bool
        Whether mimic joints are coupled to those they follow; threads and gears always are.
    flexible : bool
        Whether flexible links bend and elastic transmissions yield, instead of being rigid.
    generation : int
        Number of this model in the life of the robot.

    Returns
    -------
    Model
        Frozen; see there for frames and order.

    Raises
    ------
    DescriptionError
        If a joint of the description has the name of the floating base or does what it does, or
        cannot mimic another.

    """
    moving: list[Joint] = []
    parents: list[int] = []
    placements: list[tuple[Array, Array]] = []
    frames = {mechanism.root: LinkFrame(-1, np.eye(3), np.zeros(3))}
    if floating_base:
        moving.append(_floating_base(mechanism))
        parents.append(-1)
        placements.append((np.eye(3), np.zeros(3)))
        frames[mechanism.root] = LinkFrame(0, np.eye(3), np.zeros(3))
    for joint in depth_first(mechanism):
        look(joint.source.file, joint.source.line)
        parent = frames[joint.parent]
        rotation = clean(parent.rotation @ np.array(joint.origin.rotation))
        translation = parent.translation + parent.rotation @ np.array(joint.origin.translation)
        if joint.kind == 'fixed':
            frames[joint.child] = LinkFrame(parent.body, rotation, translation)
            continue
        turn = np.eye(3) if joint.kind in _WITHOUT_AXIS else axis_rotation(joint.axis)
        frames[joint.child] = LinkFrame(len(moving), turn.T, np.zeros(3))
        placements.append((clean(rotation @ turn), translation))
        parents.append(parent.body)
        moving.append(joint)
    elastic = None
    if flexible and (mechanism.flexibles or any(
            joint.dynamics.series_stiffness for joint in moving)):
        elastic = elastic_tree(mechanism, moving, tuple(depth_first(mechanism)))
        for cut in elastic.seated.loop_joints:   # refused where its ends cannot move
            make_loop(cut, elastic.links, [segment.parent for segment in elastic.segments])
    loops = [make_loop(joint, frames, parents, bends=elastic is not None)
             for joint in mechanism.loop_joints]
    leaders = {joint.name: k for k, joint in enumerate(moving) if joint.kind in COUPLED}
    loops += [make_coupling(moving, k, parents, leaders) for k, joint in enumerate(moving)
              if joint.mimic is not None and (mimic or joint.mimic.always)]
    return _assemble(mechanism, moving, parents, placements, frames, loops, generation, elastic)


def depth_first(mechanism: Mechanism) -> Iterator[Joint]:
    """
    Yield all joints, parents before children, the children of a link by joint name.

    This is the order in which Pinocchio and urdfdom number the joints of the same file.
    """
    children: dict[str, list[Joint]] = defaultdict(list)
    for joint in sorted(mechanism.joints, key=lambda joint: joint.name, reverse=True):
        children[joint.parent].append(joint)
    waiting = list(children[mechanism.root])
    while waiting:
        joint = waiting.pop()
        yield joint
        waiting.extend(children[joint.child])


def _floating_base(mechanism: Mechanism) -> Joint:
    root = next(link for link in mechanism.links if link.name == mechanism.root)
    alone = len([joint for joint in mechanism.joints if joint.parent == root.name]) == 1
    for joint in mechanism.joints:
        if joint.name == FLOATING_BASE:
            raise DescriptionError(
                f"joint '{joint.name}' has the name of the joint that floating_base=True adds; "
                'rename it or load without floating_base', file=joint.source.file,
                line=joint.source.line)
        if joint.kind == 'floating' and joint.parent == root.name and alone and (
                root.inertia is None or root.inertia.mass == 0.0):
            raise DescriptionError(
                f"joint '{joint.name}' sets the robot free already, and floating_base=True sets "
                f"its root link '{root.name}', which has no mass, free once more; leave out "
                'floating_base=True', file=joint.source.file, line=joint.source.line)
    return Joint(FLOATING_BASE, 'floating', parent='', child=mechanism.root,
                 source=Source(mechanism.file))


def _assemble(mechanism: Mechanism, moving: list[Joint], parents: list[int],
              placements: list[tuple[Array, Array]], frames: dict[str, LinkFrame],
              loops: list[Loop], generation: int, elastic: ElasticTree | None) -> Model:
    types = tuple(_TYPES[joint.kind] for joint in moving)
    q_offsets = np.cumsum([0] + [kind.nq for kind in types]).tolist()
    v_offsets = np.cumsum([0] + [kind.nv for kind in types]).tolist()
    limits = [_bounds(joint) for joint in moving]
    bodies = _bodies(mechanism, frames, len(moving))
    count = len(moving)
    bending = 0 if elastic is None else len(elastic.names)
    carried = {name for name, frame in (frames if elastic is None else elastic.links).items()
               if frame.body >= 0}

    def per_rate(values: list[float], of_elastic: float = 0.0) -> Array:
        return np.array([*(value for value, kind in zip(values, types) for _ in range(kind.nv)),
                         *[of_elastic] * bending])

    return Model(
        name=mechanism.name, generation=generation, parents=tuple(parents), joint_types=types,
        joint_names=tuple(joint.name for joint in moving),
        body_names=tuple(joint.child for joint in moving),
        q_offsets=tuple(q_offsets[:-1]), v_offsets=tuple(v_offsets[:-1]),
        nq=q_offsets[-1] + bending, nv=v_offsets[-1] + bending, nb=count,
        rotations=np.array([pose[0] for pose in placements]).reshape(count, 3, 3),
        translations=np.array([pose[1] for pose in placements]).reshape(count, 3),
        masses=np.array([body.mass for body in bodies]),
        mass_centers=np.array([body.center for body in bodies]).reshape(count, 3),
        inertias=np.array([body.tensor for body in bodies]).reshape(count, 3, 3),
        armature=per_rate([joint.dynamics.armature for joint in moving]),
        damping=per_rate([joint.dynamics.damping for joint in moving]),
        friction=per_rate([joint.dynamics.friction for joint in moving]),
        quadratic_damping=per_rate([joint.dynamics.quadratic_damping for joint in moving]),
        cubic_damping=per_rate([joint.dynamics.cubic_damping for joint in moving]),
        lower=per_rate([limit.lower for limit in limits], -inf),
        upper=per_rate([limit.upper for limit in limits], inf),
        velocity_limits=per_rate([limit.velocity for limit in limits], inf),
        effort_limits=per_rate([limit.effort for limit in limits], inf),
        links=frames, root=mechanism.root, findings=mechanism.findings, mechanism=mechanism,
        loops=tuple(loops),
        springs=tuple(make_spring(spring, frames) for spring in mechanism.springs),
        joint_springs=tuple(spring for i, joint in enumerate(moving)
                            for spring in make_joint_springs(joint, i)),
        lifted=tuple(make_lifted(link, frames) for link in mechanism.links
                     if is_lifted(link, frames)),
        fluids=tuple(make_submerged(fluid, frames) for fluid in mechanism.fluids
                     if fluid.link in carried),
        contacts=tuple(point for contact in mechanism.contacts
                       if contact.link in carried
                       for point in make_contacts(contact, frames)),
        thrusters=tuple(make_thruster(one) for one in mechanism.thrusters
                        if frames[one.link].body >= 0),
        elastic=elastic, gravity=mechanism.gravity)


def _bounds(joint: Joint) -> Limits:
    limits = joint.limits
    if joint.kind == 'floating':
        return Limits()
    if joint.kind in ('revolute', 'prismatic'):
        return limits
    return Limits(-inf, inf, limits.velocity, limits.effort)


def _bodies(mechanism: Mechanism, frames: dict[str, LinkFrame],
            count: int) -> list[MassProperties]:
    parts: list[list[MassProperties]] = [[] for _ in range(count)]
    for link in mechanism.links:
        frame = frames[link.name]
        if frame.body >= 0 and link.inertia is not None:
            parts[frame.body].append(placed(link.inertia, frame.rotation, frame.translation))
    return [merged(part) for part in parts]
