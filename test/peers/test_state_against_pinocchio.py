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

"""Steps on the configuration manifold against Pinocchio's integrate and difference."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from mbd_ros.model import load, state

LADDER = Path(__file__).resolve().parents[1] / 'data' / 'ladder'
PATH = LADDER / '08_floating_arms.urdf'  # floating base and a floating joint
MODEL = load(PATH, floating_base=True)
PEER = pin.buildModelFromUrdf(str(PATH), pin.JointModelFreeFlyer())


def same_signs(q: np.ndarray) -> np.ndarray:
    """Return q with every quaternion's w not negative: q and -q are one orientation."""
    q = q.copy()
    for start in (0, 10):
        if q[start + 6] < 0.0:
            q[start + 3:start + 7] *= -1.0
    return q


@pytest.mark.parametrize('size', [1.5, 0.3, 1e-3, 1e-6, 0.0])
def test_integrate(size):
    rng = np.random.default_rng(21)
    for _ in range(100):
        q = state.random_configuration(MODEL, rng)
        dv = size * rng.uniform(-1.0, 1.0, MODEL.nv)
        # Two ways through sine and cosine, numbers of order 1.
        np.testing.assert_allclose(same_signs(state.integrate(MODEL, q, dv)),
                                   same_signs(pin.integrate(PEER, q, dv)), atol=1e-14)


def test_difference():
    rng = np.random.default_rng(22)
    for _ in range(200):
        q0, q1 = (state.random_configuration(MODEL, rng) for _ in range(2))
        # Random orientations come close to a half turn, where some digits are lost.
        np.testing.assert_allclose(state.difference(MODEL, q0, q1),
                                   pin.difference(PEER, q0, q1), atol=1e-12)


def test_difference_of_close_configurations():
    rng = np.random.default_rng(23)
    for _ in range(100):
        q0 = state.random_configuration(MODEL, rng)
        q1 = pin.integrate(PEER, q0, 1e-5 * rng.normal(size=MODEL.nv))
        np.testing.assert_allclose(state.difference(MODEL, q0, q1),
                                   pin.difference(PEER, q0, q1), atol=1e-14)


def test_neutral():
    assert state.neutral(MODEL).tolist() == pin.neutral(PEER).tolist()
