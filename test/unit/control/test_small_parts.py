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

"""Parts of gaits, paths, payloads and rank reports, each against what it is made of."""

import numpy as np
import pytest
from sliders import sliders

from mbd_ros.control import Payload, trajectory
from mbd_ros.control.control_step.joint_reference import JointReference
from mbd_ros.control.gaits.gait import Gait, GaitControl, Leg, Swing
from mbd_ros.control.gaits.walking import tuned, Walking
from mbd_ros.control.references.splines import joined
from mbd_ros.control.tracking.adaptation import Adaptation
from mbd_ros.control.tracking.payload import carrier, dynamics_with, LoadedDynamics
from mbd_ros.control.udwadia_kalaba.loop_systems import driven_share
from mbd_ros.control.udwadia_kalaba.orthogonal_columns import orthogonalize
from mbd_ros.control.udwadia_kalaba.rank_facts import DROPPED, FACTS, KEPT, RANK
from mbd_ros.control.udwadia_kalaba.underactuated_loops import reached_share


def test_small_and_large_columns_have_the_same_rank():
    """Rows in other units: what is dropped and kept are parts of the longest."""
    X = np.array([[1.0, 1.0, 2.0], [0.0, 0.1, 0.1], [0.0, 0.0, 0.0]])
    found = []
    for scale in (1e-12, 1.0, 1e12):
        facts = np.zeros(FACTS)
        orthogonalize(scale * X, np.zeros((3, 3)), np.zeros(3), np.zeros(3), facts, 3, 3, 3)
        found.append(facts[[RANK, KEPT]])
    np.testing.assert_allclose(found, [found[1]] * 3, rtol=1e-9)
    assert found[1][0] == 2.0


@pytest.mark.parametrize('angle', [1e-8, 1e-9])
def test_what_is_dropped_of_loops_is_reported(angle):
    """Also where what the drives do beside them is clear."""
    rows = np.array([[1.0, 0.0, 0.0, 0.0], [1.0, angle, 0.0, 0.0]])
    shared, reached = np.zeros(4 + FACTS), np.zeros(4 + FACTS)
    driven_share(rows, np.ones(4), np.array([1.0, 2.0, 3.0]), shared, 4, 2, 3, 4, 4)
    reached_share(np.eye(4), rows, np.ones(4), np.array([2.0, 3.0]), reached, 4, 2, 2, 4, 4)
    for result in (shared, reached):
        # Less by the length of the row, 1 + angle^2; rounding is 1e-16 of angles.
        assert result[4 + DROPPED] == pytest.approx(angle**2, rel=1e-6)


def test_long_gaps_of_a_rhythm_are_cut_into_short_steps():
    legs = {'one': Leg(0.0, Swing('j0', 0.1, 0.2), Swing('j1', 0.0, 0.3)),
            'other': Leg(0.3, Swing('j2', 0.1, 0.2))}
    model, none = sliders(1.0, 1.0, 1.0).model, np.zeros(3)
    long, short = (Walking(model, Gait(1.0, 0.7, legs), 1.0, 0.0, 1.0) for _ in range(2))
    for walking, count in ((long, 1), (short, 400)):
        walking.step(0.0, none, none)
        for k in range(1, count + 1):
            found = walking.step(0.4 * k / count, none, none)[0]
        walking.found = found
    # Steps of 2 and of 1 ms, of order 4, where the frequency changes within 1/50.
    np.testing.assert_allclose(long.found.positions, short.found.positions, rtol=0, atol=1e-5)
    twice = tuned(Gait(1.0, 0.7, legs), amplitude=2.0)
    assert twice.legs['one'].lift == Swing('j1', 0.0, 0.6)
    assert twice.legs['other'].lift is None


