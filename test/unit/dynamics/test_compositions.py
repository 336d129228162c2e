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

"""Random compositions of all that a robot can have, against an oracle of mass points."""

import os

from body_oracle import Bodies
from dense_oracle import constrained, exponential, Oracle, tilde
import numpy as np
import pytest
from random_compositions import (
    configuration, entries, oracle_state, random_robot, state_of, urdf, with_loops)

import mbd_ros
from mbd_ros.dynamics.functions.thrust_map import thrust_columns

SEEDS = range(int(os.environ.get('COMPOSITIONS', '28')))
"""``COMPOSITIONS=500 pytest test/unit/dynamics/test_compositions.py`` tries as many."""


def close(found, expected, tolerance=1e-11):
    """Compare, against the largest entry: rounding of sums over some hundred points."""
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    assert np.abs(found - expected).max(initial=0.0) <= tolerance * scale


def composition(seed, *, plain=False):
    """
    Return a robot as model and oracle, places in v, and a state that keeps its rows.

    ``plain``: without contacts, mimic joints and springs in joints.
    """
    rng = np.random.default_rng(seed)
    while True:
        robot = random_robot(rng)
        for one in robot['links'] if plain else ():
            one.pop('series', None)
        q = state_of(rng, robot)
        robot = with_loops(rng, robot, q)
        if plain:
            robot = {**robot, 'contacts': [], 'mimics': []}
        oracle = Oracle(robot)
        sizes = np.linalg.svd(oracle.terms(q, np.zeros(oracle.nv)).A, compute_uv=False)
        clear = (sizes < 1e-9) | (sizes > 1e-3 * sizes.max(initial=0.0))
        if clear.all():   # else the rank, and so the motion, is a matter of a threshold
            break
    model = mbd_ros.load(urdf(robot), floating_base=robot['floating'],
                         mimic=bool(robot['mimics']))
    order, v = entries(model, oracle), rng.normal(size=oracle.nv)
    A = oracle.terms(q, v).A
    v = v - np.linalg.pinv(A, rcond=1e-9) @ (A @ v) if len(A) else v
    return rng, model, oracle, order, q, configuration(model, robot, q), v


@pytest.mark.parametrize('seed', SEEDS)
def test_all_at_once(seed):
    """Bending, loops, water, floating bases, mimics, springs, contacts, thrusters together."""
    rng, model, oracle, order, q, place, v = composition(seed)
    fluid = None if rng.random() < 0.3 else {'density': 1000.0, 'current': rng.normal(size=3)}
    ground = None if rng.random() < 0.3 else 0.3
    terms = oracle.terms(q, v, fluid=fluid, ground=ground)
    dyn = mbd_ros.compile(
        model, executor='interpreted', ground=None if ground is None else mbd_ros.Ground(ground),
        fluid=None if fluid is None else mbd_ros.Fluid(1000.0, tuple(fluid['current'])))
    rates, force = np.zeros((2, model.nv))
    rates[order], force[order] = v, rng.normal(size=oracle.nv)
    close(dyn.mass_matrix(place)[np.ix_(order, order)], terms.M)
    close(dyn.bias_forces(place, rates)[order], terms.h)
    # of near-singular mass matrices, whose condition is up to 1e6 here
    accelerations = dyn.forward_dynamics(place, rates, force)
    close(accelerations[order], constrained(terms, force[order]), 1e-9)
    close(dyn.inverse_dynamics(place, rates, force)[order],
          terms.M @ force[order] + terms.h)
    if model.loops:
        rows = dyn.loop_rows(place, rates)
        close(rows[:, 0], 0.0 * rows[:, 0])
        close(rows[:, 3:][:, order] @ np.linalg.svd(terms.A)[2][np.linalg.matrix_rank(
            terms.A, 1e-9):].T, 0.0)   # the same motions are left
    close(thrust_columns(dyn, place)[order], terms.B)
    for name in model.body_names:
        close(dyn.pose(place, name), terms.poses[name])


