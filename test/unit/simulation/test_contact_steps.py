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

"""Steps on the ground that stiffness does not rule: closed forms, order, RK4 with small steps."""

from dataclasses import replace
import importlib
from pathlib import Path

import numpy as np
import pytest
from swimmers import walker
import yaml

import mbd_ros
from mbd_ros import Fluid, Ground
from mbd_ros.control import gait_from_data
from mbd_ros.dynamics import compile_model, PreparedDynamics
from mbd_ros.environment.contact import Ahead, ImplicitGroundLaw
from mbd_ros.environment.surroundings import immersed
from mbd_ros.errors import DivergedError, InvalidValueError
from mbd_ros.model import build_model
from mbd_ros.simulation.coded_steps import LinearEfforts
from mbd_ros.simulation.contact_steps import feet_at
from mbd_ros.simulation.stepper import Stepper

ROOT = Path(__file__).parents[3]
module = importlib.import_module('mbd_ros.simulation.simulate')
stepping = importlib.import_module('mbd_ros.simulation.stepper')
BALL = ('<robot name="r" xmlns:mbd="urn:mbd_ros"><link name="a"><inertial><mass value="2"/>'
        '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial><mbd:contact>'
        '<point xyz="0 0 0" radius="0.1"/><stiffness value="{k}"/><damping value="{c}"/>'
        '<friction value="{mu}" slip_speed="{slip}"/></mbd:contact></link></robot>')
G, M = 9.81, 2.0


def ball(k=2000.0, c=0.0, mu=0.0, slip=0.01):
    return mbd_ros.load(BALL.format(k=k, c=c, mu=mu, slip=slip), floating_base=True)


def slides(axes, **contact):
    """Return the ball on slides along axes, one on the other."""
    head, foot = BALL.format(**contact).split('>', 1)
    names = ['o', *(f'o{k}' for k in range(1, len(axes))), 'a']
    return mbd_ros.load(f'{head}>' + ''.join(f'<link name="{name}"/>' for name in names[:-1])
                        + ''.join(
        f'<joint name="to_{child}" type="prismatic"><parent link="{parent}"/><child '
        f'link="{child}"/><axis xyz="{axis}"/><limit lower="-9" upper="9" effort="9" '
        'velocity="9"/></joint>' for parent, child, axis in zip(names, names[1:], axes)) + foot)


def at(height):
    return np.array([0.0, 0.0, height, 0.0, 0.0, 0.0, 1.0])


def ahead(model, h, ground, *more):
    """Return the dynamics of a step."""
    law = ImplicitGroundLaw(world=Ahead(ground.law.world))
    return compile_model(model.with_laws(*model.laws, law),
                         world={'ground': Ahead(ground.surface, h, *more)})


@pytest.mark.parametrize(('mobility', 'weight'), [(0.0, 0.0), (0.5, 20.0), (0.5, 125.0)])
def test_the_force_is_that_at_the_end_of_the_step(mobility, weight):
    """That is k (d + h s+) + c s+ with s+ = s - h a, and friction of the speed then."""
    k, c, h, mu, slip = 3000.0, 40.0, 0.01, 0.5, 0.3
    v = np.array([0.4, 0.3, -0.2, 0.0, 0.0, 0.0])
    found = ahead(ball(k, c, mu, slip), h, Ground(), mobility, weight).forward_dynamics(
        at(0.06), v, np.zeros(6))
    end = v + h * found
    N = k * (0.04 - h * end[2]) - c * end[2]
    assert found[2] == pytest.approx(N / M - G, rel=1e-12)
    # Of friction: what the spring holds, or the weight, and of the rest what a step can use.
    held, foreseen = max(k * 0.04, weight), k * (0.04 + h * 0.2) + c * 0.2
    load = held + (foreseen - held) / (1.0 + mobility * h * (k * h + c))
    turned = -0.1 * h * np.array([found[4], -found[3]])   # of the lowest point
    force = -mu * load * np.tanh(0.5 / slip) / 0.5 * (end[:2] + turned)
    np.testing.assert_allclose(M * found[:2], force, rtol=1e-12)
    moment = -0.1 * np.array([-force[1], force[0]])   # r x f, r = -0.1 z
    np.testing.assert_allclose(0.1 * found[3:5], moment, rtol=1e-12)


