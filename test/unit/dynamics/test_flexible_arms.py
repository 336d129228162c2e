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

"""Robots with flexible links: against reference numbers, rigid formulations and identities."""

import re

import flexible_robots
from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import all_trees, random_state

import mbd_ros
from mbd_ros.errors import (
    InvalidValueError, NotFiniteError, ShapeError, UnknownNameError, UnsupportedError)
from mbd_ros.model.flexible.beam_modes import bending_modes
from mbd_ros.model.state import integrate, neutral, random_configuration

FOUR = mbd_ros.load(flexible_robots.four_joint_arm())
FOUR_STATES = flexible_robots.reference('four_joint')['states']
TWO_STATES = flexible_robots.reference('two_link')['states']
STILL = (0.0, 0.0, 0.0)
# A base, a beam with all kinds of modes, and one that hangs on it; the base floats.
HULL = flexible_robots.point_mass('hull', 3.0).replace(
    'ixx="0.0" ixy="0.0" ixz="0.0" iyy="0.0" iyz="0.0" izz="0.0"',
    'ixx="1" ixy="0.1" ixz="0.2" iyy="1.3" iyz="0" izz="1.4"')
BEAM = ('<beam length="0.7" linear_density="0.6" bending_stiffness="30 50" '
        'torsional_stiffness="20" torsional_inertia="1e-4" modes="2 2 1" '
        'damping_ratio="0.02"/>')
LINK = ('<link name="{}"><inertial><origin xyz="0.35 0 0"/><mass value="0.5"/><inertia ixx="2e-4" '
        'ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial><mbd:flexible>' + BEAM
        + '</mbd:flexible></link>')
FREE = mbd_ros.load(
    flexible_robots.HEAD + HULL + LINK.format('upper') + LINK.format('lower')
    + flexible_robots.point_mass('hand', 0.3)
    + '<joint name="shoulder" type="continuous"><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>'
    '<parent link="hull"/><child link="upper"/><axis xyz="0.6 0 0.8"/></joint>'
    + '<joint name="elbow" type="continuous"><origin xyz="0.7 0.01 0.02" rpy="0.3 0.2 0.1"/>'
    '<parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/></joint>'
    + flexible_robots.fixed('grip', 'lower', 'hand', (0.8, 0.05, 0.0)) + '</robot>',
    floating_base=True)


def free_state(seed):
    """Return a state of the floating robot and forces; deflections of some percent."""
    rng = np.random.default_rng(seed)
    q = random_configuration(FREE, rng)
    q[-10:] = 0.03 * rng.normal(size=10)
    return q, 0.5 * rng.normal(size=FREE.nv), rng.normal(size=FREE.nv)


@pytest.mark.parametrize('state', FOUR_STATES)
def test_four_joint_arm(state):
    q, v = np.array(state['x']), np.array(state['xd'])
    tau = np.concatenate([state['tau'], np.zeros(10)])
    scale = 1e-14  # of the largest entry: sums of 200 points
    mass = np.array(state['M'])
    np.testing.assert_allclose(mbd_ros.mass_matrix(FOUR, q), mass, rtol=0,
                               atol=scale * np.abs(mass).max())
    np.testing.assert_allclose(mbd_ros.bias_forces(FOUR, q, v), state['h'], rtol=0,
                               atol=scale * np.abs(state['h']).max())
    # The condition of M is 1e5.
    np.testing.assert_allclose(mbd_ros.forward_dynamics(FOUR, q, v, tau), state['xdd'],
                               rtol=0, atol=1e-11 * np.abs(state['xdd']).max())
    energy = mbd_ros.energy(FOUR, q, v)
    assert energy.kinetic == pytest.approx(state['T'], rel=1e-13)
    assert energy.potential == pytest.approx(state['V'], rel=1e-13)


