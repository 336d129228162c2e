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

"""Loops whose rank is decided first, densely: what the recursion gives where both may answer."""

from dataclasses import replace

import numpy as np
import pytest
from random_loops import random_loops

import mbd_ros
from mbd_ros.dynamics.prepared.rank import dense_solution, masses_far_apart
from mbd_ros.errors import NotFiniteError
from mbd_ros.model import state
from mbd_ros.spatial.rank_thresholds import MASSES_FAR_APART


def close(found, expected):
    """Two ways to the same numbers; the condition of the rows is below 1e4."""
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize('seed', [1, 2, 5, 7, 9])   # all rows are independent
def test_every_question_is_answered_as_by_the_recursion(seed):
    model, q, _ = random_loops(seed, 6, 1, springs=1, cuts=('spherical', 'universal', 'distance'),
                               joints=('spherical',))
    rng = np.random.default_rng(seed)
    q = state.integrate(model, q, 0.1 * rng.normal(size=model.nv))   # open, and moving apart
    v, tau = rng.normal(size=(2, model.nv))
    dyn = mbd_ros.compile(model, executor='interpreted')
    close(dense_solution(dyn, 'accelerations', q, v, tau), dyn.forward_dynamics(q, v, tau))
    close(dense_solution(dyn, 'accelerations', q, v, tau, alpha=3.0, beta=5.0),
          dyn.stabilized_dynamics(3.0, 5.0)(q, v, tau))
    close(dense_solution(dyn, 'positions', q, v), dyn.position_correction(q, v))
    close(dense_solution(dyn, 'velocities', q, v), dyn.velocity_correction(q, v))
    found, expected = dense_solution(dyn, 'reactions', q, v, tau), dyn.loop_reactions(q, v, tau)
    close(found[:model.nv], expected[:model.nv])
    held, independent = found[model.nv:].reshape(-1, 2).T
    assert (independent == 1.0).all()
    close(held, expected[model.nv::2])


def far_apart(ratio):
    model, q, v = random_loops(1, 4, 1, cuts=('spherical',))
    scale = 1.0 / model.masses   # all of 1 kg, but the first
    scale[0] *= ratio
    return replace(model, masses=scale * model.masses,
                   inertias=scale[:, None, None] * model.inertias), q, v


def test_masses_far_apart():
    assert masses_far_apart(far_apart(2.0 * MASSES_FAR_APART)[0])
    assert masses_far_apart(far_apart(0.5 / MASSES_FAR_APART)[0])
    for near in (0.1 * MASSES_FAR_APART, 10.0 / MASSES_FAR_APART):
        assert not masses_far_apart(far_apart(near)[0])
    model, _, _ = far_apart(2.0 * MASSES_FAR_APART)
    assert not masses_far_apart(replace(model, loops=()))
    assert not masses_far_apart(replace(model, masses=np.zeros(model.nb)))


def test_many_states_are_answered_one_by_one():
    model, q, v = far_apart(2.0 * MASSES_FAR_APART)
    dyn = mbd_ros.compile(model)
    assert dyn.how('forward_dynamics', 3) == 'dense, rank first'
    many, tau = np.array([q, state.integrate(model, q, v)]), np.ones(model.nv)
    found = dyn.forward_dynamics(many, v, tau)
    for one, place in zip(found, many):
        np.testing.assert_array_equal(dyn.forward_dynamics(place, v, tau), one)
        np.testing.assert_array_equal(
            dyn.loop_reactions(place, v, tau)[:model.nv], one)
    rows = dyn.loop_rows(q, v)
    # What is left of the rows is rounding of accelerations and of the bias.
    assert np.abs(rows[:, 3:] @ found[0] + rows[:, 2]).max() < 1e-9 * max(
        1.0, np.abs(found[0]).max())
    many[1, 0] = np.nan
    with pytest.raises(NotFiniteError, match='q of state 1, joint'):
        dyn.forward_dynamics(many, v, tau)
