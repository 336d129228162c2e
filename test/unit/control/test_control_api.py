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

"""The Udwadia-Kalaba equation for a robot: single states, batches, forces, messages."""

import numpy as np
import pytest

from mbd_ros import forward_dynamics, jacobian
from mbd_ros.control import constrained_acceleration, udwadia_kalaba
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError


@pytest.fixture(name='states')
def random_states(puma):
    """Return ten states of the PUMA with rows of its tool."""
    rng = np.random.default_rng(6)
    q, v, tau = rng.uniform(-1, 1, (3, 10, 6))
    A = jacobian(puma.model, q, 'tool')[:, :3]
    return q, v, tau, np.ascontiguousarray(A), rng.uniform(-1, 1, (10, 3))


def test_single_state_is_the_equation_on_arrays(puma, states):
    """M, and tau minus the bias."""
    q, v, tau, A, b = (argument[0] for argument in states)
    solution = udwadia_kalaba(puma.model, q, v, tau, A, b)
    expected = constrained_acceleration(
        puma.mass_matrix(q), tau - puma.bias_forces(q, v), A, b)
    for name in expected._fields:
        np.testing.assert_array_equal(getattr(solution, name), getattr(expected, name))
    assert solution.rank == 3


def test_robot_moves_so_under_the_constraint_force(puma, states):
    """Forward dynamics with ``tau + Q_c`` gives the accelerations."""
    q, v, tau, A, b = states
    solution = udwadia_kalaba(puma.model, q, v, tau, A, b)
    assert solution.accelerations.shape == (10, 6)
    assert solution.multipliers.shape == (10, 3)
    moved = forward_dynamics(puma.model, q, v, tau + solution.constraint_force)
    # The light wrist makes the condition of M 1e5.
    np.testing.assert_allclose(moved, solution.accelerations, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        np.einsum('nij,nj->ni', A, solution.accelerations), b, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(solution.rank, np.full(10, 3))
    assert not solution.conflicting.any()


def test_batch_equals_single_states(puma, states):
    """State by state, and with arguments that serve all states."""
    q, v, tau, A, b = states
    many = udwadia_kalaba(puma.model, q, v, tau, A, b)
    for k in range(10):
        one = udwadia_kalaba(puma.model, q[k], v[k], tau[k], A[k], b[k])
        for name in one._fields:
            # Batched kernels may round differently in the last bit; M is conditioned 1e5.
            np.testing.assert_allclose(
                getattr(many, name)[k], getattr(one, name), rtol=1e-9, atol=1e-9)
    shared = udwadia_kalaba(puma.model, q, v, tau[0], A[0], b[0])
    one = udwadia_kalaba(puma.model, q[4], v[4], tau[0], A[0], b[0])
    np.testing.assert_allclose(shared.accelerations[4], one.accelerations, rtol=1e-9, atol=1e-9)
    rows = udwadia_kalaba(puma.model, q[0], v[0], tau[0], A, b)
    assert rows.accelerations.shape == (10, 6)


def test_forces_and_gravity_act(puma, states):
    """External forces and gravity change the free motion, not the constrained direction."""
    q, v, tau, A, b = (argument[0] for argument in states)
    wrench = [3.0, -2, 1, 0.1, 0, 0.2]
    loaded = udwadia_kalaba(puma.model, q, v, tau, A, b, external_forces={'tool': wrench})
    J = jacobian(puma.model, q, 'tool')
    same = udwadia_kalaba(puma.model, q, v, tau + J.T @ wrench, A, b)
    np.testing.assert_allclose(loaded.accelerations, same.accelerations, rtol=1e-9, atol=1e-9)
    weightless = udwadia_kalaba(puma.model, q, v, tau, A, b, gravity=(0, 0, 0))
    assert np.abs(weightless.constraint_force - loaded.constraint_force).max() > 1
    np.testing.assert_allclose(A @ weightless.accelerations, b, rtol=0, atol=1e-10)


@pytest.mark.parametrize(('change', 'error', 'text'), [
    ({'A': np.zeros(6)}, ShapeError, 'A has shape (6,); allowed: (m, 6) or (N, m, 6)'),
    ({'A': np.zeros((3, 5))}, ShapeError, 'A has shape (3, 5); allowed: (m, 6)'),
    ({'A': 'rows'}, InvalidValueError, "A is 'rows'; allowed: rows of real numbers"),
    ({'b': np.zeros((1, 1, 3))}, ShapeError, 'b has shape (1, 1, 3); allowed: (m,) or (N, m)'),
    ({'b': np.zeros(2)}, ShapeError, 'b has shape (2,); allowed: (3,)'),
    ({'tau': [np.nan] * 6}, NotFiniteError, "tau of joint 'joint1' is nan"),
    ({'q': np.zeros((4, 6)), 'b': np.zeros((5, 3))}, ShapeError, '5 states, as in the other'),
    ({'tolerance': 2.0}, InvalidValueError, 'tolerance is 2.0; allowed: a number between'),
])
def test_bad_arguments_are_named(puma, states, change, error, text):
    """Argument, what was found, what is allowed."""
    arguments = dict(zip(('q', 'v', 'tau', 'A', 'b'), (argument[0] for argument in states)))
    with pytest.raises(error) as caught:
        udwadia_kalaba(puma.model, **{**arguments, **change})
    assert text in str(caught.value)
