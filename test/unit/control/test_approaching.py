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

"""How long a planned approach takes, in closed form, and how it is gone through before."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from sliders import sliders

from mbd_ros.control import (
    ConstrainedMotion, DirectElimination, JointCoupling, NominalModel, PostureSpring, Task)
from mbd_ros.control.constraints.approach import Approach
from mbd_ros.control.tasks.approaching import approach_duration, approached
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import DivergedError, InfeasibleError

SPEED = 1.0


def needed(way, change, acceleration, top):
    """Return what a quintic over a way takes, and a change of velocity at half of its rate."""
    # Of s = 10 t^3 - 15 t^4 + 6 t^5: s' = 15/8 at 1/2, s'' = 10/sqrt(3) at 1/2 - 1/sqrt(12).
    return max(15 / 8 * way / top, math.sqrt(5.774 * way / acceleration),
               2.0 * change / min(acceleration, 10.0 * top))


def test_the_hardest_moment_of_a_quintic():
    assert 10.0 / math.sqrt(3.0) == pytest.approx(5.774, abs=1e-3)


@pytest.mark.parametrize(('mass', 'way', 'v', 'velocity', 'axis'), [
    (2.0, 0.5, 0.0, 3.0, '1 0 0'),     # the top speed of the task decides
    (2.0, 0.5, 0.0, 0.4, '1 0 0'),     # half of the limit of the joint
    (300.0, 0.5, 0.0, 3.0, '1 0 0'),   # half of the effort
    (2.0, 0.01, 3.0, 3.0, '1 0 0'),    # to change the velocity, ten times the top in a second
    (300.0, 0.01, 1.0, 3.0, '1 0 0'),  # by half of the effort
    (3.0, 0.5, 0.0, 30.0, '0 0 1'),    # beside the weight
    (4.0, 0.5, 0.0, 30.0, '0 0 1'),    # of which a twentieth of the limit is left
])
def test_the_time_of_one_joint(mass, way, v, velocity, axis):
    dyn, effort = sliders(mass, velocity=velocity, axis=axis), 40.0
    motion = ConstrainedMotion(dyn, JointCoupling(dyn.model, {'j0': 1.0}, way))
    weight = 9.81 * mass if axis == '0 0 1' else 0.0
    spare = max(0.5 * (effort - weight), 0.05 * effort)
    expected = needed(way, abs(v), spare / mass, min(SPEED, 0.5 * velocity))
    assert expected > 0.05
    found = approach_duration(motion, np.zeros(1), np.array([v]), 0.0, speed=SPEED)
    assert found == pytest.approx(expected, rel=1e-12)
    longer = approach_duration(
        motion, np.zeros(1), np.array([v]), 0.0, speed=SPEED, at_least=99.0)
    assert longer == 99.0


@pytest.mark.parametrize(('way', 'v', 'expected'), [
    (0.0, 0.0, 0.0), (0.9e-9, 0.0, 0.0), (0.0, 0.9e-9, 0.0), (1.1e-9, 0.0, 0.05),
    (0.0, 1.1e-9, 0.05)])
def test_no_approach_is_shorter_than_a_twentieth_of_a_second_but_none(way, v, expected):
    dyn = sliders(1.0)
    motion = ConstrainedMotion(dyn, JointCoupling(dyn.model, {'j0': 1.0}, way))
    assert approach_duration(motion, np.zeros(1), np.array([v]), 0.0, speed=SPEED) == expected


@pytest.mark.parametrize('way', [0.2, 0.4, 0.9, 3.0])
@pytest.mark.parametrize('heavy', [1e3, 1e5])
def test_a_light_joint_goes_first_where_a_second_is_enough(way, heavy):
    """``q0 + q1 = way``: the force moves the light one, the Euclidean nearest state halves it."""
    dyn = sliders(1.0, heavy, effort=1e9, velocity=100.0)
    motion = ConstrainedMotion(dyn, JointCoupling(dyn.model, {'j0': 1.0, 'j1': 1.0}, way),
                               elimination=DirectElimination('euclidean'))
    at_once = 15 / 8 * way * heavy / (1.0 + heavy) / SPEED
    shared = 15 / 8 * 0.5 * way / SPEED
    found = approach_duration(motion, np.zeros(2), np.zeros(2), 0.0, speed=SPEED)
    assert found == pytest.approx(max(shared, min(at_once, 1.0)), rel=1e-12)


@pytest.mark.parametrize('rate', [3.0, 7.0])
def test_a_light_joint_changes_its_velocity_first(rate):
    """From a state on the constraint that moves off it: by ten times the top in a second."""
    dyn = sliders(1.0, 1e4, effort=1e9, velocity=100.0)
    motion = ConstrainedMotion(dyn, JointCoupling(dyn.model, {'j0': 1.0, 'j1': 1.0}),
                               elimination=DirectElimination('euclidean'))
    at_once, shared = (2.0 * part * rate / (10.0 * SPEED) for part in (1e4 / 10001.0, 0.5))
    found = approach_duration(motion, np.zeros(2), np.array([rate, 0.0]), 0.0, speed=SPEED)
    assert found == pytest.approx(max(shared, min(at_once, 1.0)), rel=1e-12)


@pytest.mark.parametrize(('posture', 'duration', 'lead'), [
    (0.0, 0.5, 0.5), (0.4, 0.5, 0.75), (0.4, 2.0, 2.0), (0.0, 0.0, 0.05)])
def test_springs_set_out_with_an_approach(posture, duration, lead):
    """And take their own way at the speed of the task, at half the limit of the joint."""
    for speed, velocity in ((SPEED, 9.0), (9.0, 2.0)):
        dyn = sliders(1.0, velocity=velocity)
        spring = PostureSpring(dyn, [posture])
        motion = ConstrainedMotion(dyn, JointCoupling(dyn.model, {'j0': 1.0}, 0.2),
                                   applied=spring)
        found = approached(motion, np.zeros(1), np.zeros(1), 0.3, duration, speed=speed)
        assert spring._lead[1:] == (0.3, pytest.approx(lead, rel=1e-12))
        assert spring._lead[0].tolist() == [0.0]
        assert (found is motion) == (duration == 0.0)
        if duration:
            assert isinstance(found.constraint, Approach)
            assert (found.constraint.begin, found.constraint.duration) == (0.3, duration)
            assert found.applied is spring
            assert found.elimination is motion.elimination


class Gone(NominalModel):
    """A nominal model that goes as it is told."""

    def __init__(self, states):
        self.states, self.times = states, []

    def advance_to(self, time):
        self.times.append(time)
        q, v = self.states(time)
        return SimpleNamespace(q=np.array([q]), v=np.array([v]))


@pytest.fixture
def tracker():
    return Tracker(sliders(1.0), Task(), np.zeros(1), np.zeros(1))


@pytest.mark.parametrize(('duration', 'count'), [(0.105, 10), (3.0, 299), (20.0, 1999),
                                                 (25.0, 1999)])
def test_an_approach_is_gone_through_in_steps_of_ten_milliseconds(tracker, duration, count):
    """Twenty seconds of it at most."""
    tracker._source = source = Gone(lambda time: (0.0, 0.0))
    tracker.check_ahead(duration, 0.0, effort=False)
    assert len(source.times) == count
    np.testing.assert_allclose(source.times, 0.01 * np.arange(1, count + 1) - duration, rtol=0,
                               atol=1e-12)   # rounding of sums of steps


def test_an_approach_may_begin_beyond_a_limit_if_it_leads_back(tracker):
    tracker._source = Gone(lambda time: (5.2, -0.1))
    tracker.check_ahead(0.5, 0.0, effort=False)
    tracker._source = Gone(lambda time: (5.2, 0.1 if time > -0.195 else 0.0))
    with pytest.raises(InfeasibleError, match=(
            r'^the approach cannot be followed 0.31 s after its begin: position 5\.2 m of joint')):
        tracker.check_ahead(0.5, 0.0, effort=False)

    def diverges(time):
        raise DivergedError(time, 'why')
    tracker._source = Gone(diverges)
    with pytest.raises(InfeasibleError, match=r'0.01 s after its begin: .*why'):
        tracker.check_ahead(0.5, 0.0, effort=False)
