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

"""A robot with joints held moves as the whole one does with these joints at rest."""

from pathlib import Path

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import model_of, random_state, trees

import mbd_ros
from mbd_ros.errors import InvalidValueError, UnknownNameError, UnsupportedError

DATA = Path(__file__).resolve().parents[2] / 'data'


@settings(max_examples=50, deadline=None, derandomize=True)
@given(text=trees(max_joints=6), floating=st.booleans(), seed=st.integers(0, 2**16))
def test_held_joints_are_joints_at_rest(text, floating, seed):
    model = mbd_ros.load(text, floating_base=floating)
    rng = np.random.default_rng(seed)
    q, v, _ = random_state(model, seed)
    simple = [i for i, kind in enumerate(model.joint_types) if kind.is_simple]
    held = [i for i in simple if rng.uniform() < 0.5]
    rates = [model.v_offsets[i] for i in held]
    v[rates] = 0.0
    reduced = mbd_ros.lock(model, {
        model.joint_names[i]: q[model.q_offsets[i]] for i in held})
    free = np.delete(np.arange(model.nv), rates)
    q_free = np.delete(q, [model.q_offsets[i] for i in held])
    assert reduced.nv == len(free)
    # The same numbers by other sums: inertias are merged at load instead of at the joints.
    tolerance = {'rtol': 1e-9, 'atol': 1e-9}
    how = {'executor': 'interpreted'}   # what is held is known before there is code
    whole = mbd_ros.mass_matrix(model, q, **how)
    np.testing.assert_allclose(mbd_ros.mass_matrix(reduced, q_free, **how),
                               whole[np.ix_(free, free)], **tolerance)
    np.testing.assert_allclose(mbd_ros.bias_forces(reduced, q_free, v[free], **how),
                               mbd_ros.bias_forces(model, q, v, **how)[free], **tolerance)
    for link in model.links:
        np.testing.assert_allclose(mbd_ros.pose(reduced, q_free, link, **how),
                                   mbd_ros.pose(model, q, link, **how),
                                   atol=1e-12)   # products of turns


def test_a_loop_stays():
    model = mbd_ros.load(DATA.parents[1] / 'urdf' / 'five_bar.urdf')
    q, _ = mbd_ros.close_loops(model, mbd_ros.neutral(model), np.zeros(model.nv))
    name = model.joint_names[0]
    reduced = mbd_ros.lock(model, {name: q[0]})
    assert len(reduced.loops) == len(model.loops)
    assert mbd_ros.mobility(reduced, q[1:]) == mbd_ros.mobility(model, q) - 1


@pytest.mark.parametrize(('positions', 'error', 'text'), [
    ({'elbow': 0.0}, UnknownNameError, 'elbow'),
    ({'JOINT': np.nan}, InvalidValueError, 'finite'),
    ({'JOINT': 'x'}, InvalidValueError, 'finite'),
    ({'BASE': 0.0}, UnsupportedError, 'floating'),
])
def test_bad_input_is_one_clear_error(positions, error, text):
    model = model_of([0, 1], ['floating', 'revolute'], 1)
    names = {'BASE': model.joint_names[0], 'JOINT': model.joint_names[1]}
    with pytest.raises(error, match=text):
        mbd_ros.lock(model, {names.get(name, name): value for name, value in positions.items()})
