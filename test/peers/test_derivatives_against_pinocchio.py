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

"""Derivatives against Pinocchio on random trees; both read the same URDF text."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pinocchio as pin
import pytest
from robots import chain, random_state, trees

import mbd_ros

# Two independent programs in float64: some hundred roundings of 1e-16 in each entry, amplified by
# the condition of the mass matrix, which stays below 1e5 here.
TOLERANCE = 1e-10


def close(found, expected, tolerance=TOLERANCE):
    for part, other in zip(found, expected):
        scale = max(1.0, np.abs(other).max(initial=0.0))
        np.testing.assert_allclose(part, other, rtol=0.0, atol=tolerance * scale)


def peer_of(text, floating):
    """Return Pinocchio's model; joints without limits become revolute, as theirs need two q."""
    text = text.replace('"continuous"', '"revolute"')
    model = (pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if floating
             else pin.buildModelFromXML(text))
    return model, model.createData()


def peer_derivatives(peer, data, q, v, third):
    """Return inverse and forward derivatives; their M is an upper triangle."""
    inverse = [np.array(part) for part in pin.computeRNEADerivatives(peer, data, q, v, third)]
    forward = [np.array(part) for part in pin.computeABADerivatives(peer, data, q, v, third)]
    for parts in (inverse, forward):
        parts[2] = np.triu(parts[2]) + np.triu(parts[2], 1).T
    return inverse, forward


@settings(max_examples=60, deadline=None, derandomize=True)
@given(text=trees(max_joints=15), floating=st.booleans(), seed=st.integers(0, 2**16))
def test_random_trees(text, floating, seed):
    text = text.replace('type="continuous"><',
                        'type="continuous"><limit effort="9" velocity="9"/><')
    model = mbd_ros.load(text, floating_base=floating)
    peer, data = peer_of(text, floating)
    q, v, third = random_state(model, seed)
    inverse, forward = peer_derivatives(peer, data, q, v, third)
    for executor in ('interpreted', 'rolled'):
        how = {'executor': executor}
        close(mbd_ros.inverse_dynamics_derivatives(model, q, v, third, **how), inverse)
        close(mbd_ros.forward_dynamics_derivatives(model, q, v, third, **how), forward)


@pytest.mark.parametrize('floating', [False, True])
def test_batches(floating):
    text = chain(7, 4)
    model = mbd_ros.load(text, floating_base=floating)
    peer, data = peer_of(text, floating)
    states = [np.array(part) for part in zip(*(random_state(model, k) for k in range(19)))]
    inverse = mbd_ros.inverse_dynamics_derivatives(model, *states)
    forward = mbd_ros.forward_dynamics_derivatives(model, *states)
    for k, state in enumerate(zip(*states)):
        expected = peer_derivatives(peer, data, *state)
        close([part[k] for part in inverse], expected[0])
        close([part[k] for part in forward], expected[1])


def test_rotor_inertias():
    text = chain(4, 3)
    model = mbd_ros.load(text)
    armature = np.array([0.1, 0.2, 0.3, 0.4])
    import dataclasses
    model = dataclasses.replace(model, armature=armature)
    peer, data = peer_of(text, False)
    peer.armature[:] = armature
    q, v, third = random_state(model, 1)
    inverse, forward = peer_derivatives(peer, data, q, v, third)
    close(mbd_ros.inverse_dynamics_derivatives(model, q, v, third), inverse)
    close(mbd_ros.forward_dynamics_derivatives(model, q, v, third), forward)


def test_a_long_chain():
    text = chain(100, 11)
    model = mbd_ros.load(text)
    peer, data = peer_of(text, False)
    q, v, third = random_state(model, 2)
    inverse, forward = peer_derivatives(peer, data, q, v, third)
    close(mbd_ros.inverse_dynamics_derivatives(model, q, v, third), inverse)
    # Chains of random heavy links reach a condition of 1e6 and more.
    close(mbd_ros.forward_dynamics_derivatives(model, q, v, third), forward, 1e-7)
