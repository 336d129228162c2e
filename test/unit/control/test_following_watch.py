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

"""A robot that does not follow is told from one that is only late."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control.tasks.goal_watch import FollowingWatch

TOLERANCE, PATIENCE, PERIOD = 0.05, 0.5, 0.01
ARM = Path(__file__).resolve().parents[3] / 'urdf' / 'three_link_arm.urdf'


@pytest.fixture
def watch():
    return FollowingWatch(mbd_ros.load(ARM))


def run(watch, errors, begin=0.0):
    """Return what the watch says to one error of joint2 after the other."""
    return [watch.look(begin + PERIOD * k, np.array([0.0, error, 0.01]), TOLERANCE, PATIENCE)
            for k, error in enumerate(errors)]


def test_an_error_that_stays_is_said_after_a_while(watch):
    said = run(watch, [-0.2] * 100)
    assert [bool(text) for text in said].index(True) == 51   # first beyond 0.5 s
    assert all(said[51:])
    assert said[60] == ("the robot does not follow: joint 'joint2' is 0.2 rad or m off the "
                        'nominal model, allowed is 0.05')


def test_short_errors_are_not_said(watch):
    pulses = ([0.2] * 45 + [0.0]) * 10
    assert not any(run(watch, pulses))
    assert not any(run(watch, [0.049] * 300, begin=100.0))


def test_it_follows_again_below_half_of_the_tolerance(watch):
    said = run(watch, [0.2] * 60 + [0.04] * 10 + [0.02] + [0.04] * 10)
    assert all(said[55:70])
    assert len(set(said[55:70])) == 1   # the text stays: it is logged once
    assert not any(said[70:])


@pytest.mark.parametrize('jump', [-100.0, 5.0])
def test_a_gap_or_a_step_back_in_time_begins_anew(watch, jump):
    assert run(watch, [0.2] * 60)[-1]
    assert not any(run(watch, [0.2] * 45, begin=0.6 + jump))


def test_zero_allows_any_error(watch):
    assert not any(watch.look(0.1 * k, np.full(3, 1e6), 0.0, PATIENCE) for k in range(100))


@pytest.mark.parametrize('speed', [0.15, 1.5])
def test_a_robot_that_is_drawn_to_its_path_follows(watch, speed):
    """From 1.5 rad off, as slowly as 0.1 of the tolerance in less than the patience."""
    assert not any(run(watch, np.maximum(1.5 - speed * PERIOD * np.arange(1100), 0.01)))


def test_one_that_stops_on_the_way_does_not(watch):
    said = run(watch, [*np.linspace(1.5, 0.7, 60), *[0.7] * 100])
    assert not any(said[:100])
    assert all(said[115:])


def test_one_that_stands_still_beside_a_path_to_and_fro_does_not(watch):
    """Its error falls, but never below what it was a period ago."""
    said = run(watch, 0.5 + 0.3 * np.sin(2.0 * np.pi * PERIOD * np.arange(400)))
    assert all(said[200:])


def test_random_errors_against_the_definition(watch):
    """Said: some error above the tolerance, none below half of it since, for longer than that."""
    rng = np.random.default_rng(2)
    for begin in range(20):
        levels = rng.choice([0.01, 0.03, 0.2], 30, p=(0.2, 0.3, 0.5))
        errors = list(itertools.chain.from_iterable([level] * 8 for level in levels))
        since, on = None, False
        for k, text in enumerate(run(watch, errors, begin=100.0 * begin)):
            if errors[k] <= (0.5 if on else 1.0) * TOLERANCE:
                since, on = None, False
            else:
                since = k if since is None else since
                on = on or PERIOD * (k - since) > PATIENCE + 1e-9
            assert bool(text) == on, (begin, k)
