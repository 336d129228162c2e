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

"""Simulated time beside the wall clock."""

import time

import pytest

from mbd_ros.nodes.simulating.real_time_factor import RealTimeFactor


class Wall:
    """A clock that only moves when somebody sleeps or the test says so."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def wall(monkeypatch):
    clock = Wall()
    monkeypatch.setattr(time, 'monotonic', clock.monotonic)
    monkeypatch.setattr(time, 'sleep', clock.sleep)
    return clock


def test_it_waits_for_the_instant(wall):
    pace = RealTimeFactor(1.0, 0.05)
    assert pace.wait_for(0.5) == 0.0
    assert wall.now == pytest.approx(100.5)


def test_a_factor_scales_the_time(wall):
    pace = RealTimeFactor(4.0, 0.05)
    pace.wait_for(2.0)
    assert wall.now == pytest.approx(100.5)


def test_factor_zero_never_waits(wall):
    assert RealTimeFactor(0.0, 0.05).wait_for(1e9) == 0.0
    assert wall.now == 100.0


def test_a_small_lag_is_made_up(wall):
    pace = RealTimeFactor(1.0, 0.05)
    wall.now += 0.025
    assert pace.wait_for(0.01) == 0.0
    assert pace.given_up == 0.0
    pace.wait_for(1.0)
    assert wall.now == pytest.approx(101.0)


def test_a_large_lag_is_given_up_and_counted(wall):
    pace = RealTimeFactor(1.0, 0.05)
    wall.now += 3.0
    assert pace.wait_for(1.0) == pytest.approx(2.0)
    assert pace.given_up == pytest.approx(2.0)
    assert pace.wait_for(1.5) == 0.0
    assert wall.now == pytest.approx(103.5)


@pytest.mark.parametrize('factor', [0.5, 1.0, 4.0])
@pytest.mark.parametrize(('late', 'given_up'), [
    (0.0, 0.0), (0.0499, 0.0), (0.0501, 0.0501), (0.5, 0.5)])
def test_the_lag_that_is_given_up_is_that_behind_the_wall(wall, factor, late, given_up):
    """Whether it is made up is decided by seconds of the wall, whatever the factor."""
    pace = RealTimeFactor(factor, 0.05)
    wall.now += 1.0 / factor + late
    assert pace.wait_for(1.0) == pytest.approx(given_up)
    assert pace.given_up == pytest.approx(given_up)
    pace.wait_for(2.0)   # beside the wall again, or as much later as was given up
    assert wall.now == pytest.approx(100.0 + 2.0 / factor + given_up)


def test_lags_that_were_given_up_are_added(wall):
    pace = RealTimeFactor(1.0, 0.05)
    wall.now += 1.25
    pace.wait_for(1.0)
    wall.now += 1.5
    assert pace.wait_for(2.0) == pytest.approx(0.5)
    assert pace.given_up == pytest.approx(0.75)


def test_a_lag_of_just_the_largest_is_given_up(wall):
    pace = RealTimeFactor(1.0, 0.5)   # halves: no rounding
    wall.now += 1.5
    assert pace.wait_for(1.0) == 0.5
    assert pace.given_up == 0.5
