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

"""Bounds at which a way is changed, at both of their sides, on problems of one or two numbers."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import trapezoid
from sliders import sliders

import mbd_ros
from mbd_ros.control import (
    Actuation, ConstrainedMotion, DirectElimination, FunctionConstraint, JointCoupling,
    NominalModel, TrackingLaw)
from mbd_ros.control.control_step import constrained_motion
from mbd_ros.control.gaits.gait import Gait, Leg, Swing
from mbd_ros.control.gaits.walking import tuned, Walking
from mbd_ros.control.tracking.nominal_state import NominalState
from mbd_ros.control.tracking.robustness import gains_of, guarantee
from mbd_ros.control.udwadia_kalaba.actuation import ActuatedSubspace
from mbd_ros.control.udwadia_kalaba.passive_joints import PassiveJoints
from mbd_ros.errors import DivergedError, InvalidValueError, LoopOpenError

ONE = np.ones(1)


def constant(rows, phi):
    """Return a constraint with constant rows and a violation."""
    return FunctionConstraint(
        lambda q, v, t: rows, lambda q, v, t: np.zeros(len(rows)), lambda q, t: phi(q),
        lambda q, v, t: np.asarray(rows) @ v)


@pytest.mark.parametrize(('size', 'left', 'done'), [
    (1.0, 0.9e-13, True), (1.0, 1.1e-13, False),         # 16 roundings of 1 are 3.6e-15
    (1e3, 15.9, True), (1e3, 16.1, False), (-1e6, 15.9, True), (-1e6, 16.1, False)])
def test_an_elimination_ends_at_its_tolerance_or_sixteen_roundings(size, left, done):
    """Of the largest coordinate, where that is more."""
    q = np.array([size, 0.5])
    left = left if left < 1.0 else left * np.spacing(abs(size))
    stuck = constant([[0.0, 1.0]], lambda q: np.array([left]))
    dyn = sliders(1.0, 1.0)
    assert DirectElimination().eliminate(dyn, stuck, q, np.zeros(2), 0.0).converged is done


@pytest.mark.parametrize('metric', ['mass', 'euclidean'])
def test_a_step_that_does_not_reduce_the_violation_is_halved(metric):
    """``atan(4 q)`` from 0.6: Newton's step leads farther away, its halves do not."""
    dyn = sliders(2.0)
    steep = FunctionConstraint(
        lambda q, v, t: [[4.0 / (1.0 + 16.0 * q[0] ** 2)]], lambda q, v, t: [0.0],
        lambda q, t: np.arctan(4.0 * q), None)
    plain = DirectElimination(metric, None, 1, max_step=np.inf).eliminate(
        dyn, steep, np.array([0.6]), np.zeros(1), 0.0)
    step = np.arctan(2.4) * (1.0 + 16.0 * 0.36) / 4.0
    np.testing.assert_allclose(plain.q, 0.6 - step, rtol=1e-12)
    # At most 1.0: the step is 2.0, so is cut to 1.0, and ends at -0.4, which is nearer.
    one = DirectElimination(metric, None, 1, max_step=1.0).eliminate(
        dyn, steep, np.array([0.6]), np.zeros(1), 0.0)
    np.testing.assert_allclose(one.q, -0.4, rtol=1e-9)   # damping is found to 1e-10
    assert one.moved == pytest.approx(1.0, rel=1e-9)
    assert one.iterations == 1
    # At most 1.3: ends at -0.7, farther away; half of it at -0.05.
    half = DirectElimination(metric, None, 1, max_step=1.3).eliminate(
        dyn, steep, np.array([0.6]), np.zeros(1), 0.0)
    np.testing.assert_allclose(half.q, -0.05, rtol=0, atol=1e-9)
    whole = DirectElimination(metric, max_step=1.3).eliminate(
        dyn, steep, np.array([0.6]), np.zeros(1), 0.0)
    assert whole.converged and abs(whole.q[0]) < 1e-13