@pytest.mark.parametrize('kind', ['kinetic', 'false'])
def test_two_link_arm(kind):
    # With foreshortening the reference is Lagrange's equations by automatic differentiation.
    model = mbd_ros.load(flexible_robots.two_link_arm(extra=f'stiffening="{kind}"'))
    assert model.elastic_names == ('link1/bend_y_1', 'link1/bend_y_2', 'link2/bend_y_1',
                                   'link2/bend_y_2')
    name = {'false': 'linear_modes', 'kinetic': 'foreshortening'}[kind]
    for state in TWO_STATES:
        q, v = np.array(state['x']), np.array(state['xd'])
        for found, key in ((mbd_ros.mass_matrix(model, q), f'M_{name}'),
                           (mbd_ros.bias_forces(model, q, v, gravity=STILL), f'h_{name}')):
            # Modes by one element of high order instead of closed forms.
            np.testing.assert_allclose(found, state[key], rtol=0,
                                       atol=1e-12 * np.abs(state[key]).max())


@settings(max_examples=25, deadline=None)
@given(all_trees(), st.integers(0, 2**16))
def test_rigid_trees(model, seed):
    q, v, tau = random_state(model, seed)
    for function, arguments in ((mbd_ros.forward_dynamics, (q, v, tau)),
                                (mbd_ros.inverse_dynamics, (q, v, tau)),
                                (mbd_ros.mass_matrix, (q,))):
        expected = function(model, *arguments)
        found = function(model, *arguments, formulation='flexible', executor='interpreted')
        # Two O(n) recursions; the condition of M of these trees is below 1e4.
        np.testing.assert_allclose(found, expected, rtol=0,
                                   atol=1e-10 * max(1.0, np.abs(expected).max()))


def test_strain_energy():
    # Of a beam bent to sin(slope) = w' with w'^2 (1 + w'^2) in place of 1 / (1 - w'^2); the
    # integral of E I / 2 (w'' / cos(slope))^2 dx over the axis.
    model = mbd_ros.load(flexible_robots.beam('bending_stiffness="30 0" modes="3 0 0"'))
    shape = bending_modes(model.mechanism.flexibles[0].beam, 0)
    x, weights = np.polynomial.legendre.leggauss(60)
    x, weights = 0.5 * (x + 1.0), 0.5 * weights
    a = np.array([0.03, 0.004, -0.001])
    slope, curvature = shape.slope(x) @ a, shape.curvature(x) @ a
    expected = 15.0 * weights @ (curvature ** 2 * (1.0 + slope ** 2))
    assert mbd_ros.energy(model, a, np.zeros(3), gravity=STILL).potential == pytest.approx(
        expected, rel=1e-12)
    exact = 15.0 * weights @ (curvature ** 2 / (1.0 - slope ** 2))
    assert expected == pytest.approx(exact, rel=1e-5)  # slopes of 0.05
    step = 1e-6
    forces = mbd_ros.bias_forces(model, a, np.zeros(3), gravity=STILL)
    for k, unit in enumerate(step * np.eye(3)):
        ends = [mbd_ros.energy(model, a + sign * unit, np.zeros(3), gravity=STILL).potential
                for sign in (1.0, -1.0)]
        assert forces[k] == pytest.approx((ends[0] - ends[1]) / (2.0 * step), rel=1e-7)


def test_endless_stiffness_is_rigid():
    text = flexible_robots.two_link_arm()
    rigid = mbd_ros.load(text, flexible=False)
    stiff = mbd_ros.load(text.replace('bending_stiffness="29.', 'bending_stiffness="29000000000.'))
    assert rigid.nv == 2 and stiff.nv == 6
    q, v, tau = np.array([0.3, 0.7]), np.array([0.5, -0.4]), np.array([2.0, 1.0])
    pad = np.zeros(4)
    # Static deflection under the loads, quasi-static: a is of the order 1e-9 of rigid motion.
    dyn = mbd_ros.compile(stiff)
    expected = mbd_ros.forward_dynamics(rigid, q, v, tau)
    forces = dyn.inverse_dynamics(np.append(q, pad), np.append(v, pad), np.append(expected, pad))
    np.testing.assert_allclose(forces[:2], tau, atol=1e-12)  # rounding
    a = mbd_ros.static_deflection(stiff, np.append(q, pad), gravity=(0.0, -9.81, 0.0))
    assert 0.0 < np.abs(a).max() < 1e-7


