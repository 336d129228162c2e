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


"""Functions of JAX: jit, vmap, grad, and what they do with states that fail."""

from pathlib import Path

import jax
import numpy as np
import pytest
from robots import model_of

import mbd_ros
from mbd_ros.errors import InvalidValueError, MachineError, ShapeError, UnsupportedError

URDF = Path(__file__).resolve().parents[3] / 'urdf'


@pytest.fixture(autouse=True)
def double():
    """Compute in double precision, as the functions ask for."""
    before = jax.config.jax_enable_x64
    jax.config.update('jax_enable_x64', True)
    yield
    jax.config.update('jax_enable_x64', before)


@pytest.fixture(scope='module')
def model():
    """Return a robot with a closed loop."""
    return mbd_ros.load(URDF / 'four_bar.urdf')


@pytest.fixture(scope='module')
def states(model):
    """Return twenty states."""
    return np.random.default_rng(1).normal(size=(3, 20, model.nv))


@pytest.mark.parametrize('name', ['forward_dynamics', 'inverse_dynamics'])
def test_values_are_ours(model, states, name):
    function, right = mbd_ros.jax(model, name), getattr(mbd_ros.compile(model), name)
    for compiled in (function, jax.jit(function)):
        assert np.array_equal(compiled(*states[:, 0]), right(*states[:, 0]))
        assert np.array_equal(compiled(*states), right(*states))
    q, v, tau = states
    expected = right(q, v, tau[0])
    assert np.array_equal(function(q, v, tau[0]), expected)
    assert np.array_equal(jax.jit(jax.vmap(function, (0, 0, None)))(q, v, tau[0]), expected)
    nested = jax.vmap(jax.vmap(function))(*states.reshape(3, 4, 5, -1))
    assert np.array_equal(nested.reshape(20, -1), right(q, v, tau))


@pytest.mark.parametrize('name', ['forward_dynamics', 'inverse_dynamics'])
def test_derivatives_are_ours(model, states, name):
    function = mbd_ros.jax(model, name)
    slopes = getattr(mbd_ros.compile(model), f'{name}_derivatives')(*states)
    values = getattr(mbd_ros.compile(model), name)(*states)
    for k, right in enumerate(slopes):
        assert np.array_equal(jax.jacfwd(function, k)(*states[:, 0]), right[0])
        assert np.array_equal(jax.jacrev(function, k)(*states[:, 0]), right[0])
        found = jax.jit(jax.vmap(jax.grad(lambda *given: (function(*given) ** 2).sum(), k)))(
            *states)
        expected = 2.0 * np.einsum('ni,nij->nj', values, right)
        # 1e-13: sums of a few products in another order.
        assert np.abs(found - expected).max() <= 1e-13 * np.abs(expected).max()


def test_states_that_fail_are_nan_and_no_others(model, states):
    function, right = mbd_ros.jax(model, 'forward_dynamics'), mbd_ros.compile(model)
    q, v, tau = states.copy()
    q[3, 0], tau[7, -1] = np.nan, np.inf
    found = np.asarray(function(q, v, tau))
    assert np.isnan(found[[3, 7]]).all()
    others = np.delete(np.arange(20), [3, 7])
    assert np.array_equal(found[others], right.forward_dynamics(*states)[others])
    assert np.isnan(function(q[3], v[3], tau[3])).all()
    assert function(q[:0], v[:0], tau[:0]).shape == (0, model.nv)


def test_what_it_cannot_do(model):
    function = mbd_ros.jax(model, 'forward_dynamics')
    with pytest.raises(ShapeError, match='v has shape'):
        function(np.zeros(model.nv), np.zeros(model.nv + 1), np.zeros(model.nv))
    with pytest.raises(InvalidValueError, match="'forward_dynamics' or 'inverse_dynamics'"):
        mbd_ros.jax(model, 'mass_matrix')
    with pytest.raises(UnsupportedError, match='revolute or prismatic'):
        mbd_ros.jax(model_of([0], ['floating'], 1), 'forward_dynamics')
    jax.config.update('jax_enable_x64', False)
    with pytest.raises(MachineError, match='jax_enable_x64'):
        mbd_ros.jax(model, 'forward_dynamics')
