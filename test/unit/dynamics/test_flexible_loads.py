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

"""Springs, elastic transmissions and fluids on robots with flexible links."""

import flexible_robots
from flexible_robots import fixed, point_mass
import numpy as np
import pytest
import scipy

import mbd_ros
from mbd_ros.errors import DescriptionError, InvalidValueError
from mbd_ros.model.state import integrate, random_configuration

STILL = (0.0, 0.0, 0.0)
EI, RHO_A = 29.1667, 0.54   # of the beam of the reference, 1 m long
BEAM = f'bending_stiffness="{EI} {EI}" '
SPRING = ('<mbd:spring_damper name="{}" stiffness="{}" damping="{}" length="{}">'
          '<link1 link="{}" xyz="{}"/><link2 link="{}" xyz="{}"/></mbd:spring_damper>')
FLUID = ('<mbd:fluid><volume value="{}"/><fluid_added_mass xx="{}" yy="{}" zz="{}" pp="1e-3"/>'
         '<quadratic_drag force="1 2 3" moment="0.01 0.02 0.03"/></mbd:fluid>')
FLOAT = point_mass('load', 0.2).replace('</link>', FLUID.format(5e-4, 0.3, 0.3, 0.3) + '</link>')
SPRINGS = (SPRING.format('stay', 40.0, 0.5, 0.9, 'base', '0.2 -0.3 0.5', 'payload', '0 0.1 0')
           + SPRING.format('tendon', 70.0, 0.2, 0.4, 'link1', '0.1 0.05 0', 'elbow', '0 0 0.1'))
SERIES = '<mbd:armature value="0.05"/><mbd:series_elastic stiffness="{}" damping="{}"/></joint>'


def two_links(springs='', series='', wet=False, stiffness=1.0):
    """Return the text of the two-link arm with springs, elastic joints and wet links."""
    text = flexible_robots.two_link_arm()
    e_i = flexible_robots.reference('two_link')['model']['P']['EI']
    text = text.replace(f'"{e_i!r} 0"', f'"{e_i * stiffness!r} 0"')
    text = text.replace('</robot>', springs + '</robot>')
    if series:
        text = text.replace('</joint><joint name="joint2"', series + '<joint name="joint2"')
    if wet:
        for name in ('link1', 'link2', 'elbow', 'payload'):
            text = text.replace(f'<link name="{name}">', f'<link name="{name}">' + FLUID.format(
                3e-4, 0.1, 0.2, 0.3))
    return text


def state(model, seed=3):
    """Return a state with deflections of some percent, and forces."""
    rng = np.random.default_rng(seed)
    q, v, tau = rng.normal(size=(3, model.nv))
    bent = model.nq - len(model.elastic_names)
    q[bent:], v[bent:] = 0.02 * q[bent:], 0.2 * v[bent:]
    return q, v, tau


def root_of(equation, near):
    return scipy.optimize.brentq(equation, 0.8 * near, 1.2 * near, xtol=1e-14)


ALL = [{'springs': SPRINGS}, {'series': SERIES.format(300.0, 0.4)}, {'wet': True},
       {'springs': SPRINGS, 'series': SERIES.format(300.0, 0.4), 'wet': True}]


