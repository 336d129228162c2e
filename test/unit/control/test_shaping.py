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

"""Input shaping: against an oscillator, and against its own definition."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
import scipy

from mbd_ros.control import trajectory
from mbd_ros.control.references.shaping import begins_at_rest, impulses, MOST_PIECES, shaped
from mbd_ros.errors import InvalidValueError


def slew(points=2):
    """Return a path of two joints through points, from rest to rest."""
    rng = np.random.default_rng(points)
    return trajectory(np.linspace(0.0, 0.7, points), rng.normal(size=(points, 2)))


def residual(path, frequency, damping, end):
    """Return the amplitude of velocity of an oscillator on a path, at a time after its end."""
    rate = 2.0 * np.pi * frequency

    def rates(t, x):
        return [x[1], -2.0 * damping * rate * x[1] - rate ** 2 * x[0]
                - path.at(t).acceleration[0]]
    state = np.zeros(2)
    knots = [*path.times, end]   # the acceleration jumps there
    for first, last in pairwise(knots):
        state = scipy.integrate.solve_ivp(
            rates, (first + 1e-13, last - 1e-13), state, method='DOP853', rtol=1e-10,
            atol=1e-13).y[:, -1]
    return float(np.hypot(rate * state[0], state[1]))


@pytest.mark.parametrize('robust', [False, True])
@pytest.mark.parametrize('damping', [0.0, 0.1])
def test_no_vibration_is_left(robust, damping):
    path = slew()
    new = shaped(path, impulses([3.0], damping, robust=robust))
    end = new.times[-1] + 0.01
    before, after = (residual(one, 3.0, damping, end) for one in (path, new))
    assert after < 1e-6 * before   # the tolerance of the integration, over some periods


def test_two_frequencies_and_one_that_is_off():
    path = slew()
    new = shaped(path, impulses([3.0, 14.5]))
    end = new.times[-1] + 0.01
    for frequency in (3.0, 14.5):
        assert residual(new, frequency, 0.0, end) < 1e-6 * residual(path, frequency, 0.0, end)
    # In closed form: what is left of a frequency off by a tenth is cos(pi r / 2), and its square.
    error = abs(np.cos(0.5 * np.pi * 1.1))
    for robust, left in ((True, error ** 2), (False, error)):
        new = shaped(path, impulses([3.0], robust=robust))
        # Undamped, the amplitude stays, so that both can be taken at one time.
        assert residual(new, 3.3, 0.0, 2.0) == pytest.approx(
            left * residual(path, 3.3, 0.0, 2.0), rel=1e-5)


@settings(max_examples=40, deadline=None)
@given(points=st.integers(2, 6), frequency=st.floats(0.5, 50.0), damping=st.floats(0.0, 0.9),
       robust=st.booleans(), time=st.floats(-0.5, 4.0))
def test_a_shaped_path_is_the_sum_of_its_copies(points, frequency, damping, robust, time):
    path = slew(points)
    by = impulses([frequency], damping, robust=robust)
    new = shaped(path, by)
    assert by.delays[0] == 0.0 and by.weights.min() > 0.0
    assert by.weights.sum() == pytest.approx(1.0, abs=1e-15)
    assert (new.begin, new.times[-1]) == (path.begin, pytest.approx(0.7 + by.delays[-1]))
    expected = sum(weight * path.at(time - delay).position
                   for delay, weight in zip(by.delays, by.weights))
    # Rounding of polynomials about other times, with coefficients of some 1e4.
    np.testing.assert_allclose(new.at(time).position, expected, atol=1e-10)
    if np.abs(np.array(new.times) - time).min() > 1e-6:   # accelerations jump there
        for order in (1, 2):
            rate = sum(weight * path.at(time - delay)[order]
                       for delay, weight in zip(by.delays, by.weights))
            np.testing.assert_allclose(new.at(time)[order], rate, atol=1e-8)


def test_copies_that_meet_make_no_empty_pieces():
    path = trajectory([0.0, 0.5, 1.0], [[0.0], [1.0], [0.5]])
    new = shaped(path, impulses([1.0]))   # delays of half a second, as the points
    np.testing.assert_allclose(new.times, [0.0, 0.5, 1.0, 1.5, 2.0], rtol=1e-15)


def test_what_is_refused():
    moving = trajectory([0.0, 1.0], [[0.0], [1.0]], [[0.5], [0.0]])
    by = impulses([2.0])
    assert not begins_at_rest(moving) and begins_at_rest(slew())
    with pytest.raises(InvalidValueError, match='begins at rest'):
        shaped(moving, by)
    count = MOST_PIECES // 9
    long = trajectory(np.arange(count + 1), np.zeros((count + 1, 1)))
    with pytest.raises(InvalidValueError, match=f'at most {count}, if it is to be shaped by 3'):
        shaped(long, by)
    for wrong in ([], [0.0], [-1.0], [np.nan], [np.inf], [1.0] * 4):
        with pytest.raises(InvalidValueError, match='1 to 3 numbers of more than 0 Hz'):
            impulses(wrong)
    for wrong in (-0.1, 1.0, np.nan):
        with pytest.raises(InvalidValueError, match='from 0 to less than 1'):
            impulses([1.0], wrong)
