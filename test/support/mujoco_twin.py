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

"""A robot in MuJoCo and here: the same coordinates, mass matrix and bias."""

from dataclasses import replace

import mujoco
import numpy as np

import mbd_ros
from mbd_ros.description import read
from mbd_ros.model import build_model, Model
from mbd_ros.model.state import random_configuration


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


def compare(text: str, tolerance: float, **options: object) -> Model:
    """Compare the spanning tree of a text or file at two states; return it."""
    peer = (mujoco.MjModel.from_xml_string(text) if text.lstrip().startswith('<')
            else mujoco.MjModel.from_xml_path(text))
    model = build_model(replace(read(text, **options), loop_joints=(), springs=()))
    assert model.nv == peer.nv
    data, mass = mujoco.MjData(peer), np.zeros((peer.nv, peer.nv))
    rng = np.random.default_rng(2)
    for _ in range(2):
        q = random_configuration(model, rng)
        data.qpos, turns = to_mujoco(model, peer, q)
        data.qvel = 0.0
        mujoco.mj_forward(peer, data)
        mujoco.mj_fullM(peer, data, mass)
        for found, expected in (
                (mbd_ros.mass_matrix(model, q, executor='interpreted'), turns.T @ mass @ turns),
                (mbd_ros.bias_forces(model, q, np.zeros(model.nv), executor='interpreted'),
                 turns.T @ data.qfrc_bias)):
            scale = np.abs(expected).max(initial=1e-9)
            np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance * scale)
    return model
