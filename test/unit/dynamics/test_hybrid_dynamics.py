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

"""Hybrid dynamics: what is given and what is found belong to one motion, under any load."""

from dataclasses import replace

import flexible_robots
import numpy as np
import pytest
from robots import model_of, random_state

import mbd_ros
from mbd_ros.errors import NotFiniteError

TREE = model_of([0, 1, 1, 3], ['floating', 'prismatic', 'spherical', 'revolute'], 4)
BENDS = mbd_ros.load(flexible_robots.two_link_arm())
ALONE = mbd_ros.load(flexible_robots.beam('bending_stiffness="30 0" modes="2 0 0"',
                                          joint='continuous'))


def loaded(model, seed):
    """Return a robot with friction, states (3, ...) that bend little, and what acts on it."""
    rng = np.random.default_rng(seed)
    model = replace(model, damping=rng.uniform(0.1, 1.0, model.nv),
                    friction=rng.uniform(0.1, 1.0, model.nv))
    q, v, tau = (np.array(part) for part in zip(*(random_state(model, k) for k in range(3))))
    if model.elastic is not None:
        bent = len(model.elastic_names)
        q[:, -bent:], v[:, -bent:] = 0.02 * q[:, -bent:], 0.2 * v[:, -bent:]
    return model, q, v, tau, {
        'gravity': (1.0, -2.0, -9.0), 'dissipation': True,
        'external_forces': {list(model.links)[-1]: rng.normal(size=(3, 6))}}


@pytest.mark.parametrize('formulation', ['recursive', 'kane', 'flexible'])
@pytest.mark.parametrize('given', [(), (1,), (0, 2), (0, 1, 2, 3)])
def test_it_is_forward_dynamics_with_the_efforts_that_were_found(formulation, given):
    model, q, v, tau, how = loaded(TREE, 1)
    agrees(model, q, v, tau, given, {**how, 'formulation': formulation}, 1e-10)


@pytest.mark.parametrize('given', [(), (0,), (1,), (0, 1)])
def test_of_robots_that_bend(given):
    model, q, v, tau, how = loaded(BENDS, 1)
    agrees(model, q, v, tau, given, how, 1e-8)   # the condition of M is 1e5


def agrees(model, q, v, tau, given, how, part):
    wanted = np.random.default_rng(2).normal(size=v.shape)
    names = [model.joint_names[i] for i in given]
    found = mbd_ros.hybrid_dynamics(model, q, v, tau, wanted, given=names, **how)
    known = np.zeros(model.nv, bool)
    for i in given:
        known[model.v_offsets[i]:model.v_offsets[i] + model.joint_types[i].nv] = True
    np.testing.assert_array_equal(found.qdd[:, known], wanted[:, known])
    close(found.tau[:, ~known], tau[:, ~known], part)
    close(mbd_ros.forward_dynamics(model, q, v, found.tau, **how), found.qdd, part)
    unsaid = mbd_ros.hybrid_dynamics(   # what is not read may be unknown
        model, q, v, np.where(known, np.nan, tau), np.where(known, wanted, np.nan), given=names,
        **how)
    for some, other in zip(unsaid, found):
        np.testing.assert_array_equal(some, other)
    if len(given):
        with pytest.raises(NotFiniteError, match='qdd of state 0, '):
            mbd_ros.hybrid_dynamics(model, q, v, tau, wanted * np.nan, given=names, **how)
    one = mbd_ros.hybrid_dynamics(model, q[1], v[1], tau[1], wanted[1], given=names, **{
        **how, 'external_forces': {link: force[1]
                                   for link, force in how['external_forces'].items()}})
    close(one.qdd, found.qdd[1], part)
    close(one.tau, found.tau[1], part)


def close(found, expected, part):
    """Two ways to the same numbers, rounded by the condition of the mass matrix."""
    np.testing.assert_allclose(found, expected, rtol=0.0,
                               atol=part * max(1.0, np.abs(expected).max(initial=0.0)))


def test_the_iteration_of_lin_under_load():
    model, q, v, tau, how = loaded(ALONE, 3)
    exact, lin = (mbd_ros.hybrid_dynamics(model, q, v, tau, 2.0 * v, given='root', scheme=scheme,
                                          **how) for scheme in ('exact', 'lin'))
    for found, expected in zip(lin, exact):
        close(found, expected, 1e-9)   # steps of 1e-12


def test_links_rest_under_forces_where_their_elastic_rows_balance():
    rng = np.random.default_rng(5)
    count = len(BENDS.elastic_names)
    q, tau, rest = np.zeros(BENDS.nq), rng.normal(size=BENDS.nv), np.zeros(BENDS.nv)
    q[:-count] = 0.3, -0.8
    link = list(BENDS.links)[-1]
    force, gravity = rng.normal(size=6), (0.5, -2.0, 0.0)
    q[-count:] = mbd_ros.static_deflection(BENDS, q, tau, external_forces={link: force},
                                           gravity=gravity)
    acting = tau + mbd_ros.jacobian(BENDS, q, link, executor='interpreted').T @ force
    needed = mbd_ros.bias_forces(BENDS, q, rest, gravity=gravity, executor='interpreted')
    assert np.abs(acting[-count:]).max() > 0.1
    close(needed[-count:], acting[-count:], 1e-9)   # a step of 1e-12 is left, of some 1e3 N