def test_steps_grow_again_after_one_that_was_halved():
    """To twice the last one, and no more than the setting."""
    dyn, limits = sliders(1.0), []

    class Told(DirectElimination):
        def least_step(self, dyn, q, rows, violation, limit):
            limits.append(limit)
            return np.array([-limit]), 1
    far = FunctionConstraint(   # at the first trial it seems to be as far away as before
        lambda q, v, t: [[1.0]], lambda q, v, t: [0.0],
        lambda q, t: q - 9.0 if len(limits) != 1 else np.array([9.0]), None)
    found = Told(position_iterations=4, max_step=0.8).eliminate(
        dyn, far, np.zeros(1), np.zeros(1), 0.0)
    assert limits == [0.8, 0.4, 0.8, 0.8, 0.8]
    assert found.moved == pytest.approx(0.4 + 3 * 0.8, rel=1e-15)


@pytest.mark.parametrize('nudge', [0.0, 0.02])
def test_one_step_aside_at_a_singular_place(nudge):
    """In the pattern ``cos(1), cos(2), ...``; it counts as way."""
    dyn = sliders(1.0, 1.0)
    saddle = FunctionConstraint(   # no slope at zero, in no direction
        lambda q, v, t: [2.0 * q], lambda q, v, t: [0.0],
        lambda q, t: np.array([q @ q - 1.0]), None)
    found = DirectElimination(nudge=nudge, position_iterations=1).eliminate(
        dyn, saddle, np.zeros(2), np.zeros(2), 0.0)
    expected = nudge * np.cos([1.0, 2.0])
    np.testing.assert_allclose(found.q, expected, rtol=0, atol=1e-17)
    assert found.moved == pytest.approx(np.linalg.norm(expected), rel=1e-15)
    assert found.iterations == bool(nudge)


@pytest.mark.parametrize(('opened', 'closes'), [(0.9e-9, False), (1.1e-9, True)])
def test_loops_are_closed_where_an_elimination_left_them_open(opened, closes, monkeypatch):
    motion = ConstrainedMotion(sliders(1.0), JointCoupling(sliders(1.0).model, {'j0': 1.0}))
    motion._loops = [SimpleNamespace(violation=lambda q, t: np.array([0.0, -opened]))]
    asked = []
    monkeypatch.setattr(constrained_motion.ConstrainedMotion, '_closed',
                        lambda self, loops, t, report, q, v: asked.append(loops) or report)
    motion.eliminate(0.0, np.zeros(1), np.zeros(1))
    assert bool(asked) == closes


@pytest.mark.parametrize(('speed', 'fine'), [(9999.5, True), (10000.5, False)])
def test_a_nominal_model_that_is_absurdly_fast_has_diverged(speed, fine):
    """It goes on as it does: its coupling is to another joint, and nothing slows it down."""
    dyn = sliders(1.0, 1.0)
    still = FunctionConstraint(lambda q, v, t: [[1.0, 0.0]], lambda q, v, t: [0.0])
    nominal = NominalModel(ConstrainedMotion(dyn, still), [0.0, 0.0], [0.0, speed])
    if fine:
        assert nominal.advance_to(0.002).v[1] == pytest.approx(speed, rel=1e-12)
    else:
        with pytest.raises(DivergedError, match='accelerations of up to 0 there'):
            nominal.advance_to(0.002)


@pytest.mark.parametrize(('plant', 'robust_rate', 'friction'), [
    (1.25, 0.0, 0.0), (0.8, 0.0, 0.3), (1.25, 30.0, 0.3)])
