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


"""Sensors and drives that are not ideal."""

import numpy as np
import pytest
from robots import model_of, random_state

from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.simulation.hardware import Drives, Hardware, Sensors, stand_in

PERIOD = 0.002


@pytest.fixture(scope='module')
def model():
    return model_of([0, 1, 2], ['floating', 'revolute', 'prismatic'], 3)


def moving(model):
    """Return the state at a time: joints turn evenly."""
    q0, _, _ = random_state(model, 1)

    def at(time):
        q, v = q0.copy(), np.zeros(model.nv)
        q[-2:] += time * np.array([1.0, -0.5])
        v[-2:] = 1.0, -0.5
        return q, v
    return at


def test_ideal_hardware_is_none_at_all(model):
    assert stand_in(model, Hardware()) == (None, None)
    sensors, drives = stand_in(model, Hardware(effort_resolution=0.1))
    assert sensors is None and isinstance(drives, Drives)
    sensors, drives = stand_in(model, Hardware(state_delay=0.1))
    assert drives is None and isinstance(sensors, Sensors)


def test_encoders_have_steps_and_velocities_are_their_differences(model):
    at, step = moving(model), 2.0 ** -10
    sensors = Sensors(model, Hardware(encoder_resolution=step, velocity_from_differences=True))
    before = None
    for k in range(20):
        true = at(k * PERIOD)
        q, v = sensors.measure(k * PERIOD, *true)
        assert np.array_equal(q[:-2], true[0][:-2])   # the base has no encoder
        assert np.array_equal(q[-2:] / step, np.rint(q[-2:] / step))
        assert np.abs(q - true[0]).max() <= step / 2
        if before is not None:   # rounding of the quotient
            assert v[-2:] == pytest.approx((q[-2:] - before) / PERIOD, rel=1e-9, abs=1e-12)
        before = q[-2:]
        assert sensors.measure(k * PERIOD, *true)[0].tolist() == q.tolist()   # it comes again


def test_noise_has_its_deviation_and_its_seed(model):
    at = moving(model)

    def measured(seed):
        sensors = Sensors(model, Hardware(position_noise=1e-3, seed=seed))
        return np.array([sensors.measure(k * PERIOD, *at(0.0))[0] for k in range(2000)])
    noise = measured(3)[:, -2:] - at(0.0)[0][-2:]
    # 4,000 numbers: the deviation of their deviation is 1.1 %, that of their mean 1.6e-5.
    assert noise.std() == pytest.approx(1e-3, rel=0.05)
    assert abs(noise.mean()) < 8e-5
    assert np.array_equal(measured(3), measured(3))
    assert not np.array_equal(measured(3), measured(4))


@pytest.mark.parametrize(('delay', 'jitter'), [(0.005, 0.0), (0.003, 0.02), (0.0, 0.004)])
def test_states_are_late_and_do_not_overtake_one_another(model, delay, jitter):
    at = moving(model)
    sensors = Sensors(model, Hardware(state_delay=delay, state_jitter=jitter))
    ages, seen = [], []
    for k in range(500):
        q, _ = sensors.measure(k * PERIOD, *at(k * PERIOD))
        seen.append(q[-2] - at(0.0)[0][-2])   # when that was: the joint turns by 1 rad/s
        ages.append(k * PERIOD - seen[-1])
    late = ages[50:]
    assert min(late) >= delay - 1e-12
    assert max(late) <= delay + jitter + 1e-12
    assert (np.diff(seen) >= -1e-12).all()
    if not jitter:
        assert late == pytest.approx([delay] * len(late), abs=1e-12)


def test_a_sensor_that_freezes_says_what_it_said(model):
    at, name = moving(model), model.joint_names[-1]
    sensors = Sensors(model, Hardware(frozen_sensors=(name,)))
    first = sensors.measure(0.0, *at(0.0))
    q, v = sensors.measure(0.5, *at(0.5))
    assert (q[-1], v[-1]) == (first[0][-1], first[1][-1])
    assert q[-2] == at(0.5)[0][-2]
    with pytest.raises(UnknownNameError, match=r"no joint named 'elbow'"):
        Sensors(model, Hardware(frozen_sensors=('elbow',)))


def test_after_time_went_back_nothing_of_before_is_said(model):
    at = moving(model)
    sensors = Sensors(model, Hardware(state_delay=0.1))
    sensors.measure(5.0, *at(5.0))
    assert np.array_equal(sensors.measure(1.0, *at(1.0))[0], at(1.0)[0])


def test_commands_act_late_in_steps_and_in_their_order():
    drives = Drives(Hardware(command_delay=0.005, effort_resolution=0.5))
    assert drives.act(0.0, np.array([1.3])).tolist() == [1.5]   # the first one
    later = np.array([-2.2])
    acting = [drives.act(0.001 * k, later).item() for k in range(1, 10)]
    assert acting == [1.5] * 5 + [-2.0] * 4   # from 0.006 s on
    drives.release()
    assert drives.act(0.02, np.array([7.1])).tolist() == [7.0]

    drives = Drives(Hardware(command_jitter=0.02))
    numbers = [drives.act(0.001 * k, np.array([float(k)])).item() for k in range(300)]
    assert numbers == sorted(numbers) and len(set(numbers)) > 20
    assert max(k - number for k, number in enumerate(numbers)) <= 20


@pytest.mark.parametrize('name', ['state_delay', 'position_noise', 'effort_resolution'])
@pytest.mark.parametrize('value', [-1.0, float('nan'), float('inf')])
def test_what_is_no_amount_is_refused(name, value):
    with pytest.raises(InvalidValueError, match=rf'{name} is .*a number not below zero'):
        Hardware(**{name: value})