@pytest.mark.parametrize('extras', ALL)
def test_all_functions_agree(extras):
    model = mbd_ros.load(two_links(**extras))
    q, v, tau = state(model)
    dyn = mbd_ros.compile(model)
    a = mbd_ros.forward_dynamics(model, q, v, tau)
    mass, bias = dyn.mass_matrix(q), dyn.bias_forces(q, v)
    # The condition of M is 1e5.
    np.testing.assert_allclose(mass @ a + bias, tau, atol=1e-10 * np.abs(mass @ a).max())
    np.testing.assert_allclose(dyn.inverse_dynamics(q, v, a), tau,
                               atol=1e-10 * np.abs(mass @ a).max())
    names = list(model.joint_names)
    hybrid = mbd_ros.hybrid_dynamics(model, q, v, tau, a, given=names)
    np.testing.assert_allclose(hybrid.tau, tau, atol=1e-9)
    np.testing.assert_allclose(hybrid.qdd, a, rtol=1e-9)
    energy = mbd_ros.energy(model, q, v)
    assert energy.kinetic == pytest.approx(0.5 * v @ mass @ v, rel=1e-13)
    # What is at rest feels the slope of the potential energy.
    rest = np.zeros(model.nv)
    slopes = [(mbd_ros.energy(model, q + step, rest).potential
               - mbd_ros.energy(model, q - step, rest).potential) / 2e-6
              for step in 1e-6 * np.eye(model.nv)]
    np.testing.assert_allclose(dyn.bias_forces(q, rest), slopes, rtol=1e-6, atol=1e-6)
    # Machine code, NumPy and batches.
    plain = mbd_ros.forward_dynamics(model, q, v, tau, executor='interpreted')
    np.testing.assert_allclose(plain, a, rtol=1e-9)
    many = mbd_ros.forward_dynamics(model, np.stack([q, 0.5 * q]), v, tau)
    np.testing.assert_allclose(many[0], a, rtol=1e-9)
    found = mbd_ros.inverse_dynamics_derivatives(model, q, v, a)
    for step in (0, model.nv - 1):
        d = 1e-6 * np.eye(model.nv)[step]
        for matrix, one, other in ((found.dq, (q + d, v, a), (q - d, v, a)),
                                   (found.dv, (q, v + d, a), (q, v - d, a))):
            slope = (dyn.inverse_dynamics(*one) - dyn.inverse_dynamics(*other)) / 2e-6
            np.testing.assert_allclose(matrix[:, step], slope, rtol=1e-5, atol=1e-5)


def test_springs_are_forces_on_links():
    # where a spring pulls at a link that bends is a link without mass in the other robot
    grip = '<link name="grip"/>' + flexible_robots.fixed('held', 'link1', 'grip', (0.1, 0.05, 0.0))
    bare, sprung = (mbd_ros.load(two_links(springs=springs)) for springs in (grip, SPRINGS))
    q, v, tau = state(bare)
    at = {name: mbd_ros.pose(bare, q, name) for name in ('grip', 'elbow', 'payload')}
    moving = {name: mbd_ros.jacobian(bare, q, name) @ v for name in at}
    pushes = {name: np.zeros(6) for name in at}
    for stiffness, damping, rest, one, here, other, there in (
            (40.0, 0.5, 0.9, 'base', (0.2, -0.3, 0.5), 'payload', (0.0, 0.1, 0.0)),
            (70.0, 0.2, 0.4, 'grip', (0.0, 0.0, 0.0), 'elbow', (0.0, 0.0, 0.1))):
        ends = []
        for link, point in ((one, here), (other, there)):
            pose, twist = at.get(link, np.eye(4)), moving.get(link, np.zeros(6))
            arm = pose[:3, :3] @ point
            ends.append((pose[:3, 3] + arm, twist[:3] + np.cross(twist[3:], arm), arm))
        apart = ends[1][0] - ends[0][0]
        length = np.linalg.norm(apart)
        rate = apart @ (ends[1][1] - ends[0][1]) / length
        force = (stiffness * (length - rest) + damping * rate) * apart / length
        for link, end, sign in ((one, ends[0], 1.0), (other, ends[1], -1.0)):
            if link in pushes:
                pushes[link] += sign * np.concatenate([force, np.cross(end[2], force)])
    expected = mbd_ros.forward_dynamics(bare, q, v, tau, external_forces=pushes)
    np.testing.assert_allclose(mbd_ros.forward_dynamics(sprung, q, v, tau), expected,
                               rtol=1e-9)   # the condition of M is 1e5


@pytest.mark.parametrize('extras', ALL[:1] + ALL[2:3])
def test_with_stiffness_to_infinity_the_rigid_answers_return(extras):
    text = two_links(stiffness=1e9, **extras)
    stiff, rigid = mbd_ros.load(text), mbd_ros.load(text, flexible=False)
    q, v, tau = np.random.default_rng(5).normal(size=(3, 2))
    expected = mbd_ros.forward_dynamics(rigid, q, v, tau)
    pad = np.zeros(4)
    forces = mbd_ros.inverse_dynamics(stiff, np.append(q, pad), np.append(v, pad),
                                      np.append(expected, pad))
    np.testing.assert_allclose(forces[:2], tau, atol=1e-11)   # rounding


