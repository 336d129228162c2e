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

"""Thrusters: closed forms, the actuation matrix against velocities, and what is refused."""

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control.control_step.thrust_allocation import ThrustAllocation
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError
from mbd_ros.simulation.propulsion import Propulsion
from mbd_ros.simulation.stepper import Stepper

MASS, LAG, FORWARD, REVERSE = 2.0, 0.3, 0.02, 0.01
INERTIAL = (f'<inertial><mass value="{MASS}"/><inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0" '
            'ixz="0" iyz="0"/></inertial>')
CURVE = f'<curve forward="{FORWARD}" reverse="{REVERSE}"/>'


def vehicle(*thrusters, arm=''):
    """Return a floating body with thrusters, each (name, origin, axis, more)."""
    pushed = ''.join(f'<mbd:thruster name="{name}"><origin xyz="{origin}"/><axis xyz="{axis}"/>'
                     f'{more}</mbd:thruster>' for name, origin, axis, more in thrusters)
    return mbd_ros.load('<robot name="r" xmlns:mbd="urn:mbd_ros"><link name="hull">'
                        f'{INERTIAL}{pushed}</link>{arm}</robot>', floating_base=True)


ALL_ROUND = [(f'h{k}', f'{0.2 * x} {0.15 * y} 0', f'0.8 {-0.6 * x * y} 0', '')
             for k, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)])] + [
             (f'v{k}', f'{0.1 * x} {0.2 * y} 0', '0 0 1', '')
             for k, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)])]
ARM = (f'<link name="boom">{INERTIAL}<mbd:thruster name="tip"><origin xyz="0.5 0 0"/>'
       '<axis xyz="0 0.6 0.8"/></mbd:thruster></link><joint name="elbow" type="continuous">'
       '<parent link="hull"/><child link="boom"/><origin xyz="0.3 0 0.1" rpy="0.1 0.2 0.3"/>'
       '<axis xyz="0 1 0"/></joint>')


def far(model, seed=3):
    """Return a state anywhere."""
    rng = np.random.default_rng(seed)
    return mbd_ros.random_configuration(model, rng), rng.normal(size=model.nv)


def test_a_body_that_is_pushed_along_its_axis():
    model = vehicle(('jet', '0 0 0', '1 0 0', f'<time_constant value="{LAG}"/>'))
    run = mbd_ros.simulate(model, mbd_ros.neutral(model), np.zeros(6), 1.0, thrust=[6.0],
                           gravity=[0.0, 0.0, 0.0], step=1e-3)
    # The thrust is 6 (1 - e^(-t / T)); RK4 with 1 ms integrates that to rounding.
    expected = 6.0 / MASS * (run.time - LAG * (1.0 - np.exp(-run.time / LAG)))
    np.testing.assert_allclose(run.v[:, 0], expected, atol=1e-12)
    # Simpson's rule with velocities in the middle that are of second order in the step.
    np.testing.assert_allclose(run.parts['thrusters'], run.parts['kinetic'], atol=2e-6)


@pytest.mark.parametrize(('wanted', 'c'), [(8.0, FORWARD), (-4.0, REVERSE)])
def test_a_shaft_approaches_the_speed_that_gives_the_thrust(wanted, c):
    model = vehicle(('jet', '0 0 0', '1 0 0', f'{CURVE}<time_constant value="{LAG}"/>'))
    drive = Propulsion(model.thrusters)
    drive.command([wanted], 0.5)
    speed = np.sign(wanted) * np.sqrt(abs(wanted) / c)
    for t in (0.5, 0.7, 2.0):
        n = speed * (1.0 - np.exp(-(t - 0.5) / LAG))
        np.testing.assert_allclose(drive.speed(t), [n], rtol=1e-14)
        np.testing.assert_allclose(drive.thrust(t), [c * n * abs(n)], rtol=1e-14)
    drive.command([0.0], 2.0)   # it goes on from where it is
    np.testing.assert_allclose(drive.speed(2.0 + LAG), drive.speed(2.0) / np.e, rtol=1e-14)
    drive.stop(3.0)
    assert drive.thrust(3.5) == [0.0]


def test_thrusts_beyond_the_limits_are_cut():
    model = vehicle(('jet', '0 0 0', '1 0 0', '<limit lower="-2" upper="3"/>'))
    drive = Propulsion(model.thrusters)
    for wanted, given in ((9.0, 3.0), (-9.0, -2.0), (1.0, 1.0)):
        drive.command([wanted], 0.0)
        assert drive.thrust(0.0) == [given]


