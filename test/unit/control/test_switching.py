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

"""From one task to the next: without a jump, within limits, with every refusal explained."""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import default_task, dynamics_with, Payload, Task, trajectory
from mbd_ros.control.tasks.task import next_task
from mbd_ros.control.tasks.tracker import Mode, Tracker
from mbd_ros.control.tracking.limits import Limits
from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.simulation import Stepper

URDF = Path(__file__).resolve().parents[3] / 'urdf'
PERIOD = 0.002
START = np.array([0.7, -1.2, 2.2, 0.0, 0.9, 0.0])
SETTINGS = next_task(default_task('puma560'), {'constraints': [
    {'kind': 'joint_coupling', 'coefficients': {'joint1': 1.0}}]})


@pytest.fixture
def tracker(puma):
    """Return a tracker of a weightless PUMA."""
    return Tracker(puma, Task(link='tool'), START, np.zeros(6))


class Run:
    """A tracker with a simulated robot, and what has happened."""

    def __init__(self, tracker, q=START):
        self.tracker, self.time = tracker, 0.0
        self.robot = Stepper(tracker.dyn.model, q)
        self.steps = []

    def go(self, seconds):
        """Go on for a time and return the last step."""
        for _ in range(round(seconds / PERIOD)):
            step = self.tracker.step(self.time, self.robot.q, self.robot.v)
            self.robot.advance(step.efforts.effort, PERIOD)
            self.time += PERIOD
            self.steps.append(step)
        return self.steps[-1]

    def follow(self, data):
        """Begin a task and return the time of the approach."""
        return self.tracker.follow(next_task(SETTINGS, data), self.time, self.robot.q,
                                   self.robot.v)

    def assert_smooth(self):
        """See that the nominal model never jumps, and stays within its limits."""
        model = self.tracker.dyn.model
        q = np.array([step.nominal.q for step in self.steps])
        v = np.array([step.nominal.v for step in self.steps])
        assert (np.abs(v) <= model.velocity_limits).all()
        # A step of 2 ms at accelerations of up to 50 rad/s^2, those of the wrist.
        assert np.abs(np.diff(q, axis=0) - PERIOD * v[:-1]).max() < 50 * PERIOD**2
        assert np.abs(np.diff(v, axis=0)).max() < 50 * PERIOD
        assert not any(step.efforts.saturated for step in self.steps)


CIRCLE = {'link': 'tool', 'path': {'kind': 'circle', 'center': [0.6, 0.1, 0.75], 'radius': 0.1,
                                   'normal': [0, 0, 1], 'period': 4.0}}
POSTURE = {'posture': (0.0, -0.9, 2.7, 0.0, 1.3, 0.0), 'metric': 'euclidean'}


def test_tasks_follow_one_another_without_a_jump(tracker):
    """Weightless, a circle, a pose, points on a sphere, joints, rest: all within the limits."""
    run = Run(tracker)
    run.go(0.2)
    assert np.abs(run.robot.q - START).max() < 1e-9   # its weight is carried exactly
    run.steps.clear()
    first = run.follow({**CIRCLE, **POSTURE})
    assert 0.2 < first < 2.0
    run.go(first + 0.5)
    assert run.steps[-1].nominal.time == pytest.approx(0.5, abs=PERIOD)
    last = run.steps[-1]
    tool = tracker.tool_points(last, last.nominal.q - last.efforts.error)
    assert tool.error < 1e-4
    pose = tracker.dyn.pose(run.robot.q, 'tool')
    second = run.follow({'constraints': [
        {'kind': 'tool_position', 'link': 'tool',
         'path': {'kind': 'line', 'start': pose[:3, 3], 'end': [0.5, 0.3, 0.7], 'duration': 1.0}},
        {'kind': 'tool_direction', 'link': 'tool', 'axis': [0, 0, 1], 'direction': [0, 0, -1]}],
        **POSTURE})
    run.go(second + 1.2)
    assert tracker.rows == 5
    tool = tracker.dyn.pose(run.robot.q, 'tool')
    assert np.linalg.norm(tool[:3, 3] - [0.5, 0.3, 0.7]) < 1e-5
    assert np.linalg.norm(tool[:3, 2] - [0, 0, -1]) < 1e-5
    third = run.follow({'constraints': [
        {'kind': 'on_surface', 'link': 'tool', 'surfaces': [
            {'kind': 'sphere', 'center': [0.0, 0.0, 0.67], 'radius': 0.55}]},
        {'kind': 'joint_coupling', 'coefficients': {'joint1': 1.0}, 'value': 0.2},
        {'kind': 'joint_coupling', 'coefficients': {'joint1': 2.0}, 'value': 0.4}], **POSTURE})
    step = run.go(third + 0.3)   # the third row repeats the second
    assert tracker.mode is Mode.FOLLOWING, tracker.problem
    assert (tracker.rows, step.nominal.rank) == (3, 2)
    assert step.nominal.violation < 1e-10
    q, v, a = tracker.reference(run.robot.q)
    tracker.follow_joints(trajectory([0.0, 1.5], [q, START], [v, 0 * v], [a, 0 * v]), run.time,
                          run.robot.q, run.robot.v)
    run.go(1.6)
    assert np.abs(run.robot.q - START).max() < 1e-4
    tracker.stop(run.time, run.robot.q, run.robot.v)
    assert tracker.mode is Mode.HOLDING
    run.go(0.3)
    run.assert_smooth()


