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


"""Differential inverse kinematics beside pink's, steps and loops of steps."""

from pathlib import Path

import numpy as np
import pink
import pinocchio as pin
import pytest

import mbd_ros
from mbd_ros import CenterOfMassTarget, PoseTarget, PostureTarget

FILE = str(Path(__file__).resolve().parents[2] / 'urdf' / 'panda.urdf')
MODEL, PEER = mbd_ros.load(FILE), pin.buildModelFromUrdf(FILE)
GAIN, DAMPING = 0.8, 1e-4


def step_of_pink(q, tasks, dt):
    return pink.solve_ik(
        pink.Configuration(PEER, PEER.createData(), q), tasks, dt, solver='quadprog',
        damping=DAMPING, safety_break=False, limits=[
            pink.limits.ConfigurationLimit(PEER, config_limit_gain=0.5),
            pink.limits.VelocityLimit(PEER)])


def frame_task(pose, position=1.0, orientation=0.5):
    task = pink.tasks.FrameTask('tool', position_cost=position, orientation_cost=orientation,
                                gain=GAIN)
    task.set_target(pin.SE3(pose))
    return task


@pytest.mark.parametrize('dt', [0.002, 0.02, 2.0])   # nearly all, some, and no bounds
def test_steps_with_postures_and_mass_centres(dt):
    rng, bounded = np.random.default_rng(0), 0
    for _ in range(50):
        q, wanted, posture = mbd_ros.random_configuration(MODEL, rng, 3)
        center, tasks = mbd_ros.center_of_mass(MODEL, wanted), [
            pink.tasks.ComTask(cost=2.0, gain=GAIN), pink.tasks.PostureTask(cost=0.1, gain=GAIN)]
        tasks[0].set_target(center)
        tasks[1].set_target(posture)
        v = mbd_ros.differential_inverse_kinematics(MODEL, q, [
            CenterOfMassTarget(center, weight=2.0), PostureTarget(posture, weight=0.1)], dt,
            gain=GAIN, damping=DAMPING)
        bounded += int((np.abs(v) >= MODEL.velocity_limits).sum())
        # The same quadratic program; its matrix has entries from 0.01 to 4.
        np.testing.assert_allclose(v * dt, step_of_pink(q, tasks, dt) * dt, atol=1e-9)
    assert bounded == 0 if dt == 2.0 else bounded > 10


@pytest.mark.parametrize('far', [1e-2, 1e-3, 1e-4])
def test_steps_towards_poses(far):
    """Its errors are twists of SE(3), ours a position and a rotation: they differ by squares."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        q, posture = mbd_ros.random_configuration(MODEL, rng, 2)
        q = np.clip(q, MODEL.lower + 0.1, MODEL.upper - 0.1)
        pose = mbd_ros.pose(MODEL, q + far * rng.uniform(-1.0, 1.0, 7), 'tool')
        posture = q + far * (posture - q)
        task = pink.tasks.PostureTask(cost=0.1, gain=GAIN)
        task.set_target(posture)
        v = mbd_ros.differential_inverse_kinematics(MODEL, q, [
            PoseTarget('tool', pose, weight=(1.0, 1.0, 1.0, 0.5, 0.5, 0.5)),
            PostureTarget(posture, weight=0.1)], 1.0, gain=GAIN, damping=DAMPING)
        theirs = step_of_pink(q, [frame_task(pose), task], 1.0)
        # Half of the squared error, times up to 1 / 0.1 by the weight of the posture.
        np.testing.assert_allclose(v, theirs, atol=50.0 * far**2)


def test_loops_of_steps_arrive_at_the_same_place():
    rng, dt = np.random.default_rng(2), 0.02
    for _ in range(3):
        q, wanted = mbd_ros.random_configuration(MODEL, rng, 2)
        mine = theirs = 0.6 * wanted + 0.4 * q
        pose = mbd_ros.pose(MODEL, wanted, 'tool')
        for _ in range(150):
            mine = mine + dt * mbd_ros.differential_inverse_kinematics(
                MODEL, mine, {'tool': pose}, dt, gain=GAIN, damping=DAMPING)
            theirs = theirs + dt * step_of_pink(theirs, [frame_task(pose)], dt)
        # 3 s at up to 2 rad/s, then a factor of 0.2 a step: damping slows the last millimetres
        for q in (mine, theirs):
            np.testing.assert_allclose(mbd_ros.pose(MODEL, q, 'tool'), pose, atol=1e-4)
