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

"""The registry of formulations: who suits which robot, what ran, and what keywords cost."""

import numpy as np
import pytest
from random_loops import random_loops
from robots import chain, random_state

import mbd_ros
from mbd_ros.dynamics.algorithms.registry import formulation_for
from mbd_ros.dynamics.prepared.call import Call
from mbd_ros.errors import InvalidValueError

TREE = mbd_ros.load(chain(4, 1))
LOOP = random_loops(2, 4, 1, cuts=('spherical',))[0]
SPRUNG = random_loops(2, 4, 0, springs=2)[0]


@pytest.mark.parametrize(('model', 'name', 'ran'), [
    (TREE, 'auto', 'recursive'), (TREE, 'recursive', 'recursive'),
    (TREE, 'closed_loop', 'closed_loop'), (SPRUNG, 'auto', 'recursive'),
    (LOOP, 'auto', 'closed_loop'), (LOOP, 'closed_loop', 'closed_loop')])
def test_what_runs(model, name, ran):
    dyn = mbd_ros.compile(model, formulation=name)
    assert dyn.formulation == formulation_for(model, name).name == ran


@pytest.mark.parametrize('model', [TREE, SPRUNG])
def test_on_a_tree_all_give_the_same(model):
    q, v, tau = random_state(model, 3)
    expected = mbd_ros.forward_dynamics(model, q, v, tau)
    for name in ('closed_loop', 'jourdain', 'augmented'):
        found = mbd_ros.forward_dynamics(model, q, v, tau, formulation=name)
        # Condition of M below 1e3.
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize('function', [
    mbd_ros.forward_dynamics, mbd_ros.inverse_dynamics, mbd_ros.bias_forces,
    mbd_ros.mass_matrix, mbd_ros.inverse_dynamics_derivatives])
def test_one_that_does_not_suit_is_refused(function):
    def call(model, name):
        q, v, tau = random_state(model, 3)
        count = {mbd_ros.mass_matrix: 1, mbd_ros.bias_forces: 2}.get(function, 3)
        function(model, *(q, v, tau)[:count], formulation=name)
    with pytest.raises(InvalidValueError, match=r"^formulation is 'recursive'; allowed: 'auto', "
                       r"'closed_loop', 'kane', 'augmented' for robot 'random', which has closed "
                       r'loops$'):
        call(LOOP, 'recursive')
    for name in ('lagrange', 'ABA', ''):
        with pytest.raises(InvalidValueError, match=f"^formulation is '{name}'; allowed: 'auto', "
                           r"'recursive', 'closed_loop', 'jourdain', 'kane', 'augmented', "
                           r"'flexible' for robot 'random'$"):
            call(TREE, name)


@pytest.mark.parametrize('function', ['forward_dynamics', 'inverse_dynamics', 'bias_forces'])
@pytest.mark.parametrize('keywords', [
    {'out': None}, {'formulation': 'recursive'}, {'gravity': np.array([0.0, 0.0, -1.6])},
    {'gravity': (0.0, 0.0, -1.6), 'out': None}, {'executor': 'rolled', 'out': None}])
def test_keywords_take_the_fast_path(function, keywords, monkeypatch):
    """``out=None`` sent each call through the conversion of lists and batches: 160 us."""
    state = random_state(TREE, 3)[:2 if function == 'bias_forces' else 3]
    call = getattr(mbd_ros, function)
    expected = call(TREE, *state, **keywords)

    def slow(*arguments, **named):
        raise AssertionError('converted')
    monkeypatch.setattr(Call, '__call__', slow)
    np.testing.assert_array_equal(call(TREE, *state, **keywords), expected)
