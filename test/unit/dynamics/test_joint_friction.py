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

"""Damping that grows with the speed, ``(c1 + c2 |v| + c3 v^2) v``, wherever damping acts."""

from dataclasses import replace

import numpy as np
import pytest
from robots import model_of, random_state

import mbd_ros
from mbd_ros.control.tracking.effort_needs import friction_of
from mbd_ros.description import read
from mbd_ros.description.write.mjcf import mjcf_text
from mbd_ros.description.write.sdf import sdf_text
from mbd_ros.errors import UnsupportedError
from mbd_ros.execution.ir.model_digest import model_digest
from mbd_ros.simulation.plant import plant

KINDS = ['floating', 'spherical', 'planar', 'prismatic', 'revolute', 'continuous']
PLAIN = model_of([0, 1, 2, 2, 4, 5], KINDS, 3)
RNG = np.random.default_rng(7)
MODEL = replace(PLAIN, **{name: RNG.uniform(0.1, 1.0, PLAIN.nv) for name in (
    'damping', 'friction', 'quadratic_damping', 'cubic_damping')})
STATES = [np.array(part) for part in zip(*(random_state(MODEL, k) for k in range(3)))]
CLOSE = {'rtol': 1e-11, 'atol': 1e-11}   # sums of some twenty terms near 10
SLIDER = """<robot name="r" xmlns:mbd="urn:mbd_ros"><link name="w"/><link name="a"><inertial>
<mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="prismatic"><parent link="w"/><child link="a"/><axis xyz="1 0 0"/>
<limit lower="-100" upper="100" effort="1" velocity="10"/>{}</joint></robot>"""


def viscous(v):
    """Return the efforts one by one, in plain floats."""
    return np.array([[(c1 + c2 * abs(x) + c3 * x ** 2) * x for x, c1, c2, c3 in zip(
        row, MODEL.damping.tolist(), MODEL.quadratic_damping.tolist(),
        MODEL.cubic_damping.tolist())] for row in v.tolist()])


@pytest.mark.parametrize('formulation', ['recursive', 'closed_loop', 'jourdain', 'kane',
                                         'augmented', 'flexible'])
def test_all_formulations(formulation):
    q, v, tau = STATES
    lost = viscous(v) + MODEL.friction * np.sign(v)
    how = {'formulation': formulation, 'executor': 'interpreted'}
    np.testing.assert_allclose(
        mbd_ros.inverse_dynamics(MODEL, *STATES, dissipation=True, **how),
        mbd_ros.inverse_dynamics(PLAIN, *STATES, **how) + lost, **CLOSE)
    np.testing.assert_allclose(
        mbd_ros.forward_dynamics(MODEL, *STATES, dissipation=True, **how),
        mbd_ros.forward_dynamics(PLAIN, q, v, tau - lost, **how), **CLOSE)


@pytest.mark.parametrize('executor', [None, 'unrolled', 'rolled'])
@pytest.mark.parametrize('function', ['forward_dynamics', 'inverse_dynamics'])
def test_machine_code(function, executor):
    """By the compiled call with damping in it, too, which is that without an executor."""
    call = getattr(mbd_ros, function)
    for state in (STATES, [part[0] for part in STATES]):
        np.testing.assert_allclose(
            call(MODEL, *state, dissipation=True, executor=executor),
            call(MODEL, *state, dissipation=True, executor='interpreted'), **CLOSE)


@pytest.mark.parametrize('function', ['forward_dynamics', 'inverse_dynamics'])
def test_derivatives(function):
    """Central differences of 1e-6: errors of 1e-9 of the size of the numbers, some hundred."""
    q, v, last = (part[0] for part in STATES)
    call = getattr(mbd_ros, function)
    found = getattr(mbd_ros, f'{function}_derivatives')
    expected = np.array([(call(MODEL, q, v + step, last, dissipation=True)
                          - call(MODEL, q, v - step, last, dissipation=True)) / 2e-6
                         for step in 1e-6 * np.eye(MODEL.nv)]).T
    one = found(MODEL, q, v, last, dissipation=True).dv
    np.testing.assert_allclose(one, expected, atol=1e-7 * np.abs(expected).max())
    many = found(MODEL, *STATES, dissipation=True).dv
    np.testing.assert_allclose(many[0], one, **CLOSE)


