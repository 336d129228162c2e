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

"""After precompiling nothing is compiled when a goal comes, and what cannot be done is refused."""

from dataclasses import replace
import math
from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import default_task
from mbd_ros.control.constraints.joint_constraints import joint_places
from mbd_ros.control.references.splines import trajectory
from mbd_ros.control.tasks.approaching import Way
from mbd_ros.control.tasks.feasibility import check_joints
from mbd_ros.control.tasks.goal_check import plan_task, precompile
from mbd_ros.control.tasks.task import Task
from mbd_ros.control.tasks.tracker import Mode, Tracker
from mbd_ros.errors import InvalidValueError, MbdError
from mbd_ros.execution.ir.machine_code import MachineCode

ROOT = Path(__file__).resolve().parents[3]
PERIOD = 0.002


@pytest.mark.parametrize(('robot', 'joints'), [
    ('five_bar', ('left_drive', 'right_drive')), ('puma560', ())])
def test_a_trajectory_of_joints_finds_its_machine_code(robot, joints, monkeypatch):
    model = mbd_ros.load(ROOT / 'urdf' / f'{robot}.urdf')
    joints, task = joints or model.joint_names, default_task(robot)
    q, v = np.array(task.start_positions or [0.0] * model.nq), np.zeros(model.nv)
    # Of its own, so that no other test has made the code.
    dyn = mbd_ros.dynamics.PreparedDynamics(model)
    precompile(Tracker(dyn, task, q, v), joints, q, v, PERIOD)
    tracker = Tracker(dyn, task, q, v)
    for k in range(3):
        tracker.step(k * PERIOD, q, v)

    def forbidden(*_, **__):
        raise AssertionError('compiled while the robot moves')
    monkeypatch.setattr(MachineCode, '__init__', forbidden)
    places, rates = joint_places(model, joints)
    reference = tracker.reference(q)
    path = trajectory([0.0, 2.0], [reference[0][places], reference[0][places] + 0.02],
                      first_velocity=reference[1][rates])
    check_joints(dyn, joints, path, 2.0, reference[0])
    tracker.follow_joints(path, 2 * PERIOD, q, v, joints=joints)
    tracker.step(3 * PERIOD, q, v)
    tracker.stop(3 * PERIOD, q, v)
    tracker.step(4 * PERIOD, q, v)


@pytest.mark.parametrize('q', [[0.1, 0.2, 3.1], [3.0, -2.0, 1.0], [0.785, -0.785, 1.571]])
def test_an_approach_is_slowed_before_it_begins(q):
    dyn, task, q, rest = an_arm(q)
    tracker = Tracker(dyn, replace(task, path={}, constraints=()), q, rest)
    unasked = tracker.copy_for_planning().follow(task, 0.0, q, rest)
    way = plan_task(tracker.copy_for_planning(), task, q, rest)
    assert not way.by_joints
    assert (way.duration > 1.2 * unasked) == (abs(q[0]) != 0.785)   # one was slow enough
    assert tracker.follow(task, 0.0, q, rest, approach=way) == way.duration
    tracker.check_ahead(way.duration, 1.0)


# From the stretched arm the tool cannot move inwards, from the folded one hardly.
@pytest.mark.parametrize('q', [[0.0, 0.0, 0.0], [0.1, 0.2, 3.14], [0.0, -1.57, 0.0],
                               [0.0, 1e-9, 1e-6]])
def test_joints_lead_where_the_tool_cannot_go(q):
    dyn, task, q, v = an_arm(q)
    tracker = Tracker(dyn, replace(task, path={}, constraints=()), q, v)
    way = plan_task(tracker.copy_for_planning(), task, q, v)
    assert way.by_joints
    assert tracker.follow(task, 0.0, q, v, approach=way) == way.duration > 0.5
    before, times = None, np.arange(0.0, way.duration + 1.0, PERIOD)
    for time in times.tolist():
        step = tracker.step(time, q, v)
        state = step.nominal
        assert (tracker.mode, tracker.problem) == (Mode.FOLLOWING, '')
        assert state.time == pytest.approx(time - way.duration, abs=1e-12)
        assert len(tracker.tools(step, q)) == 1
        if before is not None:   # it moves on as its velocities say: 1e-4 is what a leap is not
            np.testing.assert_allclose(
                state.q - before.q, 0.5 * PERIOD * (state.v + before.v), atol=1e-4 * PERIOD)
            # Accelerations are 20 rad/s^2 at most here, before and after: no leap of velocity.
            np.testing.assert_allclose(state.v, before.v, atol=30.0 * PERIOD)
        before, q, v = state, state.q, state.v
    assert tracker.tool_points(step, q).error < 1e-6   # it is on its path
    assert tracker.end == math.inf


def test_joints_that_lead_are_stopped_and_released():
    dyn, task, q, v = an_arm([0.0, 0.0, 0.0])
    tracker = Tracker(dyn, replace(task, path={}, constraints=()), q, v)
    way = plan_task(tracker.copy_for_planning(), task, q, v)
    for end in (lambda time: tracker.stop(time, q, v), lambda _: tracker.release()):
        tracker.follow(task, 0.0, q, v, approach=way)
        tracker.step(PERIOD, q, v)
        end(PERIOD)
        mode = tracker.mode
        tracker.step(way.duration + 1.0, q, v)
        assert tracker.mode is mode is not Mode.FOLLOWING


def test_robots_whose_joints_do_not_lead_are_refused_as_before():
    dyn, task, q, rest = an_arm([0.0, 0.0, 0.0])
    task = replace(task, actuated=('joint1', 'joint2'))
    tracker = Tracker(dyn, replace(task, path={}, constraints=()), q, rest)
    with pytest.raises(MbdError):
        tracker.copy_for_planning().follow(task, 0.0, q, rest, approach=Way(by_joints=True))
    with pytest.raises(MbdError) as refused:
        plan_task(tracker.copy_for_planning(), task, q, rest)
    assert 'by joints' not in str(refused.value)


def an_arm(q):
    """Return a three-link arm, its task with an approach, and a state at rest."""
    dyn = mbd_ros.compile(mbd_ros.load(ROOT / 'urdf' / 'three_link_arm.urdf'))
    return dyn, replace(default_task('three_link_arm'), start='approach'), np.array(q), np.zeros(3)


def test_a_weightless_robot_beyond_its_limits_says_which_joint():
    dyn = mbd_ros.compile(mbd_ros.load(ROOT / 'urdf' / 'puma560.urdf'))
    model, v = dyn.model, np.zeros(6)
    q = 0.5 * (model.lower + model.upper)
    tracker = Tracker(dyn, Task('tool', {}, start='approach'), q, v)
    tracker.step(0.0, q, v)
    assert tracker.problem == ''
    q[2] = model.upper[2] + 0.1
    tracker.step(PERIOD, q, v)
    low, high = model.lower[2], model.upper[2]
    allowed = f"joint 'joint3' is beyond its limits, {low:.4g} to {high:.4g} rad"
    assert (tracker.mode, tracker.problem) == (Mode.WEIGHTLESS, allowed)
    with pytest.raises(InvalidValueError, match=f'posture is .*; allowed: .* {allowed}'):
        Tracker(dyn, replace(default_task('puma560'), posture=tuple(q)), q, v)
    q[2] = model.upper[2]
    tracker.step(2.0 * PERIOD, q, v)
    assert tracker.problem == ''
