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

"""Robots in a fluid against numbers of another program, closed forms and dense equations."""

import copy
from dataclasses import replace

import numpy as np
import pytest
from random_loops import random_loops
from robots import model_of, random_state
import scipy.optimize
from swimmers import Converted, GRAVITY, in_water, REFERENCE, robot_of, swimmer

import mbd_ros
from mbd_ros import Fluid
from mbd_ros.dynamics.functions.effort_terms import effort_terms
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.model import build_model

FORMULATIONS = ('recursive', 'closed_loop', 'kane', 'jourdain', 'augmented')
LEVELS = {'+buoyancy': {'drag': False, 'added_mass': False}, '+drag': {'added_mass': False},
          '+added mass': {}}
STILL = Fluid()
SANITY = REFERENCE['sanity']
CASES = [(name, k) for name, robot in REFERENCE['robots'].items()
         for k in range(len(robot['states']))]
# Two programs with float64 throughout agree to 1e-14 of the largest entry; 1e-9 is what users
# are promised.
PROMISED = 1e-9


def close(found, expected, part=PROMISED):
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=part * np.abs(expected).max())


@pytest.fixture(scope='module')
def robots():
    return {(name, level): swimmer(name, **parts) for name in REFERENCE['robots']
            for level, parts in {**LEVELS, 'gravity only': {}}.items()}


@pytest.mark.parametrize(('name', 'k'), CASES)
@pytest.mark.parametrize('formulation', FORMULATIONS)
def test_accelerations_of_the_reference(name, k, formulation, robots):
    for level in ('gravity only', *LEVELS, '+added mass, current'):
        model = robots[name, level.removesuffix(', current')]
        state = REFERENCE['robots'][name]['states'][k]
        at = Converted(name, model, state)
        fluid = None if level == 'gravity only' else Fluid(
            current=state['current']) if 'current' in level else STILL
        expected = state['results'][level]
        found = mbd_ros.forward_dynamics(model, at.q, at.v, at.tau, gravity=GRAVITY, fluid=fluid,
                                         formulation=formulation)
        close(found, at.accelerations(expected['udot']))
        parts = mbd_ros.energy(model, at.q, at.v, gravity=GRAVITY, fluid=fluid)
        close(np.array(parts), np.array([expected['kinetic'], expected['potential']]))


@pytest.mark.parametrize(('name', 'k'), CASES)
@pytest.mark.parametrize('formulation', FORMULATIONS)
def test_equations_of_the_reference(name, k, formulation, robots):
    """M with added mass, and h; fresh water is what an annotated robot is in."""
    model, state = robots[name, '+added mass'], REFERENCE['robots'][name]['states'][k]
    at, expected = Converted(name, model, state), state['results']['+added mass']
    M = at.T @ np.array(expected['M']) @ at.T.T
    close(mbd_ros.mass_matrix(model, at.q, formulation=formulation), M)
    turned = at.T @ np.zeros(model.nv)
    turned[:3] = np.cross(at.v[3:6], at.v[:3])
    h = at.T @ np.array(expected['h']) + M @ turned
    close(mbd_ros.bias_forces(model, at.q, at.v, gravity=GRAVITY, formulation=formulation), h)
    qdd = at.accelerations(expected['udot'])
    found = mbd_ros.inverse_dynamics(model, at.q, at.v, qdd, gravity=GRAVITY,
                                     formulation=formulation)
    np.testing.assert_allclose(found, at.tau, rtol=0.0, atol=PROMISED * np.abs(h).max())


@pytest.mark.parametrize('executor', ['interpreted', 'unrolled', 'rolled', 'lanes',
                                      mbd_ros.Threads(2)])
def test_every_executor_and_batches(executor, robots):
    model = robots['nine', '+added mass']
    states = [Converted('nine', model, state) for state in REFERENCE['robots']['nine']['states']]
    q, v, tau = (np.array([getattr(at, part) for at in states] * 3) for part in ('q', 'v', 'tau'))
    water = Fluid(current=(0.1, -0.2, 0.3))
    expected = mbd_ros.forward_dynamics(model, q, v, tau, gravity=GRAVITY, fluid=water,
                                        formulation='kane')
    close(mbd_ros.forward_dynamics(model, q, v, tau, gravity=GRAVITY, fluid=water,
                                   executor=executor), expected)


