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

"""The same robots with closed loops in Pinocchio and MuJoCo: calls with their arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

from lxml import etree
import mujoco
import numpy as np
import pinocchio as pin

from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.description.write.mjcf import mjcf_text
from mbd_ros.model import Model

CallOf: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]


def pinocchio_calls(text: str, model: Model, q: np.ndarray,
                    gravity: tuple[float, float, float]) -> dict[str, CallOf]:
    """Return Pinocchio's constraintDynamics and lcaba of a robot at rest, joints as balls."""
    return {'constraintDynamics': _pinocchio(text, model, q, gravity, False),
            'lcaba': _pinocchio(text, model, q, gravity, True)}


def _pinocchio(text: str, model: Model, q: np.ndarray, gravity: tuple[float, float, float],
               recursive: bool) -> CallOf:
    peer = pin.buildModelFromXML(text)
    peer.gravity.linear = np.array(gravity)
    constraints = pin.StdVec_RigidConstraintModel()
    for joint in model.mechanism.loop_joints:
        places: list[Any] = []
        for link, pose in ((joint.link1, joint.frame1), (joint.link2, joint.frame2)):
            frame = peer.frames[peer.getFrameId(link)]
            places += [frame.parentJoint,
                       frame.placement * pin.SE3(np.eye(3), np.array(pose.translation))]
        constraints.append(pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, peer, *places, pin.ReferenceFrame.LOCAL))
    data, datas = peer.createData(), pin.StdVec_RigidConstraintData()
    datas.extend(one.createData() for one in constraints)
    if recursive:  # within 1e-6 of the exact answer; with less regularization farther off
        pin.computeJointMinimalOrdering(peer, data, constraints)
        call, settings = pin.lcaba, pin.ProximalSettings(1e-10, 1e-6, 3)
    else:
        pin.initConstraintDynamics(peer, data, constraints, datas)
        call, settings = pin.constraintDynamics, pin.ProximalSettings(1e-10, 1e-10, 3)
    there = q if peer.nq == len(q) else pin.neutral(peer)
    zero = np.zeros(peer.nv)
    return call, (peer, data, there, zero, zero, constraints, datas, settings)


def mujoco_call(model: Model, q: np.ndarray, gravity: tuple[float, float, float]) -> CallOf:
    """Return MuJoCo's forward dynamics of a robot at rest, loop joints as balls."""
    loops = tuple(replace(joint, kind='spherical') for joint in model.mechanism.loop_joints)
    tree = etree.fromstring(mjcf_text(replace(model.mechanism, loop_joints=loops)).encode())
    world = tree.find('worldbody')
    for body in world.findall('.//body'):
        if body.find('freejoint') is not None or body.find("joint[@type='free']") is not None:
            world.append(body)  # there alone it may move freely
    return _at(mujoco.MjModel.from_xml_string(etree.tostring(tree, encoding='unicode')), model, q,
               gravity)


def mujoco_hinges(model: Model, q: np.ndarray, gravity: tuple[float, float, float]) -> CallOf:
    """Return the same for hinges only, however long the chain: XML ends at 256 links in a row."""
    mechanism, spec = model.mechanism, mujoco.MjSpec()
    inertias = {link.name: link.inertia for link in mechanism.links}
    bodies = {mechanism.root: spec.worldbody}
    for joint in mechanism.joints:
        inertia = inertias[joint.child]
        assert inertia is not None and joint.kind == 'revolute'
        body = bodies[joint.child] = bodies[joint.parent].add_body(
            name=joint.child, pos=joint.origin.translation, mass=inertia.mass,
            ipos=inertia.center, inertia=np.diag(inertia.tensor), explicitinertial=True)
        body.add_joint(name=joint.name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=joint.axis)
    _connect(spec, bodies, mechanism)
    return _at(spec.compile(), model, q, gravity)


def _connect(spec: Any, bodies: dict[str, Any], mechanism: Mechanism) -> None:
    for loop in mechanism.loop_joints:
        names = [f'{loop.name}_{end}' for end in (1, 2)]
        for name, link, frame in zip(names, (loop.link1, loop.link2), (loop.frame1, loop.frame2)):
            bodies[link].add_site(name=name, pos=frame.translation)
        spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_SITE,
                          name1=names[0], name2=names[1])


def _at(peer: Any, model: Model, q: np.ndarray, gravity: tuple[float, float, float]) -> CallOf:
    peer.opt.gravity[:] = gravity
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(peer)
    if peer.nq == len(q):
        for joint, first in zip(model.joint_names, model.q_offsets):
            data.qpos[peer.joint(joint).qposadr[0]] = q[first]
    return mujoco.mj_forward, (peer, data)
