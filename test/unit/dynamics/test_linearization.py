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


"""Linear equations of small deviations against differences of motions."""

from pathlib import Path

import flexible_robots
import numpy as np
import pytest
from robots import model_of, random_state

import mbd_ros
from mbd_ros.errors import InvalidValueError, UnknownNameError

URDF = Path(__file__).resolve().parents[3] / 'urdf'
TREE = model_of([0, 1, 1], ['floating', 'revolute', 'spherical'], 6)
FOUR_BAR = mbd_ros.load(URDF / 'four_bar.urdf')
STEP = 1e-6
"""Of central differences: errors of some 1e-9 of the numbers."""


def test_trees():
    """The displacement is followed for a short time h: errors of h, halved by h and -h."""
    q, v, tau = random_state(TREE, 1)
    found, nv, h = mbd_ros.linearize(TREE, q, v, tau), TREE.nv, 1e-4

    def later(step):
        place = mbd_ros.integrate(TREE, q, step[:nv])
        rates = v + step[nv:]
        moved = [mbd_ros.difference(
            TREE, mbd_ros.integrate(TREE, q, t * v), mbd_ros.integrate(TREE, place, t * rates))
            for t in (h, -h)]
        return np.concatenate([(moved[0] - moved[1]) / (2.0 * h),
                               mbd_ros.forward_dynamics(TREE, place, rates, tau)])
    expected = np.array([(later(step) - later(-step)) / (2.0 * STEP)
                         for step in STEP * np.eye(2 * nv)]).T
    np.testing.assert_allclose(found.A, expected, atol=1e-5 * np.abs(expected).max())
    np.testing.assert_allclose(found.B[nv:], np.linalg.inv(mbd_ros.mass_matrix(TREE, q)),
                               atol=1e-10 * np.abs(found.B).max())
    np.testing.assert_allclose(found.rate[nv:], mbd_ros.forward_dynamics(TREE, q, v, tau))


def test_closed_loops_have_independent_coordinates():
    joint = FOUR_BAR.joint_names[0]
    tau = np.array([0.3, 0.0, 0.0])

    def state(angle, rate):
        return mbd_ros.close_loops(FOUR_BAR, [angle, 0.0, 0.0], [rate, 0.0, 0.0], known=[joint])

    def acceleration(angle, rate, torque):
        return mbd_ros.forward_dynamics(FOUR_BAR, *state(angle, rate), [torque, 0.0, 0.0])[0]

    found = mbd_ros.linearize(FOUR_BAR, *state(1.0, 2.0), tau, independent=[joint],
                              actuated=[joint])
    assert found.coordinates.tolist() == [0]
    assert found.A.shape == (2, 2)
    assert found.B.shape == (2, 1)
    point, slopes = np.array([1.0, 2.0, 0.3]), []
    for step in 1e-5 * np.eye(3):
        slopes.append((acceleration(*(point + step)) - acceleration(*(point - step))) / 2e-5)
    np.testing.assert_allclose(found.A, [[0.0, 1.0], slopes[:2]],
                               atol=1e-6 * np.abs(slopes).max())
    np.testing.assert_allclose(found.B, [[0.0], [slopes[2]]], atol=1e-6 * abs(slopes[2]))
    chosen = mbd_ros.linearize(FOUR_BAR, *state(1.0, 2.0), tau)
    assert len(chosen.coordinates) == 1
    # The same motion in another coordinate: eigenvalues are those at an equilibrium alone.
    with pytest.raises(InvalidValueError, match='determines that of all others'):
        mbd_ros.linearize(FOUR_BAR, *state(1.0, 2.0), tau, independent=FOUR_BAR.joint_names[:2])


@pytest.mark.parametrize('bent', [False, True])
def test_loops_with_flexible_links(bent):
    """Small deviations of closed states against differences of their accelerations."""
    model = mbd_ros.load(flexible_robots.four_bar())
    q, v, tau = flexible_robots.four_bar_state(model)
    rng = np.random.default_rng(0)
    named = mbd_ros.linearize(model, q, v, tau).coordinates if bent else None
    names = None if named is None else [model.coordinate_names[k] for k in named]
    found = mbd_ros.linearize(model, q, v, tau, independent=names)
    chosen, k = found.coordinates, len(found.coordinates)
    assert k == mbd_ros.mobility(model, q)
    place, pace = rng.normal(size=(2, model.nv))
    place[-len(model.elastic_names):] *= 1e-2   # as their rates are faster than the joints'
    sides = []
    for e in (STEP, -STEP):
        there, rates = mbd_ros.close_loops(model, q + e * place, v + e * pace)
        sides.append(np.concatenate([there[chosen], rates[chosen], mbd_ros.forward_dynamics(
            model, there, rates, tau)[chosen]]))
    slope = (sides[0] - sides[1]) / (2.0 * STEP)
    expected = slope[k:]
    # 1e-6: second derivatives of accelerations of stiff modes, 1e10, times the steps' square.
    np.testing.assert_allclose(found.A @ slope[:2 * k], expected,
                               atol=1e-6 * np.abs(expected).max())
    by_tau = np.array([mbd_ros.forward_dynamics(model, q, v, tau + e)
                       - mbd_ros.forward_dynamics(model, q, v, tau) for e in np.eye(model.nv)])
    np.testing.assert_allclose(found.B[k:], by_tau.T[chosen],
                               atol=1e-9 * np.abs(by_tau).max())   # condition of M is 1e5


def test_along_a_trajectory_each_state_as_alone():
    states = [np.array(part) for part in zip(*(random_state(TREE, k) for k in range(3)))]
    many = mbd_ros.linearize(TREE, *states)
    steps = mbd_ros.discretize(many, 0.01)
    for k in range(3):
        one = mbd_ros.linearize(TREE, *(part[k] for part in states))
        np.testing.assert_allclose(many.A[k], one.A, atol=1e-10 * np.abs(one.A).max())
        alone = mbd_ros.discretize(one, 0.01)
        for found, expected in zip(steps, alone):
            np.testing.assert_allclose(found[k], expected, atol=1e-10)


def test_steps_of_a_pendulum_are_those_of_the_sine():
    """Of ``x'' = -w^2 x + b u``: cosines of w h."""
    model = mbd_ros.load(
        '<robot name="r"><link name="a"/><link name="b"><inertial><origin xyz="0 0 -1"/>'
        '<mass value="2"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
        '</link><joint name="j" type="continuous"><parent link="a"/><child link="b"/>'
        '<axis xyz="0 1 0"/></joint></robot>', inertia='unchecked')
    step = mbd_ros.discretize(mbd_ros.linearize(model, [0.0], [0.0], [0.0]), 0.1)
    w = np.sqrt(9.81)
    np.testing.assert_allclose(step.A, [[np.cos(0.1 * w), np.sin(0.1 * w) / w],
                                        [-w * np.sin(0.1 * w), np.cos(0.1 * w)]], atol=1e-12)
    np.testing.assert_allclose(step.B[0], (1.0 - np.cos(0.1 * w)) / w**2 / 2.0, atol=1e-12)
    np.testing.assert_allclose(step.offset, 0.0, atol=1e-12)


def test_refusals():
    q, v, tau = random_state(TREE, 1)
    with pytest.raises(UnknownNameError, match='no'):
        mbd_ros.linearize(TREE, q, v, tau, actuated=['no'])
    for step in (0.0, -1.0, np.nan, 'a'):
        with pytest.raises(InvalidValueError, match='step'):
            mbd_ros.discretize(mbd_ros.linearize(TREE, q, v, tau), step)