def module(**changes):
    """Return the reference's module, freely floating, with other data."""
    data = {**REFERENCE['robots']['nine']['modules'][0], **changes}
    return mbd_ros.load(robot_of([data]), floating_base=True)


BOX = {'mass': 6.75, 'com': [0.0, 0.0, 0.0], 'cb': [0.0, 0.0, 0.0],
       'I_com_diag': [0.0253125, 0.06328125, 0.06328125]}
AT_REST = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def test_neutral_robots_at_rest_or_drifting_do_not_accelerate():
    model = module(**BOX)
    # 1000 kg/m^3 times the volume is the mass to rounding.
    np.testing.assert_allclose(
        mbd_ros.forward_dynamics(model, AT_REST, np.zeros(6), np.zeros(6)), 0.0, atol=1e-15)
    modules = [{**one, **BOX, 'com': one['cb'], 'cb': one['cb']}
               for one in REFERENCE['robots']['nine']['modules']]
    nine = mbd_ros.load(robot_of(modules), floating_base=True)
    q, _, _ = random_state(nine, 5)
    current, still = np.array([0.3, -0.2, 0.1]), np.zeros(nine.nv)
    drifting = still.copy()
    drifting[:3] = mbd_ros.pose(nine, q, 's0')[:3, :3].T @ current
    for v, water in ((still, STILL), (drifting, Fluid(current=current))):
        for formulation in FORMULATIONS:
            found = mbd_ros.forward_dynamics(nine, q, v, still, fluid=water,
                                             formulation=formulation)
            # Weight and buoyancy of 60 kg cancel to rounding, 1e-13 N; the lightest part is 7 kg.
            np.testing.assert_allclose(found, 0.0, atol=1e-11)


@pytest.mark.parametrize(('way', 'case'), [(0, 'axial'), (1, 'broadside')])
def test_terminal_velocity(way, case):
    expected = SANITY[f'terminal_velocity_{case}']
    model = module(**{**BOX, 'mass': 8.1})
    gravity = np.zeros(3)
    gravity[way] = 9.8   # along the long axis of the module, or across it
    run = mbd_ros.simulate(model, AT_REST, np.zeros(6), 4.0, step=2e-3, gravity=gravity)
    speed, T = expected['v_terminal'], expected['time_constant']
    np.testing.assert_allclose(run.v[:, way], speed * np.tanh(run.time / T), atol=1e-9)
    np.testing.assert_allclose(run.q[:, way], speed * T * np.log(np.cosh(run.time / T)),
                               atol=1e-9)   # RK4: (h / T)^4 = 2e-11 and more
    # It nears w = sqrt(W / D) from the numbers of the reference, too.
    np.testing.assert_allclose(speed, np.sqrt(expected['net_weight'] / expected['drag_lin']),
                               rtol=1e-12)


def test_munk_moment():
    expected, angle = SANITY['munk_moment'], SANITY['munk_moment']['angle_of_attack_rad']
    data = {**BOX, 'drag_lin': [0.0] * 3, 'drag_rot': [0.0] * 3}
    v = np.array([np.cos(angle), np.sin(angle), 0.0, 0.0, 0.0, 0.0])
    for formulation in FORMULATIONS:
        found = mbd_ros.forward_dynamics(module(**data), AT_REST, v, np.zeros(6),
                                         formulation=formulation)
        np.testing.assert_allclose(found[5], expected['yaw_accel_closed_form'], rtol=1e-12)


def test_righting_frequency():
    """``w^2 = m g h / (I + A_5 + m A_1 / (m + A_1) h^2)`` of a free module, small angles."""
    h = SANITY['righting']['cm_below_cb']
    model = module(**{**BOX, 'com': [0.0, 0.0, h]})   # z points down
    J = mbd_ros.forward_dynamics_derivatives(model, AT_REST, np.zeros(6), np.zeros(6),
                                             gravity=GRAVITY)
    # Pitching, with the surge that goes with it, does not couple with the rest.
    squares = -np.linalg.eigvals(J.dq[np.ix_([0, 4], [0, 4])]).real
    np.testing.assert_allclose(squares.max(), SANITY['righting']['omega2_closed_form'],
                               rtol=1e-9)


