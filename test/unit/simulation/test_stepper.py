"""How many integration steps lie between published states."""

import pytest

from mbd_ros.simulation.stepper import whole_steps


@pytest.mark.parametrize(('rate', 'publish_rate', 'step', 'steps'), [
    (1000.0, 500.0, 1_000_000, 2), (1000.0, 1000.0, 1_000_000, 1), (1000.0, 400.0, 833_333, 3),
    (1000.0, 300.0, 833_333, 4), (100.0, 500.0, 2_000_000, 1), (0.3, 0.1, 3_333_333_333, 3)])
def test_states_are_published_as_often_as_asked(rate, publish_rate, step, steps):
    assert whole_steps(rate, publish_rate) == (step, steps)
    assert steps * step == pytest.approx(1e9 / publish_rate, abs=steps)  # rounded to nanoseconds
