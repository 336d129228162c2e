"""What is written as MJCF is the same robot to MuJoCo."""

from dataclasses import replace

from hypothesis import given, settings, strategies as st
import mujoco
import numpy as np
from robots import random_state, trees

import mbd_ros
from mbd_ros.description.mechanism import LoopJoint, Pose, SpringDamper
from mbd_ros.description.write_mjcf import mjcf_text

# As in test_against_mujoco.py: MuJoCo keeps inertias diagonalised, which costs two digits.
TOLERANCE = 1e-9


@settings(max_examples=20, deadline=None, derandomize=True)
@given(text=trees(max_joints=8), seed=st.integers(0, 2**16))
def test_accelerations(text, seed):
    model = mbd_ros.load(text)
    peer = mujoco.MjModel.from_xml_string(mjcf_text(model.mechanism))
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    data = mujoco.MjData(peer)
    order = [peer.joint(name).dofadr[0] for name in model.joint_names]
    q, v, tau = random_state(model, seed)
    data.qpos[order], data.qvel[order], data.qfrc_applied[order] = q, v, tau
    mujoco.mj_forward(peer, data)
    found = mbd_ros.forward_dynamics(model, q, v, tau, executor='interpreted')
    scale = max(1.0, np.abs(found).max())
    np.testing.assert_allclose(data.qacc[order], found, rtol=0.0, atol=TOLERANCE * scale)


def test_loops_springs_and_couplings():
    model = mbd_ros.load("""
        <robot name="r"><link name="base"/>
        <link name="a"><inertial><mass value="1"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <link name="b"><inertial><mass value="1"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="i" type="continuous"><parent link="base"/><child link="a"/>
        <axis xyz="0 1 0"/></joint>
        <joint name="j" type="continuous"><origin xyz="1 0 0"/><parent link="base"/>
        <child link="b"/><axis xyz="0 1 0"/><mimic joint="i" multiplier="2" offset="0.5"/></joint>
        </robot>""")
    ends = [Pose(translation=(0.0, 0.0, 1.0)), Pose(translation=(-1.0, 0.0, 1.0))]
    mechanism = replace(
        model.mechanism, loop_joints=(LoopJoint('pin', 'spherical', 'a', 'b', *ends),
                                      LoopJoint('weld', 'fixed', 'a', 'b', *ends)),
        springs=(SpringDamper('spring', 'a', 'b', (0.0, 0.0, 1.0), (0.0, 0.0, 2.0), 100.0, 3.0,
                              0.25),))
    peer = mujoco.MjModel.from_xml_string(mjcf_text(mechanism))
    data = mujoco.MjData(peer)
    mujoco.mj_forward(peer, data)
    kinds = [mujoco.mjtEq(kind).name for kind in peer.eq_type]
    assert kinds == ['mjEQ_CONNECT', 'mjEQ_WELD', 'mjEQ_JOINT']
    assert list(peer.eq_data[2, :2]) == [0.5, 2.0]
    # pin 3 rows and weld 6, both closed at q = 0; the coupling misses its offset
    assert np.flatnonzero(np.abs(data.efc_pos) > 1e-12).tolist() == [9]
    assert (peer.tendon_stiffness[0], peer.tendon_damping[0]) == (100.0, 3.0)
    assert peer.tendon_lengthspring[0].tolist() == [0.25, 0.25]
    # the distance of the points is sqrt(2); the tendon pulls them together
    assert data.ten_length[0] == np.sqrt(2.0)