def test_an_elastic_transmission_is_two_inertias_and_a_spring():
    text = two_links(series=SERIES.format(300.0, 0.0))
    elastic, rigid = (mbd_ros.load(text, flexible=flexible) for flexible in (True, False))
    assert elastic.elastic_names[-1] == 'joint1/series_elastic'
    assert any("joint 'joint1': <mbd:series_elastic> is not used" in one.message
               for one in rigid.findings)
    simple = mbd_ros.load(
        f'{flexible_robots.HEAD}<link name="base"/><link name="arm">'
        f'{flexible_robots.inertial(2.0, (0.3, 0.0, 0.0), np.diag([0.1, 0.1, 0.02]))}</link>'
        '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/>'
        '<axis xyz="0 0 1"/>' + SERIES.format(300.0, 0.0) + '</robot>')
    inertia, rotor, k = 0.02 + 2.0 * 0.09, 0.05, 300.0
    np.testing.assert_allclose(mbd_ros.mass_matrix(simple, [0.7, 0.1]), [
        [inertia + rotor, inertia], [inertia, inertia]], rtol=1e-14)
    free = mbd_ros.natural_frequencies(simple, [0.7, 0.0]).frequencies
    np.testing.assert_allclose(free, [0.0, np.sqrt(k / inertia + k / rotor) / (2.0 * np.pi)],
                               rtol=1e-12)
    held = mbd_ros.natural_frequencies(simple, [0.7, 0.0], locked=['j']).frequencies
    np.testing.assert_allclose(held, np.sqrt(k / inertia) / (2.0 * np.pi), rtol=1e-12)
    # Hanging sideways it yields by the moment of its weight.
    sag = mbd_ros.static_deflection(simple, [0.0, 0.0], gravity=(0.0, -9.81, 0.0))
    assert k * sag[0] == pytest.approx(-2.0 * 9.81 * 0.3 * np.cos(sag[0]), rel=1e-12)
    np.testing.assert_allclose(mbd_ros.pose(simple, [0.7, 0.1], 'arm'),
                               mbd_ros.pose(simple, [0.8, 0.0], 'arm'), atol=1e-15)


def test_prismatic_transmissions_yield_along_their_axis():
    model = mbd_ros.load(
        f'{flexible_robots.HEAD}<link name="base"/>{point_mass("slide", 2.0)}'
        '<joint name="j" type="prismatic"><parent link="base"/><child link="slide"/>'
        '<axis xyz="0 0.6 0.8"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
        + SERIES.format(300.0, 0.0) + '</robot>')
    np.testing.assert_allclose(mbd_ros.pose(model, [0.3, 0.2], 'slide')[:3, 3], [0.0, 0.3, 0.4],
                               atol=1e-15)
    free = mbd_ros.natural_frequencies(model, [0.0, 0.0]).frequencies
    assert free[1] == pytest.approx(np.sqrt(300.0 / 2.0 + 300.0 / 0.05) / (2.0 * np.pi))


@pytest.mark.parametrize('values', [(0.0, 0.1), (-1.0, 0.1), (5.0, -0.1)])
def test_an_elastic_transmission_that_cannot_be(values):
    with pytest.raises(DescriptionError, match=r"joint 'joint1'.*<mbd:series_elastic>"):
        mbd_ros.load(two_links(series=SERIES.format(*values)))
    with pytest.raises(DescriptionError, match=r"joint 'joint1': <mbd:series_elastic> has the "
                       r'stiffness 5 behind a rotor of inertia 0; allowed: both above 0'):
        mbd_ros.load(two_links(series=SERIES.format(5.0, 0.0).replace(
            '<mbd:armature value="0.05"/>', '')))


def test_lins_iteration_is_for_links():
    model = mbd_ros.load(two_links(series=SERIES.format(300.0, 0.0)))
    q, v, tau = state(model)
    with pytest.raises(InvalidValueError, match='this one if links bend, no joint does'):
        mbd_ros.hybrid_dynamics(model, q, v, tau, tau, given=model.joint_names, scheme='lin')