def test_a_step_of_nothing_is_the_ground_as_it_is():
    model, rng = walker(), np.random.default_rng(2)
    ground = Ground(-1.0, (0.1, 0.0, -1.0))   # z points down
    for _ in range(3):
        q = mbd_ros.integrate(model, mbd_ros.neutral(model), 0.2 * rng.normal(size=model.nv))
        v, tau = rng.normal(size=(2, model.nv))
        expected = mbd_ros.forward_dynamics(model, q, v, tau, ground=ground)
        assert mbd_ros.contact_forces(model, q, v, ground).forces.any()
        np.testing.assert_allclose(
            ahead(immersed(model, Fluid()), 0.0,
                  ground).forward_dynamics(q, v, tau), expected, rtol=1e-9)


def test_it_is_of_second_order():
    """A ball in the ground that slides and begins to roll, without leaving it."""
    model, v = ball(4000.0, 60.0, 0.5, 0.3), np.array([0.5, 0.3, 0.0, 0.0, 2.0, 1.0])

    def end(method, step):
        run = mbd_ros.simulate(model, at(0.094), v, 0.1, ground=Ground(), method=method, step=step)
        return np.concatenate([run.q[-1], run.v[-1]])

    exact = end('rk4', 1e-4)
    errors = [np.abs(end('contact', step) - exact).max() for step in (2e-3, 1e-3, 5e-4)]
    # Four times smaller each; the next order is a tenth at these steps.
    assert 3.2 < errors[0] / errors[1] < 4.8 and 3.2 < errors[1] / errors[2] < 4.8


@pytest.mark.parametrize('factor', [1.0, 10.0, 100.0, 1e4])
def test_a_mass_falls_on_springs_however_stiff(factor):
    """With more than critical damping it never leaves: exponentials after the landing."""
    k, height, h = 2000.0 * factor, 0.05, 1e-3
    c = 3.0 * np.sqrt(k * M)
    run = mbd_ros.simulate(ball(k, c), at(0.1 + height), np.zeros(6), 0.4, ground=Ground(),
                           method='contact', step=h)
    landing, speed = np.sqrt(2.0 * height / G), np.sqrt(2.0 * height * G)
    r = (-c + np.array([1.0, -1.0]) * np.sqrt(c * c - 4.0 * k * M)) / (2.0 * M)
    sunk = M * G / k   # at rest; z + sunk = a exp(r_1 t) + b exp(r_2 t)
    a, b = np.linalg.solve([[1.0, 1.0], r], [sunk, -speed])
    t = run.time - landing
    after = a * np.exp(r[0] * t.clip(0.0)) + b * np.exp(r[1] * t.clip(0.0)) - sunk
    exact = 0.1 + np.where(t < 0.0, height - 0.5 * G * run.time ** 2, after)
    # The landing is somewhere in a step: less than its way, 1 m/s times 1 ms, which is forgotten.
    assert np.abs(run.q[:, 2] - exact).max() < speed * h
    assert abs(run.q[-1, 2] - exact[-1]) < 0.05 * speed * h + 0.02 * sunk


@pytest.mark.filterwarnings('ignore::mbd_ros.errors.ContactWarning')
@pytest.mark.parametrize('height', [1e-4, 5e-4, 9e-4])
@pytest.mark.parametrize('stiffness', [1e6, 1e7, 1e8])
def test_friction_where_a_point_lands(stiffness, height):
    """As much as the momentum that the ground stops is worth, not what its springs could hold."""
    model = slides(('1 0 0', '0 0 1'), k=stiffness, c=1.4 * np.sqrt(stiffness * M), mu=0.5,
                   slip=1e-3)
    run, exact = (mbd_ros.simulate(model, [0.0, height + 0.1], [10.0, -1.0], 0.02, ground=Ground(),
                                   **how) for how in (
        {'step': 1e-3, 'method': 'contact'}, {'method': 'radau', 'rtol': 1e-6, 'atol': 1e-9}))
    # 0.61 m/s of 10 are lost. Within a step the landing is at one time or another: found 0.19 m/s
    # more or less; with the load foreseen for a = 0 instead up to 6.5.
    assert exact.v[-1, 0] == pytest.approx(9.39, abs=0.02)
    assert run.v[-1, 0] == pytest.approx(exact.v[-1, 0], abs=0.25)


