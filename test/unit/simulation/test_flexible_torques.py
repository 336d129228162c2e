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

"""The four-joint arm along a path: torques of rigid and of flexible links, and back again."""

import importlib
from pathlib import Path
import sys

import flexible_robots
import numpy as np
import pytest

import mbd_ros

ROOT = Path(__file__).parents[3]
MODEL = mbd_ros.load(flexible_robots.four_joint_arm())
# Peaks of the reference [N m]: of the rigid arm, of the flexible one, and of the difference.
RIGID, FLEXIBLE, DIFFERENCE = ((19.10, 31.42, 9.521, 1.194), (24.83, 32.75, 9.830, 1.254),
                               (8.46, 3.95, 1.91, 0.225))


@pytest.fixture(scope='module')
def examples():
    """Return the examples whose figure and table these are."""
    sys.path.insert(0, str(ROOT / 'examples'))
    try:
        return [importlib.import_module(f'flexible_{name}') for name in ('figures', 'lin')]
    finally:
        sys.path.pop(0)


@pytest.fixture(scope='module')
def figures(examples):
    return examples[0]


@pytest.fixture(scope='module')
def lin(examples):
    return examples[1]


@pytest.fixture(scope='module')
def arm(lin):
    """Return the arm along its path with the exact torques, every 0.5 ms."""
    return lin.Arm.of(MODEL)


def test_peaks_of_the_torques(figures, arm):
    times, bent = arm.times, arm.exact
    rigid = mbd_ros.load(flexible_robots.four_joint_arm(), flexible=False)
    straight = mbd_ros.inverse_dynamics(rigid, *(
        np.array(part) for part in zip(*map(figures.quintic, times))))
    for found, expected in ((straight, RIGID), (bent, FLEXIBLE), (bent - straight, DIFFERENCE)):
        # Printed with three or four digits; of what swings at 14 Hz samples have other peaks.
        np.testing.assert_allclose(np.abs(found).max(axis=0), expected, rtol=0.01)
    # While the joints hold, the lowest two locked modes swing, at 3 Hz.
    hold = bent[2000:, 0] - bent[2000:, 0].mean()
    hertz = np.fft.rfftfreq(len(hold), times[1])
    assert hertz[np.abs(np.fft.rfft(hold)).argmax()] == pytest.approx(3.0, abs=0.5)


def test_lins_iteration_in_all_its_variants(lin, arm):
    """The table of the theory page: shares of what bending makes, and where it diverges."""
    expected = flexible_robots.reference('four_joint')['lin_iteration']
    share = 'rms torque error / rms flexible-minus-rigid, per joint'
    own, frozen = lin.blocks(MODEL, 'mass'), lin.coupled_half_way(arm)
    once = lin.whole_motion(arm, own)
    assert len(once) == 2 and once[1] is None
    # Worse than leaving out that links bend. What the torsion's 1e4 rad/s leave at the yaw joint
    # depends on how the iteration begins, which the reference does not say: 11, there 7.1.
    np.testing.assert_allclose(
        once[0][1:], expected['literal (own-link modal mass)'][0][share][1:], rtol=0.03)
    assert once[0][0] > 5.0
    passes = lin.whole_motion(arm, frozen)
    assert len(passes) == 3 and passes[2] is None and (passes[1] > 5.0).all()
    np.testing.assert_allclose(passes[0], expected[
        'augmented (frozen coupled Maa at the mid posture)'][0][share], rtol=0.03)
    for mass in (own, frozen):
        assert lin.each_step(arm, lambda _, mass=mass: mass) == (None, [1])
    found, counts = lin.each_step(arm, arm.coupled)
    np.testing.assert_allclose(   # the error of Newmark's rule
        found, expected['per-step current (Maa(q(t)) at a=0)'][share], rtol=0.1)
    # 33 and 139 there, with a tolerance that it does not say.
    assert 20.0 < np.mean(counts) < 60.0 and max(counts) < 250


def test_forward_dynamics_follow_the_torques(figures):
    times = np.linspace(0.0, 0.2, 21)
    _, planned = figures.torques(MODEL, times, rtol=1e-10, atol=1e-12, dense=True)
    driven = figures.Driven(MODEL)

    def torque(t, q, v):
        return driven.both(t, *planned.dense(t))[1]

    run = mbd_ros.simulate(MODEL, planned.q[0], planned.v[0], 0.2, tau=torque, method='dop853',
                           rtol=1e-9, atol=1e-11, times=times)
    np.testing.assert_allclose(run.q[:, :4], [figures.quintic(t)[0] for t in times], rtol=0,
                               atol=1e-8)
    assert np.abs(run.balance).max() < 1e-6 * np.abs(run.parts['efforts']).max()


def test_a_shaped_slew_leaves_no_swing(figures):
    model = mbd_ros.load(ROOT / 'urdf' / 'flexible_arm.urdf')
    times = np.linspace(0.0, 1.5, 301)
    (unshaped, still), hertz, end = figures.slews(model, times, rtol=1e-6, atol=1e-8)
    assert end == pytest.approx(1.0 + 2.0 / (hertz[0] + hertz[1]) + 2.0 / (hertz[2] + hertz[3]))
    swings = [np.linalg.norm(off[times >= end], axis=1).max() for off in (unshaped, still)]
    # Pairs of frequencies 1.2 and 3.7 % apart, both shaped by their mean: (pi/2 0.019)^2 = 0.001
    # of the second pair, which swings little; that frequencies change on the way does more.
    assert swings[1] < 0.02 * swings[0] and swings[0] > 2e-4