def test_a_spring_at_the_hub():
    k = 80.0
    model = mbd_ros.load(flexible_robots.beam(
        f'{BEAM} modes="8 0 0"', joint='continuous').replace(
            '<axis xyz="0 0 1"/></joint>', '<axis xyz="0 0 1"/>' + SERIES.format(k, 0.0)))
    found = mbd_ros.natural_frequencies(model, np.zeros(10), locked=['root']).frequencies
    b = root_of(lambda b: np.sinh(b) * np.cos(b) - np.cosh(b) * np.sin(b)
                + k / (EI * b) * (1.0 + np.cos(b) * np.cosh(b)), 1.45)
    # Clamped modes and a rotation of the root converge as 1 / modes^7.
    assert 2.0 * np.pi * found[0] == pytest.approx(b ** 2 * np.sqrt(EI / RHO_A), rel=1e-7)


def test_a_spring_at_the_tip():
    k = 200.0
    model = mbd_ros.load(flexible_robots.beam(
        f'{BEAM} modes="6 0 0" boundary="craig_bampton"', links=point_mass('tip', 0.0)
        + fixed('mount', 'beam', 'tip', (1.0, 0.0, 0.0))
        + SPRING.format('stay', k, 0.0, 0.5, 'base', '1 0.5 0', 'tip', '0 0 0')))
    found = mbd_ros.natural_frequencies(model, np.zeros(6)).frequencies
    b = root_of(lambda b: 1.0 + np.cos(b) * np.cosh(b) - k / (EI * b ** 3) * (
        np.cos(b) * np.sinh(b) - np.sin(b) * np.cosh(b)), 2.5)
    # Two static shapes and four modes with the tip held: 1.5e-5 too high.
    assert 2.0 * np.pi * found[0] == pytest.approx(b ** 2 * np.sqrt(EI / RHO_A), rel=3e-5)


def test_added_mass_and_buoyancy_of_a_float_at_the_tip():
    model = mbd_ros.load(flexible_robots.beam(
        f'{BEAM} modes="6 0 0" boundary="craig_bampton"', links=FLOAT
        + fixed('mount', 'beam', 'load', (1.0, 0.0, 0.0))))
    found = mbd_ros.natural_frequencies(model, np.zeros(6)).frequencies
    ratio = (0.2 + 0.3) / RHO_A
    b = root_of(lambda b: 1.0 + np.cos(b) * np.cosh(b) + ratio * b * (
        np.cos(b) * np.sinh(b) - np.sin(b) * np.cosh(b)), 1.25)
    assert 2.0 * np.pi * found[0] == pytest.approx(b ** 2 * np.sqrt(EI / RHO_A), rel=1e-6)
    gravity = (0.0, -1e-3, 0.0)   # small: the beam does not stiffen
    bent = np.zeros(6)
    bent[:] = mbd_ros.static_deflection(model, bent, gravity=gravity)
    tip = mbd_ros.pose(model, bent, 'load')[1, 3]
    expected = 1e-3 * ((1000.0 * 5e-4 - 0.2) / (3.0 * EI) - RHO_A / (8.0 * EI))
    assert tip == pytest.approx(expected, rel=1e-6)


def test_derivatives_under_external_forces():
    """Forces keep their direction in the world, and move with links that bend."""
    model = mbd_ros.load('urdf/flexible_arm.urdf', floating_base=True)
    rng = np.random.default_rng(3)
    states = np.array([random_configuration(model, rng) for _ in range(2)])
    states[:, -10:] = 0.03 * rng.normal(size=(2, 10))
    v, tau = rng.normal(size=(2, model.nv))
    forces = {'hand': np.array([30.0, -20.0, 10.0, 2.0, 1.0, -3.0]),
              'forearm': np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], np.zeros(6)])}
    for function in (mbd_ros.forward_dynamics, mbd_ros.inverse_dynamics):
        derivatives = getattr(mbd_ros, function.__name__ + '_derivatives')
        many = derivatives(model, states, v, tau, external_forces=forces).dq
        first = {link: np.atleast_2d(force)[0] for link, force in forces.items()}
        one = derivatives(model, states[0], v, tau, external_forces=first).dq
        without = derivatives(model, states[0], v, tau).dq
        assert many.shape == (2, model.nv, model.nv) and np.abs(one - without).max() > 1.0
        np.testing.assert_allclose(many[0], one, rtol=1e-12, atol=1e-12 * np.abs(one).max())
        step = 1e-6
        for k, unit in enumerate(step * np.eye(model.nv)):
            change = [function(model, integrate(model, states[0], sign * unit), v, tau,
                               external_forces=first) for sign in (1.0, -1.0)]
            np.testing.assert_allclose(one[:, k], (change[0] - change[1]) / (2.0 * step), rtol=0,
                                       atol=1e-6 * np.abs(one).max())   # central differences


