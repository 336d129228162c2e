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

"""Identities on random trees with floating, spherical and planar joints anywhere."""

from dataclasses import replace

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import all_trees, model_of, random_state

import mbd_ros
from mbd_ros.model import JointType
from mbd_ros.model.build import build_model
from mbd_ros.model.singular import massless_joints
from mbd_ros.model.state import (
    configuration_rate, curved_joints, difference, integrate, normalize, random_configuration)

SEEDS = st.integers(0, 2**16)
HOW = {'executor': 'interpreted'}
MODEL = model_of([0, 1, 2, 2, 1], ['planar', 'spherical', 'revolute', 'floating', 'planar'], 3)
FUNCTIONS = {
    'forward_dynamics': 3, 'inverse_dynamics': 3, 'bias_forces': 2, 'mass_matrix': 1,
    'forward_dynamics_derivatives': 3, 'inverse_dynamics_derivatives': 3}


def close(found, expected, relative):
    """Compare arrays against the largest entry of the expected one."""
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=relative * scale)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(model=all_trees(max_joints=10), seed=SEEDS)
def test_forward_inverse_and_mass(model, seed):
    q, v, tau = random_state(model, seed)
    qdd = mbd_ros.forward_dynamics(model, q, v, tau, **HOW)
    # 1e-10: two O(n) recursions; accelerations reach some 1e3, and their errors come back
    # multiplied by masses of that order.
    close(mbd_ros.inverse_dynamics(model, q, v, qdd, **HOW), tau, 1e-10)
    mass, bias = (mbd_ros.mass_matrix(model, q, **HOW), mbd_ros.bias_forces(model, q, v, **HOW))
    np.testing.assert_array_equal(mass, mass.T)
    assert np.linalg.eigvalsh(mass).min() > 0.0
    close(mass @ qdd + bias, tau, 1e-10)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(model=all_trees(max_joints=6), seed=SEEDS)
def test_power_and_derivatives(model, seed):
    q, v, tau = random_state(model, seed)
    qdd = mbd_ros.forward_dynamics(model, q, v, tau, **HOW)
    h = 1e-5

    def total(t):
        return sum(mbd_ros.energy(model, integrate(model, q, v * t + 0.5 * qdd * t * t),
                                  v + qdd * t))

    # As in test_dynamics_identities: h^2 times third derivatives, and rounding over h.
    scale = 1.0 + np.abs(v * tau).sum() + abs(total(0.0)) + np.abs(qdd).max() ** 2
    assert abs((total(h) - total(-h)) / (2.0 * h) - v @ tau) < 1e-5 * scale
    for function, derivatives, third in (
            (mbd_ros.inverse_dynamics, mbd_ros.inverse_dynamics_derivatives, qdd),
            (mbd_ros.forward_dynamics, mbd_ros.forward_dynamics_derivatives, tau)):
        columns = [(function(model, integrate(model, q, step), v, third, **HOW)
                    - function(model, integrate(model, q, -step), v, third, **HOW)) / (2.0 * h)
                   for step in h * np.eye(model.nv)]
        size = max(np.abs(qdd).max(), np.abs(tau).max(), np.abs(columns).max())
        found = derivatives(model, q, v, third, **HOW).dq
        assert np.abs(found - np.array(columns).T).max() < 1e-7 * size


@settings(max_examples=60, deadline=None, derandomize=True)
@given(model=all_trees(), seed=SEEDS)
def test_steps_on_the_manifold(model, seed):
    q, v, _ = random_state(model, seed)
    step = 0.9 * v / max(1.0, np.abs(v).max())
    there = integrate(model, q, step)
    close(difference(model, q, there), step, 1e-13)  # some ten roundings
    close(integrate(model, there, -step), q, 1e-13)
    for joint in curved_joints(model):
        close(normalize(model, 3.0 * there)[joint.unit], there[joint.unit], 1e-15)
    h = 1e-4
    numeric = (integrate(model, q, h * v) - integrate(model, q, -h * v)) / (2.0 * h)
    close(configuration_rate(model, q, v), numeric, 1e-6)  # h^2 times third derivatives


@settings(max_examples=30, deadline=None, derandomize=True)
@given(model=all_trees(), seed=SEEDS)
def test_jacobian_and_lengths_that_do_not_count(model, seed):
    q, v, _ = random_state(model, seed)
    link, h = max(model.links), 1e-6
    there, back = (mbd_ros.pose(model, integrate(model, q, s * h * v), link, **HOW)
                   for s in (1.0, -1.0))
    # Central difference: 1e-16 / h = 1e-10 rounding, lengths up to 30.
    close((mbd_ros.jacobian(model, q, link, **HOW) @ v)[:3], (there - back)[:3, 3] / (2 * h), 1e-7)
    longer = q.copy()
    for joint in curved_joints(model):
        longer[joint.unit] *= 2.5
    close(mbd_ros.pose(model, longer, link, **HOW), mbd_ros.pose(model, q, link, **HOW), 1e-13)


@pytest.mark.parametrize('name', FUNCTIONS)
def test_executors_agree_for_one_state_and_for_lanes(name):
    rng = np.random.default_rng(1)
    count = 11  # more than any vector register has lanes, and no multiple of them
    states = [np.array([random_configuration(MODEL, rng) for _ in range(count)]),
              *rng.normal(size=(2, count, MODEL.nv))][:FUNCTIONS[name]]
    expected = np.array(getattr(mbd_ros, name)(MODEL, *states, **HOW))
    found = np.array(getattr(mbd_ros, name)(MODEL, *states, executor='rolled'))
    close(found, expected, 1e-11)  # fused multiply-adds round differently, times a condition
    for k in range(2):
        one = getattr(mbd_ros, name)(MODEL, *(state[k] for state in states), executor='rolled')
        close(np.array(one), expected[..., k, :, :] if 'derivatives' in name else expected[k],
              1e-11)


@pytest.mark.parametrize(('kind', 'freed'), [('planar', {3, 4, 2}), ('spherical', {0, 1, 2})])
def test_a_massless_body_frees_the_joint(kind, freed):
    model = model_of([0], [kind], 1)
    assert {*model.joint_types[0].pair.axes} == freed
    assert list(massless_joints(model)) == []
    links = tuple(replace(link, inertia=None) for link in model.mechanism.links)
    empty = build_model(replace(model.mechanism, links=links))
    assert empty.joint_types == (JointType(kind),)
    assert list(massless_joints(empty)) == [0]