def test_the_actuation_matrix_gives_the_power_of_thrusts():
    """``T . B^T v`` is force times velocity of the place where each pushes."""
    model = vehicle(*ALL_ROUND, arm=ARM)
    q, v = far(model)
    B, h = mbd_ros.thruster_map(model, q), 1e-6
    for k, (one, body) in enumerate(zip(model.thrusters, model.mechanism.thrusters)):
        here, there = (mbd_ros.pose(model, mbd_ros.integrate(model, q, step * v), one.link) @ [
            *body.point, 1.0] for step in (-h, h))
        force = mbd_ros.pose(model, q, one.link)[:3, :3] @ body.axis
        # Central differences of second order with 1e-6.
        assert B[:, k] @ v == pytest.approx(force @ ((there - here) / (2.0 * h))[:3], abs=1e-8)


def test_thrusters_make_the_force_that_is_asked_for():
    model = vehicle(*ALL_ROUND, arm=ARM)
    q, force = far(model)
    for names in ([one.name for one in model.thrusters], [f'{a}{k}' for a in 'hv' for k in
                                                          range(4)]):
        commands = ThrustAllocation(mbd_ros.compile(model), names).commands(q, force)
        efforts, thrust = commands[:model.nv], commands[model.nv:]
        assert not efforts[:6].any() and (thrust[-1] != 0.0) == ('tip' in names)
        np.testing.assert_allclose(efforts + mbd_ros.thruster_map(model, q) @ thrust, force,
                                   atol=1e-12)   # rounding of a solution with 8 unknowns


def test_thrusters_that_leave_a_direction_alone_are_told():
    model = vehicle(*ALL_ROUND[:4])
    found = ThrustAllocation(mbd_ros.compile(model), [one.name for one in model.thrusters])
    assert 'in 3 of six directions: along z, about x, about y (in its axes)' in found.finding
    whole = vehicle(*ALL_ROUND)
    assert ThrustAllocation(mbd_ros.compile(whole), [one.name for one in whole.thrusters]
                            ).finding == ''


def test_the_energy_of_thrusters_is_audited():
    model = vehicle(*ALL_ROUND, arm=ARM)
    q, v = far(model)
    run = mbd_ros.simulate(
        model, q, 0.3 * v, 1.0, tau=0.1 * np.ones(7), gravity=[0.0, 0.0, 0.0],
        thrust=lambda t, q, v: 3.0 * np.sin(7.0 * t + np.arange(9.0)))
    # What is asked of every audit; the steps of held commands are those of the integrator.
    assert np.abs(run.balance).max() < 1e-6 * np.abs(np.diff(run.parts['thrusters'])).sum()


def test_a_stepper_takes_efforts_and_thrusts():
    model = vehicle(('jet', '0 0 0', '1 0 0', '<limit lower="-2" upper="3"/>'))
    stepper = Stepper(model, mbd_ros.neutral(model), gravity=[0.0, 0.0, 0.0])
    commands = stepper.within_limits(np.array([0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 8.0]))
    np.testing.assert_array_equal(commands, [0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 3.0])
    stepper.advance(commands, 0.5)
    np.testing.assert_allclose(stepper.v[:2], [0.75, 1.0], rtol=1e-12)
    with pytest.raises(ShapeError, match=r'\(7,\)'):
        stepper.advance(np.zeros(6), 0.1)


@pytest.mark.parametrize(('thrust', 'error', 'message'), [
    ([1.0, 2.0], ShapeError, r'thrust has shape \(2,\); allowed: \(1,\): jet'),
    ([np.nan], NotFiniteError, "thruster 'jet'"),
    ('much', ShapeError, r'\(1,\): jet')])
def test_wrong_thrusts_are_refused(thrust, error, message):
    model = vehicle(('jet', '0 0 0', '1 0 0', ''))
    with pytest.raises(error, match=message):
        mbd_ros.simulate(model, mbd_ros.neutral(model), np.zeros(6), 0.1, thrust=thrust)


def test_variable_steps_take_constant_thrusts():
    model = vehicle(('jet', '0 0 0', '1 0 0', f'{CURVE}<time_constant value="{LAG}"/>'))
    run, same = (mbd_ros.simulate(model, mbd_ros.neutral(model), np.zeros(6), 0.5, thrust=[6.0],
                                  method=method, rtol=1e-9) for method in ('dop853', 'rk4'))
    np.testing.assert_allclose(run.v[-1], same.v[-1], atol=1e-8)   # their tolerance
    with pytest.raises(InvalidValueError, match='constant thrusts with variable steps'):
        mbd_ros.simulate(model, mbd_ros.neutral(model), np.zeros(6), 0.5, method='dop853',
                         thrust=lambda t, q, v: [1.0])