def test_a_beam_of_two_welded_halves():
    def cantilever(parts):
        length = 1.0 / parts
        beam = (f'<beam length="{length!r}" linear_density="0.5" bending_stiffness="30 30" '
                f'modes="6 0 0" boundary="{"craig_bampton" if parts > 1 else "free"}"/>')
        links = ''.join(
            f'<link name="part{k}">{flexible_robots.slender(length, 0.5)}<mbd:flexible>{beam}'
            '</mbd:flexible></link>' for k in range(parts))
        joints = ''.join(flexible_robots.fixed(
            f'weld{k}', f'part{k - 1}' if k else 'base', f'part{k}',
            (length if k else 0.0, 0.0, 0.0)) for k in range(parts))
        return mbd_ros.load(f'{flexible_robots.HEAD}<link name="base"/>{links}{joints}</robot>')

    whole, halves = cantilever(1), cantilever(2)
    assert (whole.nv, halves.nv) == (6, 12)
    f, g = (mbd_ros.natural_frequencies(model, np.zeros(model.nv))[0]
            for model in (whole, halves))
    # Two static shapes and four modes with the tip held; clamped-free ones, without a bending
    # moment at the weld, are off by 5 %.
    np.testing.assert_allclose(g[:3], f[:3], rtol=1e-4)
    tips = [mbd_ros.pose(model, mbd_ros.static_deflection(
        model, np.zeros(model.nv), gravity=(0.0, -0.1, 0.0)), f'part{parts - 1}')
        for model, parts in ((whole, 1), (halves, 2))]
    # The root of the outer half, at x = L/2: w = q L^4 / EI * 17 / 384.
    assert tips[1][1, 3] == pytest.approx(-0.05 / 30 * 17 / 384, rel=1e-6)


@pytest.mark.parametrize('seed', range(3))
def test_a_floating_robot(seed):
    q, v, tau = free_state(seed)
    dyn = mbd_ros.compile(FREE)
    vdot = dyn.forward_dynamics(q, v, tau)
    mass = dyn.mass_matrix(q)
    size = np.abs(mass @ vdot).max() + np.abs(dyn.bias_forces(q, v)).max()
    # The condition of M is 1e7: modal masses of 1e-5 kg m^2 beside 4 kg.
    np.testing.assert_allclose(mass @ vdot + dyn.bias_forces(q, v), tau, atol=1e-11 * size)
    np.testing.assert_allclose(dyn.inverse_dynamics(q, v, vdot), tau, atol=1e-11 * size)
    assert np.linalg.eigvalsh(mass)[0] > 0.0
    energy = mbd_ros.energy(FREE, q, v)
    assert energy.kinetic == pytest.approx(0.5 * v @ mass @ v, rel=1e-13)
    many = dyn.forward_dynamics(np.tile(q, (3, 1)), np.tile(v, (3, 1)), tau)
    np.testing.assert_allclose(many, np.tile(vdot, (3, 1)), rtol=1e-12)


@pytest.mark.parametrize('link', ['hull', 'upper', 'lower', 'hand'])
def test_links_beyond_a_flexible_one(link):
    q, v, vdot = free_state(5)
    step = 1e-6
    pose, jacobian = mbd_ros.pose(FREE, q, link), mbd_ros.jacobian(FREE, q, link)
    np.testing.assert_allclose(mbd_ros.link_poses(FREE, q)[link], pose, atol=1e-15)
    for k, unit in enumerate(np.eye(FREE.nv)):
        ends = [mbd_ros.pose(FREE, integrate(FREE, q, sign * step * unit), link)
                for sign in (1.0, -1.0)]
        rate = (ends[0] - ends[1]) / (2.0 * step)
        spin = rate[:3, :3] @ pose[:3, :3].T
        # Central differences: step^2 and eps / step.
        np.testing.assert_allclose(jacobian[:, k], [*rate[:3, 3], spin[2, 1], spin[0, 2],
                                                    spin[1, 0]], atol=1e-8)
    motion = mbd_ros.compile(FREE).link_motion(q, v, link, vdot)
    np.testing.assert_allclose(motion.velocity, jacobian @ v, atol=1e-13)

    def velocity(t):
        moved = integrate(FREE, q, v * t + 0.5 * vdot * t * t)
        return mbd_ros.jacobian(FREE, moved, link) @ (v + vdot * t)
    change = (velocity(step) - velocity(-step)) / (2.0 * step)
    np.testing.assert_allclose(motion.acceleration, change, atol=1e-7)