@pytest.mark.parametrize('step', [1e-3, 2e-3])
def test_friction_of_a_point_that_sinks(step):
    """Its damper carries the weight for c / k = 75 ms, which no step may take for a landing."""
    k, mu, T = 1.6e5, 0.5, 0.075
    model = slides(('1 0 0', '0 0 1'), k=k, c=0.075 * k, mu=mu, slip=1e-3)
    run = mbd_ros.simulate(model, [0.0, 0.1], [1.0, 0.0], T, ground=Ground(), step=step,
                           method='contact')
    # The damper takes the weight within m / c = 0.2 ms, the first step; found 4e-3.
    assert run.v[-1, 0] == pytest.approx(1.0 - mu * G * T, abs=mu * G * step)


@pytest.mark.parametrize('k', [1e5, 1e9])
def test_a_point_at_rest_on_a_slope_sticks(k):
    """Its friction is that of its weight, however stiff: half of it would not hold it."""
    angle, slip = 0.3, 1e-4
    model = ball(k, 1.4 * np.sqrt(k * M), 0.5, slip)   # slides where mu < tan(0.3) = 0.31
    normal = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    q = at(0.0)
    q[:3] = normal * (0.1 - M * G * np.cos(angle) / k)
    stepper = Stepper(model, q, step=1e-3, ground=Ground(0.0, normal))
    tau = np.zeros(6)   # what keeps it from rolling
    tau[4] = 0.1 * M * G * np.sin(angle)
    stepper.advance(tau, 0.1)
    # It creeps at less than v_s, as tanh(0.62) = 0.55 says.
    assert np.linalg.norm(stepper.q[:3] - q[:3]) < 0.1 * slip


class Held:
    """Joints held where they are at first, as gaits hold them."""

    def __init__(self, model, q):
        self._joints = np.arange(model.nv) >= 6
        self._rest = np.concatenate([np.zeros(6), q[7:]])

    def __call__(self, t, q, v):
        return self._joints * (2000.0 * (self._rest - np.append(np.zeros(6), q[7:])) - 120.0 * v)

    def linear(self, times):
        return LinearEfforts(np.tile(2000.0 * self._rest, (len(times), 1)), 2000.0 * self._joints,
                             120.0 * self._joints)


def standing(factor):
    """Return the quadruped with feet so much stiffer, and where they are 5 cm above the ground."""
    plain = mbd_ros.load(ROOT / 'config/modules/quadruped.yaml')
    model = build_model(replace(plain.mechanism, contacts=tuple(
        replace(one, stiffness=factor * one.stiffness, damping=np.sqrt(factor) * one.damping)
        for one in plain.mechanism.contacts)))
    gait = gait_from_data(yaml.safe_load((ROOT / 'config/gaits/crawl.yaml').read_text()))
    q, start = mbd_ros.neutral(model), gait.targets(0.0)
    for name, position in zip(start.joints, start.positions):
        q[model.q_offsets[model.joint_index(name)]] = position
    feet = mbd_ros.contact_forces(model, q, np.zeros(model.nv), Ground()).points
    q[2] += feet[:, 2].min() - 0.05   # its z points down
    return model, q


