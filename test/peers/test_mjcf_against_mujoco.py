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

"""What is read from MJCF against what MuJoCo compiles from the same file."""

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import mbd_ros
from mbd_ros.description import Mechanism, read
from mbd_ros.description.records.poses import matrix_of
from mbd_ros.model import build_model, Model
from mbd_ros.model.state import random_configuration

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / 'test' / 'data' / 'mjcf').glob('*.xml'))

# MuJoCo keeps inertias diagonalised, and turns quaternions into matrices, which costs some digits.
TOLERANCE = 1e-12


def tree_of(path: Path) -> tuple[Mechanism, Model]:
    """Return a robot and its spanning tree as a model."""
    mechanism = read(path)
    return mechanism, build_model(replace(mechanism, loop_joints=()))


def to_mujoco(model: Model, peer: mujoco.MjModel, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return MuJoCo's qpos, and the matrix T of its qvel = T v."""
    qpos, turns = np.zeros(peer.nq), np.zeros((peer.nv, model.nv))
    for name, kind, iq, iv in zip(model.joint_names, model.joint_types, model.q_offsets,
                                  model.v_offsets):
        joint = peer.joint(name)
        jq, jv = joint.qposadr[0], joint.dofadr[0]
        part = q[iq:iq + kind.nq]
        block = np.eye(kind.nv)
        if kind.nq in (4, 7):  # quaternions: x y z w here, w x y z there
            part = np.concatenate((part[:-4], part[-1:], part[-4:-1]))
        if kind.nq == 7:  # the free joint's linear velocity is in the axes of the world there
            mujoco.mju_quat2Mat(turn := np.zeros(9), part[3:])
            block[:3, :3] = turn.reshape(3, 3)
        qpos[jq:jq + kind.nq] = part
        turns[jv:jv + kind.nv, iv:iv + kind.nv] = block
    return qpos, turns


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_poses_masses_and_bias(path):
    _, model = tree_of(path)
    peer = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(peer)
    assert model.nv == peer.nv
    rng = np.random.default_rng(2)
    for _ in range(3):
        q, v = random_configuration(model, rng), rng.normal(size=model.nv)
        data.qpos, turns = to_mujoco(model, peer, q)
        data.qvel = turns @ v
        mujoco.mj_forward(peer, data)
        for k in range(1, peer.nbody):
            pose = mbd_ros.pose(model, q, peer.body(k).name)
            np.testing.assert_allclose(pose[:3, 3], data.xpos[k], atol=TOLERANCE)
            np.testing.assert_allclose(pose[:3, :3], data.xmat[k].reshape(3, 3), atol=TOLERANCE)
        mass = np.zeros((peer.nv, peer.nv))
        mujoco.mj_fullM(peer, data, mass)
        expected = turns.T @ mass @ turns
        found = mbd_ros.mass_matrix(model, q, executor='interpreted')
        np.testing.assert_allclose(found, expected, atol=TOLERANCE * np.abs(expected).max())
        gravity = mbd_ros.bias_forces(model, q, np.zeros(model.nv), executor='interpreted')
        data.qvel = 0.0
        mujoco.mj_forward(peer, data)
        expected = turns.T @ data.qfrc_bias
        np.testing.assert_allclose(gravity, expected, atol=TOLERANCE * np.abs(expected).max())


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_limits_and_resistance(path):
    _, model = tree_of(path)
    peer = mujoco.MjModel.from_xml_path(str(path))
    for name, kind, iv in zip(model.joint_names, model.joint_types, model.v_offsets):
        joint = peer.joint(name)
        for ours, theirs in ((model.damping, joint.damping), (model.armature, joint.armature),
                             (model.friction, joint.frictionloss)):
            np.testing.assert_allclose(ours[iv:iv + kind.nv], np.resize(theirs, kind.nv))
        lower, upper = joint.range if joint.limited[0] else (-np.inf, np.inf)
        np.testing.assert_allclose((model.lower[iv], model.upper[iv]), (lower, upper), rtol=1e-15)


def test_settings_of_masses():
    """Balanced moments and a total mass, of bodies from geoms, one fixed to the world, too."""
    text = """<mujoco><compiler balanceinertia="true" boundinertia="0.01" settotalmass="7"/>
    <worldbody><geom size="1"/><body name="a" pos="0 0 1"><joint axis="0 1 0"/>
    <inertial pos="0.1 0 0.2" quat="1 2 3 4" mass="2" diaginertia="0.1 0.2 0.5"/>
    <body name="b" pos="0 0 1"><joint axis="1 0 0"/><geom type="box" size="0.1 0.2 0.001"/></body>
    </body><body name="c"><geom size="0.1"/></body></worldbody></mujoco>"""
    model = mbd_ros.load(text)
    peer = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(peer)
    mass = np.zeros((2, 2))
    for q in ((0.0, 0.0), (0.3, -1.1)):
        data.qpos = q
        mujoco.mj_forward(peer, data)
        mujoco.mj_fullM(peer, data, mass)
        found = mbd_ros.mass_matrix(model, q, executor='interpreted')
        np.testing.assert_allclose(found, mass, atol=TOLERANCE * np.abs(mass).max())


def test_equality_constraints():
    path = ROOT / 'test' / 'data' / 'mjcf' / '05_four_bar.xml'
    mechanism = read(path)
    peer = mujoco.MjModel.from_xml_path(str(path))
    loops = {loop.name: loop for loop in mechanism.loop_joints}
    assert sorted(loops) == ['here', 'pin', 'sites', 'there']
    for name, loop in loops.items():
        data = peer.equality(name).data
        first, second = matrix_of(loop.frame1), matrix_of(loop.frame2)
        if loop.kind == 'spherical' and name == 'pin':
            np.testing.assert_allclose(data[:3], first[:3, 3], atol=TOLERANCE)
            np.testing.assert_allclose(data[3:6], second[:3, 3], atol=TOLERANCE)
        elif loop.kind == 'fixed':  # anchor in the second body, its image in the first, rotation
            between = first @ np.linalg.inv(second)
            mujoco.mju_quat2Mat(turn := np.zeros(9), data[6:10] / np.linalg.norm(data[6:10]))
            np.testing.assert_allclose(between[:3, :3], turn.reshape(3, 3), atol=TOLERANCE)
            image = between[:3, :3] @ data[:3] + between[:3, 3]
            np.testing.assert_allclose(data[3:6], image, atol=TOLERANCE)
    (rocker,) = (joint for joint in mechanism.joints if joint.mimic is not None)
    assert (rocker.name, rocker.mimic.joint) == ('rocker', 'crank')
    assert (rocker.mimic.multiplier, rocker.mimic.offset) == (2.0, 0.1)