@pytest.mark.parametrize('executor', ['interpreted', 'compiled'])
def test_the_base_stands_still(executor):
    """As of rigid robots: no joint moves the link that the robot is mounted with."""
    base = next(name for name, link in FOUR.links.items() if link.body < 0)
    q = np.array(FOUR_STATES[0]['x'])
    still = mbd_ros.jacobian(FOUR, np.stack([q, 2.0 * q]), base, executor=executor)
    np.testing.assert_array_equal(still, np.zeros((2, 6, FOUR.nv)))
    np.testing.assert_array_equal(mbd_ros.pose(FOUR, q, base, executor=executor), np.eye(4))


def test_work_is_the_change_of_energy():
    q, v, tau = free_state(7)
    v[-10:] = 0.0  # nothing is damped at this instant
    vdot = mbd_ros.forward_dynamics(FREE, q, v, tau)
    step = 1e-7

    def total(t):
        return sum(mbd_ros.energy(FREE, integrate(FREE, q, v * t + 0.5 * vdot * t * t),
                                  v + vdot * t))
    # Central differences of energies of 100 J.
    assert (total(step) - total(-step)) / (2.0 * step) == pytest.approx(tau @ v, abs=1e-4)


def test_derivatives():
    q, v, tau = free_state(9)
    dyn = mbd_ros.compile(FREE)
    found = dyn.forward_dynamics_derivatives(q, v, tau)
    given = dyn.inverse_dynamics_derivatives(q, v, tau)
    step = 1e-6
    for k, unit in enumerate(step * np.eye(FREE.nv)):
        states = [integrate(FREE, q, sign * unit) for sign in (1.0, -1.0)]
        for function, parts in ((dyn.forward_dynamics, found), (dyn.inverse_dynamics, given)):
            change = (function(states[0], v, tau) - function(states[1], v, tau)) / (2.0 * step)
            np.testing.assert_allclose(parts.dq[:, k], change, rtol=0,
                                       atol=1e-6 * np.abs(parts.dq).max())
            change = (function(q, v + unit, tau) - function(q, v - unit, tau)) / (2.0 * step)
            np.testing.assert_allclose(parts[1][:, k], change, rtol=0,
                                       atol=1e-5 * np.abs(parts[1]).max())
    np.testing.assert_allclose(given.dqdd, dyn.mass_matrix(q), atol=1e-12)
    np.testing.assert_allclose(found.dtau @ given.dqdd, np.eye(FREE.nv), atol=1e-8)


def test_external_forces_and_batches():
    q, v, tau = free_state(11)
    force = np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    found = mbd_ros.forward_dynamics(FREE, q, v, tau, external_forces={'hand': force})
    expected = mbd_ros.forward_dynamics(
        FREE, q, v, tau + mbd_ros.jacobian(FREE, q, 'hand').T @ force)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-8)
    with pytest.raises(NotFiniteError, match=r"tau of elastic coordinate 'lower/twist_1'"):
        mbd_ros.forward_dynamics(FREE, q, v, np.append(tau[:-1], np.nan))
    with pytest.raises(ShapeError, match=r'^q has shape \(9,\); allowed: \(19,\)'):
        mbd_ros.mass_matrix(FREE, q[:9])