@pytest.mark.filterwarnings('ignore::mbd_ros.errors.ContactWarning')
@pytest.mark.parametrize('factor', [1.0, 100.0])
def test_a_quadruped_lands(factor):
    """On feet a hundred times stiffer, with the same step, against RK4 with a fine one."""
    model, q = standing(factor)
    how = {'fluid': None, 'ground': Ground(), 'tau': Held(model, q)}
    fine = mbd_ros.simulate(model, q, np.zeros(model.nv), 0.2, method='rk4', step=2e-5,
                            record_every=50, **how)
    run = mbd_ros.simulate(model, q, np.zeros(model.nv), 0.2, method='contact', step=1e-3, **how)
    assert fine.parts['ground'][-1] < -10.0   # it has landed, at 1 m/s [J]
    # Springs of 4 ms with dampers of 0.1 ms; found 5e-5 m of a way of 6 cm.
    np.testing.assert_allclose(run.q[:, :3], fine.q[:, :3], atol=2e-4)
    # Landings within a step; found 4 % of the work of the ground with the harder feet.
    np.testing.assert_allclose(run.parts['ground'][-1], fine.parts['ground'][-1], rtol=0.1)
    assert np.abs(run.balance).max() < 0.1 * -fine.parts['ground'][-1]   # it says so itself


def test_steps_in_machine_code_and_in_python(monkeypatch):
    model, q = standing(10.0)
    found = []
    for worth in (1, 10 ** 9):
        monkeypatch.setattr(module, 'WORTH_CODE', worth)
        found.append(mbd_ros.simulate(
            model, q, np.zeros(model.nv), 0.13, ground=Ground(), step=1e-3, method='contact',
            fluid=Fluid(current=(0.2, 0.0, 0.0)), tau=Held(model, q)))
    coded, plain = found
    assert set(plain.parts) == {'kinetic', 'potential', 'efforts', 'drag', 'ground', 'current',
                                'integrator'}
    for name in ('q', 'v', 'balance'):   # contact makes rounding grow; energies are some 100 J
        np.testing.assert_allclose(getattr(coded, name), getattr(plain, name), atol=1e-8)
    for name, part in plain.parts.items():
        np.testing.assert_allclose(coded.parts[name], part, atol=1e-8, err_msg=name)


@pytest.mark.filterwarnings('ignore::mbd_ros.errors.ContactWarning')
def test_what_is_too_stiff_for_rk4_is_found():
    start = at(0.12), np.zeros(6), 0.05
    soft, hard = ({method: mbd_ros.simulate(ball(k, 50.0), *start, ground=Ground(), method=method)
                   for method in (None, 'rk4', 'contact')} for k in (2000.0, 1e9))
    for name in ('q', 'v', 'balance'):
        np.testing.assert_array_equal(getattr(soft[None], name), getattr(soft['rk4'], name))
        np.testing.assert_array_equal(getattr(hard[None], name), getattr(hard['contact'], name))


@pytest.mark.parametrize('k', [2000.0, 1e7])
def test_steps_beside_a_clock_are_the_same(k):
    model = ball(k, 50.0, 0.5)
    stepper = Stepper(model, at(0.102), step=1e-3, ground=Ground())
    stepper.audits = True
    stepper.advance(np.zeros(6), 0.03)
    run = mbd_ros.simulate(model, at(0.102), np.zeros(6), 0.03, step=1e-3, ground=Ground())
    np.testing.assert_allclose(stepper.q, run.q[-1], rtol=0.0, atol=1e-12)
    for name, part in {**run.parts, 'balance': run.balance}.items():
        np.testing.assert_allclose(stepper.energies[name], part[-1], rtol=0.0, atol=1e-9)
    assert stepper.energies['ground'] != 0.0


def test_gravity_that_changes_on_the_way():
    """And a robot that rests on stiff feet: they carry what it weighs by then."""
    stepper = Stepper(ball(1e7, 1e5), at(0.1), step=1e-3, ground=Ground())
    for gravity in (9.81, 20.0):
        stepper.change_gravity((0.0, 0.0, -gravity))
        stepper.advance(np.zeros(6), 0.5)
        # c / k is 10 ms, fifty of which have gone.
        assert stepper.q[2] == pytest.approx(0.1 - M * gravity / 1e7, abs=1e-9)