@pytest.mark.parametrize('name', REFERENCE['robots'])
def test_power_balance(name):
    """Without drag the energy of robot and fluid changes by the work of the efforts."""
    model = swimmer(name, drag=False)
    at = Converted(name, model, REFERENCE['robots'][name]['states'][0])
    run = mbd_ros.simulate(model, at.q, at.v, 1.0, method='dop853', rtol=1e-12, atol=1e-12,
                           tau=at.tau, gravity=GRAVITY)
    exchanged = np.abs(np.diff(run.energy - run.balance)).sum()
    assert exchanged > 1.0
    assert np.abs(run.balance).max() < 1e-10 * exchanged


def test_dense_added_mass_is_that_of_its_energy():
    """Off-diagonal entries, too: no power but the rate of 1/2 V A V, for any A."""
    rng = np.random.default_rng(4)
    root = rng.normal(size=(6, 6))
    A = root @ root.T
    entries = ' '.join(f'{a}{b}="{float(A[i, j])!r}"' for i, a in enumerate('xyzpqr')
                       for j, b in enumerate('xyzpqr') if i <= j)
    model = mbd_ros.load(
        '<robot name="r" xmlns:mbd="urn:mbd_ros"><link name="a"><inertial><mass value="2"/>'
        '<origin xyz="0.1 0.2 0.3"/><inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0" '
        f'iyz="0"/></inertial><mbd:fluid><origin xyz="0.3 -0.1 0.2" rpy="0.3 0.5 0.7"/>'
        f'<fluid_added_mass {entries}/></mbd:fluid></link></robot>', floating_base=True)
    q, v, tau = random_state(model, 2)
    run = mbd_ros.simulate(model, q, v, 1.0, method='dop853', rtol=1e-12, atol=1e-12,
                           gravity=(0.0, 0.0, 0.0))
    # 1000 N s of the start; the tolerance of the integrator is 1e-12 of it in every step.
    np.testing.assert_allclose(run.energy, run.energy[0], rtol=1e-9)
    for formulation in FORMULATIONS:
        found = mbd_ros.forward_dynamics(model, q, v, tau, formulation=formulation)
        close(found, mbd_ros.forward_dynamics(model, q, v, tau, executor='interpreted'), 1e-12)


def field(point, t):
    """Return a current that is sheared and grows with time."""
    gradient = np.array([[0.1, 0.2, 0.0], [0.0, -0.1, 0.3], [0.05, 0.0, 0.0]])
    rate = np.array([0.3, 0.2, -0.1])
    return gradient @ point + rate * t + [0.1, 0.0, 0.2], gradient, rate


def test_a_neutral_body_without_drag_goes_with_an_accelerating_fluid():
    """``(m + A) a = (rho V + A) Du/Dt``: the Froude-Krylov force makes up for m = rho V."""
    data = {**BOX, 'drag_lin': [0.0] * 3, 'drag_rot': [0.0] * 3}
    velocity, gradient, rate = field(np.zeros(3), 0.0)
    q = AT_REST.copy()
    for formulation in FORMULATIONS:
        found = mbd_ros.forward_dynamics(
            module(**data), q, [*velocity, 0.0, 0.0, 0.0], np.zeros(6), fluid=Fluid(current=field),
            formulation=formulation)
        np.testing.assert_allclose(found[:3], rate + gradient @ velocity, rtol=1e-12)
        np.testing.assert_allclose(found[3:], 0.0, atol=1e-12)


