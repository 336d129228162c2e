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

"""Passive joints of closed loops from the measured ones."""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control.udwadia_kalaba.passive_joints import independent_joints, PassiveJoints
from mbd_ros.errors import InvalidValueError, LoopOpenError
from mbd_ros.model.names import simple_joints
from mbd_ros.model.state import difference, neutral

URDF = Path(__file__).parents[3] / 'urdf'


def robot(name):
    return mbd_ros.compile(mbd_ros.load(URDF / name))


def drives(model):
    return [name for name in model.joint_names if 'drive' in name or name == 'crank_joint']


@pytest.mark.parametrize('name', ['four_bar.urdf', 'five_bar.urdf', 'delta.urdf.xacro',
                                  'stewart.urdf.xacro'])
def test_the_drives_determine_a_moving_robot(name):
    """Every state of a simulated motion is found again, from the drives alone."""
    dyn = robot(name)
    model = dyn.model
    push = np.zeros(model.nv)
    push[[model.v_offsets[model.joint_index(one)] for one in drives(model)]] = 0.5
    run = mbd_ros.simulate(model, mbd_ros.close_loops(model, neutral(model))[0],
                           np.zeros(model.nv), 0.2, step=2e-3, tau=lambda t, q, v: push)
    passive = PassiveJoints(dyn, drives(model))
    unknown = [k for k, joint in enumerate(np.repeat(
        model.joint_names, [kind.nv for kind in model.joint_types])) if joint not in drives(model)]
    for q, v in zip(run.q, run.v):
        blind, still = neutral(model), v.copy()
        for one in drives(model):
            at = model.q_offsets[model.joint_index(one)]
            blind[at] = q[at]
        still[unknown] = 0.0
        found_q, found_v = passive.complete(blind, still)
        # Newton's method ends at 1e-12; these robots are far from singular.
        assert np.abs(difference(model, found_q, q)).max() < 1e-10
        assert np.abs(found_v - v).max() < 1e-9
    assert np.abs(run.v[-1]).max() > 0.1


def test_joints_that_do_not_determine_the_others_are_refused():
    dyn = robot('five_bar.urdf')
    with pytest.raises(InvalidValueError, match=(
            r"known joints is \['left_drive'\]; allowed: joints that determine the others through "
            "the loops; with these 'right_elbow' can still move")):
        PassiveJoints(dyn, ['left_drive']).complete(np.zeros(4), np.zeros(4))


def test_what_cannot_be_is_refused_and_the_next_state_found():
    dyn = robot('four_bar.urdf')
    passive = PassiveJoints(dyn, ['rocker_joint'])
    with pytest.raises(LoopOpenError, match="loop joint 'coupler_rocker' cannot be closed"):
        passive.complete(np.array([0.0, 0.0, 1.0]), np.zeros(3))
    q, _ = passive.complete(np.array([0.0, 0.0, 0.1]), np.zeros(3))
    assert np.abs(dyn.loop_rows(q, np.zeros(3))[:, 0]).max() < 1e-12


def test_a_far_leap_ends_as_closed_as_a_small_step():
    """Newton's method from the last state fails about one time in three; see loop_closure."""
    dyn = robot('five_bar.urdf')
    passive = PassiveJoints(dyn, ['left_drive', 'right_drive'])
    rng = np.random.default_rng(5)
    given = [dyn.model.q_offsets[dyn.model.joint_index(one)] for one in passive.known]
    leaps = 0
    for _ in range(200):
        q = np.zeros(dyn.model.nq)
        q[given] = rng.uniform(-np.pi, np.pi, 2)
        v = np.zeros(4)
        v[given] = rng.normal(size=2)   # one coordinate each in q as in v
        try:
            q, moving = passive.complete(q, v)
        except LoopOpenError:
            continue
        leaps += 1
        np.testing.assert_array_equal(moving[given], v[given])
        rows = dyn.loop_rows(q, moving)
        assert np.abs(rows[:, 0]).max() < 1e-10   # Newton ends at 1e-12
        # A v: rounding by the condition of the rows, up to 1e6 near change points.
        assert np.abs(rows[:, 1]).max() < 1e-9 * (1.0 + np.abs(moving).max())
    assert leaps > 20


def test_measured_joints_that_contradict_each_other_are_refused():
    """Noise of 0.1 mrad is none; a joint that is off by 0.1 rad is."""
    dyn = robot('five_bar.urdf')
    passive = PassiveJoints(dyn, dyn.model.joint_names)
    noisy = 1e-4 * np.array([1.0, -1.0, 1.0, 1.0])
    np.testing.assert_array_equal(passive.complete(noisy, np.zeros(4))[0], noisy)
    with pytest.raises(LoopOpenError, match='more joints than are needed, and contradict it'):
        passive.complete(np.array([0.1, 0.0, 0.0, 0.0]), np.zeros(4))


def test_independent_joints_are_as_many_as_motions():
    dyn = robot('delta.urdf.xacro')
    home = neutral(dyn.model)
    assert independent_joints(dyn, home, drives(dyn.model)) == tuple(drives(dyn.model))
    assert len(independent_joints(dyn, home, simple_joints(dyn.model))) == 3
    arm = robot('puma560.urdf')
    assert independent_joints(arm, np.zeros(6), ['joint1']) == ('joint1',)


@pytest.mark.parametrize('robot', ['five_bar', 'delta'])
def test_machine_code_finds_the_same(robot):
    """From states 0.1 rad away, by Newton's method with and without it."""
    file, = URDF.glob(f'{robot}.urdf*')
    dyn = mbd_ros.compile(mbd_ros.load(file))
    drives = [name for name in dyn.model.joint_names if name.endswith('drive')]
    rng = np.random.default_rng(7)
    fast, slow = (PassiveJoints(dyn, drives) for _ in range(2))
    assert fast._code is not None
    slow._code = None
    for _ in range(10):
        q, v = rng.uniform(-0.1, 0.1, dyn.model.nq), rng.normal(size=dyn.model.nv)
        one, other = fast.complete(q, v), slow.complete(q, v)
        # Each ends where phi or the step is below 1e-12, the step after it at 1e-16.
        np.testing.assert_allclose(one[0], other[0], rtol=0, atol=1e-11)
        np.testing.assert_allclose(one[1], other[1], rtol=0, atol=1e-10)
