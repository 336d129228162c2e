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


"""Masses, payloads, friction and gravity as arguments of prepared calls."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from robots import model_of, random_state

import mbd_ros
from mbd_ros.errors import InvalidValueError, ShapeError, UnknownNameError, UnsupportedError
from mbd_ros.model.lock import rebuilt

URDF = Path(__file__).resolve().parents[3] / 'urdf'
MODEL = model_of([0, 1, 1], ['floating', 'revolute', 'prismatic'], 6)
LINK = MODEL.body_names[-1]
Q, V, TAU = (np.array(part) for part in zip(*(random_state(MODEL, k) for k in range(9))))
BODY = [1.5, 0.1, -0.2, 0.3, 0.04, 0.001, 0.05, 0.002, 0.003, 0.06]
INERTIA = [[0.04, 0.001, 0.002], [0.001, 0.05, 0.003], [0.002, 0.003, 0.06]]
FUNCTIONS = {'forward_dynamics': (Q, V, TAU), 'inverse_dynamics': (Q, V, TAU),
             'bias_forces': (Q, V), 'mass_matrix': (Q,), 'energies': (Q, V)}
RNG = np.random.default_rng(3)


def close(found, expected):
    """Compare after some hundred roundings; condition of M below 1e4."""
    np.testing.assert_allclose(found, expected, rtol=0.0,
                               atol=1e-11 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize('function', FUNCTIONS)
def test_a_row_of_parameters_for_each_state(function):
    """As each robot that is made with these numbers; masses go with density."""
    dyn = mbd_ros.compile(MODEL, parameters=['masses', f'payload:{LINK}'])
    factors = RNG.uniform(0.5, 2.0, (len(Q), MODEL.nb))
    values = dyn.pack(masses=factors * MODEL.masses, payload=BODY)
    assert values.shape == (len(Q), MODEL.nb + 10)
    found = getattr(dyn, function)(*FUNCTIONS[function], values)
    for k in (0, 8):
        other = mbd_ros.with_payload(_denser(factors[k]), LINK, BODY[0], BODY[1:4], INERTIA)
        arguments = [part[k] for part in FUNCTIONS[function]]
        expected = getattr(mbd_ros.compile(other, executor='interpreted'), function)(*arguments)
        close(found[k], expected)
        close(getattr(dyn, function)(*arguments, values[k]), expected)


def _denser(factors):
    links = tuple(
        one if one.name not in MODEL.body_names else replace(one, inertia=replace(
            one.inertia, mass=one.inertia.mass * factor, tensor=tuple(
                tuple(entry * factor for entry in row) for row in one.inertia.tensor)))
        for one, factor in ((one, factors[MODEL.body_names.index(one.name)]
                             if one.name in MODEL.body_names else 1.0)
                            for one in MODEL.mechanism.links))
    return rebuilt(MODEL, replace(MODEL.mechanism, links=links))


@pytest.mark.parametrize('names', [['inertial'], ['armature', 'gravity'], []])
def test_the_values_of_the_description_are_those_of_the_robot(names):
    dyn = mbd_ros.compile(MODEL, parameters=names, executor='interpreted')
    for function, arguments in FUNCTIONS.items():
        close(getattr(dyn, function)(*arguments, dyn.values),
              getattr(mbd_ros.compile(MODEL, executor='interpreted'), function)(*arguments))
    if names == ['inertial']:
        close(dyn.values, mbd_ros.inertial_parameters(MODEL).ravel())


def test_friction_acts_where_it_is_asked_for():
    dyn = mbd_ros.compile(MODEL, parameters=['damping', 'friction'], executor='interpreted')
    values = dyn.pack(damping=np.arange(MODEL.nv), friction=0.5 * np.ones(MODEL.nv))
    lost = np.arange(MODEL.nv) * V + 0.5 * np.sign(V)
    plain = mbd_ros.compile(MODEL, executor='interpreted')
    close(dyn.forward_dynamics(Q, V, TAU, values), plain.forward_dynamics(Q, V, TAU - lost))
    close(dyn.inverse_dynamics(Q, V, TAU, values), plain.inverse_dynamics(Q, V, TAU) + lost)


@pytest.mark.parametrize('by', ['parameters', 'q', 'v'])
def test_derivatives(by):
    """Central differences with steps of 1e-6: errors of some 1e-9 of the size of the numbers."""
    dyn = mbd_ros.compile(MODEL, parameters=['masses', 'damping'])
    state, values = [Q[0], V[0], TAU[0]], dyn.pack(damping=np.ones(MODEL.nv))
    found = dyn.derivatives('forward_dynamics', *state, values, by=by)
    size = found.shape[1]

    def moved(step):
        q, v, p = state[0], state[1], values
        if by == 'q':
            q = mbd_ros.integrate(MODEL, q, step)
        elif by == 'v':
            v = v + step
        else:
            p = p + step
        return dyn.forward_dynamics(q, v, state[2], p)
    expected = np.array([(moved(step) - moved(-step)) / 2e-6 for step in 1e-6 * np.eye(size)]).T
    np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())


def test_refusals():
    with pytest.raises(InvalidValueError, match='masses, inertial'):
        mbd_ros.compile(MODEL, parameters=['colour'])
    with pytest.raises(InvalidValueError, match='a list of'):
        mbd_ros.compile(MODEL, parameters='masses')
    with pytest.raises(InvalidValueError, match='not both'):
        mbd_ros.compile(MODEL, parameters=['masses', 'inertial'])
    with pytest.raises(InvalidValueError, match="'payload:' and a link"):
        mbd_ros.compile(MODEL, parameters=['payload'])   # two tips
    with pytest.raises(UnknownNameError, match='no'):
        mbd_ros.compile(MODEL, parameters=['payload:no'])
    with pytest.raises(UnsupportedError, match='rigid tree'):
        mbd_ros.compile(mbd_ros.load(URDF / 'four_bar.urdf'), parameters=['masses'])
    dyn = mbd_ros.compile(MODEL, parameters=['masses'], executor='interpreted')
    with pytest.raises(ShapeError, match='parameters'):
        dyn.forward_dynamics(Q[0], V[0], TAU[0], [1.0])
    with pytest.raises(ShapeError, match='masses'):
        dyn.pack(masses=[1.0])
    with pytest.raises(InvalidValueError, match='masses'):
        dyn.pack(weights=[1.0])
    with pytest.raises(InvalidValueError, match='a list of q, v'):
        dyn.tangent('forward_dynamics', ['x'])
