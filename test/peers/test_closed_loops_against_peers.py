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

"""Parallel robots against the constraint dynamics of Pinocchio, and against MuJoCo."""

from pathlib import Path

from lxml import etree
import mujoco
import numpy as np
import pinocchio as pin
import pytest

import mbd_ros
from mbd_ros.description.write.mjcf import mjcf_text
from mbd_ros.model import state

URDF = Path(__file__).resolve().parents[2] / 'urdf'
ROBOTS = ('stewart.urdf.xacro', 'delta.urdf.xacro')
PLATFORM = """<link name="base"><inertial><mass value="5"/>
  <inertia ixx=".25" ixy="0" ixz="0" iyy=".25" iyz="0" izz=".25"/></inertial></link>"""


def consistent_state(model, seed):
    """Return a state of a robot off its neutral one, with its loops closed."""
    rng = np.random.default_rng(seed)
    q = state.integrate(model, state.neutral(model), 0.1 * rng.normal(size=model.nv))
    return mbd_ros.close_loops(model, q, rng.normal(size=model.nv))


def points(model):
    """Return for each loop the two links and the points on them, in the links' frames."""
    return [((joint.link1, joint.frame1.translation), (joint.link2, joint.frame2.translation))
            for joint in model.mechanism.loop_joints]


def on_circles(model, q):
    """Return a configuration as Pinocchio holds it: of continuous joints cosine and sine."""
    kinds = {joint.name: joint.kind for joint in model.mechanism.joints}
    parts = [[np.cos(q[first]), np.sin(q[first])] if kinds.get(joint) == 'continuous'
             else q[first:first + kind.nq]
             for joint, kind, first in zip(model.joint_names, model.joint_types, model.q_offsets)]
    return np.concatenate(parts)


def constrained(peer, model):
    """Return data of Pinocchio, its constraints of coinciding points and their data."""
    constraints = pin.StdVec_RigidConstraintModel()
    for ends in points(model):
        places = []
        for link, point in ends:
            frame = peer.frames[peer.getFrameId(link)]
            places += [frame.parentJoint,
                       frame.placement * pin.SE3(np.eye(3), np.array(point))]
        constraints.append(pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, peer, *places, pin.ReferenceFrame.LOCAL))
    data, datas = peer.createData(), pin.StdVec_RigidConstraintData()
    datas.extend(constraint.createData() for constraint in constraints)
    pin.initConstraintDynamics(peer, data, constraints, datas)
    return data, constraints, datas


@pytest.mark.parametrize('name', ROBOTS)
def test_accelerations_and_forces_of_pinocchio(name):
    model = mbd_ros.load(URDF / name)
    peer = pin.buildModelFromXML(model.mechanism.text)
    assert tuple(peer.names[1:]) == model.joint_names
    data, constraints, datas = constrained(peer, model)
    for seed in range(3):
        q, v = consistent_state(model, seed)
        tau = np.random.default_rng(seed).normal(size=model.nv)
        expected = pin.constraintDynamics(peer, data, on_circles(model, q), v, tau, constraints,
                                          datas, pin.ProximalSettings(1e-12, 0.0, 1))
        solution = mbd_ros.constrained_dynamics(model, q, v, tau)
        # Condition numbers of a few hundred on both sides.
        np.testing.assert_allclose(solution.accelerations, expected,
                                   atol=1e-9 * np.abs(expected).max())
        assert solution.rank == 18


@pytest.mark.parametrize('angle', [1e-9, 1e-4, 0.3])
def test_a_planar_loop_afloat_and_pinocchio(angle):
    """Out of a plane of the world by an angle; one of Pinocchio's three rows is redundant."""
    text = (URDF / 'five_bar.urdf').read_text().replace('<link name="base"/>', PLATFORM)
    model = mbd_ros.load(text, floating_base=True)
    peer = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    assert tuple(peer.names[2:]) == model.joint_names[1:]
    data, constraints, datas = constrained(peer, model)
    rng = np.random.default_rng(1)
    turn = np.concatenate([np.zeros(3), angle * np.array([0.6, 0.3, -0.7]),
                           0.2 * rng.normal(size=4)])
    q = state.integrate(model, state.neutral(model), turn)
    q, v = mbd_ros.close_loops(model, q, rng.normal(size=model.nv))
    tau = rng.normal(size=model.nv)
    expected = pin.constraintDynamics(peer, data, on_circles(model, q), v, tau, constraints, datas,
                                      pin.ProximalSettings(1e-12, 1e-9, 50))
    # Its iterations take back what the proximal parameter of 1e-9 changes: 1e-14 is found.
    np.testing.assert_allclose(mbd_ros.forward_dynamics(model, q, v, tau), expected,
                               atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize('name', ROBOTS)
def test_accelerations_of_mujoco(name):
    """The joints of MuJoCo give way a little; made stiff, they come near."""
    model = mbd_ros.load(URDF / name)
    tree = etree.fromstring(mjcf_text(model.mechanism).encode())
    world = tree.find('worldbody')
    world.append(world.find(".//body[@name='platform']"))  # there alone it may move freely
    peer = mujoco.MjModel.from_xml_string(etree.tostring(tree, encoding='unicode'))
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    peer.eq_solimp[:, :2] = 1.0 - 1e-6
    peer.opt.tolerance, peer.opt.iterations = 0.0, 200
    data = mujoco.MjData(peer)
    q, v = state.neutral(model), np.zeros(model.nv)
    tau = np.random.default_rng(0).normal(size=model.nv)
    entries = [slice(peer.joint(joint).dofadr[0], peer.joint(joint).dofadr[0] + kind.nv)
               for joint, kind in zip(model.joint_names, model.joint_types)]
    for entry, first in zip(entries, model.v_offsets):
        data.qfrc_applied[entry] = tau[first:first + entry.stop - entry.start]
    mujoco.mj_forward(peer, data)
    found = mbd_ros.forward_dynamics(model, q, v, tau)
    expected = np.concatenate([data.qacc[entry] for entry in entries])
    # Its stiffest joints, impedance 0.9999, give way by some thousandths where masses are small.
    np.testing.assert_allclose(expected, found, atol=1e-2 * np.abs(found).max())