def test_a_field_is_asked_at_the_base_of_each_state():
    model = swimmer('nine')
    q, v, tau = (np.array(part) for part in zip(*(random_state(model, k) for k in range(3))))
    found = mbd_ros.forward_dynamics(model, q, v, tau, fluid=Fluid(current=field))
    # Linear in space, so that it is the same wherever it is asked.
    expected = mbd_ros.forward_dynamics(model, q, v, tau, formulation='kane',
                                        fluid=Fluid(current=field))
    close(found, expected)
    velocity, _, rate = field(q[1, :3], 0.0)
    uniform = Fluid(current=lambda point, t: (velocity, np.zeros((3, 3)), rate))
    one = mbd_ros.forward_dynamics(model, q[1], v[1], tau[1], fluid=uniform)
    assert np.abs(one - found[1]).max() > 1e-3   # the shear acts


@pytest.mark.parametrize('shared', [False, True])
def test_wrenches_in_a_field_are_those_of_each_state(shared):
    """Linear in the wrench: what it adds to inverse dynamics is ``-J^T f``."""
    model = swimmer('nine')
    q, v, qdd = (np.array(part) for part in zip(*(random_state(model, k) for k in range(3))))
    wrenches = np.random.default_rng(4).normal(size=(3, 6))
    given = {'s0': wrenches[0] if shared else wrenches}
    water = Fluid(current=field)
    added = (mbd_ros.inverse_dynamics(model, q, v, qdd, fluid=water, external_forces=given)
             - mbd_ros.inverse_dynamics(model, q, v, qdd, fluid=water))
    for k in range(3):
        wrench = wrenches[0 if shared else k]
        close(added[k], -mbd_ros.jacobian(model, q[k], 's0').T @ wrench)
        close(mbd_ros.inverse_dynamics(model, q[k], v[k], qdd[k], fluid=water,
                                       external_forces={'s0': wrench})
              - mbd_ros.inverse_dynamics(model, q[k], v[k], qdd[k], fluid=water), added[k])


@pytest.mark.parametrize('function', [
    mbd_ros.forward_dynamics, mbd_ros.forward_dynamics_derivatives, mbd_ros.energy,
    mbd_ros.joint_wrenches, effort_terms], ids=lambda one: one.__name__)
def test_no_states_in_a_field(function):
    model = swimmer('nine')
    counts = (model.nq, model.nv, model.nv)[:2 if function is mbd_ros.energy else 3]
    none = [np.zeros((0, count)) for count in counts]
    found, expected = (function(model, *none, fluid=water)
                       for water in (Fluid(current=field), Fluid()))
    if isinstance(found, dict):
        assert found.keys() == expected.keys()
        found, expected = ([*one.values()] for one in (found, expected))
    for one, other in zip(*((part if isinstance(part, (tuple, list)) else [part])
                            for part in (found, expected))):
        assert np.shape(one) == np.shape(other) and len(one) == 0


def bobbing(surface, **parts):
    model = mbd_ros.load(robot_of([{**REFERENCE['robots']['nine']['modules'][0], **BOX,
                                    'mass': 4.0, 'com': [0.0, 0.0, -0.02]}], **parts),
                         floating_base=True)
    return model, Fluid(surface=surface)


def test_through_the_surface_energy_is_kept():
    model, water = bobbing(0.05, drag=False)
    q = np.array([0.0, 0.0, -0.3, 0.05, 0.1, 0.0, 1.0])
    q[3:] /= np.linalg.norm(q[3:])
    v = np.array([0.2, 0.1, 0.5, 0.3, -0.2, 0.4])
    run = mbd_ros.simulate(model, q, v, 3.0, method='dop853', rtol=1e-11, atol=1e-12, fluid=water)
    heights = run.q[:, 2]
    assert heights.min() < -0.25   # under water
    assert heights.max() > 0.25   # and in the air: the sphere's radius is 0.117 m
    # The fraction is smooth but for its second derivative where the sphere enters and leaves.
    np.testing.assert_allclose(run.energy, run.energy[0], atol=1e-6 * np.ptp(heights) * 40.0)


def test_far_under_and_over_the_surface():
    model, _ = bobbing(0.0)
    q, v = AT_REST.copy(), np.array([0.5, 0.3, 0.1, 0.2, 0.1, 0.3])
    for height, same in ((-1.0, STILL), (1.0, None)):
        q[2] = height
        for formulation in FORMULATIONS:
            np.testing.assert_allclose(
                mbd_ros.forward_dynamics(model, q, v, np.zeros(6), fluid=Fluid(surface=0.0),
                                         formulation=formulation),
                mbd_ros.forward_dynamics(model, q, v, np.zeros(6), fluid=same,
                                         formulation=formulation), rtol=1e-12, atol=1e-12)