@pytest.mark.parametrize('seed', SEEDS[::4])
def test_energies(seed):
    """Kinetic, and potential with strain and springs."""
    _, model, oracle, order, q, place, v = composition(seed)
    terms, rates = oracle.terms(q, v), np.zeros(model.nv)
    rates[order] = v
    found = mbd_ros.energy(model, place, rates, fluid=None)
    close(np.array(found), np.array([terms.kinetic, terms.potential]))


@pytest.mark.parametrize('seed', SEEDS[::4])
def test_velocity_terms(seed):
    """C v is what is left of the bias without weight, and what damps; dM/dt = C + C^T."""
    _, model, oracle, order, q, place, v = composition(seed)
    for one in oracle.robot['fluids']:
        one['linear'] = one['quadratic'] = np.zeros(6)
    for one in oracle.robot['springs']:
        one['damping'] = 0.0
    for beam in oracle.beams.values():
        beam.D[:] = 0.0
    for one in oracle.robot['links']:
        if 'series' in one:
            one['series']['damping'] = 0.0
    still = {'density': 1000.0, 'current': np.zeros(3)}
    moving, resting = (oracle.terms(q, rates, fluid=still) for rates in (v, 0.0 * v))
    rates = np.zeros(model.nv)
    rates[order] = v
    C = mbd_ros.coriolis_matrix(model, place, rates, executor='interpreted')
    close((C @ rates)[order], moving.h - resting.h)
    dyn, step = mbd_ros.compile(model, executor='interpreted'), 1e-5
    ahead, behind = (dyn.mass_matrix(mbd_ros.integrate(model, place, sign * step * rates))
                     for sign in (1.0, -1.0))
    close((ahead - behind) / (2.0 * step), C + C.T, 1e-7)   # of differences


def displaced(oracle, q, w):
    """Return a configuration at the end of a displacement (nv,)."""
    moved = dict(q)
    for one in oracle.robot['links']:
        twist = oracle.twists(one, w[None])[0]
        X = np.zeros((3, 1, 4, 4))
        X[0, 0, :3, :3], X[0, 0, :3, 3] = tilde(twist[3:]), twist[:3]
        moved[one['joint']] = q[one['joint']] @ exponential(X)[0, 0]
        for name in (one['name'], one['joint'] + '/series_elastic'):
            if name in oracle.entries:
                moved[name] = q[name] + w[oracle.entries[name]]
    return moved


@pytest.mark.parametrize('seed', SEEDS[::9])
def test_derivatives(seed):
    """Of inverse dynamics along a displacement and a change of velocity, by differences."""
    rng, model, oracle, order, q, place, v = composition(seed)
    a, w, step = rng.normal(size=oracle.nv), rng.normal(size=oracle.nv), 1e-6
    still = {'density': 1000.0, 'current': np.zeros(3)}

    def needed(at, rates):
        terms = oracle.terms(at, rates, fluid=still)
        return terms.M @ a + terms.h

    rates, accelerations, along = np.zeros((3, model.nv))
    rates[order], accelerations[order], along[order] = v, a, w
    found = mbd_ros.inverse_dynamics_derivatives(model, place, rates, accelerations,
                                                 executor='interpreted')
    for part, (ahead, behind) in ((found.dq, [needed(displaced(oracle, q, sign * step * w), v)
                                              for sign in (1.0, -1.0)]),
                                  (found.dv, [needed(q, v + sign * step * w)
                                              for sign in (1.0, -1.0)])):
        # Rounding of 1e-16 / step, and step times the kink of drag |v| v where v is zero.
        close((part @ along)[order], (ahead - behind) / (2.0 * step), 1e-6)


