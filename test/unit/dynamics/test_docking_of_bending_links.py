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

"""Links that bend dock and undock: the impulse equations against an oracle of mass points."""

from dense_oracle import Oracle
import flexible_robots
import numpy as np
import pytest
from random_compositions import (
    configuration, entries, random_robot, state_of, urdf, with_loops)

import mbd_ros
from mbd_ros.environment.surroundings import immersed
from mbd_ros.model.lock import lock

WATER = {'density': 1000.0, 'current': np.array([0.3, -0.2, 0.1])}


def before(seed):
    """Return robots without and with loops, the oracle, places in v and a state of the first."""
    rng = np.random.default_rng(seed)
    robot = random_robot(rng)
    q = state_of(rng, robot)
    looped = with_loops(rng, robot, q)
    oracle = Oracle(looped)
    models = [mbd_ros.load(urdf(one), floating_base=robot['floating'], mimic=bool(one['mimics']))
              for one in (robot, looped)]
    fluid = mbd_ros.Fluid(1000.0, tuple(WATER['current'])) if seed % 2 else None
    models = [immersed(one, fluid) for one in models]
    v = rng.normal(size=oracle.nv)
    return models, oracle, entries(models[0], oracle), q, configuration(models[0], robot, q), v


def struck(mass, v, rows):
    """Return the velocities nearest in kinetic energy among those that rows (m, nv) allow."""
    half = np.linalg.inv(np.linalg.cholesky(mass))
    A = rows @ half.T
    return v - half.T @ np.linalg.pinv(A, rcond=1e-9) @ (rows @ v)


@pytest.mark.parametrize('seed', range(6))
def test_closing_loops_of_links_that_bend(seed):
    models, oracle, order, q, place, v = before(seed)
    rates = np.zeros(oracle.nv)
    rates[order] = v
    terms = oracle.terms(q, v, fluid=WATER if seed % 2 else None)
    state = mbd_ros.carry_over(models[0], place, rates, models[1], largest_jump=1e-9)
    wanted = struck(terms.M, v, terms.A)
    # Of mass matrices whose condition is up to 1e6; loops close to 1e-13.
    scale = np.abs(v).max()
    np.testing.assert_allclose(state.v[order], wanted, atol=1e-8 * scale)
    for energy, moving in ((state.kinetic_energy_before, v), (state.kinetic_energy_after, wanted)):
        assert energy == pytest.approx(0.5 * moving @ terms.M @ moving, rel=1e-8, abs=1e-9)
    again = mbd_ros.carry_over(models[1], state.q, state.v, models[0])   # and open them
    np.testing.assert_allclose(again.v, state.v, atol=1e-8 * scale)
    assert again.kinetic_energy_after == pytest.approx(state.kinetic_energy_after, rel=1e-8)


@pytest.mark.parametrize('seed', range(10, 14))
def test_a_joint_that_is_welded_while_links_swing(seed):
    while True:   # one with a joint that is no spring's motor, which lock does not hold
        models, oracle, order, q, place, v = before(seed)
        old, seed = models[0], seed + 100
        simple = [one['joint'] for one in oracle.robot['links']
                  if one['kind'] in ('revolute', 'prismatic') and 'series' not in one]
        if simple:
            break
    name = simple[-1]
    at = old.joint_index(name)
    new = lock(old, {name: float(place[old.q_offsets[at]])})
    terms = oracle.terms(q, v, fluid=WATER if seed % 2 else None)
    rates = np.zeros(oracle.nv)
    rates[order] = v
    state = mbd_ros.carry_over(old, place, rates, new, largest_jump=1e-9)
    wanted = np.zeros(oracle.nv)
    wanted[order] = struck(terms.M, v, np.eye(oracle.nv)[[oracle.entries[name].start]])
    wanted = np.delete(wanted, old.v_offsets[at])
    np.testing.assert_allclose(state.v, wanted, atol=1e-8 * np.abs(v).max())


def carrying(kind, turned):
    """Return a beam on a hinge, and a load at its tip by a joint that is turned."""
    return mbd_ros.load(flexible_robots.beam(
        'bending_stiffness="20 20" modes="2 1 0"', joint='continuous', links=(
            f'<link name="load">{flexible_robots.inertial(0.2, (0.1, 0, 0), 1e-3 * np.eye(3))}'
            f'</link><joint name="grip" type="{kind}"><parent link="beam"/><child link="load"/>'
            f'<origin xyz="1 0 0" rpy="0 0 {turned}"/><axis xyz="0 0 1"/></joint>')))


def test_what_a_bent_link_carries_stays_where_it_is():
    """A load that is let turn begins where the bent tip held it, and swings on."""
    old, new = carrying('fixed', 0.5), carrying('continuous', 0.2)
    q, v = np.array([0.4, 0.05, -0.01, 0.03]), np.array([1.0, 0.3, -0.2, 0.5])
    state = mbd_ros.carry_over(old, q, v, new, largest_jump=1e-12)
    np.testing.assert_allclose(state.q, [0.4, 0.3, 0.05, -0.01, 0.03], atol=1e-14)
    np.testing.assert_allclose(state.v, [1.0, 0.0, 0.3, -0.2, 0.5], atol=1e-10)
    assert state.kinetic_energy_after == pytest.approx(state.kinetic_energy_before, rel=1e-12)
    back = mbd_ros.carry_over(new, state.q, state.v + np.eye(5)[1], old, largest_jump=1e-12)
    np.testing.assert_allclose(back.q, q, atol=1e-14)
    assert back.kinetic_energy_after < back.kinetic_energy_before   # an impact, which it feels
    assert np.abs(back.v - v)[1:].max() > 0.01


def test_a_load_at_rest_that_a_bending_link_grips():
    """It brings no momentum: that of the beam, with its shapes, is shared."""
    empty, laden = (mbd_ros.load(flexible_robots.beam(
        'bending_stiffness="20 0" modes="2 0 0"', joint='continuous', links=links)) for links in (
            '', flexible_robots.point_mass('load', 0.2)
            + flexible_robots.fixed('grip', 'beam', 'load', (1.0, 0.0, 0.0))))
    q, v = np.array([0.4, 0.05, -0.01]), np.array([1.0, 0.3, -0.2])
    aside = mbd_ros.carry_over(empty, q, v, laden)   # without a twist it moves along
    np.testing.assert_allclose(aside.v, v, atol=1e-10)
    state = mbd_ros.carry_over(empty, q, v, laden, twists={'load': np.zeros(6)})
    np.testing.assert_allclose(mbd_ros.mass_matrix(laden, q) @ state.v,
                               mbd_ros.mass_matrix(empty, q) @ v, atol=1e-12)
    assert state.kinetic_energy_after < 0.9 * state.kinetic_energy_before