def test_it_floats_where_its_weight_is_displaced():
    model, water = bobbing(0.3)

    def rising(height):
        q = AT_REST.copy()
        q[2] = height
        return mbd_ros.forward_dynamics(model, q, np.zeros(6), np.zeros(6), fluid=water)[2]

    height = scipy.optimize.brentq(rising, 0.2, 0.4, xtol=1e-15)
    radius = (0.75 * 0.00675 / np.pi) ** (1.0 / 3.0)
    cap = radius - (0.3 - height)   # what of a sphere is above the water
    dry = np.pi * cap ** 2 * (3.0 * radius - cap) / 3.0
    np.testing.assert_allclose(1000.0 * (0.00675 - dry), 4.0, rtol=1e-10)


def shear(point, t):
    """Return a current that is sheared."""
    return field(point, 0.0)


@pytest.mark.parametrize('water', [STILL, Fluid(current=shear), Fluid(
    density=1025.0, current=(0.2, 0.1, -0.1), surface=0.1)])
def test_derivatives(water):
    model = swimmer('nine')
    q, v, tau = random_state(model, 7)
    q[:3] = 0.0, 0.05, 0.02
    J = mbd_ros.forward_dynamics_derivatives(model, q, v, tau, fluid=water)
    K = mbd_ros.inverse_dynamics_derivatives(model, q, v, tau, fluid=water)
    h = 1e-6   # central differences of third order: 1e-12, and 1e-16 / h by rounding
    moved = mbd_ros.model.state.integrate

    def rates(function, varied):
        def at(d):
            moves = {name: d if name == varied else 0.0 * d for name in ('dq', 'dv', 'dtau')}
            return function(model, moved(model, q, moves['dq']), v + moves['dv'],
                            tau + moves['dtau'], fluid=water)
        return np.array([(at(h * e) - at(-h * e)) / (2.0 * h) for e in np.eye(model.nv)]).T

    for found, function in ((J, mbd_ros.forward_dynamics), (K, mbd_ros.inverse_dynamics)):
        for matrix, varied in zip(found, ('dq', 'dv', 'dtau')):
            close(matrix, rates(function, varied), 1e-6)


def dense(open_tree, dyn, q, v, tau, fluid):
    """Return the accelerations of a closed loop by Kane's equations of the open tree."""
    M = mbd_ros.mass_matrix(open_tree, q, formulation='kane', fluid=fluid)
    h = mbd_ros.bias_forces(open_tree, q, v, formulation='kane', fluid=fluid)
    rows = dyn.loop_rows(q, v)
    A, bias = rows[:, 3:], rows[:, 2]
    m = len(A)
    system = np.block([[M, A.T], [A, np.zeros((m, m))]])
    return np.linalg.lstsq(system, np.concatenate([tau - h, -bias]), rcond=None)[0][:len(tau)]


@pytest.mark.parametrize('executor', ['interpreted', 'unrolled', 'rolled', 'lanes'])
@pytest.mark.parametrize('water', [Fluid(current=(0.3, 0.1, -0.2)), Fluid(surface=0.1)])
def test_a_closed_loop_against_dense_equations(executor, water):
    model, q, v = random_loops(5, 6, 1, cuts=('spherical', 'revolute'))
    model = in_water(model, 3)
    open_tree = build_model(replace(model.mechanism, loop_joints=()))
    dyn = mbd_ros.compile(model, fluid=water)
    tau = np.random.default_rng(1).normal(size=model.nv)
    found = mbd_ros.forward_dynamics(model, q, v, tau, fluid=water, executor=executor)
    # Condition of the dense system below 1e5.
    close(found, dense(open_tree, dyn, q, v, tau, water), 1e-10)
    vacuum = mbd_ros.forward_dynamics(model, q, v, tau, fluid=None, executor=executor)
    assert np.abs(found - vacuum).max() > 0.1


