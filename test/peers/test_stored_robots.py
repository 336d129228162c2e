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

"""The stored robots, read by Pinocchio, give the numbers of the literature."""

import json
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

ROOT = Path(__file__).resolve().parents[2]
PUMA = json.loads((ROOT / 'test/data/puma560.json').read_text())['models']['puma6']['states']
ARM = json.loads((ROOT / 'test/data/udwadia_kalaba.json').read_text())['A_exact_motion']['samples']
ROTORS = np.diag([0.0, 1.0 / 3.0, 0.0])  # Pinocchio does not read <mbd:armature>

# Reference and peer are float64 sums of some ten terms; the largest are of order 40.
TOLERANCE = {'rtol': 1e-12, 'atol': 1e-12}


@pytest.mark.parametrize('state', PUMA)
def test_puma560(state):
    peer = pin.buildModelFromUrdf(str(ROOT / 'urdf/puma560.urdf'))
    data = peer.createData()
    q, v = np.array(state['q']), np.array(state['qd'])
    np.testing.assert_allclose(pin.crba(peer, data, q), state['M'], **TOLERANCE)
    np.testing.assert_allclose(pin.nonLinearEffects(peer, data, q, v), state['bias'], **TOLERANCE)


@pytest.mark.parametrize('sample', ARM)
def test_three_link_arm(sample):
    peer = pin.buildModelFromUrdf(str(ROOT / 'urdf/three_link_arm.urdf'))
    data = peer.createData()
    q = np.ravel([[np.cos(angle), np.sin(angle)] for angle in sample['q']])
    v = np.array(sample['qd'])
    np.testing.assert_allclose(pin.crba(peer, data, q) + ROTORS, sample['M'], **TOLERANCE)
    np.testing.assert_allclose(-pin.nonLinearEffects(peer, data, q, v), sample['Q'], **TOLERANCE)
    pin.framesForwardKinematics(peer, data, q)
    t = sample['t']
    ellipse = [1 + 0.25 * np.cos(t), 0.3 * np.cos(t) + np.sin(t), 1 + 0.5 * np.sin(t)]
    np.testing.assert_allclose(data.oMf[peer.getFrameId('tool')].translation, ellipse, **TOLERANCE)
