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

"""Identities that hold on every mechanism, on random trees."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import random_state, trees

import mbd_ros
from mbd_ros.model.state import integrate

EXECUTORS = ['interpreted', 'unrolled', 'rolled']
SEEDS = st.integers(0, 2**16)


def close(found, expected, relative):
    """Compare arrays against the largest entry of the expected one."""
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=relative * scale)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(text=trees(), floating=st.booleans(), seed=SEEDS)
def test_executors_agree(text, floating, seed):
    model = mbd_ros.load(text, floating_base=floating)
    q, v, third = random_state(model, seed)
    link = max(model.links)
    for function, arguments in (
            (mbd_ros.forward_dynamics, (q, v, third)), (mbd_ros.inverse_dynamics, (q, v, third)),
            (mbd_ros.bias_forces, (q, v)), (mbd_ros.mass_matrix, (q,)),
            (mbd_ros.jacobian, (q, link)), (mbd_ros.pose, (q, link))):
        interpreted, unrolled, rolled = (
            function(model, *arguments, executor=executor) for executor in EXECUTORS)
        # 1e-12: all run the same operations; fused multiply-adds round differently, and up to
        # eight joints amplify that by the condition of the mass matrix (here below 1e4).
        close(unrolled, interpreted, 1e-12)
        close(rolled, interpreted, 1e-12)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(text=trees(max_joints=20), floating=st.booleans(), seed=SEEDS)
def test_inverse_undoes_forward_dynamics(text, floating, seed):
    model = mbd_ros.load(text, floating_base=floating)
    q, v, tau = random_state(model, seed)
    qdd = mbd_ros.forward_dynamics(model, q, v, tau, executor='interpreted')
    back = mbd_ros.inverse_dynamics(model, q, v, qdd, executor='interpreted')
    # 1e-10: two O(n) recursions in float64; accelerations reach some 1e3 here, and their errors
    # come back multiplied by masses of that order.
    close(back, tau, 1e-10)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(text=trees(max_joints=12), floating=st.booleans(), seed=SEEDS)
def test_equation_of_motion(text, floating, seed):
    model = mbd_ros.load(text, floating_base=floating)
    q, v, qdd = random_state(model, seed)
    mass = mbd_ros.mass_matrix(model, q, executor='interpreted')
    bias = mbd_ros.bias_forces(model, q, v, executor='interpreted')
    np.testing.assert_array_equal(mass, mass.T)
    assert np.linalg.eigvalsh(mass).min() > 0.0
    # 1e-12: sums of at most 18 terms of the size of the largest.
    close(mass @ qdd + bias,
          mbd_ros.inverse_dynamics(model, q, v, qdd, executor='interpreted'), 1e-12)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(text=trees(), floating=st.booleans(), seed=SEEDS)
def test_power_balance(text, floating, seed):
    """The energy changes by the power of the efforts, along a short motion."""
    model = mbd_ros.load(text, floating_base=floating)
    q, v, tau = random_state(model, seed)
    qdd = mbd_ros.forward_dynamics(model, q, v, tau, executor='interpreted')
    h = 1e-5

    def total(sign):
        # Second-order step on the manifold; what it leaves out is odd and of third order.
        dt = sign * h
        there = integrate(model, q, v * dt + 0.5 * qdd * dt * dt)
        return sum(mbd_ros.energy(model, there, v + qdd * dt))

    power = (total(1.0) - total(-1.0)) / (2.0 * h)
    scale = 1.0 + np.abs(v * tau).sum() + abs(total(0.0)) + np.abs(qdd).max() ** 2
    # Central difference: truncation O(h^2) of third derivatives (bounded by the scale's square
    # growth), rounding 1e-16 * energy / h = 1e-11 * energy.
    assert abs(power - v @ tau) < 1e-5 * scale


@settings(max_examples=40, deadline=None, derandomize=True)
@given(text=trees(), floating=st.booleans(), seed=SEEDS)
def test_jacobian_is_the_derivative_of_the_pose(text, floating, seed):
    model = mbd_ros.load(text, floating_base=floating)
    q, v, _ = random_state(model, seed)
    link = max(model.links)
    h = 1e-6
    there, back = (mbd_ros.pose(model, integrate(model, q, s * h * v), link,
                                executor='interpreted') for s in (1.0, -1.0))
    rate = (there - back) / (2.0 * h)
    spin = rate[:3, :3] @ mbd_ros.pose(model, q, link, executor='interpreted')[:3, :3].T
    numeric = np.array([*rate[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]])
    # Central difference: O(h^2) = 1e-12 truncation, 1e-16 / h = 1e-10 rounding, lengths up to 30.
    close(mbd_ros.jacobian(model, q, link, executor='interpreted') @ v, numeric, 1e-7)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(text=trees(), floating=st.booleans(), seed=SEEDS)
def test_link_motion_is_the_derivative_of_the_velocity(text, floating, seed):
    model = mbd_ros.load(text, floating_base=floating)
    dyn = mbd_ros.compile(model, executor='interpreted')
    q, v, qdd = random_state(model, seed)
    link = max(model.links)
    motion = dyn.link_motion(q, v, link, qdd)
    close(motion.velocity, dyn.jacobian(q, link) @ v, 1e-12)  # two forms of one sum
    h = 1e-6
    ahead, behind = (dyn.jacobian(integrate(model, q, s * h * v), link) @ (v + s * h * qdd)
                     for s in (1.0, -1.0))
    # As above; accelerations grow with squares of velocities, hence one digit less.
    close(motion.acceleration, (ahead - behind) / (2.0 * h), 1e-6)


@pytest.mark.parametrize('executor', EXECUTORS)
def test_external_forces_enter_through_the_jacobian(executor):
    from robots import urdf
    model = mbd_ros.load(urdf([0, 1, 1, 2], ['revolute', 'prismatic', 'revolute', 'continuous'],
                              3), floating_base=True)
    q, v, tau = random_state(model, 5)
    forces = {'link004': np.arange(6.0), 'link003': np.ones(6), 'link000': -np.ones(6)}
    extra = sum(mbd_ros.jacobian(model, q, link, executor=executor).T @ force
                for link, force in forces.items())
    pushed = mbd_ros.forward_dynamics(model, q, v, tau, external_forces=forces,
                                      executor=executor)
    # 1e-12: the same kernel on two right-hand sides that differ by rounding.
    close(pushed, mbd_ros.forward_dynamics(model, q, v, tau + extra, executor=executor), 1e-12)
    close(mbd_ros.inverse_dynamics(model, q, v, pushed, external_forces=forces,
                                   executor=executor), tau, 1e-11)
