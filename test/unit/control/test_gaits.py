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

"""Rhythms of legs against the numbers of the quadruped's walk, and what their data refuse."""

from fractions import Fraction
import math
from pathlib import Path

import numpy as np
import pytest
from swimmers import WALK
import yaml

import mbd_ros
from mbd_ros.control.gaits.gait import Gait, gait_from_data, GaitControl, Leg, Swing
from mbd_ros.control.gaits.rhythm import duty_phase, Oscillators
from mbd_ros.errors import InvalidValueError, MbdError

ROOT = Path(__file__).parents[3]
CRAWL = yaml.safe_load((ROOT / 'config/gaits/crawl.yaml').read_text())
ARM = mbd_ros.load('<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>'
                   '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
                   '<joint name="hip" type="continuous"><parent link="a"/><child link="b"/>'
                   '</joint></robot>')


def test_the_network_of_the_reference():
    data = WALK['hopf_network']
    # A duty factor of a half makes stance and swing equally fast: w = pi / (0.5 T).
    legs = Oscillators(tuple(data['phi']), 2.0 * np.pi / data['omega'], amplitude=data['mu'],
                       attraction=data['alpha'], coupling=data['k'])
    z = np.array([size * np.exp(1j * angle) for size, angle in data['z0_abs_arg']])
    time = 0.0
    for t, sizes, phases in zip(data['t'], data['abs'], data['phase_minus_phase_of_1']):
        while time < t - 1e-9:
            z, time = legs.step(z, 2e-3), time + 2e-3
        # Two integrators: RK4 with 2 ms is exact to 1e-9 here, the stored one to its tolerance.
        np.testing.assert_allclose(np.abs(z), sizes, atol=1e-7)
        np.testing.assert_allclose(np.exp(1j * (np.angle(z) - np.angle(z[0]))),
                                   np.exp(1j * np.array(phases)), atol=1e-7)


def test_a_steep_oscillator_stands_and_swings_as_long_as_the_closed_form():
    gait, step, times = gait_from_data(CRAWL), 1e-4, []
    leg = Oscillators((0.0,), gait.period, gait.duty, steepness=2000.0)
    z = np.array([np.exp(0.01j)])
    for k in range(round(2.0 * gait.period / step)):
        previous, z = z, leg.step(z, step)
        if previous.imag[0] * z.imag[0] < 0.0:   # it leaves or reaches the ground
            times.append(k * step)
    # To the steps that are counted, and to the change of frequency within 1 / b of the axis.
    np.testing.assert_allclose(np.diff(times), [0.5, 1.5, 0.5], atol=5e-3)


def test_a_network_can_start_on_the_cycle_of_its_gait():
    gait = gait_from_data({**CRAWL, 'duty': 0.5})
    legs = gait.oscillators
    found = legs.leg_phase(np.exp(1j * np.array(legs.phases)))
    expected = duty_phase(np.array([leg.phase for leg in gait.legs.values()]), 2.0, 0.5)
    np.testing.assert_allclose(found.angle, expected.angle, atol=1e-14)
    np.testing.assert_allclose(found.rate, expected.rate, rtol=1e-14)


@pytest.mark.parametrize('t', [0.0, 0.31, 0.999, 1.0, 1.7, 5.26])
def test_the_closed_form_and_its_rates(t):
    parameters, gait = WALK['parameters'], gait_from_data(CRAWL)
    targets, h = gait.targets(t), 1e-6
    s = 0.5 * (1.0 - np.cos(np.pi * t)) if t < 1.0 else 1.0
    for k, (hip, knee) in enumerate((('s4', 's5'), ('s8', 's9'), ('s2', 's3'), ('s6', 's7'))):
        assert targets.joints[2 * k:2 * k + 2] == (
            f'{hip}/top', f'{knee}/top')
        c = (t / parameters['period'] + parameters['phases'][hip]) % 1.0
        duty = parameters['duty']
        f = np.pi * c / duty if c < duty else np.pi + np.pi * (c - duty) / (1.0 - duty)
        lift = 0.0 if c < duty else np.sin(f - np.pi) ** 2
        np.testing.assert_allclose(targets.positions[2 * k:2 * k + 2], [
            parameters['hip0'] + s * parameters['hip_amp'] * np.cos(f),
            parameters['knee0'] - s * parameters['knee_amp'] * lift], atol=1e-14)
    if t not in (0.0, 1.0):   # where the ramp begins and ends rates have kinks
        rates = (gait.targets(t + h).positions - gait.targets(t - h).positions) / (2.0 * h)
        np.testing.assert_allclose(targets.rates, rates, atol=1e-8)   # differences: h^2, 1e-16 / h


