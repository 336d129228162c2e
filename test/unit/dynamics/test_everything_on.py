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

"""Water, a sheared current, a surface, thrusters, contact and springs, all at once."""

import numpy as np
import pytest
from random_loops import random_loops
from swimmers import in_water, walker

import mbd_ros
from mbd_ros import Fluid, Ground
from mbd_ros.description.write.urdf import urdf_text
from mbd_ros.dynamics.loops.efforts import loop_efforts
from mbd_ros.model.state import integrate

SPRINGS = ('<mbd:spring_damper name="tendon{k}" stiffness="{k}00" damping="{k}" length="0.2">'
           '<link1 link="{one}" xyz="0.1 0 0.1"/><link2 link="{other}" xyz="0.3 0.05 0"/>'
           '</mbd:spring_damper>')
THRUSTERS = ('<mbd:thruster name="jet{k}"><origin xyz="0.1 {k} 0"/><axis xyz="0 0.6 0.8"/>'
             '</mbd:thruster>')


def shear(point, t):
    """Return a current that grows with height and turns, steady."""
    gradient = np.array([[0.1, 0.0, -0.3], [0.2, -0.1, 0.0], [0.0, 0.4, 0.1]])
    return np.array([0.3, -0.2, 0.1]) + gradient @ point, gradient, np.zeros(3)


DOWN = (0.0, 0.0, -9.81)
CALM = Fluid()
ROUGH = Fluid(1025.0, shear, 1.1)   # the walker's back is out of the water
BUMPY = Ground(heights=0.05 * np.random.default_rng(1).normal(size=(4, 4)) + 0.1, spacing=1.0,
               origin=(-1.5, -1.5))


@pytest.fixture(scope='module')
def model():
    plain = walker()
    text = urdf_text(plain.mechanism)
    springs = ''.join(SPRINGS.format(k=k, one=one, other=other)
                      for k, (one, other) in enumerate([('s0', 's3'), ('s6', 's7')], 1))
    for k, link in enumerate(('s0', 's9')):
        text = text.replace(f'<link name="{link}">', f'<link name="{link}">'
                            + THRUSTERS.format(k=k))
    return mbd_ros.load(text.replace('</robot>', springs + '</robot>'), floating_base=True)


def state(model, seed):
    """Return a state with feet in the ground, some sliding."""
    rng = np.random.default_rng(seed)
    q = mbd_ros.neutral(model)
    q[2:7] = 1.3, 1.0, 0.0, 0.0, 0.0   # z of the reference points down
    q = mbd_ros.integrate(model, q, 0.1 * rng.normal(size=model.nv))
    return q, 0.5 * rng.normal(size=model.nv), 20.0 * rng.normal(size=model.nv)


@pytest.mark.parametrize('seed', range(3))
@pytest.mark.parametrize('ground', [Ground(normal=(0.1, 0.0, 1.0)), BUMPY], ids=['plane', 'grid'])
@pytest.mark.parametrize('function', ['forward_dynamics', 'inverse_dynamics'])
def test_derivatives_are_those_of_differences(function, ground, seed, model):
    q, v, tau = state(model, seed)
    around = {'fluid': ROUGH, 'ground': ground, 'gravity': DOWN}
    assert mbd_ros.contact_forces(model, q, v, ground).forces.any()
    call = getattr(mbd_ros, function)
    found = getattr(mbd_ros, f'{function}_derivatives')(model, q, v, tau, **around)
    # The field is asked at the base, and its tangent there is the field itself: it is linear.
    h = 1e-6   # central differences of third order: 1e-12, and 1e-16 / h by rounding

    def rates(move):
        return np.array([(move(h * e) - move(-h * e)) / (2.0 * h) for e in np.eye(model.nv)]).T

    for matrix, move in zip(found, (
            lambda d: call(model, integrate(model, q, d), v, tau, **around),
            lambda d: call(model, q, v + d, tau, **around),
            lambda d: call(model, q, v, tau + d, **around))):
        expected = rates(move)
        np.testing.assert_allclose(matrix, expected, rtol=0.0, atol=1e-6 * np.abs(expected).max())


def test_thrusters_act_by_their_columns(model):
    """``d vdot / d T = M^-1 B``, and with the configuration by the turning of their axes."""
    q, v, tau = state(model, 4)
    around = {'fluid': ROUGH, 'ground': BUMPY, 'gravity': DOWN}
    thrust = np.array([12.0, -7.0])

    def moving(dq, dT):
        place = integrate(model, q, dq)
        return mbd_ros.forward_dynamics(
            model, place, v, tau + mbd_ros.thruster_map(model, place) @ (thrust + dT), **around)

    B, none, h = mbd_ros.thruster_map(model, q), np.zeros(model.nv), 1e-6
    J = mbd_ros.forward_dynamics_derivatives(model, q, v, tau + B @ thrust, **around)
    rates = np.array([(moving(none, e) - moving(none, -e)) / 2.0   # linear in thrusts
                      for e in np.eye(2)]).T
    np.testing.assert_allclose(J[2] @ B, rates, rtol=0.0, atol=1e-6 * np.abs(rates).max())
    turned = np.array([(mbd_ros.thruster_map(model, integrate(model, q, h * e))
                        - mbd_ros.thruster_map(model, integrate(model, q, -h * e))) @ thrust
                       / (2.0 * h) for e in np.eye(model.nv)]).T
    whole = np.array([(moving(h * e, 0.0) - moving(-h * e, 0.0)) / (2.0 * h)
                      for e in np.eye(model.nv)]).T
    np.testing.assert_allclose(J[0] + J[2] @ turned, whole, rtol=0.0,
                               atol=1e-6 * np.abs(whole).max())