def test_a_mimic_hand_under_water():
    text = ('<robot name="hand"><link name="palm"/>' + ''.join(
        f'<link name="f{k}"><inertial><origin xyz="0.05 0 0"/><mass value="0.2"/><inertia '
        'ixx="1e-4" iyy="2e-4" izz="2e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        f'<joint name="j{k}" type="continuous"><parent link="palm"/><child link="f{k}"/>'
        f'<origin xyz="0 {0.1 * k} 0"/><axis xyz="0 0 1"/>'
        + ('<mimic joint="j0" multiplier="-1"/>' if k else '') + '</joint>' for k in range(2))
        + '</robot>')
    model = in_water(mbd_ros.load(text, mimic=True), 4)
    q, v, tau = np.array([0.3, -0.3]), np.array([1.5, -1.5]), np.array([0.4, 0.0])
    found = mbd_ros.forward_dynamics(model, q, v, tau)
    np.testing.assert_allclose(found[1], -found[0], rtol=1e-12)
    # Both equations in the direction in which the fingers move: (1, -1).
    G = np.array([1.0, -1.0])
    plain = in_water(mbd_ros.load(text), 4)
    M, h = mbd_ros.mass_matrix(plain, q), mbd_ros.bias_forces(plain, q, v)
    np.testing.assert_allclose(found[0], G @ (tau - h) / (G @ M @ G), rtol=1e-11)
    assert np.abs(h).max() > 1e-2


@pytest.mark.parametrize('seed', range(4))
def test_random_trees_in_all_formulations(seed):
    kinds = ['spherical', 'planar', 'prismatic', 'revolute', 'continuous', 'fixed']
    model = in_water(model_of([0, 1, 1, 0, 2, 3], kinds, seed), seed)
    q, v, tau = random_state(model, seed)
    water = Fluid(density=1025.0, current=field, surface=0.2)
    for function, given in (('forward_dynamics', (q, v, tau)), ('inverse_dynamics', (q, v, tau)),
                            ('bias_forces', (q, v)), ('mass_matrix', (q,))):
        found, expected = (getattr(mbd_ros, function)(model, *given, fluid=water,
                                                      formulation=name)
                           for name in ('recursive', 'kane'))
        close(found, expected, 1e-11)


def test_what_joints_carry_under_water():
    """The wrench of the joint that carries all is that of the base of a floating robot."""
    model = in_water(model_of([0, 1, 1], ['revolute', 'prismatic', 'spherical'], 5), 5)
    q, v, tau = random_state(model, 3)
    for water in (None, Fluid(current=(0.3, 0.2, 0.1))):
        wrenches = mbd_ros.joint_wrenches(model, q, v, tau, fluid=water)
        axis = model.links[model.body_names[0]].rotation.T @ [0.0, 0.0, 1.0]
        # What the first joint does along its own axis is its effort.
        np.testing.assert_allclose(wrenches[0, 3:] @ axis, tau[0], rtol=1e-9)
    for name in ('closed_loop', 'kane'):
        close(mbd_ros.joint_wrenches(model, q, v, tau, fluid=water, formulation=name), wrenches)


def test_robots_without_annotations_are_what_they_were():
    model = mbd_ros.load(robot_of(REFERENCE['robots']['nine']['modules'], volume=False),
                         floating_base=True)
    dyn = mbd_ros.compile(model)
    assert dyn.model is model
    assert mbd_ros.compile(model, fluid=None) is dyn
    wet = swimmer('nine')
    q, v, tau = random_state(wet, 1)
    np.testing.assert_array_equal(mbd_ros.forward_dynamics(wet, q, v, tau, fluid=None),
                                  dyn.forward_dynamics(q, v, tau))


def test_prepared_dynamics_change_their_water_without_new_code():
    model = swimmer('nine')
    q, v, tau = random_state(model, 1)
    dyn = copy.copy(mbd_ros.compile(model))
    still = dyn.forward_dynamics(q, v, tau)
    dyn.change_world(fluid=Fluid(density=800.0, current=(1.0, 0.0, 0.0)).water())
    np.testing.assert_array_equal(
        dyn.forward_dynamics(q, v, tau), mbd_ros.forward_dynamics(
            model, q, v, tau, fluid=Fluid(density=800.0, current=(1.0, 0.0, 0.0))))
    assert np.abs(dyn.forward_dynamics(q, v, tau) - still).max() > 0.1


