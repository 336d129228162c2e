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

"""Every quantity against Pinocchio on random trees; both read the same URDF text."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pinocchio as pin
import pytest
from robots import chain, random_state, trees

import mbd_ros
from mbd_ros.dynamics.functions.equations_of_motion import energy_of

# Two independent O(n) programs in float64: about n = 20 roundings of 1e-16, amplified by the
# condition of the mass matrix, which stays below 1e5 here.
TOLERANCE = 1e-10


def close(found, expected):
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=TOLERANCE * scale)


def peer_of(text, floating):
    model = (pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if floating
             else pin.buildModelFromXML(text))
    return model, model.createData()


def peer_configuration(model, peer, q):
    """Return q in Pinocchio's layout, where a continuous joint is (cos, sin)."""
    parts = []
    for i, first in enumerate(model.q_offsets):
        joint = peer.joints[i + 1]
        if joint.nq == 2:
            parts += [np.cos(q[first]), np.sin(q[first])]
        else:
            parts += list(q[first:first + joint.nq])
    return np.array(parts)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(text=trees(max_joints=20), floating=st.booleans(), seed=st.integers(0, 2**16))
def test_random_trees(text, floating, seed):
    model = mbd_ros.load(text, floating_base=floating)
    peer, data = peer_of(text, floating)
    first = 2 if floating else 1
    assert list(model.joint_names[first - 1:]) == list(peer.names)[first:]
    q, v, third = random_state(model, seed)
    there = peer_configuration(model, peer, q)
    how = {'executor': 'interpreted'}
    close(mbd_ros.forward_dynamics(model, q, v, third, **how),
          pin.aba(peer, data, there, v, third))
    close(mbd_ros.inverse_dynamics(model, q, v, third, **how),
          pin.rnea(peer, data, there, v, third))
    close(mbd_ros.bias_forces(model, q, v, **how),
          pin.nonLinearEffects(peer, data, there, v))
    upper = np.triu(pin.crba(peer, data, there))
    close(mbd_ros.mass_matrix(model, q, **how), upper + np.triu(upper, 1).T)
    pin.forwardKinematics(peer, data, there, v, 0.0 * v)
    pin.updateFramePlacements(peer, data)
    for link in model.links:
        frame = peer.getFrameId(link)
        close(mbd_ros.pose(model, q, link, **how), data.oMf[frame].homogeneous)
        close(mbd_ros.jacobian(model, q, link, **how), pin.computeFrameJacobian(
            peer, data, there, frame, pin.LOCAL_WORLD_ALIGNED).reshape(6, model.nv))
        close(mbd_ros.compile(model, **how).link_motion(q, v, link).acceleration,
              pin.getFrameClassicalAcceleration(peer, data, frame,
                                                pin.LOCAL_WORLD_ALIGNED).vector)
    energy = energy_of(mbd_ros.compile(model, **how), q, v)
    close(energy.kinetic, pin.computeKineticEnergy(peer, data, there, v))
    if floating:  # on a fixed base Pinocchio counts the weight of the root link, which is ground
        close(energy.potential, pin.computePotentialEnergy(peer, data, there))


@pytest.mark.parametrize(('count', 'executor'), [
    (30, 'unrolled'), (30, 'rolled'), (200, 'rolled')])
def test_compiled_chains(count, executor):
    text = chain(count, 11)
    model = mbd_ros.load(text)
    peer, data = peer_of(text, False)
    q, v, tau = random_state(model, 2)
    found = mbd_ros.forward_dynamics(model, q, v, tau, executor=executor)
    expected = pin.aba(peer, data, q, v, tau)
    # Chains of random heavy links reach a condition of 1e6 and more; compare the forces that the
    # accelerations stand for, relative to the forces within the chain.
    residual = pin.rnea(peer, data, q, v, found) - tau
    assert np.abs(residual).max() < 1e-10 * np.abs(pin.rnea(peer, data, q, v, 0 * v)).max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * np.abs(expected).max())


def test_batches_equal_single_states():
    text = chain(7, 4)
    model = mbd_ros.load(text)
    peer, data = peer_of(text, False)
    rng = np.random.default_rng(0)
    q, v, tau = rng.normal(size=(3, 50, 7))
    expected = np.array([pin.aba(peer, data, *row) for row in zip(q, v, tau)])
    close(mbd_ros.forward_dynamics(model, q, v, tau), expected)