def test_a_gait_at_many_times_is_that_at_each():
    legs = {'one': Leg(0.0, Swing('j0', 0.1, 0.2), Swing('j1', 0.0, 0.3)),
            'other': Leg(0.3, Swing('j2', 0.1, 0.2))}
    model, gait = sliders(1.0, 1.0, 1.0).model, Gait(1.0, 0.7, legs, ramp=0.5)
    control, times = GaitControl(model, gait, 3.0, 0.5), np.linspace(0.0, 1.7, 9)
    q, v = np.array([0.1, 0.2, -0.3]), np.array([0.5, -0.4, 0.2])
    many, linear = gait.targets(times), control.linear(times)
    for k, t in enumerate(times.tolist()):
        one = gait.targets(t)
        np.testing.assert_allclose(many.positions[k], one.positions, rtol=1e-15)
        np.testing.assert_allclose(many.rates[k], one.rates, rtol=1e-15)
        tau = control(t, q, v)
        np.testing.assert_allclose(tau, 3.0 * (one.positions - q) + 0.5 * (one.rates - v))
        np.testing.assert_allclose(linear[0][k] - linear[1] * q - linear[2] * v, tau, atol=1e-14)


@pytest.mark.parametrize('begin', [1.0, 2.5])
def test_paths_one_after_the_other(begin):
    """Where the second begins later the first rests until then."""
    first = trajectory([0.0, 1.0], [[0.0, 1.0], [0.5, 2.0]])
    second = trajectory([begin, begin + 1.0, begin + 3.0],
                        [[0.5, 2.0], [0.1, 0.0], [1.0, 1.0]])
    path = joined(first, second)
    assert (path.begin, path.duration) == (0.0, begin + 3.0)
    for t in (0.0, 0.3, 0.99):
        np.testing.assert_array_equal(path.at(t), first.at(t))
    for t in (1.2, 2.4) if begin > 1.0 else ():
        np.testing.assert_allclose(path.at(t), [[0.5, 2.0], [0.0, 0.0], [0.0, 0.0]], atol=1e-12)
    for t in (begin + 0.01, begin + 0.7, begin + 2.9):
        np.testing.assert_array_equal(path.at(t), second.at(t))


def test_a_reference_of_all_joints_violates_nothing():
    dyn = sliders(2.0, 3.0)
    state = JointReference(dyn, trajectory([0.0, 1.0], [[0.0, 0.0], [0.6, 0.3]])).advance_to(0.25)
    assert (state.violation_before, state.violation, state.moved) == (0.0, 0.0, 0.0)
    assert (state.rank, state.conflicting, len(state.multipliers)) == (2, False, 0)
    np.testing.assert_allclose(state.effort, np.array([2.0, 3.0]) * state.accelerations)
    assert not state.applied.any()


@pytest.mark.parametrize('axis', ['1 0 0', '0 0 1'])
def test_gains_of_learning(axis):
    """As large as the weight makes an error, no less than one."""
    dyn = sliders(2.0, axis=axis)
    learning = Adaptation(dyn, 'l0', 3.0, payload=4.0)
    rest = np.zeros(1)
    learning.learn(dyn, 0.0, rest, np.zeros((1, 2)), rest, 15.0)
    pulled = np.array([9.81**2 * 2.0, 9.81**2 / 2.0]) if axis == '0 0 1' else np.ones(2)
    np.testing.assert_allclose(learning.gains, 45.0 / pulled, rtol=1e-3)   # of standard gravity
    light = Adaptation(dyn, 'l0', 3.0)
    assert light.term(dyn, rest, rest, np.ones(1))[1][0, 1] == 0.0
    assert learning.term(dyn, rest, rest, np.ones(1))[1][0, 1] >= 1.0


def test_a_payload_without_mass_is_none():
    model, gravity = sliders(2.0).model, (0.0, 0.0, -9.0)
    for payload in (None, Payload('l0', 0.0)):
        assert not isinstance(dynamics_with(model, payload, gravity), LoadedDynamics)
        ready = carrier(model, payload, 'l0', gravity)
        assert ready.payload.mass == 0.0
        assert ready.mass_matrix(np.zeros(1))[0, 0] == 2.0
        assert not isinstance(carrier(model, payload, 'nobody', gravity), LoadedDynamics)
    assert isinstance(dynamics_with(model, Payload('l0', 1.0), gravity), LoadedDynamics)
    assert dynamics_with(model, Payload('l0', 1.0), gravity).mass_matrix(np.zeros(1)) == 3.0
