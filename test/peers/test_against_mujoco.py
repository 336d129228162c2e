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

"""Mass matrix, bias and accelerations against MuJoCo on random trees."""

from hypothesis import given, settings, strategies as st
import mujoco
import numpy as np
from robots import random_state, trees

import mbd_ros

# As in test_against_pinocchio.py; MuJoCo keeps inertias diagonalised, which costs two digits.
TOLERANCE = 1e-9


def close(found, expected):
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=TOLERANCE * scale)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(text=trees(max_joints=12), seed=st.integers(0, 2**16))
def test_fixed_base_trees(text, seed):
    model = mbd_ros.load(text)
    text = text.replace('<robot name="random">', '<robot name="random"><mujoco><compiler '
                        'fusestatic="false" discardvisual="false"/></mujoco>')
    peer = mujoco.MjModel.from_xml_string(text)
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    data = mujoco.MjData(peer)
    order = [peer.joint(name).dofadr[0] for name in model.joint_names]
    q, v, tau = random_state(model, seed)
    data.qpos[order], data.qvel[order] = q, v
    data.qfrc_applied[order] = tau
    mujoco.mj_forward(peer, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(peer, data, mass)
    how = {'executor': 'interpreted'}
    close(mbd_ros.mass_matrix(model, q, **how), mass[np.ix_(order, order)])
    close(mbd_ros.bias_forces(model, q, v, **how), data.qfrc_bias[order])
    close(mbd_ros.forward_dynamics(model, q, v, tau, **how), data.qacc[order])