def test_a_stop_comes_to_rest_from_a_motion(tracker):
    run = Run(tracker)
    run.go(run.follow({**CIRCLE, **POSTURE}) + 0.3)
    tracker.stop(run.time, run.robot.q, run.robot.v, 'because')
    assert tracker.problem == 'because'
    step = run.go(1.0)
    assert not step.nominal.v.any()
    assert np.abs(run.robot.v).max() < 1e-4
    run.assert_smooth()


def test_a_limit_of_the_nominal_model_ends_what_is_followed(tracker):
    """The joint is named, and the robot stops short of its limit."""
    run = Run(tracker)
    q = START.copy()
    q[0] = 3.0   # beyond 160 degrees
    tracker.follow_joints(trajectory([0.0, 3.0], [START, q]), 0.0, START, np.zeros(6))
    run.go(3.0)
    assert tracker.mode is Mode.HOLDING
    assert tracker.problem.startswith('the nominal model: position 2.79')
    assert "of joint 'joint1' is beyond its limits, -2.793 to 2.793 rad" in tracker.problem
    assert run.robot.q[0] < 2.9


def test_a_velocity_limit_does(tracker):
    q = START.copy()
    q[1] += 1.0
    tracker.follow_joints(trajectory([0.0, 1.0], [START, q]), 0.0, START, np.zeros(6))
    run = Run(tracker)
    run.go(1.0)
    assert tracker.problem.startswith('the nominal model: velocity 0.94')


def test_a_measured_limit_does_unless_the_joint_is_on_its_way_back(tracker, puma):
    limits = Limits(puma.model)
    q, v = START.copy(), np.zeros(6)
    q[3] = 3.1
    assert limits.exceeded(q, v, measured=True, moving=True) == ''   # at rest: it may go back
    v[3] = 0.1
    found = limits.exceeded(q, v, measured=True, moving=True)
    assert "position 3.1 rad of joint 'joint4'" in found
    v[3] = -0.1
    assert limits.exceeded(q, v, measured=True, moving=True) == ''
    assert "joint 'joint4'" in limits.exceeded(q, v)
    q[3] = 2.9670597 + 0.005
    assert limits.exceeded(q, 0 * v, measured=True, moving=True) == ''
    v[3] = -10.0
    found = limits.exceeded(START, v, measured=True, moving=True)
    assert "velocity -10 rad/s of joint 'joint4'" in found


def test_a_robot_that_was_stopped_beyond_a_limit_can_be_led_back(tracker):
    """The stop needs some way; from there joint 1 returns, and goes no further out."""
    q = START.copy()
    q[0] = 3.2
    tracker.follow_joints(trajectory([0.0, 4.0], [START, q]), 0.0, START, np.zeros(6))
    run = Run(tracker)
    run.go(5.0)
    assert tracker.problem and run.robot.q[0] > 2.7926
    out = run.robot.q + np.array([0.1, 0, 0, 0, 0, 0])
    for end, problem in ((out, True), (START, False)):
        begin = tracker.reference(run.robot.q)[0]
        tracker.follow_joints(trajectory([0.0, 3.0], [begin, end]), run.time, run.robot.q,
                              run.robot.v)
        run.go(3.5)
        assert bool(tracker.problem) is problem
    np.testing.assert_allclose(run.robot.q, START, atol=1e-3)   # 0.5 s after the end


