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

"""
Where nothing is unusual machine code answers, and what stands behind it is not asked.

The general forms give the same numbers, so that nothing else would tell that a size does not fit
or a rank is never clear: a controller would only be slow.
"""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import (
    Actuation, ConstrainedMotion, default_task, JointCoupling, Line, NominalModel, TrackingLaw,
    Turn)
from mbd_ros.control.control_step import constrained_motion, nominal_model
from mbd_ros.control.references.time_code import TimeCode
from mbd_ros.control.tasks.task import motion_for
from mbd_ros.control.udwadia_kalaba import drives, passive_joints, solvers
from mbd_ros.control.udwadia_kalaba.passive_joints import PassiveJoints
from mbd_ros.model.state import neutral

ROOT = Path(__file__).resolve().parents[3]


def forbidden(*arguments, **settings):
    """Stand for a general form."""
    raise AssertionError('a general form was asked')


@pytest.fixture
def alone(monkeypatch):
    """Leave nothing but machine code."""
    for module, name in (
            (TimeCode, '_unusual'), (TrackingLaw, '_interpreted'), (drives, 'dense_share'),
            (constrained_motion, 'quick_constrained_acceleration'),
            (nominal_model, 'corrected_step'), (nominal_model, 'interpreted')):
        monkeypatch.setattr(module, name, forbidden)


def prepared(robot):
    return mbd_ros.compile(mbd_ros.load(next((ROOT / 'urdf').glob(f'{robot}.urdf*'))))


def loops():
    """Follow a path by two drives of a loop, of whose rows three follow from the others."""
    return motion_for(prepared('five_bar'), default_task('five_bar')), np.zeros(4)


def tree():
    """Follow a path with springs towards a posture, in the Euclidean metric."""
    task = default_task('puma560')
    return motion_for(prepared('puma560'), task), np.array(task.start_positions)


def passive():
    """Move a pole that has no actuator by its cart."""
    model = mbd_ros.load(ROOT / 'test/data/ladder/03_cart_pole.urdf')
    cart, pole = model.joint_names
    return ConstrainedMotion(
        mbd_ros.compile(model), JointCoupling(model, {pole: 1.0}, 0.5),
        actuation=Actuation(model, [cart])), np.array([0.1, 0.5])


@pytest.mark.parametrize('case', [tree, loops, passive])
@pytest.mark.parametrize('robust_rate', [0.0, 20.0])
def test_steps_and_efforts(case, robust_rate, alone):
    motion, q = case()
    start = motion.project(q)
    model = NominalModel(motion, start.q, start.v)
    law = TrackingLaw(motion.dyn, actuation=motion.actuation, robust_rate=robust_rate)
    rest = np.zeros(len(start.v))
    for k in range(1, 4):
        state = model.advance_to(0.002 * k)
        if motion.under_actuated:
            state = model.observe(state.q + 1e-3, state.v)
        efforts = law.efforts(state, state.q + 1e-3, state.v)
        assert np.isfinite(efforts.effort).all()
    law.gravity_compensation(state.q, rest)


def test_joints_that_are_not_measured(monkeypatch):
    dyn = prepared('five_bar')
    joints = PassiveJoints(dyn, ['left_drive', 'right_drive'])
    joints._solved = forbidden
    monkeypatch.setattr(passive_joints, 'loop_closure', forbidden)
    q, v = joints.complete(np.array([0.05, 0.0, -0.03, 0.0]), np.array([0.3, 0.0, 0.2, 0.0]))
    assert np.abs(dyn.loop_rows(q, v)[:, :2]).max() < 1e-12   # Newton ends there


@pytest.mark.parametrize('function', [
    Line([0, 0, 0], [1, 0, 0], 2.0), Turn([0, 0, 0, 1], [1, 0, 0, 1])])
def test_functions_of_time(function, alone):
    assert np.isfinite(np.concatenate([part.ravel() for part in function.at(0.4)])).all()


@pytest.mark.parametrize('n', [1, 4, 16])
def test_small_systems(n, monkeypatch):
    """Up to 16 entries of v and as many rows."""
    monkeypatch.setattr(solvers, 'constrained_acceleration', forbidden)
    found = solvers.quick_constrained_acceleration(
        np.eye(n), np.zeros(n), np.eye(n), np.ones(n), tolerance=1e-10, joint_names=())
    assert found.rank == n
    np.testing.assert_allclose(found.accelerations, 1.0, rtol=1e-15)


def test_neutral_places_need_nothing_else(alone):
    """A robot at rest at its zero pose carries its weight by machine code, too."""
    dyn = prepared('three_link_arm')
    found = TrackingLaw(dyn).gravity_compensation(neutral(dyn.model), np.zeros(3))
    np.testing.assert_allclose(found.effort, dyn.bias_forces(np.zeros(3), np.zeros(3)))
