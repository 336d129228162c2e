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

"""Functions of one state agree with each other, whatever keywords they are given."""

import ctypes
from dataclasses import replace
from pathlib import Path

from described import joint, link, robot
from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import chain, random_state, trees

import mbd_ros
from mbd_ros.errors import InvalidValueError


@settings(max_examples=25, deadline=None)
@given(text=trees(max_joints=5), seed=st.integers(0, 2**16), pushed=st.booleans(),
       rough=st.booleans(), states=st.sampled_from([(), (3,)]),
       more=st.sampled_from([{}, {'gravity': (0.3, -0.4, -9.0)}]))
def test_forward_inverse_and_bias_are_one_equation(text, seed, pushed, rough, states, more):
    """``M qdd + bias = tau``, each side with the forces on links, damping and friction."""
    model = mbd_ros.load(text)
    rng = np.random.default_rng(seed)
    damping, friction = rng.uniform(0.1, 1.0, (2, model.nv))
    if rough:
        model = replace(model, damping=damping, friction=friction)
    q, v, tau = random_state(model, seed)
    q, v, tau = (np.broadcast_to(one, (*states, *one.shape)).copy() for one in (q, v, tau))
    how = {**more, 'executor': 'interpreted', 'dissipation': rough, 'external_forces': {
        list(model.links)[-1]: rng.normal(size=6)} if pushed else None}
    qdd = mbd_ros.forward_dynamics(model, q, v, tau, **how)
    bias = mbd_ros.bias_forces(model, q, v, **how)
    M = mbd_ros.mass_matrix(model, q, executor='interpreted')
    # Rounding of sums of at most 5 terms, by the condition of M.
    scale = 1e-13 * np.linalg.cond(M).max() * (1.0 + np.abs(tau).max() + np.abs(bias).max())
    close = {'rtol': 0.0, 'atol': max(1e-11, scale)}
    np.testing.assert_allclose(
        mbd_ros.inverse_dynamics(model, q, v, qdd, **how), tau, **close)
    np.testing.assert_allclose(
        mbd_ros.inverse_dynamics(model, q, v, 0.0 * v, **how), bias, **close)
    np.testing.assert_allclose((M @ qdd[..., None])[..., 0] + bias, tau, **close)
    for function, arguments, expected in (
            (mbd_ros.forward_dynamics, (q, v, tau), qdd), (mbd_ros.bias_forces, (q, v), bias)):
        out = np.full_like(expected, np.nan)
        assert function(model, *arguments, **how, out=out) is out
        np.testing.assert_array_equal(out, expected)


def test_machine_code_is_where_it_is_said_to_be():
    """Called by its address, it gives what the function gives; nothing has none."""
    model = mbd_ros.load(chain(3, 1))
    dyn = mbd_ros.compile(model)
    q, result = np.array([0.3, -0.2, 0.5]), np.zeros((3, 3))
    kernel, world = dyn.machine_code('mass_matrix')
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(kernel)(
        q.ctypes.data, world, result.ctypes.data)
    np.testing.assert_array_equal(result, dyn.mass_matrix(q))
    assert dyn.machine_code('jacobian', 'link003') is not None
    assert mbd_ros.compile(model, executor='interpreted').machine_code('mass_matrix') is None


def test_no_link_of_both_robots_is_displaced_by_nothing():
    old, new = (mbd_ros.load(robot(link(f'{name}0'), link(f'{name}1', 1.0), joint(
        f'{name}j', 'continuous', f'{name}0', f'{name}1'))) for name in 'ab')
    state = mbd_ros.carry_over(old, [0.3], [0.4], new)
    assert (state.position_jump, state.rotation_jump) == (0.0, 0.0)
    same = mbd_ros.carry_over(old, [0.3], [0.4], old)
    assert same.position_jump == pytest.approx(0.0, abs=1e-15)
    assert same.q == pytest.approx([0.3])
    assert same.v == pytest.approx([0.4])


@pytest.mark.parametrize('gravity', [
    (0.0, 0.0, np.array([1.0, 2.0])), np.eye(3), 'abc', [0.0, 0.0], (0.0, 0.0, np.nan), {}, 3.0])
@pytest.mark.parametrize('function', ['forward_dynamics', 'inverse_dynamics', 'bias_forces'])
def test_what_is_no_gravity_is_refused_after_a_call_with_one(function, gravity):
    model = mbd_ros.load(Path(__file__).resolve().parents[3] / 'urdf' / 'panda.urdf')
    state = [np.zeros(7)] * (2 if function == 'bias_forces' else 3)
    call = getattr(mbd_ros, function)
    call(model, *state, gravity=(0.0, 0.0, -9.0))   # which is remembered, and compared with
    with pytest.raises(InvalidValueError, match='three finite numbers'):
        call(model, *state, gravity=gravity)