def test_what_flexible_robots_are_refused():
    for name in ('recursive', 'closed_loop', 'jourdain', 'kane'):
        with pytest.raises(InvalidValueError, match=(
                f"^formulation is '{name}'; allowed: 'auto', 'flexible' for robot 'flexible', "
                'which has flexible links$')):
            mbd_ros.mass_matrix(FOUR, np.zeros(14), formulation=name)
    dyn = mbd_ros.compile(FOUR)
    assert dyn.loop_rows(np.zeros(14), np.zeros(14)).shape == (0, 17)
    with pytest.raises(UnsupportedError, match='load it with flexible=False'):
        dyn.stabilized_dynamics(1.0, 1.0)


def test_joint_wrenches():
    q, v, tau = free_state(4)
    push = {'hand': np.array([3.0, -2.0, 1.0, 0.2, 0.1, -0.3])}
    for forces in (None, push):
        found = mbd_ros.joint_wrenches(FREE, q, v, tau, external_forces=forces)
        assert found.shape == (3, 6)
        assert np.abs(found[0]).max() < 1e-9 * np.abs(found).max() + np.abs(tau[:6]).max()
        axes = [np.array(joint.axis) for joint in FREE.mechanism.joints if joint.kind != 'fixed']
        for wrench, axis, effort in zip(found[1:], axes, tau[6:8]):
            assert axis @ wrench[3:] == pytest.approx(effort, abs=1e-9 * np.abs(found).max())
    # At rest a clamped arm hangs on its first joint with all its weight and what pushes it.
    q, rest = np.zeros(14), np.zeros(14)
    tau = mbd_ros.inverse_dynamics(FOUR, q, rest, rest)
    first = mbd_ros.joint_wrenches(FOUR, q, rest, tau)[0]
    assert first[2] == pytest.approx(9.81 * FOUR.masses.sum(), rel=1e-12)
    link = FOUR.mechanism.links[-1].name
    held = mbd_ros.inverse_dynamics(FOUR, q, rest, rest, external_forces={link: push['hand']})
    change = mbd_ros.joint_wrenches(FOUR, q, rest, held, external_forces={link: push['hand']})[
        0] - first
    place = mbd_ros.pose(FOUR, q, link)[:3, 3] - mbd_ros.pose(
        FOUR, q, FOUR.body_names[0])[:3, 3]
    force, moment = push['hand'][:3], push['hand'][3:]
    np.testing.assert_allclose(change, -np.concatenate(
        [force, moment + np.cross(place, force)]), atol=1e-11)


FUNCTIONS = {
    'forward_dynamics': 'qvt', 'inverse_dynamics': 'qvt', 'bias_forces': 'qv', 'mass_matrix': 'q',
    'energies': 'qv', 'body_poses': 'q', 'body_velocities': 'qv'}


@pytest.mark.parametrize('executor', ['compiled', 'lanes', 'threads', 'auto'])
@pytest.mark.parametrize('function', FUNCTIONS)
def test_machine_code_does_what_numpy_does(function, executor):
    states = [free_state(seed) for seed in range(9)]
    of = {name: np.array([state[k] for state in states]) for k, name in enumerate('qvt')}
    given = [of[name] for name in FUNCTIONS[function]]
    expected = getattr(mbd_ros.compile(FREE, executor='interpreted'), function)(*given)
    dyn = mbd_ros.compile(FREE, executor=executor)
    assert 'arrays' not in dyn.how(function)
    size = np.abs(expected).max()
    many = getattr(dyn, function)(*given)  # blocks in lanes, and what is left
    one = getattr(dyn, function)(*(part[0] for part in given))
    # The same operations in another order; of forward dynamics the condition of M is 1e7.
    close = 1e-9 if function == 'forward_dynamics' else 1e-13
    np.testing.assert_allclose(many, expected, rtol=0, atol=close * size)
    np.testing.assert_allclose(one, expected[0], rtol=0, atol=close * size)


