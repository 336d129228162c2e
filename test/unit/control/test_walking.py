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

"""Rhythms that go on while their gait changes."""

from pathlib import Path

import numpy as np
import pytest
import yaml

import mbd_ros
from mbd_ros.control import gait_from_data
from mbd_ros.control.gaits.walking import tuned, Walking
from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.simulation.stepper import Stepper

ROOT = Path(__file__).resolve().parents[3]
QUADRUPED = mbd_ros.load(ROOT / 'config' / 'modules' / 'quadruped.yaml')
Q, V = mbd_ros.neutral(QUADRUPED), np.zeros(QUADRUPED.nv)


def gait(name):
    return gait_from_data(yaml.safe_load((ROOT / f'config/gaits/{name}.yaml').read_text()))


@pytest.mark.parametrize(('name', 'robot'), [
    ('crawl', 'quadruped'), ('trot', 'quadruped'), ('swim', 'nine_modules')])
def test_shipped_gaits_move_joints_of_shipped_robots(name, robot):
    model = mbd_ros.load(ROOT / 'config' / 'modules' / f'{robot}.yaml')
    targets, efforts = Walking(model, gait(name), 10.0, 1.0, 0.2).step(
        0.0, mbd_ros.neutral(model), np.zeros(model.nv))
    assert set(targets.joints) <= set(model.joint_names)
    assert efforts.shape == (model.nv,) and not efforts[:6].any()


def phases(walking, seconds, begin=0.0, step=4e-3):
    """Let time pass and return the shares of the cycle by which legs follow the first, [0, 1)."""
    for k in range(round(seconds / step) + 1):
        walking.step(begin + k * step, Q, V)
    z = walking._z
    assert np.abs(np.abs(z) - 1.0).max() < 0.05   # on the cycle
    return np.mod(np.angle(z / z[0]) / (2.0 * np.pi), 1.0)


def test_legs_move_to_the_phases_of_another_gait():
    equal = [tuned(gait(name), duty=0.5) for name in ('crawl', 'trot')]
    walking = Walking(QUADRUPED, equal[0], 10.0, 1.0, 1.0)
    np.testing.assert_allclose(phases(walking, 4.0), [0.0, 0.25, 0.5, 0.75], atol=1e-6)
    before = walking.step(4.004, Q, V)[0]
    walking.change(equal[1], 10.0, 1.0, 1.0)
    after = walking.step(4.008, Q, V)[0]
    assert np.abs(after.positions - before.positions).max() < 0.05   # rad; no jump
    found = phases(walking, 20.0, 4.012)
    # Unequal by the steepness with which stance and swing change; attraction over 20 s.
    np.testing.assert_allclose(np.abs(np.exp(2j * np.pi * (found - [0, 0.5, 0.5, 0])) - 1.0), 0.0,
                               atol=1e-3)


def test_a_period_changes_without_a_jump():
    walking = Walking(QUADRUPED, gait('crawl'), 10.0, 1.0, 0.2)
    phases(walking, 2.0)
    before = walking.step(2.004, Q, V)[0]
    walking.change(tuned(gait('crawl'), period=4.0), 10.0, 1.0, 0.2)
    after = walking.step(2.008, Q, V)[0]
    assert np.abs(after.positions - before.positions).max() < 0.02
    later = walking.step(3.0, Q, V)[0]   # when it has gone over
    assert np.abs(later.rates).max() < 0.6 * np.abs(before.rates).max()


def test_numbers_of_a_gait():
    twice = tuned(gait('crawl'), period=3.0, amplitude=2.0)
    assert (twice.period, twice.duty) == (3.0, 0.75)
    assert twice.legs['rear_left'].swing.amplitude == 0.3
    with pytest.raises(InvalidValueError, match='duty'):
        tuned(gait('crawl'), duty=1.5)
    with pytest.raises(UnknownNameError, match="no joint named 's1/yaw'"):
        Walking(QUADRUPED, gait('swim'), 1.0, 1.0, 0.2)


def test_the_quadruped_walks_by_its_oscillators():
    """As far in the second cycle as by the closed form, 0.46 m, but for what coupling bends."""
    walking = Walking(QUADRUPED, gait('crawl'), 2000.0, 120.0, 0.2)
    q = mbd_ros.neutral(QUADRUPED)
    start = gait('crawl').targets(0.0)
    for name, position in zip(start.joints, start.positions):
        q[QUADRUPED.q_offsets[QUADRUPED.joint_index(name)]] = position
    robot = Stepper(QUADRUPED, q, ground=mbd_ros.Ground())
    for k in range(1500):
        robot.advance(robot.within_limits(walking.step(robot.time, robot.q, robot.v)[1]), 4e-3)
        if k == 500:
            begin = robot.q[0]
    assert 0.6 < robot.q[0] - begin < 0.9   # two cycles
    assert abs(robot.q[2]) < 0.05           # and it stands