def test_a_bound_of_one_slider(plant, robust_rate, friction):
    """One mass for another: ``E' = 0``, d is constant in q and v, and nothing turns."""
    law = TrackingLaw(sliders(1.0), robust_rate=robust_rate, approach_speed=9.0)
    accelerations, none = (0.5, -0.8, 0.2), np.zeros(1)
    motion = [NominalState(0.0, none, none, a * ONE, none, none, none, 0.0, 0.0, 0.0, 1, False)
              for a in accelerations]
    found = guarantee(law, sliders(plant), motion, 'l0', friction=friction * ONE)
    eps = 1.0 - 1.0 / plant
    gains = gains_of(15.0, robust_rate, eps)
    # d = (m - m^) a / m, and friction / m.
    largest = eps and abs(eps) * 0.8 + friction / plant
    # Differences of 1e-5 leave rounding of 1e-11 in the slopes.
    np.testing.assert_allclose(found.joint_error, gains.position * largest, rtol=1e-8)
    assert found.tool_error == pytest.approx(gains.position * largest, rel=1e-8)
    assert found.mass_excess == pytest.approx(plant - 1.0, abs=1e-12)
    assert found.decay == gains.decay
    speed = 7.5 * gains.position * largest
    for part, fine in ((0.999, False), (1.001, True)):
        tight = TrackingLaw(sliders(1.0), robust_rate=robust_rate, approach_speed=part * speed)
        if fine:
            guarantee(tight, sliders(plant), motion, 'l0', friction=friction * ONE)
        else:
            with pytest.raises(InvalidValueError, match=r"more than .* at joint 'j0'"):
                guarantee(tight, sliders(plant), motion, 'l0', friction=friction * ONE)
    if robust_rate:
        term = robust_rate * gains.sliding * largest   # times the mass of the model, 1
        for part, fine in ((0.999, False), (1.001, True)):
            tight = TrackingLaw(sliders(1.0), robust_rate=robust_rate, approach_speed=9.0,
                                robust_efforts=[part * term])
            if fine:
                guarantee(tight, sliders(plant), motion, 'l0', friction=friction * ONE)
            else:
                with pytest.raises(InvalidValueError, match='robust_efforts'):
                    guarantee(tight, sliders(plant), motion, 'l0', friction=friction * ONE)


def test_filters_of_every_kind_of_roots():
    """Real, equal and complex ones against sums of their impulse response."""
    t = np.linspace(0.0, 8.0, 400_001)
    for w, kappa, eps in ((3.0, 0.0, 0.0), (3.0, 6.0, 0.0), (3.0, 6.0, -0.3), (3.0, 0.0, 0.4)):
        k1, k0 = 2.0 * w + kappa, w * (w + kappa)
        b1, b0 = (1.0 - eps) * k1, (1.0 - eps) * k0
        half, root = 0.5 * b1, np.emath.sqrt(0.25 * b1 * b1 - b0)
        grown = t if abs(root) < 1e-6 else (np.sinh(root * t) / root).real
        slope = np.ones_like(t) if abs(root) < 1e-6 else np.cosh(root * t).real
        f = np.exp(-half * t) * grown
        rate = np.exp(-half * t) * slope - half * f
        responses = (f, rate, t * f, k1 * rate + k0 * f, rate + w * f)
        expected = [trapezoid(np.abs(one), t) for one in responses]
        # Two sums with steps of 2e-5 s and less, of what is past 8 s 1e-10.
        np.testing.assert_allclose(gains_of(w, kappa, eps)[:5], expected, rtol=1e-5)
        assert gains_of(w, kappa, eps).decay == pytest.approx(half - root.real, abs=1e-7)
    with pytest.raises(InvalidValueError, match='mass matrix'):
        gains_of(3.0, 0.0, 1.0)
    gains_of(3.0, 0.0, 0.999)


@pytest.mark.parametrize(('part', 'reached'), [(0.5e-9, 1), (2e-9, 2)])
def test_a_direction_that_drives_hardly_push_is_not_reached(part, reached):
    """Below 1e-9 of what is pushed best: masses of 1 and 1 / part squared."""
    found = ActuatedSubspace(np.diag([1.0, part**-2]), np.array([0, 1]))
    efforts = found.efforts(np.array([1.0, 1.0]))
    assert (efforts != 0.0).sum() == reached


FOUR_BAR = mbd_ros.compile(mbd_ros.load('urdf/five_bar.urdf'))


