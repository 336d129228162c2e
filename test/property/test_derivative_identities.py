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

"""Derivatives against differences on the manifold, and what must hold among them."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import chain, random_state, trees

import mbd_ros
from mbd_ros.model.state import integrate

EXECUTORS = ['interpreted', 'unrolled', 'rolled']
SEEDS = st.integers(0, 2**16)
FUNCTIONS = (mbd_ros.inverse_dynamics_derivatives, mbd_ros.forward_dynamics_derivatives)


def close(found, expected, relative):
    """Compare arrays against the largest entry of the expected one."""
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=relative * scale)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(text=trees(), floating=st.booleans(), seed=SEEDS)
def test_executors_agree(text, floating, seed):
    model = mbd_ros.load(text, floating_base=floating)
    state = random_state(model, seed)
    for function in FUNCTIONS:
        interpreted, unrolled, rolled = (
            function(model, *state, executor=executor) for executor in EXECUTORS)
        for expected, *others in zip(interpreted, unrolled, rolled):
            for found in others:
                # 1e-11: all run the same operations; fused multiply-adds round differently, and
                # M^-1 is applied twice (condition below 1e4): to the forces and to M^-1 tau.
                close(found, expected, 1e-11)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(text=trees(), floating=st.booleans(), pushed=st.booleans(), seed=SEEDS)
def test_differences_on_the_manifold(text, floating, pushed, seed):
    model = mbd_ros.load(text, floating_base=floating)
    q, v, third = random_state(model, seed)
    how = {'executor': 'interpreted'}
    if pushed:
        rng = np.random.default_rng(seed)
        how['external_forces'] = {link: rng.normal(size=6)
                                  for link in (min(model.links), max(model.links))}
    for function, derivatives in zip((mbd_ros.inverse_dynamics, mbd_ros.forward_dynamics),
                                     FUNCTIONS):
        h = 1e-5
        numeric = np.empty((3, model.nv, model.nv))
        size = 0.0
        for k, step in enumerate(h * np.eye(model.nv)):
            for part, (ahead, behind) in enumerate((
                    ((integrate(model, q, step), v, third),
                     (integrate(model, q, -step), v, third)),
                    ((q, v + step, third), (q, v - step, third)),
                    ((q, v, third + step), (q, v, third - step)))):
                there, back = function(model, *ahead, **how), function(model, *behind, **how)
                numeric[part, :, k] = (there - back) / (2.0 * h)
                size = max(size, np.abs(there).max())
        for found, expected in zip(derivatives(model, q, v, third, **how), numeric):
            # Central difference: rounding 1e-16 * size / h = 1e-11 * size, some ten times over;
            # truncation h^2 / 6 = 2e-11 of third derivatives, some 1e2 times the first ones.
            assert np.abs(found - expected).max() < 1e-8 * max(size, np.abs(expected).max())


@settings(max_examples=40, deadline=None, derandomize=True)
@given(text=trees(max_joints=15), floating=st.booleans(), seed=SEEDS)
def test_identities(text, floating, seed):
    model = mbd_ros.load(text, floating_base=floating)
    q, v, tau = random_state(model, seed)
    how = {'executor': 'interpreted'}
    forward = mbd_ros.forward_dynamics_derivatives(model, q, v, tau, **how)
    qdd = mbd_ros.forward_dynamics(model, q, v, tau, **how)
    inverse = mbd_ros.inverse_dynamics_derivatives(model, q, v, qdd, **how)
    # 1e-12: sums of some twenty terms; the walks of both programs take other frames.
    close(inverse.dqdd, mbd_ros.mass_matrix(model, q, **how), 1e-12)
    np.testing.assert_array_equal(forward.dtau, forward.dtau.T)
    # 1e-10: products of M and M^-1, whose condition is below 1e5.
    close(inverse.dqdd @ forward.dtau, np.eye(model.nv), 1e-10)
    close(inverse.dqdd @ forward.dq, -inverse.dq, 1e-10)
    close(inverse.dqdd @ forward.dv, -inverse.dv, 1e-10)
    # Velocity terms are a quadratic form of v, so that the derivative times v is twice the form.
    weight = mbd_ros.bias_forces(model, q, 0.0 * v, **how)
    close(inverse.dv @ v, 2.0 * (mbd_ros.bias_forces(model, q, v, **how) - weight), 1e-11)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(text=trees(), seed=SEEDS)
def test_moving_the_base_changes_no_force(text, seed):
    """Forces in the base's own axes do not depend on where it is; turned, they feel gravity."""
    model = mbd_ros.load(text, floating_base=True)
    q, v, qdd = random_state(model, seed)
    how = {'executor': 'interpreted'}
    found = mbd_ros.inverse_dynamics_derivatives(model, q, v, qdd, **how)
    np.testing.assert_array_equal(found.dq[:, :3], np.zeros((model.nv, 3)))
    weightless = mbd_ros.inverse_dynamics_derivatives(model, q, v, qdd, gravity=(0, 0, 0), **how)
    np.testing.assert_array_equal(weightless.dq[:, :6], np.zeros((model.nv, 6)))
    # The base is moved by a force alone exactly if it is moved by M's column.
    np.testing.assert_array_equal(found.dqdd, weightless.dqdd)


@pytest.mark.parametrize('count', [30, 100])
def test_long_chains(count):
    """M^-1 times M on a chain whose mass matrix has a condition near 1e6 to 1e8."""
    model = mbd_ros.load(chain(count, 11))
    q, v, tau = random_state(model, 2)
    qdd = mbd_ros.forward_dynamics(model, q, v, tau)
    inverse = mbd_ros.inverse_dynamics_derivatives(model, q, v, qdd)
    forward = mbd_ros.forward_dynamics_derivatives(model, q, v, tau)
    # Residuals of elimination are small against |M| |x|, whatever the condition (Higham 2002,
    # theorem 10.3): n times machine epsilon = 2e-14, some hundred times over.
    for found, side in zip(forward, (-inverse.dq, -inverse.dv, np.eye(count))):
        residual = inverse.dqdd @ found - side
        assert np.abs(residual).max() < 1e-11 * (np.abs(inverse.dqdd) @ np.abs(found)).max()