@pytest.mark.parametrize('water', [STILL, Fluid(current=(0.1, 0.2, 0.3), surface=0.2),
                                   Fluid(current=field)])
def test_terms_of_a_fluid(water):
    model = swimmer('nine')
    q, v, qdd = (np.array(part) for part in zip(*(random_state(model, k) for k in range(2))))
    terms = effort_terms(model, q, v, qdd, fluid=water)
    assert list(terms) == ['inertial', 'velocity', 'gravity', 'buoyancy', 'drag', 'added_mass']
    close(sum(terms.values()), mbd_ros.inverse_dynamics(model, q, v, qdd, fluid=water), 1e-12)
    assert set(effort_terms(model, q, v, qdd, fluid=None)) == {'inertial', 'velocity', 'gravity'}
    if water is not STILL:
        return
    np.testing.assert_allclose(terms['buoyancy'] + terms['gravity'], mbd_ros.bias_forces(
        model, q, 0.0 * v), atol=1e-10)
    assert (np.einsum('ni,ni->n', terms['drag'], v) > 0.0).all()   # it takes power
    at_rest = effort_terms(model, q, 0.0 * v, qdd)['added_mass']
    M, dry = (mbd_ros.mass_matrix(model, q, fluid=one) for one in (STILL, None))
    close(at_rest, np.einsum('nij,nj->ni', M - dry, qdd), 1e-11)


@pytest.mark.parametrize(('make', 'message'), [
    (lambda: Fluid(density=0.0),
     'density of the fluid is 0.0; allowed: a finite number above 0'),
    (lambda: Fluid(density=np.nan),
     'density of the fluid is nan; allowed: a finite number above 0'),
    (lambda: Fluid(density='sea'),
     "density of the fluid is 'sea'; allowed: a finite number above 0"),
    (lambda: Fluid(current=(1.0, 2.0)),
     r'current of the fluid is \(1.0, 2.0\); allowed: \(3,\) finite numbers'),
    (lambda: Fluid(current=(1.0, 2.0, np.inf)),
     r'current of the fluid is .*; allowed: \(3,\) finite numbers'),
    (lambda: Fluid(surface=np.inf),
     'surface of the fluid is inf; allowed: a finite number'),
    (lambda: Fluid(current=lambda point, t: point).water(),
     r'current\(point, t\) is .*; allowed: velocity, gradient and acceleration'),
    (lambda: Fluid(current=lambda point, t: (point, point, point)).water(),
     r'gradient of current\(point, t\) of the fluid is .*; allowed: \(3, 3\) finite numbers'),
    (lambda: mbd_ros.compile(swimmer('nine'), fluid='sea'),
     "fluid is 'sea'; allowed: a mbd_ros.Fluid, or None for a vacuum"),
])
def test_bad_fluids_are_refused(make, message):
    with pytest.raises(InvalidValueError, match=f'^{message}$'):
        make()


@pytest.mark.parametrize('function', ['forward_dynamics', 'inverse_dynamics'])
def test_states_of_unequal_number_in_a_field_are_one_clear_error(function):
    model = mbd_ros.load(
        '<robot name="r" xmlns:mbd="urn:mbd_ros"><link name="b"/><joint name="j" type="revolute">'
        '<limit effort="1" velocity="1" lower="-1" upper="1"/><parent link="b"/><child link="c"/>'
        '</joint><link name="c"><inertial><mass value="2"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
        '<mbd:fluid><volume value="0.001"/></mbd:fluid></link></robot>')
    field = mbd_ros.Fluid(current=lambda point, t: (np.zeros(3), np.zeros((3, 3)), np.zeros(3)))
    with pytest.raises(ShapeError, match=r'v has shape \(3, 1\); allowed: 5 states'):
        getattr(mbd_ros, function)(model, np.zeros((5, 1)), np.zeros((3, 1)), np.zeros(1),
                                   fluid=field)