def test_a_short_approach_does_not_throw_the_wrist():
    """2 cm to a circle: if all joints could share the way, in 0.05 s, the Panda's are too fast."""
    task = default_task('panda')
    dyn = mbd_ros.compile(mbd_ros.load(URDF / 'panda.urdf'))
    run = Run(Tracker(dyn, Task(link='tool'), task.start_positions, np.zeros(7)),
              task.start_positions)
    place = dyn.pose(np.array(task.posture), 'tool')[:3, 3]
    for path, duration in (
            ({'kind': 'line', 'start': place, 'end': place + np.array([0, 0.1, 0.05]),
              'duration': 1.5}, 3.5),
            ({'kind': 'circle', 'center': place + np.array([0, 0, 0.05]), 'radius': 0.08,
              'normal': [1, 0, 0.2], 'period': 4.0}, 2.0)):
        run.tracker.follow(next_task(task, {'link': 'tool', 'path': path}), run.time,
                           run.robot.q, run.robot.v)
        count = len(run.steps)
        run.go(duration)
    assert run.tracker.problem == ''
    # 215 rad/s^2 and a joint beyond its velocity limit without the time for it
    assert max(np.abs(step.nominal.accelerations).max() for step in run.steps[count:]) < 25.0


def test_what_is_out_of_reach_is_refused_and_the_old_task_goes_on(tracker):
    run = Run(tracker)
    run.follow({**CIRCLE, **POSTURE})
    before = run.go(0.1)
    far = {**CIRCLE, 'path': {**CIRCLE['path'], 'center': [3.0, 0, 0]}}
    with pytest.raises(InvalidValueError, match='from which the constraint can be met'):
        run.follow(far)
    with pytest.raises(UnknownNameError, match='tol'):
        run.follow({**CIRCLE, 'link': 'tol'})
    after = run.go(PERIOD)
    assert np.abs(after.nominal.q - before.nominal.q).max() < 0.01
    assert tracker.mode is Mode.FOLLOWING


def test_payload_and_gravity_change_while_it_runs(puma):
    """The robot does not move; its efforts are those of the new weight from then on."""
    tracker = Tracker(puma, next_task(SETTINGS, {**CIRCLE, **POSTURE}), START, np.zeros(6))
    q, v = START, np.zeros(6)
    tracker.step(0.0, q, v)
    before = tracker.step(PERIOD, q, v)
    loaded = dynamics_with(puma.model, Payload('tool', 2.0), (0.0, 1.0, -9.81))
    tracker.set_dynamics(loaded)
    after = tracker.step(PERIOD, q, v)
    np.testing.assert_array_equal(after.nominal.q, before.nominal.q)
    weight = loaded.bias_forces(q, v) - puma.bias_forces(q, v)
    assert np.abs(weight).max() > 5.0
    np.testing.assert_allclose(
        after.efforts.effort - before.efforts.effort, loaded.inverse_dynamics(
            q, v, after.nominal.accelerations) - puma.inverse_dynamics(
            q, v, before.nominal.accelerations) + 0 * weight, rtol=0, atol=5.0)
    tracker.release()
    np.testing.assert_allclose(tracker.step(1.0, q, v).efforts.effort, loaded.bias_forces(q, v))
    tracker.stop(1.0, q, v)
    np.testing.assert_allclose(tracker.step(1.1, q, v).efforts.effort, loaded.bias_forces(q, v))
    tracker.set_dynamics(puma)
    np.testing.assert_allclose(tracker.step(1.2, q, v).efforts.effort, puma.bias_forces(q, v))


def test_a_weightless_robot_can_be_pushed(tracker):
    run = Run(tracker)
    run.robot.set_state(START, 0.2 * np.ones(6))
    run.go(3.0)
    assert np.abs(run.robot.v).max() < 0.1
    assert np.abs(run.robot.q - START).max() > 0.05
    assert tracker.rows == 0
    assert mbd_ros.load(URDF / 'puma560.urdf').nv == 6


def test_after_a_gap_in_an_approach_it_is_planned_anew(tracker):
    """The robot stood still meanwhile; the path is joined where it is by then, within limits."""
    run = Run(tracker)
    run.follow({**CIRCLE, **POSTURE})
    run.go(0.1)
    run.robot.set_state(run.robot.q, np.zeros(6))
    run.time += 0.7
    run.steps.clear()
    run.go(3.0)
    assert tracker.mode is Mode.FOLLOWING, tracker.problem
    last = run.steps[-1]
    assert tracker.tool_points(last, last.nominal.q - last.efforts.error).error < 1e-4
    run.assert_smooth()
