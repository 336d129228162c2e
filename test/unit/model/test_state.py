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

"""Configurations and steps between them."""

from dataclasses import replace
import math
from pathlib import Path

from described import LIMIT, one_joint
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbd_ros
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.model import load, state

LADDER = Path(__file__).resolve().parents[2] / 'data' / 'ladder'
ARM = load(LADDER / '04_generic_axis.urdf')
BOX = load(LADDER / '07_floating_box.urdf', floating_base=True)
ROBOT = load(LADDER / '08_floating_arms.urdf', floating_base=True)


def test_neutral():
    assert state.neutral(ARM).tolist() == [0.0, 0.0, 0.0]
    assert state.neutral(BOX).tolist() == [0, 0, 0, 0, 0, 0, 1]
    assert np.flatnonzero(state.neutral(ROBOT)).tolist() == [6, 16]


def test_simple_joints_add():
    q, v = np.array([1.0, 2.0, 3.0]), np.array([0.5, -0.5, 0.25])
    assert state.integrate(ARM, q, v).tolist() == [1.5, 1.5, 3.25]
    assert state.difference(ARM, q, [1.5, 1.5, 3.25]).tolist() == v.tolist()
    assert state.configuration_rate(ARM, q, v).tolist() == v.tolist()


def test_a_screw_motion():
    # Turning about z by a right angle while going along the own x: a quarter of a circle.
    q = state.integrate(BOX, state.neutral(BOX), np.array([np.pi / 2, 0, 0, 0, 0, np.pi / 2]))
    half = np.sqrt(0.5)
    np.testing.assert_allclose(q, [1, 1, 0, 0, 0, half, half], atol=1e-15)  # a few roundings


@pytest.mark.parametrize('size', [3.0, 1.0, 1e-2, 1e-3, 1e-5, 1e-9, 0.0])
def test_difference_inverts_integrate(size):
    rng = np.random.default_rng(7)
    for _ in range(50):
        q = state.random_configuration(ROBOT, rng)
        dv = rng.normal(size=ROBOT.nv)
        for first in (3, 12):
            dv[first:first + 3] *= size / np.linalg.norm(dv[first:first + 3])
        # Near a half turn the logarithm loses some digits.
        np.testing.assert_allclose(state.difference(ROBOT, q, state.integrate(ROBOT, q, dv)), dv,
                                   atol=1e-13)


@pytest.mark.parametrize('angle', [1e-4, 0.9e-3, 1.1e-3, 1e-2, 1.0, 3.1])
def test_turns_agree_with_scipy(angle):
    rng = np.random.default_rng(8)
    axis = rng.normal(size=3)
    vector = angle * axis / np.linalg.norm(axis)
    start = Rotation.random(random_state=3)
    q = np.concatenate((np.zeros(3), start.as_quat()))
    end = state.integrate(BOX, q, np.concatenate((np.zeros(3), vector)))
    expected = (start * Rotation.from_rotvec(vector)).as_matrix()
    # Two different ways through sine and cosine.
    np.testing.assert_allclose(Rotation.from_quat(end[3:]).as_matrix(), expected, atol=1e-15)


def test_the_series_meets_the_formula():
    rng = np.random.default_rng(9)
    q = state.random_configuration(BOX, rng)
    dv = rng.normal(size=6)
    dv[3:] /= np.linalg.norm(dv[3:])
    below, above = (state.integrate(BOX, q, dv * [1, 1, 1, *[angle] * 3])
                    for angle in (0.999999e-3, 1.000001e-3))
    assert np.abs(below - above).max() < 2e-9  # the step itself; a wrong series would jump by 1e-7


def test_the_rate_is_the_derivative_of_integrate():
    rng = np.random.default_rng(10)
    q, v = state.random_configuration(ROBOT, rng), rng.normal(size=ROBOT.nv)
    h = 1e-4
    numeric = (state.integrate(ROBOT, q, h * v) - state.integrate(ROBOT, q, -h * v)) / (2 * h)
    # Central differences: h^2 times third derivatives of order 10.
    np.testing.assert_allclose(state.configuration_rate(ROBOT, q, v), numeric, atol=1e-6)


def test_difference_takes_the_shorter_turn():
    q = state.neutral(BOX)
    turned = state.integrate(BOX, q, np.array([0, 0, 0, 0, 0, 1.5 * np.pi]))
    np.testing.assert_allclose(state.difference(BOX, q, turned)[5], -0.5 * np.pi, rtol=1e-15)
    other_sign = turned * [1, 1, 1, -1, -1, -1, -1]
    np.testing.assert_allclose(state.difference(BOX, q, other_sign)[5], -0.5 * np.pi, rtol=1e-15)


def test_normalize():
    q = state.neutral(BOX) * 3.0
    assert state.normalize(BOX, q).tolist() == state.neutral(BOX).tolist()
    assert q[6] == 3.0
    with pytest.raises(InvalidValueError) as caught:
        state.normalize(BOX, np.zeros(7))
    assert str(caught.value) == ('the quaternion of q is (0.0, 0.0, 0.0, 0.0); allowed: x y z w, '
                                 'not all zero')