@pytest.mark.parametrize('seed', SEEDS[::9])
def test_natural_frequencies(seed):
    """With all joints locked: of the modes, from mass and stiffness of the oracle."""
    rng = np.random.default_rng(seed)
    while True:   # one that bends, and is stiff enough for its weight and its springs
        robot = {**random_robot(rng), 'fluids': []}
        oracle, q = Oracle(robot), state_of(rng, robot)
        free = oracle.elastic
        if not free:
            continue
        rest, step = np.zeros(oracle.nv), 1e-6
        K = np.array([oracle.terms(displaced(oracle, q, step * unit), rest).h
                      - oracle.terms(displaced(oracle, q, -step * unit), rest).h
                      for unit in np.eye(oracle.nv)[free]]).T[free] / (2.0 * step)
        squares = np.linalg.eigvals(np.linalg.solve(
            oracle.terms(q, rest).M[np.ix_(free, free)], K)).real
        if squares.min() > 0.0:
            break
    model = mbd_ros.load(urdf(robot), floating_base=robot['floating'])
    found = mbd_ros.natural_frequencies(model, configuration(model, robot, q),
                                        locked=list(model.joint_names),
                                        gravity=(0.0, 0.0, -9.81))
    # Differences: step^2 times third derivatives, and rounding of 1e-16 / step.
    close(found.frequencies, np.sort(np.sqrt(squares)) / (2.0 * np.pi), 1e-6)


@pytest.mark.parametrize('seed', SEEDS[::4])
def test_bodies_for_themselves(seed):
    """Accelerations of all bodies and modes, by a second text without coordinates of joints."""
    rng, model, oracle, order, q, place, v = composition(seed, plain=True)
    fluid = None if seed % 3 else {'density': 1000.0, 'current': rng.normal(size=3)}
    dyn = mbd_ros.compile(model, executor='interpreted', fluid=None if fluid is None else (
        mbd_ros.Fluid(1000.0, tuple(fluid['current']))))
    rates, bodies = np.zeros(model.nv), Bodies(oracle.robot)
    rates[order] = v
    qdd = dyn.forward_dynamics(place, rates, np.zeros(model.nv))
    poses, u, expected = {}, np.zeros(bodies.size), np.zeros(bodies.size)
    for one in oracle.robot['links']:
        name, own = one['name'], bodies.own(one['name'])
        poses[name] = X = dyn.pose(place, name)
        moving, changing = (call.reshape(2, 3) @ X[:3, :3] for call in (
            mbd_ros.frame_velocity(model, place, rates, name, executor='interpreted'),
            mbd_ros.frame_acceleration(model, place, rates, qdd, name, executor='interpreted')))
        u[own][:6], expected[own][:6] = moving.ravel(), changing.ravel()
        expected[own][:3] -= np.cross(moving[1], moving[0])   # of v in axes that turn
        if name in oracle.beams:
            u[own][6:], expected[own][6:] = v[oracle.entries[name]], qdd[order][
                oracle.entries[name]]
    # Of near-singular mass matrices, as above, and of two of them.
    close(bodies.accelerations(poses, q, u, fluid), expected, 2e-9)


@pytest.mark.parametrize('seed', SEEDS[::28])
def test_audits(seed):
    """Energy by the oracle where a run ends, its account, and loops that stay closed."""
    rng, model, oracle, order, _, place, v = composition(seed)
    driven, (rates, force) = model.nv - len(model.elastic_names), np.zeros((2, model.nv))
    rates[order], force[:driven] = v, rng.normal(size=driven)
    still = {'density': 1000.0, 'current': np.zeros(3)}
    run = mbd_ros.simulate(model, place, rates, 0.02, step=1e-4, tau=force)
    q = oracle_state(model, oracle.robot, run.q[-1])
    terms = oracle.terms(q, run.v[-1][order], fluid=still)
    vacuum = oracle.terms(q, run.v[-1][order])
    M, v = terms.M, run.v[-1][order]
    lifted = sum(-1000.0 * 9.81 * one['volume'] * oracle.place(
        one['link'], one['point'])[0, 0, 2, 3] for one in oracle.robot['fluids'])
    close(np.array([run.parts['kinetic'][-1], run.parts['potential'][-1]]),
          np.array([0.5 * v @ M @ v, vacuum.potential + lifted]))
    # Steps of 0.1 ms of an implicit rule of order 2, against all that was exchanged.
    exchanged = sum(np.abs(np.diff(part)).sum() for part in run.parts.values())
    assert np.abs(run.balance).max() <= 1e-4 * exchanged
    assert np.abs(terms.phi).max(initial=0.0) < 1e-10 and np.abs(
        terms.A @ v).max(initial=0.0) < 1e-6 * max(1.0, np.abs(v).max())
