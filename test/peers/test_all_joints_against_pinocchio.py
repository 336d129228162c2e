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

"""Trees with spherical, planar and floating joints anywhere, against Pinocchio's joints."""

from dataclasses import replace

from hypothesis import given, settings, strategies as st
import numpy as np
import pinocchio as pin
from pinocchio_twin import twin
import pytest
from robots import all_trees, model_of, random_state

import mbd_ros
from mbd_ros.model import state

SEEDS = st.integers(0, 2**16)
MODEL = model_of([0, 1, 2, 2, 1, 5], ['planar', 'spherical', 'revolute', 'floating', 'planar',
                                      'spherical'], 5)
PEER = twin(MODEL)


def close(found, expected, tolerance=1e-10):
    """Two programs in float64: some hundred roundings, times a condition below 1e5."""
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance * scale)


def symmetric(upper):
    return np.triu(upper) + np.triu(upper, 1).T


@settings(max_examples=50, deadline=None, derandomize=True)
@given(model=all_trees(max_joints=12), seed=SEEDS)
def test_random_trees(model, seed):
    agrees(model, seed, 'interpreted')


@pytest.mark.parametrize('executor', ['unrolled', 'rolled'])
def test_machine_code(executor):
    agrees(model_of([0, 1, 2, 2], ['planar', 'spherical', 'revolute', 'floating'], 6), 3, executor)


def agrees(model, seed, executor):
    """Compare everything at a random state."""
    rotors = np.random.default_rng(seed).uniform(0.0, 0.5, model.nv)
    for kind, first in zip(model.joint_types, model.v_offsets):
        if kind.name in ('FLOATING', 'PLANAR'):   # Pinocchio's do not resist w x v
            rotors[first:first + kind.nv] = 0.0
    model = replace(model, armature=rotors)
    peer = twin(model)
    data = peer.createData()
    q, v, third = random_state(model, seed)
    how = {'executor': executor}
    close(mbd_ros.forward_dynamics(model, q, v, third, **how), pin.aba(peer, data, q, v, third))
    close(mbd_ros.inverse_dynamics(model, q, v, third, **how),
          pin.rnea(peer, data, q, v, third))
    close(mbd_ros.mass_matrix(model, q, **how), symmetric(pin.crba(peer, data, q)))
    inverse = mbd_ros.inverse_dynamics_derivatives(model, q, v, third, **how)
    peers = [np.array(part) for part in pin.computeRNEADerivatives(peer, data, q, v, third)]
    forward = mbd_ros.forward_dynamics_derivatives(model, q, v, third, **how)
    others = [np.array(part) for part in pin.computeABADerivatives(peer, data, q, v, third)]
    for found, expected in zip((*inverse[:2], *forward[:2]), (*peers[:2], *others[:2])):
        close(found, expected)
    close(inverse.dqdd, symmetric(peers[2]))
    close(forward.dtau, symmetric(others[2]))
    poses = mbd_ros.compile(model, **how).body_poses(q)
    pin.forwardKinematics(peer, data, q)
    for i, pose in enumerate(poses):
        close(pose, data.oMi[i + 1].homogeneous)


def same_sides(model, q):
    """Return q with no quaternion's w negative: q and -q are one orientation."""
    q = q.copy()
    for joint in state.curved_joints(model):
        if joint.unit.stop - joint.unit.start == 4 and q[joint.unit.stop - 1] < 0.0:
            q[joint.unit] *= -1.0
    return q


@pytest.mark.parametrize('size', [1.5, 0.3, 1e-3, 1e-6, 0.0])
def test_integrate(size):
    rng = np.random.default_rng(21)
    for _ in range(50):
        q = state.random_configuration(MODEL, rng)
        dv = size * rng.uniform(-1.0, 1.0, MODEL.nv)
        there = state.integrate(MODEL, q, dv)
        # Two ways through sine and cosine, numbers of order 1; Pinocchio brings the direction of
        # a planar joint back to length 1 to first order, which leaves some 1e-13.
        np.testing.assert_allclose(same_sides(MODEL, there),
                                   same_sides(MODEL, pin.integrate(PEER, q, dv)), atol=5e-13)
        np.testing.assert_allclose(state.difference(MODEL, q, there), dv, atol=1e-13)


def test_difference():
    rng = np.random.default_rng(22)
    for _ in range(100):
        q0, q1 = (state.random_configuration(MODEL, rng) for _ in range(2))
        # Random orientations come close to a half turn, where some digits are lost.
        np.testing.assert_allclose(state.difference(MODEL, q0, q1),
                                   pin.difference(PEER, q0, q1), atol=1e-11)


def test_neutral():
    assert state.neutral(MODEL).tolist() == pin.neutral(PEER).tolist()


@pytest.mark.parametrize('count', [1, 2, 50, 200])
def test_trees_of_one_to_two_hundred_bodies(count):
    rng = np.random.default_rng(count)
    kinds = ['spherical', 'planar', 'revolute', 'prismatic', 'floating', *['continuous'] * 20]
    model = model_of([int(rng.integers(max(0, i - 9), i + 1)) for i in range(count)],
                     [kinds[k % 25] for k in range(count)], count)
    peer = twin(model)
    data = peer.createData()
    states = [np.array(part) for part in zip(*(random_state(model, k) for k in range(9)))]
    for executor in ('rolled', 'auto', mbd_ros.Threads(2, mbd_ros.Compiled('rolled'))):
        how = {'executor': executor}
        tau = mbd_ros.inverse_dynamics(model, *states, **how)
        qdd = mbd_ros.forward_dynamics(model, *states, **how)
        for k, one in enumerate(zip(*states)):
            close(tau[k], pin.rnea(peer, data, *one))
            # The condition grows with the tree: compare the forces that accelerations stand for.
            close(pin.rnea(peer, data, *one[:2], qdd[k]), one[2],
                  1e-10 * max(1.0, np.abs(pin.crba(peer, data, one[0])).max()))
        close(mbd_ros.forward_dynamics(model, *(part[0] for part in states), **how), qdd[0], 1e-8)