def test_quaternions_stay_unit_over_many_steps():
    rng = np.random.default_rng(11)
    q = state.random_configuration(BOX, rng)
    for _ in range(1000):
        q = state.integrate(BOX, q, 0.1 * rng.normal(size=6))
    assert abs(np.linalg.norm(q[3:]) - 1.0) < 1e-15


def test_random_configurations_of_links_that_bend_are_straight():
    urdf = Path(__file__).resolve().parents[3] / 'urdf'
    arm = mbd_ros.load(urdf / 'flexible_arm.urdf', flexible=True)   # all its joints have ranges
    for q in (state.random_configuration(arm, 3), *state.random_configuration(arm, 3, count=2)):
        assert q.shape == (arm.nq,)
        assert not q[arm.nq - len(arm.elastic_names):].any()


def test_random_configurations_keep_the_limits():
    rng = np.random.default_rng(12)
    samples = np.array([state.random_configuration(ARM, rng) for _ in range(200)])
    assert (samples >= ARM.lower).all()
    assert (samples <= ARM.upper).all()
    assert (samples.max(axis=0) - samples.min(axis=0) > 0.9 * (ARM.upper - ARM.lower)).all()


@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
@pytest.mark.parametrize(('lower', 'upper'), [
    (-math.inf, math.inf), (-math.inf, 9.0), (-math.inf, -0.5), (0.5, math.inf), (5.0, math.inf),
    (-9.0, math.inf), (5.0, 9.0)])
def test_random_configurations_with_half_a_range_or_none(kind, lower, upper):
    """Within half a turn or a metre of zero; where the limit is in the way, of the limit."""
    span = math.pi if kind == 'revolute' else 1.0
    first = lower if lower > -math.inf else min(-span, upper - span)
    last = upper if upper < math.inf else max(span, lower + span)
    model = load(one_joint('<axis xyz="0 0 1"/>' + LIMIT, kind))
    model = replace(model, lower=np.array([lower]), upper=np.array([upper]))
    samples = [state.random_configuration(model, np.random.default_rng(seed))[0]
               for seed in range(100)]
    assert first <= min(samples) < first + 0.1 * (last - first)
    assert last >= max(samples) > last - 0.1 * (last - first)


@pytest.mark.parametrize(('kind', 'expected'), [
    ('revolute', [0.0]), ('prismatic', [0.0]), ('spherical', [0.0, 0.0, 0.0, 1.0]),
    ('planar', [0.0, 0.0, 1.0, 0.0]), ('floating', [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])])
def test_neutral_is_where_the_description_puts_the_link(kind, expected):
    model = load(one_joint('<origin xyz="1 2 3"/><axis xyz="0 0 1"/>' + LIMIT, kind))
    assert state.neutral(model).tolist() == expected
    assert mbd_ros.pose(model, state.neutral(model), 'arm')[:3, 3].tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(('kind', 'places'), [('floating', 3), ('planar', 2)])
def test_random_poses_fill_a_box_and_all_directions(kind, places):
    """Two metres wide; a turn by any angle either way."""
    model = load(one_joint('<axis xyz="0 0 1"/>', kind))
    rng = np.random.default_rng(4)
    samples = np.array([state.random_configuration(model, rng) for _ in range(400)])
    low, high = samples.min(axis=0), samples.max(axis=0)
    assert (low > -1.0).all() or kind == 'planar'
    assert (np.abs(samples[:, :places]) <= 1.0).all()
    assert (low < -0.9).all()
    assert (high > 0.9).all()
    np.testing.assert_allclose(np.linalg.norm(samples[:, places:], axis=1), 1.0, rtol=1e-12)


def test_sizes_are_checked():
    with pytest.raises(ShapeError) as caught:
        state.integrate(BOX, np.zeros(6), np.zeros(6))
    assert str(caught.value) == (
        "q has shape (6,); allowed: (7,) or (N, 7), the sizes of 'floating_box'")
    with pytest.raises(ShapeError, match=r'dv has shape \(7,\); allowed: \(6,\) or \(N, 6\)'):
        state.integrate(BOX, np.zeros(7), np.zeros(7))
    with pytest.raises(ShapeError, match=r'q1 has shape \(1,\)'):
        state.difference(ARM, np.zeros(3), np.zeros(1))


@pytest.mark.parametrize('model', [ARM, BOX, ROBOT], ids=['arm', 'box', 'robot'])
def test_many_states_are_each_of_them(model):
    rng = np.random.default_rng(4)
    q = state.random_configuration(model, rng, 5)
    assert q.shape == (5, model.nq)
    dv = rng.normal(size=(5, model.nv))
    ends = state.integrate(model, q, dv)
    assert ends.tolist() == [state.integrate(model, *one).tolist() for one in zip(q, dv)]
    assert state.difference(model, q, ends).tolist() == [
        state.difference(model, *one).tolist() for one in zip(q, ends)]
    assert state.integrate(model, q[0], dv).tolist() == [
        state.integrate(model, q[0], one).tolist() for one in dv]
    with pytest.raises(ShapeError, match='5 states, as in the first argument'):
        state.integrate(model, q, dv[:4])
