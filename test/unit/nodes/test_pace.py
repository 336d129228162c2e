"""Simulated time beside the wall clock."""

import time

import pytest

from mbd_ros.nodes.pace import Pace


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
    pace = Pace(1.0, 0.05)
    assert pace.wait_for(0.5) == 0.0
    assert wall.now == pytest.approx(100.5)


def test_a_factor_scales_the_time(wall):
    pace = Pace(4.0, 0.05)
    pace.wait_for(2.0)
    assert wall.now == pytest.approx(100.5)


def test_factor_zero_never_waits(wall):
    assert Pace(0.0, 0.05).wait_for(1e9) == 0.0
    assert wall.now == 100.0


def test_a_small_lag_is_made_up(wall):
    pace = Pace(1.0, 0.05)
    wall.now += 0.025
    assert pace.wait_for(0.01) == 0.0
    assert pace.given_up == 0.0
    pace.wait_for(1.0)
    assert wall.now == pytest.approx(101.0)


def test_a_large_lag_is_given_up_and_counted(wall):
    pace = Pace(1.0, 0.05)
    wall.now += 3.0
    assert pace.wait_for(1.0) == pytest.approx(2.0)
    assert pace.given_up == pytest.approx(2.0)
    assert pace.wait_for(1.5) == 0.0
    assert wall.now == pytest.approx(103.5)
