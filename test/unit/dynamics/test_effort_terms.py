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

"""Terms of inverse dynamics, each by its definition; forces on links and what is wrong of them."""

from dataclasses import replace
import math

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import random_state, trees
from swimmers import walker

import mbd_ros
from mbd_ros import Fluid, Ground
from mbd_ros.description.records.mechanism import SpringDamper
from mbd_ros.dynamics.functions.effort_terms import effort_terms
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError, UnknownNameError
from mbd_ros.model import build_model

GRAVITY = (0.3, -0.4, -9.0)
HOW = {'executor': 'interpreted'}


@settings(max_examples=15)
@given(text=trees(max_joints=5), seed=st.integers(0, 2**16), springs=st.booleans())
def test_each_term_by_its_definition_and_all_of_them_in_sum(text, seed, springs):
    model = mbd_ros.load(text)
    links = list(model.links)
    rng = np.random.default_rng(seed)
    if springs:
        model = build_model(replace(model.mechanism, springs=(SpringDamper(
            's', links[0], links[-1], (0.2, 0.0, 0.1), (0.3, 0.1, 0.0), 50.0, 3.0, 0.2),)))
    rates = rng.uniform(0.1, 1.0, model.nv)
    model = replace(model, damping=rates)
    q, v, qdd = random_state(model, seed)
    force = {links[-1]: rng.normal(size=6)}
    terms = effort_terms(model, q, v, qdd, gravity=GRAVITY, external_forces=force,
                         dissipation=True, **HOW)
    total = mbd_ros.inverse_dynamics(model, q, v, qdd, gravity=GRAVITY, external_forces=force,
                                     dissipation=True, **HOW)
    scale = max(1.0, np.abs(total).max(), *(np.abs(term).max() for term in terms.values()))
    # Sums of at most six terms of this size.
    tolerance = {'rtol': 0.0, 'atol': 1e-11 * scale}
    np.testing.assert_allclose(sum(terms.values()), total, **tolerance)
    np.testing.assert_allclose(
        terms['inertial'], mbd_ros.mass_matrix(model, q, **HOW) @ qdd, **tolerance)
    np.testing.assert_allclose(
        terms['external_forces'],
        -mbd_ros.jacobian(model, q, links[-1], **HOW).T @ force[links[-1]], **tolerance)
    np.testing.assert_allclose(terms['dissipation'], rates * v, **tolerance)
    assert ('springs' in terms) == springs
    still = np.zeros_like(v)
    weight = mbd_ros.bias_forces(model, q, still, gravity=GRAVITY, **HOW)
    np.testing.assert_allclose(terms['gravity'] + terms.get('springs', 0.0), weight, **tolerance)


def test_terms_that_are_not_asked_for_are_not_there():
    model = mbd_ros.load('urdf/puma560.urdf')
    q = v = np.zeros(6)
    assert set(effort_terms(model, q, v, v)) == {'inertial', 'velocity', 'gravity'}


@pytest.mark.parametrize(('forces', 'error', 'text'), [
    ([1.0] * 6, InvalidValueError, 'a mapping of names of links to six numbers each'),
    ({'tool': 'hard'}, InvalidValueError, r"external_forces\['tool'\] is 'hard'; allowed: 6 re"),
    ({'tool': [1.0] * 5}, ShapeError, r"external_forces\['tool'\] has shape \(5,\); allowed: \(6"),
    ({'tool': np.ones((2, 3, 6))}, ShapeError, r'has shape \(2, 3, 6\)'),
    ({'tool': [0.0] * 5 + [math.inf]}, NotFiniteError, r"\['tool'\] of entry 5 is inf"),
    ({'tol': [0.0] * 6}, UnknownNameError, "did you mean 'tool'"),
    ({'tool': np.ones((3, 6))}, ShapeError, r"external_forces\['tool'\] has shape \(3, 6\); "
                                            'allowed: 2 states, as in the'),
])
def test_forces_that_cannot_be(forces, error, text):
    model = mbd_ros.load('urdf/puma560.urdf')
    zero = np.zeros((2, 6))
    with pytest.raises(error, match=text):
        mbd_ros.inverse_dynamics(model, zero, zero, zero, external_forces=forces)


@pytest.mark.parametrize('own', [False, True])
def test_terms_of_water_and_ground_in_sum(own):
    """In any order of the laws: the ground as one of the call, or as one of the robot's own."""
    model, ground = walker(), Ground(normal=(0.0, 0.0, -1.0), height=10.0)   # z points down
    if own:
        model = model.with_laws(ground.law)
    q, v, qdd = random_state(model, 4)
    how = {'gravity': (0.0, 0.0, 9.8), 'fluid': Fluid(current=(0.1, 0.2, 0.3)), **HOW}
    if not own:
        how['ground'] = ground
    terms = effort_terms(model, q, v, qdd, **how)
    assert set(terms) >= {'buoyancy', 'drag', 'added_mass', 'ground'}
    total = mbd_ros.inverse_dynamics(model, q, v, qdd, **how)
    # Sums of some ten terms of this size.
    np.testing.assert_allclose(sum(terms.values()), total, rtol=0.0,
                               atol=1e-11 * np.abs(total).max())
    for name in ('buoyancy', 'drag', 'added_mass', *(() if own else ('ground',))):
        assert np.abs(terms[name]).max() > 1e-3, name   # each acts