def test_efforts_towards_targets():
    gait = Gait(1.0, 0.5, {'only': Leg(0.0, Swing('hip', 0.2, 0.1))})
    control = GaitControl(ARM, gait, 3.0, 2.0)
    # cos(0) = 1, and it does not move there.
    np.testing.assert_allclose(control(0.0, np.array([0.1]), np.array([0.5])),
                               [3.0 * (0.3 - 0.1) - 2.0 * 0.5], rtol=1e-14)


LEG = {'phase': 0.0, 'swing': {'joint': 'hip', 'amplitude': 0.1}}


@pytest.mark.parametrize(('data', 'message'), [
    ({**CRAWL, 'speed': 1}, "no key of gait named 'speed'; known: period, duty, legs, ramp"),
    ({'period': 1.0, 'legs': {}}, r"gait is \['period', 'legs'\]; allowed: with duty"),
    ({**CRAWL, 'period': 0}, 'period is 0; allowed: a positive number'),
    ({**CRAWL, 'duty': 1}, 'duty is 1.0; allowed: a number between 0 and 1'),
    ({**CRAWL, 'ramp': -1}, 'ramp is -1; allowed: a number not below zero'),
    ({**CRAWL, 'legs': {}}, 'legs is {}; allowed: one leg at least'),
    ({**CRAWL, 'legs': {'a': {**LEG, 'phase': 'x'}}}, "phase of leg 'a' is 'x'; allowed"),
    ({**CRAWL, 'legs': {'a': {'phase': 0}}}, "leg 'a' is .*; allowed: with swing"),
    ({**CRAWL, 'legs': {'a': LEG, 'b': LEG}}, "legs is .*joint 'hip' twice"),
])
def test_bad_data_is_refused(data, message):
    with pytest.raises(MbdError, match=message):
        gait_from_data(data)


def test_a_gait_for_another_robot_is_refused():
    with pytest.raises(MbdError, match="no joint named 's4/top'"):
        GaitControl(ARM, gait_from_data(CRAWL), 1.0, 1.0)
    with pytest.raises(InvalidValueError, match='kp is -1'):
        GaitControl(ARM, gait_from_data({**CRAWL, 'legs': {'a': LEG}}), -1.0, 1.0)


@pytest.mark.parametrize('legs', [
    {'l': 'abc'}, {'l': None}, {'l': Leg(0.0, 'abc')}, {'l': Leg(math.nan, Swing('j'))},
    {'l': Leg(0.0, Swing('j', rest=math.inf))}, {'l': Leg(0.0, Swing('j'), Swing('k', 0.0, '1'))}])
def test_legs_that_are_none(legs):
    with pytest.raises(InvalidValueError, match=r"leg 'l'|joint '[jk]'"):
        Gait(1.0, 0.5, legs)


def test_numbers_of_any_kind_and_legs_that_change_later():
    legs = {'l': Leg(Fraction(1, 4), Swing('j', 0, Fraction(1, 2)))}
    one = Gait(Fraction(1, 2), Fraction(1, 2), legs, ramp=Fraction(1, 2))
    other = Gait(0.5, 0.5, {'l': Leg(0.25, Swing('j', 0.0, 0.5))}, ramp=0.5)
    legs['x'] = Leg(0.0, Swing('k'))
    for t in (0.0, 0.1, 7.0):
        for a, b in zip(one.targets(t), other.targets(t)):
            np.testing.assert_array_equal(a, b)