@pytest.mark.parametrize(('off', 'fine'), [(0.9e-3, True), (1.1e-3, False)])
def test_measured_joints_may_contradict_the_loops_by_a_millimetre(off, fine):
    """All are measured: there is nothing to move."""
    joints = PassiveJoints(FOUR_BAR, FOUR_BAR.model.joint_names)
    slope = np.abs(FOUR_BAR.loop_rows(np.zeros(4), np.zeros(4))[:, 3]).max()
    q = np.array([off / slope, 0.0, 0.0, 0.0])
    phi = np.abs(FOUR_BAR.loop_rows(q, np.zeros(4))[:, 0]).max()
    assert phi == pytest.approx(off, rel=1e-2)
    if fine:
        np.testing.assert_array_equal(joints.complete(q, np.zeros(4))[0], q)
    else:
        with pytest.raises(LoopOpenError):
            joints.complete(q, np.zeros(4))


def test_what_was_begun_beside_a_place_goes_on_from_there():
    """The branch is that of the start; states are copies."""
    joints = PassiveJoints(FOUR_BAR, ['left_drive', 'right_drive'])
    q, v = joints.complete(np.full(4, 0.05), np.full(4, 0.3))
    q[:] = 9.0   # the caller's own
    again, _ = joints.complete(np.full(4, 0.05), np.full(4, 0.3))
    assert np.abs(again).max() < 1.0
    np.testing.assert_allclose(v[[0, 2]], 0.3, rtol=0)


HIP = mbd_ros.load(
    '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" '
    'iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="hip" '
    'type="continuous"><parent link="a"/><child link="b"/></joint></robot>')


def one_leg(**numbers):
    return tuned(Gait(1.0, 0.5, {'leg': Leg(0.0, Swing('hip', 0.1, 0.2))}), **numbers)


def test_a_rhythm_stands_still_in_a_gap_of_half_a_second():
    """And goes on from there; a step back in time is one, too, also for what has begun."""
    none = np.zeros(1)
    for gap, goes_on in ((0.499, True), (0.501, False), (-0.1, False), (0.0, False)):
        walking = Walking(HIP, one_leg(), 1.0, 0.0, 0.0)
        before = walking.step(3.0, none, none)[0]
        after = walking.step(3.0 + gap, none, none)[0]
        assert (abs(after.positions[0] - before.positions[0]) > 0.1) == goes_on


def test_targets_go_over_to_a_new_gait_within_half_a_second():
    """Linearly, from those of the old one at the same phase; and so do their rates."""
    none = np.zeros(1)
    walking, plain, other = (Walking(HIP, one_leg(amplitude=size), 1.0, 0.0, 0.0)
                             for size in (1.0, 1.0, 3.0))
    for k in range(3):
        for each in (walking, plain, other):
            each.step(0.1 * k, none, none)
    walking.change(one_leg(amplitude=3.0), 2.0, 0.5, 0.0)
    for t in (0.3, 0.45, 0.65, 0.72):
        (new, efforts), (old, _), (aim, _) = (
            each.step(t, none, none) for each in (walking, plain, other))
        share = min((t - 0.2) / 0.5, 1.0)
        way = aim.positions - old.positions
        np.testing.assert_allclose(new.positions, old.positions + share * way, rtol=0, atol=1e-14)
        np.testing.assert_allclose(
            new.rates, old.rates + share * (aim.rates - old.rates) + (share < 1.0) * way / 0.5,
            rtol=0, atol=1e-13)
        np.testing.assert_allclose(efforts, 2.0 * new.positions + 0.5 * new.rates, rtol=1e-12)


def test_a_driven_joint_of_several_coordinates_counts_once():
    dyn = sliders(1.0, 1.0)
    actuation = Actuation(dyn.model, ['j1'])
    assert actuation.missing(np.array([-3.0, 9.0])) == 3.0
    assert not actuation.complete
    assert Actuation(dyn.model, ['j0', 'j1']).missing(np.array([-3.0, 9.0])) == 0.0