def test_closed_loops_and_linearization():
    """A multiplier holds what is left of the efforts: forward dynamics undo inverse dynamics."""
    model = mbd_ros.load('urdf/five_bar.urdf')
    grown = replace(model, quadratic_damping=np.full(model.nv, 0.3),
                    cubic_damping=np.full(model.nv, 0.2))
    q, v = mbd_ros.close_loops(model, np.full(model.nq, 0.1), np.ones(model.nv))
    tau = np.linspace(-1.0, 1.0, model.nv)
    lost = (0.3 * np.abs(v) + 0.2 * v * v) * v
    np.testing.assert_allclose(
        mbd_ros.forward_dynamics(grown, q, v, tau, dissipation=True),
        mbd_ros.forward_dynamics(model, q, v, tau - lost, dissipation=True), **CLOSE)


def test_parameters_of_calls():
    dyn = mbd_ros.compile(MODEL, parameters=['damping', 'friction'])
    for function in ('forward_dynamics', 'inverse_dynamics'):
        np.testing.assert_allclose(
            getattr(dyn, function)(*STATES, dyn.values),
            getattr(mbd_ros, function)(MODEL, *STATES, dissipation=True), **CLOSE)


@pytest.mark.parametrize(('power', 'speed'), [
    ('quadratic', lambda c, t: 3.0 / (1.0 + c * 3.0 * t / 2.0)),
    ('cubic', lambda c, t: 3.0 / np.sqrt(1.0 + 2.0 * c * 9.0 * t / 2.0))])
def test_a_sliding_mass(power, speed):
    """Closed forms of ``2 v' = -c v |v|`` and ``2 v' = -c v^3`` from 3 m/s."""
    model = mbd_ros.load(SLIDER.format(f'<dynamics mbd:{power}_damping="0.7"/>'))
    out = mbd_ros.simulate(model, [0.0], [3.0], 1.0, step=0.01, dissipation=True)
    # RK4 of 0.01 s: c v / m of 1 1/s, so errors of 1e-8 times a constant of order 0.1.
    np.testing.assert_allclose(out.v[-1], speed(0.7, 1.0), rtol=1e-7)
    assert not model.findings


def test_what_else_knows_of_it():
    still = plant(MODEL, dissipation=False)
    assert not still.quadratic_damping.any() and not still.cubic_damping.any()
    assert plant(MODEL, dissipation=True).cubic_damping is MODEL.cubic_damping
    np.testing.assert_allclose(friction_of(MODEL, STATES[1])[0], viscous(STATES[1]), **CLOSE)
    for name in ('quadratic_damping', 'cubic_damping'):
        other = replace(MODEL, **{name: 2.0 * getattr(MODEL, name)})
        assert model_digest(other) != model_digest(MODEL)


def test_identification_takes_it_as_described():
    """Linear damping is found beside it; efforts are exact, so is the fit to its prior's 1e-8."""
    model = mbd_ros.load('urdf/three_link_arm.urdf')
    model = replace(model, quadratic_damping=np.full(model.nv, 0.4),
                    cubic_damping=np.full(model.nv, 0.2), damping=np.full(model.nv, 0.3))
    time = np.linspace(0.0, 10.0, 400)
    rates = np.array([[0.5], [0.9], [1.6], [2.1]])[:, :, None] * (1.0 + 0.1 * np.arange(model.nv))
    angles = rates * time[:, None] + np.arange(model.nv)
    q, v, qdd = (sum(part) for part in (np.sin(angles), rates * np.cos(angles),
                                        -rates ** 2 * np.sin(angles)))
    tau = mbd_ros.inverse_dynamics(model, q, v, qdd, dissipation=True)
    found = mbd_ros.identify(model, q, v, tau, qdd=qdd)
    np.testing.assert_allclose(found.damping, 0.3, atol=1e-3)
    np.testing.assert_allclose(found.predict(q, v, qdd), tau, atol=1e-3 * np.abs(tau).max())
    with pytest.raises(UnsupportedError, match='damping that grows'):
        mbd_ros.identify(model, q, v, tau, qdd=qdd, currents=True)


def test_files_that_are_written():
    text = SLIDER.format('<dynamics damping="0.1" mbd:quadratic_damping="0.2" '
                         'mbd:cubic_damping="0.3"/>')
    mechanism = read(text)
    for one in (mechanism.text, mjcf_text(mechanism)):
        model = mbd_ros.load(one)
        assert (model.damping, model.quadratic_damping, model.cubic_damping) == (0.1, 0.2, 0.3)
    with pytest.raises(UnsupportedError, match='damping that grows with the speed of joint'):
        sdf_text(mechanism)
    with pytest.raises(mbd_ros.errors.DescriptionError, match=r'quadratic_damping.*negative'):
        read(text.replace('"0.2"', '"-0.2"'))