def test_machine_code_of_links_and_hybrid_dynamics():
    q, v, tau = free_state(2)
    dyn, slow = (mbd_ros.compile(FREE, executor=name) for name in ('compiled', 'interpreted'))
    for link in ('hull', 'hand'):
        for what in ('pose', 'jacobian'):
            np.testing.assert_allclose(getattr(dyn, what)(q, link), getattr(slow, what)(q, link),
                                       rtol=0, atol=1e-14)  # rounding of lengths of 1 m
        for one, other in zip(dyn.link_motion(q, v, link, tau), slow.link_motion(q, v, link, tau)):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-13 * np.abs(other).max())
    found = dyn.hybrid_dynamics((0, 2))(q, v, tau, v)
    expected = slow.hybrid_dynamics((0, 2))(q, v, tau, v)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def chain(count):
    """Return a chain of beams with two modes each, hinged one to the next."""
    links = ''.join(
        f'<link name="l{k}">{flexible_robots.slender(1.0, 0.5)}<mbd:flexible><beam length="1" '
        'linear_density="0.5" bending_stiffness="100 100" modes="2 0 0"/></mbd:flexible></link>'
        f'<joint name="j{k}" type="continuous"><origin xyz="{1 if k else 0} 0 0"/><parent link='
        f'"{f"l{k - 1}" if k else "base"}"/><child link="l{k}"/><axis xyz="0 0 1"/></joint>'
        for k in range(count))
    return mbd_ros.load(f'{flexible_robots.HEAD}<link name="base"/>{links}</robot>')


def test_long_chains():
    model = chain(24)
    dyn = mbd_ros.compile(model)
    assert dyn.how('forward_dynamics') == 'rolled'  # too long for straight-line code
    assert dyn.how('mass_matrix') == 'arrays'
    rng = np.random.default_rng(1)
    q, v, tau = 0.01 * rng.normal(size=(3, model.nv))
    vdot = dyn.forward_dynamics(q, v, tau)
    mass, bias = dyn.mass_matrix(q), dyn.bias_forces(q, v)
    size = np.abs(mass).max() * np.abs(vdot).max()  # of the terms that have to cancel
    np.testing.assert_allclose(mass @ vdot + bias, tau, rtol=0, atol=1e-12 * size)
    found = dyn.forward_dynamics_derivatives(q, v, tau).dv[:, 1]
    step = np.eye(model.nv)[1]  # accelerations are quadratic in velocities
    change = (dyn.forward_dynamics(q, v + step, tau) - dyn.forward_dynamics(q, v - step, tau))
    np.testing.assert_allclose(found, 0.5 * change, rtol=0, atol=1e-8 * np.abs(found).max())


def test_the_iteration_of_lin():
    growth = flexible_robots.reference('four_joint')['lin_iteration_spectral_radius'][
        'rho(Mown^-1 (Maa - Mown)) at qA']
    q, rest = np.zeros(14), np.zeros(14)
    q[:4] = 0.0, -0.9, 1.2, 0.3
    with pytest.raises(InvalidValueError, match=re.escape(f'a factor of {growth:.4g} each')):
        mbd_ros.hybrid_dynamics(FOUR, q, rest, rest, rest, given=FOUR.joint_names, scheme='lin')
    # It converges where a link carries nothing, and bends little.
    alone = mbd_ros.load(flexible_robots.beam('bending_stiffness="30 0" modes="2 0 0"',
                                              joint='continuous'))
    q, v, qdd = np.array([0.2, 0.02, 0.01]), np.array([1.0, 0.1, 0.2]), np.array([2.0, 0.0, 0.0])
    exact, lin = (mbd_ros.hybrid_dynamics(alone, q, v, 0 * v, qdd, given=['root'], scheme=scheme)
                  for scheme in ('exact', 'lin'))
    np.testing.assert_allclose(lin.qdd, exact.qdd, rtol=1e-9)  # steps of 1e-12
    np.testing.assert_allclose(lin.tau, exact.tau, atol=1e-9)
    for refused in ({'given': []}, {'given': ['root'], 'scheme': 'newton'}):
        with pytest.raises(InvalidValueError, match=r'^scheme is '):
            mbd_ros.hybrid_dynamics(alone, q, v, v, qdd, **{'scheme': 'lin', **refused})