@pytest.mark.parametrize('how', [{}, {'ground': Ground(), 'times': [0.1]}])
def test_what_it_is_not_for_is_refused(how):
    with pytest.raises(InvalidValueError, match="method is 'contact'"):
        mbd_ros.simulate(ball(), at(1.0), np.zeros(6), 0.2, method='contact', **how)


@pytest.mark.parametrize('more', [{'times': [0.01, 0.02]}, {'events': [lambda t, q, v: q[2]]},
                                  {'dense': True}])
def test_what_needs_a_variable_step_gets_one(more):
    """Also where feet are too stiff for RK4, and no method is asked for."""
    how = {'ground': Ground(), **more}
    model, v = ball(1e6, 2e3), np.zeros(6)
    found, wanted = (mbd_ros.simulate(model, at(0.1), v, 0.02, method=method, **how)
                     for method in (None, 'radau'))
    np.testing.assert_array_equal(found.q, wanted.q)


def test_points_that_cannot_move_along_the_normal():
    """Slides along a slope: 1 / m is zero but for rounding, below it for some of the angles."""
    for angle in np.radians(np.arange(2.5, 90.0, 2.5)):
        axis = np.array([np.cos(angle), 0.0, np.sin(angle)])
        model = slides([' '.join(map(repr, axis.tolist()))], k=1e6, c=0, mu=0, slip=1)
        normal = (-np.sin(angle), 0.0, np.cos(angle))
        feet = feet_at(compile_model(model, ground=Ground(0.0, normal)), np.zeros(1))
        assert 0.0 <= feet.mobility < 1e-15
        assert feet.shortest[0] > 1.0   # 0.2 / sqrt(k w)


def test_how_easily_points_move(monkeypatch):
    """As by dense Jacobians; and not a line is compiled for it."""
    model, ground = walker(), Ground(-1.0, (0.1, 0.0, -1.0))
    dyn = compile_model(model, ground=ground)
    q = mbd_ros.integrate(model, mbd_ros.neutral(model),
                          0.2 * np.random.default_rng(3).normal(size=model.nv))
    points = mbd_ros.contact_forces(model, q, np.zeros(model.nv), ground).points
    n = np.array(ground.normal)
    found = []
    for place, point in zip(points, model.contacts):
        J = mbd_ros.jacobian(model, q, point.link)
        arm = place - mbd_ros.pose(model, q, point.link)[:3, 3]
        row = n @ J[:3] + np.cross(arm, n) @ J[3:]
        found.append(row @ np.linalg.solve(mbd_ros.mass_matrix(model, q), row))
    monkeypatch.setattr(PreparedDynamics, '_callable', None)
    feet = feet_at(PreparedDynamics(dyn.model, own=tuple(dyn.world_array[3:])), q)
    assert feet.mobility == pytest.approx(np.mean(found), rel=1e-9)


def test_a_state_that_is_refused_changes_nothing(monkeypatch):
    stepper = Stepper(ball(), at(1.0), ground=Ground())

    def refuse(dyn, q):
        raise DivergedError(0.0, 'no')

    monkeypatch.setattr(stepping, 'feet_at', refuse)
    with pytest.raises(DivergedError):
        stepper.set_state(at(2.0), np.ones(6), time=3.0)
    assert (stepper.q[2], stepper.v[2], stepper.time) == (1.0, 0.0, 0.0)


def test_gravity_decides_anew_which_feet_are_stiff():
    """Friction of 2 kg asks for 1.7 ms, that of ten times the weight for a tenth."""
    model, heavy = ball(2000.0, 0.0, 0.5), (0.0, 0.0, -98.1)
    changed = Stepper(model, at(0.1), step=1e-3, ground=Ground())
    changed.change_gravity(heavy)
    born = Stepper(model, at(0.1), step=1e-3, ground=Ground(), gravity=heavy)
    for stepper in (changed, born):
        stepper.advance(np.zeros(6), 0.005)
    np.testing.assert_array_equal(changed.q, born.q)