@pytest.mark.parametrize('fluid', [Fluid(1025.0, (0.2, -0.1, 0.1), 1.1), ROUGH],
                         ids=['uniform', 'shear'])
def test_the_audit_closes_with_everything_on(model, fluid):
    q, v, tau = state(model, 5)
    slope = Ground(normal=(0.1, 0.0, 1.0))
    feet = mbd_ros.contact_forces(model, q, 0.0 * v, slope).points @ slope.normal
    q[2] -= feet.min() + 0.02   # friction on deeper feet is stiffer than the step
    run = mbd_ros.simulate(
        model, q, 0.2 * v, 0.05 if fluid is ROUGH else 0.3, tau=tau, thrust=[12.0, -7.0],
        gravity=DOWN, step=5e-4, fluid=fluid, ground=slope)
    put_in = set(run.parts) - {'kinetic', 'potential'}
    assert put_in == {'efforts', 'thrusters', 'dampers', 'drag', 'ground', 'current'}
    exchanged = sum(np.abs(np.diff(run.parts[name])).sum() for name in put_in)
    assert all(np.ptp(run.parts[name]) > 1e-4 * exchanged for name in put_in)
    assert np.abs(run.balance).max() < 1e-6 * exchanged   # as is asked for


@pytest.mark.parametrize('formulation', ['kane', 'jourdain', 'augmented', 'closed_loop'])
def test_formulations_agree(formulation, model):
    q, v, tau = state(model, 6)
    around = {'fluid': ROUGH, 'ground': BUMPY, 'gravity': DOWN}
    expected = mbd_ros.forward_dynamics(model, q, v, tau, **around)
    found = mbd_ros.forward_dynamics(model, q, v, tau, formulation=formulation, **around)
    # Two formulations in float64; 1e-9 is what users are promised.
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize('water', [CALM, Fluid(current=(0.3, 0.1, -0.2), surface=0.1),
                                   Fluid(current=shear)], ids=['calm', 'surface', 'shear'])
def test_efforts_of_closed_loops_in_water(water):
    model, q, v = random_loops(5, 6, 1, cuts=('spherical', 'revolute'))
    model = in_water(model, 3)
    tau = np.random.default_rng(1).normal(size=model.nv)
    qdd = mbd_ros.forward_dynamics(model, q, v, tau, fluid=water)
    found = loop_efforts(model, q, v, qdd, fluid=water)
    # There and back in float64; the condition of the rows is below 1e3.
    np.testing.assert_allclose(
        mbd_ros.forward_dynamics(model, q, v, found.efforts, fluid=water), qdd, rtol=0.0,
        atol=1e-10 * np.abs(qdd).max())
    np.testing.assert_allclose(found.efforts, mbd_ros.inverse_dynamics(
        model, q, v, qdd, actuated=list(model.joint_names), fluid=water), rtol=0.0,
        atol=1e-10 * np.abs(found.efforts).max())
    dry = loop_efforts(model, q, v, qdd, fluid=None)
    assert np.abs(dry.efforts - found.efforts).max() > 0.1


def test_derivatives_of_a_mimic_hand_in_water():
    """Along the one freedom that the gear between the fingers leaves."""
    text = ('<robot name="hand"><link name="palm"/>' + ''.join(
        f'<link name="f{k}"><inertial><origin xyz="0.05 0 0"/><mass value="0.2"/><inertia '
        'ixx="1e-4" iyy="2e-4" izz="2e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        f'<joint name="j{k}" type="continuous"><parent link="palm"/><child link="f{k}"/>'
        f'<origin xyz="0 {0.1 * k} 0"/><axis xyz="0 0 1"/>'
        + ('<mimic joint="j0" multiplier="-1"/>' if k else '') + '</joint>' for k in range(2))
        + '</robot>')
    model, bare = in_water(mbd_ros.load(text, mimic=True), 4), in_water(mbd_ros.load(text), 4)
    water = Fluid(current=shear, surface=0.02)
    q, v, tau = np.array([0.3, -0.3]), np.array([1.5, -1.5]), np.array([0.4, 0.0])
    G, h = np.array([1.0, -1.0]), 1e-6

    def one(dq, dv):
        """Return the acceleration of the one freedom, by both fingers without their gear."""
        M = mbd_ros.mass_matrix(bare, q + G * dq, fluid=water)
        bias = mbd_ros.bias_forces(bare, q + G * dq, v + G * dv, fluid=water)
        return G @ (tau - bias) / (G @ M @ G)

    found = mbd_ros.forward_dynamics_derivatives(model, q, v, tau, fluid=water)
    for matrix, rate in ((found[0], (one(h, 0.0) - one(-h, 0.0)) / (2.0 * h)),
                         (found[1], (one(0.0, h) - one(0.0, -h)) / (2.0 * h))):
        np.testing.assert_allclose((matrix @ G)[0], rate, rtol=0.0, atol=1e-6 * abs(rate))