def test_states():
    assert FREE.nq == FREE.nv + 1 == 7 + 2 + 10
    assert FREE.coordinate_names[4:10] == ('floating_base', 'floating_base', 'shoulder', 'elbow',
                                           'upper/bend_y_1', 'upper/bend_y_2')
    assert (neutral(FREE)[-10:] == 0.0).all()
    assert np.isinf(FREE.upper[-10:]).all() and (FREE.armature[-10:] == 0.0).all()


def test_frequencies_of_the_reference():
    reference = flexible_robots.reference('four_joint')
    for name, place in (('qA', (0.0, -0.9, 1.2, 0.3)), ('qB', (1.0, -0.3, 0.6, -0.4))):
        q = np.concatenate([place, np.zeros(10)])
        found = mbd_ros.natural_frequencies(FOUR, q, locked=FOUR.joint_names)
        np.testing.assert_allclose(found.frequencies,
                                   reference[f'locked_joint_frequencies_Hz_at_{name}'], rtol=1e-11)
        assert not found.modes[:4].any()
    q = np.concatenate([(0.0, -0.9, 1.2, 0.3), np.zeros(10)])
    np.testing.assert_allclose(mbd_ros.static_deflection(FOUR, q, np.zeros(14)),
                               reference['static_a_at_qA'], atol=1e-15)
    two = mbd_ros.load(flexible_robots.two_link_arm())
    q = np.array([0.0, 0.25 * np.pi, 0.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(
        mbd_ros.natural_frequencies(two, q, locked=two.joint_names).frequencies,
        flexible_robots.reference('two_link')['frequencies_q_locked_at_q0_Hz'], rtol=1e-11)


def test_frequencies_with_weight_and_without():
    q = np.zeros(FREE.nq)
    q[6] = 1.0
    free = mbd_ros.natural_frequencies(FREE, q, locked=('shoulder', 'elbow')).frequencies
    assert (free[:6] == 0.0).all() and free[6] > 1.0
    # A beam that stands bears its weight up to q L^3 = 7.8373 E I (Greenhill), and then buckles.
    stands = mbd_ros.load(flexible_robots.beam('bending_stiffness="29.2 29.2" modes="4 0 0"'))
    for share, falls in ((0.99, False), (1.01, True)):
        gravity = (-share * 7.8373 * 29.2 / 0.54, 0.0, 0.0)
        if falls:
            with pytest.raises(InvalidValueError, match=(
                    r"falls away from this one by 'beam/bend_y_1'")):
                mbd_ros.natural_frequencies(stands, np.zeros(4), gravity=gravity)
            with pytest.raises(InvalidValueError, match=(
                    r"have buckled: the stiffness along 'beam/bend_y_1' is -0\.0")):
                mbd_ros.static_deflection(stands, np.zeros(4), gravity=gravity)
        else:
            found = mbd_ros.natural_frequencies(stands, np.zeros(4), gravity=gravity)
            assert found.frequencies[0] < 0.2 * 4.1  # of that without weight [Hz]
            assert not mbd_ros.static_deflection(stands, np.zeros(4), gravity=gravity).any()
    pendulum = mbd_ros.load('test/data/ladder/01_pendulum.urdf')
    mass, moment = mbd_ros.mass_matrix(pendulum, [0.0]), pendulum.masses @ np.linalg.norm(
        pendulum.mass_centers, axis=1)
    assert mbd_ros.natural_frequencies(pendulum, [0.0]).frequencies[0] == 0.0
    weight = mbd_ros.bias_forces(pendulum, [0.1], [0.0])[0]
    if weight > 0.0:  # it hangs at 0
        found = mbd_ros.natural_frequencies(pendulum, [0.0], gravity=(0.0, 0.0, -9.81))
        assert (2 * np.pi * found.frequencies[0]) ** 2 == pytest.approx(
            9.81 * moment / mass[0, 0], rel=1e-9)


def test_frequencies_of_a_hub_and_a_tip_mass():
    reference = flexible_robots.reference('single')['frequencies']
    stiffness = f'bending_stiffness="{reference["model"]["EI"]!r} 0"'
    tip = reference['with_tip_mass']
    beam = mbd_ros.load(flexible_robots.beam(
        f'{stiffness} modes="4 0 0" tip_mass="{tip["m_tip"]!r}"',
        links=flexible_robots.point_mass('load', tip['m_tip'])
        + flexible_robots.fixed('mount', 'beam', 'load', (1.0, 0.0, 0.0))))
    found = mbd_ros.natural_frequencies(beam, np.zeros(4)).frequencies
    np.testing.assert_allclose(2 * np.pi * found, tip['omega'], rtol=1e-9)
    hub = reference['pinned_with_hub_inertia']
    turning = mbd_ros.load(flexible_robots.beam(
        f'{stiffness} modes="8 0 0"', joint='continuous').replace(
        '<axis xyz="0 0 1"/>', f'<axis xyz="0 0 1"/><mbd:armature value="{hub["J_hub"]!r}"/>'))
    found = mbd_ros.natural_frequencies(turning, np.zeros(9)).frequencies
    assert found[0] == 0.0
    # Clamped modes and a rotation of the root converge as 1 / modes^7.
    np.testing.assert_allclose(2 * np.pi * found[1:5], hub['omega'], rtol=1e-7)


@pytest.mark.parametrize('stiffening', [True, False])
def test_a_rotating_beam(stiffening):
    rows = flexible_robots.reference('single')['rotating_beam_in_plane']['rows']
    extra = '' if stiffening else 'stiffening="false"'
    model = mbd_ros.load(flexible_robots.beam(
        f'bending_stiffness="29.1666666667 0" modes="20 0 0" {extra}', joint='continuous'))
    first = flexible_robots.reference('single')['frequencies']['omega_closed_form'][0]
    dyn = mbd_ros.compile(model, gravity=STILL)
    for row in rows:
        v, rest = np.zeros(21), np.zeros(21)
        v[0] = row['Omega/omega1'] * first
        tangent = dyn.inverse_dynamics_derivatives(rest, v, rest).dq[1:, 1:]
        mass = dyn.mass_matrix(rest)[1:, 1:]
        least = np.linalg.eigvals(np.linalg.solve(mass, tangent)).real.min() / first ** 2
        if stiffening:
            # The reference has 32 Hermite elements: 1e-6 of the coefficients.
            assert np.sqrt(least) == pytest.approx(
                row['omega1/omega1_0 with stiffening'], rel=1e-6)
        else:
            assert least == pytest.approx(row['lowest eigenvalue/omega1_0^2 without'], abs=1e-6)


@pytest.mark.parametrize('formulation', ['recursive', 'jourdain', 'flexible'])
def test_hybrid_dynamics_of_a_rigid_robot(formulation):
    model = mbd_ros.load('urdf/panda.urdf')
    q, v, tau = random_state(model, 3)
    _, _, qdd = random_state(model, 4)
    given = model.joint_names[1:4]
    found = mbd_ros.hybrid_dynamics(model, q, v, tau, qdd, given=given, formulation=formulation)
    np.testing.assert_array_equal(found.qdd[1:4], qdd[1:4])
    rest = [0, *range(4, model.nv)]
    np.testing.assert_allclose(found.tau[rest], tau[rest], rtol=1e-12)
    np.testing.assert_allclose(mbd_ros.inverse_dynamics(model, q, v, found.qdd), found.tau,
                               atol=1e-9)  # condition of M 1e4
    with pytest.raises(UnknownNameError, match=r"^there is no joint named 'elbow'; known: "):
        mbd_ros.hybrid_dynamics(model, q, v, tau, qdd, given=['elbow'])
