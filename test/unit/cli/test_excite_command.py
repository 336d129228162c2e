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


"""A planned motion is within limits, excites the robot, and is a goal of a controller."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

import mbd_ros
from mbd_ros.cli.command import main
from mbd_ros.errors import InvalidValueError, UnsupportedError

URDF = Path(__file__).resolve().parents[3] / 'urdf'
ARM = URDF / 'three_link_arm.urdf'


def test_a_motion_within_limits_identifies_the_robot():
    model = mbd_ros.load(URDF / 'panda.urdf')
    found = mbd_ros.excitation_trajectory(model, period=10.0, candidates=24, rate=100.0)
    assert (found.q >= model.lower).all() and (found.q <= model.upper).all()
    assert (np.abs(found.v) <= model.velocity_limits).all()
    assert (np.abs(found.tau) <= model.effort_limits).all()
    # From rest to rest, up to rounding of sums of sines.
    np.testing.assert_allclose(found.v[[0, -1]], 0.0, atol=1e-9)
    np.testing.assert_allclose(found.qdd[[0, -1]], 0.0, atol=1e-9)
    np.testing.assert_allclose(found.q[0], found.q[-1], atol=1e-9)
    # The derivatives are those of the positions: central differences of 10 ms.
    np.testing.assert_allclose(np.gradient(found.q, found.time, axis=0)[1:-1], found.v[1:-1],
                               atol=2e-3)
    result = mbd_ros.identify(model, found.q, found.v, found.tau, qdd=found.qdd)
    assert result.rank == result.base == 43
    worst = mbd_ros.excitation_trajectory(model, period=10.0, candidates=1)
    assert found.condition < worst.condition


def test_limits_of_effort_make_it_slower_or_smaller():
    model = mbd_ros.load(ARM)
    free = mbd_ros.excitation_trajectory(model, period=4.0, candidates=3)
    needed = np.abs(free.tau).max(axis=0)
    still = np.abs(mbd_ros.gravity_forces(model, free.q)).max(axis=0)
    tight = replace(model, effort_limits=0.5 * needed + 0.7 * still)
    found = mbd_ros.excitation_trajectory(tight, period=4.0, candidates=3)
    # Looked at in 120 states: between them up to a hundredth more.
    assert (np.abs(found.tau) <= 0.81 * tight.effort_limits).all()
    with pytest.raises(UnsupportedError, match='cannot hold itself'):
        mbd_ros.excitation_trajectory(replace(model, effort_limits=np.full(3, 1e-3)),
                                      candidates=2)


def test_the_goal_is_one_of_the_controller(tmp_path, capsys):
    goal = tmp_path / 'goal.yaml'
    assert main(['excite', str(ARM), '-o', str(goal), '--duration', '4', '--candidates', '2']) == 0
    assert 'condition number' in capsys.readouterr().out
    trajectory = yaml.safe_load(goal.read_text())['trajectory']
    model = mbd_ros.load(ARM)
    assert trajectory['joint_names'] == list(model.joint_names)
    stamps = [point['time_from_start']['sec'] + 1e-9 * point['time_from_start']['nanosec']
              for point in trajectory['points']]
    assert stamps[0] == 5.0 and (np.diff(stamps) > 0.0).all()
    assert {len(point['accelerations']) for point in trajectory['points']} == {3}
    assert main(['excite', str(ARM), '-o', str(tmp_path / 'goal.npz'), '--candidates', '1']) == 0
    assert np.load(tmp_path / 'goal.npz')['qdd'].shape == (201, 3)


@pytest.mark.parametrize('words', [
    ('-o', 'goal.txt'), ('--margin', '2'), ('--duration', '0'), ('--harmonics', '1'),
    ('--approach', '0')])
def test_wrong_options_are_one_line(words, capsys):
    assert main(['excite', str(ARM), *words]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_robots_that_cannot_be_excited_so():
    with pytest.raises(UnsupportedError, match='closed loops'):
        mbd_ros.excitation_trajectory(mbd_ros.load(URDF / 'four_bar.urdf'))
    with pytest.raises(InvalidValueError, match='seed'):
        mbd_ros.excitation_trajectory(mbd_ros.load(ARM), seed='x')