def on_ground():
    """Return the two-link arm, whose payload can touch a ground."""
    return mbd_ros.load(two_links().replace(
        '<link name="payload">', '<link name="payload"><mbd:contact><point xyz="0.1 0 0" '
        'radius="0.02"/><stiffness value="800"/><damping value="3"/><friction value="0.4"/>'
        '</mbd:contact>'))


def test_the_midpoint_rule_on_a_ground():
    model, ground = on_ground(), mbd_ros.Ground(normal=(0.0, 1.0, 0.0), height=-0.3)
    rest = np.zeros(model.nv)
    run = mbd_ros.simulate(model, rest, rest, 0.5, gravity=(0.0, -9.81, 0.0), ground=ground,
                           method='midpoint')
    assert run.parts['ground'][-1] < -0.5   # [J]: it has landed
    assert np.abs(run.balance).max() < 1e-3   # of joules; of order 2, steps of 0.5 ms


def test_the_ground_holds_what_bends():
    model, ground = on_ground(), mbd_ros.Ground(normal=(0.0, 1.0, 0.0), height=0.9)
    q, v, tau = state(model)
    found = mbd_ros.contact_forces(model, q, v, ground)
    pose = mbd_ros.pose(model, q, 'payload')
    point = pose[:3, 3] + 0.1 * pose[:3, 0] - (0.0, 0.02, 0.0)
    np.testing.assert_allclose(found.points, [point], atol=1e-15)
    assert found.forces[0, 1] > 1.0
    push = np.concatenate([found.forces[0], np.cross(point - pose[:3, 3], found.forces[0])])
    np.testing.assert_allclose(
        mbd_ros.forward_dynamics(model, q, v, tau, ground=ground),
        mbd_ros.forward_dynamics(model, q, v, tau, external_forces={'payload': push}),
        rtol=1e-9)   # the condition of M is 1e5


def test_fluid_on_a_link_that_bends_is_a_finding():
    text = two_links(wet=True)
    messages = [one.message for one in mbd_ros.load(text).findings]
    assert sum('acts on its undeformed shape' in message for message in messages) == 2
    assert not any('undeformed' in one.message
                   for one in mbd_ros.load(text, flexible=False).findings)


@pytest.mark.parametrize(('extras', 'method', 'error'), [
    ({'springs': SPRINGS.replace('damping="0.5"', 'damping="0"').replace(
        'damping="0.2"', 'damping="0"')}, 'dop853', 1e-8),
    ({'series': SERIES.format(300.0, 0.4)}, 'dop853', 1e-8), ({'wet': True}, 'dop853', 1e-8),
    # The rule is of order 2: a step of 1 ms leaves 1e-4 of the energy that is exchanged.
    ({'series': SERIES.format(300.0, 0.4)}, 'midpoint', 1e-3), ({'wet': True}, None, 1e-3),
    ({'springs': SPRINGS}, None, 1e-3)])
def test_energy_over_a_run(extras, method, error):
    model = mbd_ros.load(two_links(**extras))
    q, v = np.zeros((2, model.nv))
    q[:2], v[:2] = (0.1, 0.8), (0.3, -0.2)
    how = {} if method != 'dop853' else {'rtol': 1e-9, 'atol': 1e-11}
    run = mbd_ros.simulate(model, q, v, 0.3, tau=np.eye(model.nv)[0], method=method,
                           gravity=(0.0, -9.81, 0.0), **how)
    assert np.abs(run.balance).max() < error   # [J], of some joules
    lost = {'wet': 'drag', 'springs': 'dampers'}.get(next(iter(extras)))
    if method is None:
        assert run.parts[lost][-1] < -10.0 * error
        assert len(run.time) == 301   # the midpoint rule is the default
