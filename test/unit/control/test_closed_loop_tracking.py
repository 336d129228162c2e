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

"""Robots with closed loops follow paths, driven by their actuated joints alone."""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import (
    Actuation, ConstrainedMotion, default_task, Ellipse, NominalModel, path_from_data, Task,
    ToolPosition, TrackingLaw)
from mbd_ros.control.references.splines import trajectory
from mbd_ros.control.tasks.feasibility import check_joints
from mbd_ros.control.tasks.tracker import Mode, Tracker
from mbd_ros.control.tracking.robustness import guarantee
from mbd_ros.control.udwadia_kalaba.passive_joints import independent_joints
from mbd_ros.dynamics.loops.closure import close_loops
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import InfeasibleError, InvalidValueError, UnsupportedError
from mbd_ros.model.state import neutral
from mbd_ros.simulation import Stepper

URDF = Path(__file__).parents[3] / 'urdf'
PERIOD = 0.002


@pytest.fixture(scope='module')
def five_bar():
    return mbd_ros.compile(mbd_ros.load(URDF / 'five_bar.urdf'))


def run(tracker, robot, begin, count):
    """Drive a simulated robot for some periods; return the last step and the tool's errors."""
    errors = []
    for k in range(begin, begin + count):
        step = tracker.step(k * PERIOD, robot.q, robot.v)
        errors.append(tracker.tool_points(step, robot.q).error)
        robot.advance(step.efforts.effort, PERIOD)
    return step, errors


def test_a_five_bar_robot_follows_its_ellipse(five_bar):
    """At 0.2 m/s, from rest and 0.1 m away, by its two drives; then it comes to rest and holds."""
    model = five_bar.model
    robot = Stepper(model, np.zeros(4))
    tracker = Tracker(five_bar, default_task('five_bar'), robot.q, robot.v)
    count = round(1.2 / PERIOD)
    step, errors = run(tracker, robot, 0, count)
    # Efforts that are held for 2 ms leave it by 0.028 mm, as they do with the serial robots.
    assert max(errors[round(1.0 / PERIOD):]) < 5e-5
    assert step.nominal.violation < 1e-12
    assert step.nominal.rank == 4   # two rows of the loop, two of the path: nothing is left free
    passive = [1, 3]
    assert not step.efforts.effort[passive].any()
    assert not step.nominal.effort[passive].any()
    # The drives alone give the accelerations of the nominal model.
    q, v = step.nominal.q, step.nominal.v
    found = mbd_ros.constrained_dynamics(model, q, v, step.nominal.effort).accelerations
    np.testing.assert_allclose(found, step.nominal.accelerations, atol=1e-9)
    # The force at the tool and the loop's make up the constraint force.
    force = np.zeros(6)
    force[:3] = tracker.tool_points(step, robot.q).force
    rest = step.nominal.constraint_force - five_bar.jacobian(q, 'tool')[:3].T @ force[:3]
    A = five_bar.loop_rows(q, v)[:, VALUES:]
    np.testing.assert_allclose(A.T @ np.linalg.lstsq(A.T, rest, rcond=1e-10)[0], rest, atol=1e-9)
    tracker.stop(count * PERIOD, robot.q, robot.v)
    run(tracker, robot, count, 200)
    assert tracker.mode is Mode.HOLDING
    assert np.abs(robot.v).max() < 1e-3


def test_with_one_freedom_left_it_moves_as_the_loops_and_the_path_let_it(five_bar):
    """Only the height is prescribed: the rest swings, and no drive works along it."""
    model = five_bar.model
    q, _ = close_loops(model, np.zeros(4))
    drives = Actuation(model, ['left_drive', 'right_drive'])
    path = Ellipse(five_bar.pose(q, 'tool')[:3, 3] - [0.0, 0.0, 0.02], [0.0, 0.0, 0.02], [0, 0, 0])
    motion = ConstrainedMotion(five_bar, ToolPosition(five_bar, 'tool', path, axes='z'),
                               actuation=drives)
    nominal = NominalModel(motion, q, [0.1, 0.0, 0.0, 0.0], start='project')
    state = nominal.advance_to(0.2)
    rows = motion.whole.matrix(state.q, state.v, state.time)
    free = np.linalg.svd(rows)[2][-1]
    assert state.rank == 3
    assert abs(free @ state.v) > 0.01
    assert abs(free @ state.effort) < 1e-9
    assert state.violation < 1e-12


def test_a_delta_robot_follows_a_circle():
    """Three drives, twelve passive joints and a platform that six ball joints hold, at 0.2 m/s."""
    model = mbd_ros.load(URDF / 'delta.urdf.xacro')
    robot = Stepper(model, neutral(model))
    tracker = Tracker(mbd_ros.compile(model), Task.from_data({
        'link': 'platform', 'start': 'approach',
        'path': {'kind': 'circle', 'center': [0.0, 0.0, -0.42], 'radius': 0.04,
                 'normal': [0.0, 0.0, 1.0], 'period': 0.4 * np.pi},
        'actuated': ['arm1_drive', 'arm2_drive', 'arm3_drive']}), robot.q, robot.v)
    step, errors = run(tracker, robot, 0, 500)
    assert step.nominal.time > 0.5
    assert max(errors[-150:]) < 5e-5   # 0.01 mm is what efforts held for 2 ms cost here
    assert step.nominal.rank == 21   # 18 of the loops, 3 of the path
    assert np.count_nonzero(step.efforts.effort) == 3


def test_drives_follow_a_trajectory_and_the_loops_stay_closed(five_bar):
    """The elbows go with the drives; at the end the robot holds, and the trajectory is asked."""
    robot = Stepper(five_bar.model, np.zeros(4))
    drives = ('left_drive', 'right_drive')
    tracker = Tracker(five_bar, Task(actuated=drives), robot.q, robot.v)
    path = trajectory([0.0, 0.4], [[0.0, 0.0], [0.3, -0.2]])
    tracker.follow_joints(path, 0.0, robot.q, robot.v, joints=drives)
    step, _ = run(tracker, robot, 0, 450)
    assert tracker.mode is Mode.FOLLOWING
    # 0.5 s after its end the 1e-3 rad that held efforts cost on the way have decayed by exp(-7).
    assert np.abs(robot.q[[0, 2]] - [0.3, -0.2]).max() < 1e-4
    assert step.nominal.rank == 4
    assert step.nominal.violation < 1e-12
    names, point = tracker.preview(0.4)
    assert names == drives
    np.testing.assert_allclose(point.position, [0.3, -0.2], atol=1e-15)
    assert independent_joints(five_bar, robot.q, drives[:1]) == drives[:1]
    assert len(independent_joints(five_bar, robot.q, five_bar.model.joint_names)) == 2


def test_trajectories_that_tear_the_loops_are_known_before(five_bar):
    home = np.zeros(4)
    four_bar = mbd_ros.compile(mbd_ros.load(URDF / 'four_bar.urdf'))
    far = trajectory([0.0, 1.0], [[0.0], [3.0]])
    with pytest.raises(InfeasibleError, match=(
            "s after its begin: loop joint 'coupler_rocker' cannot be closed")):
        check_joints(four_bar, ['rocker_joint'], far, 1.0, np.zeros(3))
    one = trajectory([0.0, 1.0], [[0.0], [0.1]])
    with pytest.raises(InfeasibleError, match="with these 'right_elbow' can still move"):
        check_joints(five_bar, ['left_drive'], one, 1.0, home)
    four = trajectory([0.0, 1.0], [home, [0.1, 0.0, 0.0, 0.0]])
    with pytest.raises(InfeasibleError, match='more joints than are needed, and contradict it'):
        check_joints(five_bar, five_bar.model.joint_names, four, 1.0, home)
    check_joints(five_bar, ['left_drive', 'right_drive'],
                 trajectory([0.0, 1.0], [[0.0, 0.0], [0.3, -0.2]]), 1.0, home)


def test_what_drives_cannot_do_is_refused(five_bar):
    one = Task.from_data({'link': 'tool', 'path': default_task('five_bar').path, 'axes': 'xz',
                          'actuated': ['left_drive']})
    with pytest.raises(InvalidValueError, match='joints that can do it: they satisfy'):
        Tracker(five_bar, one, np.zeros(4), np.zeros(4))
    with pytest.raises(UnsupportedError, match='a bound for a robot with closed loops'):
        guarantee(TrackingLaw(five_bar), five_bar, [], 'tool')


def test_simulate_takes_the_motion_as_it_does_for_a_tree(five_bar):
    """As the nominal model goes, to rounding: the same steps, the same eliminations."""
    task = default_task('five_bar')
    motion = ConstrainedMotion(five_bar, ToolPosition(
        five_bar, 'tool', path_from_data(task.path), axes='xz'))
    nominal = NominalModel(motion, np.zeros(4), start='project', step=0.01)
    out = mbd_ros.simulate(five_bar.model, nominal.state.q, nominal.state.v, 0.2, step=0.01,
                           motion=motion)
    state = nominal.advance_to(0.2)
    np.testing.assert_allclose(out.q[-1], state.q, rtol=0, atol=1e-11)
    assert out.violation.max() < 1e-12


def test_a_law_for_a_robot_at_ease_uses_the_drives_alone(five_bar):
    drives = Actuation(five_bar.model, ['left_drive', 'right_drive'])
    q, v = close_loops(five_bar.model, [0.1, 0.0, 0.0, 0.0], [0.1, 0.0, 0.0, 0.0])
    law = TrackingLaw(five_bar, actuation=drives, robust_rate=30.0)
    found = law.gravity_compensation(q, 0.0 * v)
    assert not found.effort[[1, 3]].any()
    rest = mbd_ros.constrained_dynamics(five_bar.model, q, 0.0 * v, found.effort).accelerations
    assert np.abs(rest).max() < 1e-9


def test_out_of_reach_the_loops_are_closed_and_the_report_says_so(five_bar):
    """The ellipse is 5 m away: what is left of the violation is that of the path alone."""
    motion = ConstrainedMotion(five_bar, ToolPosition(
        five_bar, 'tool', Ellipse([5.0, 0.0, 0.0], [0.1, 0, 0], [0, 0, 0.1]), axes='xz'))
    q, v = close_loops(five_bar.model, np.array([0.2, 0.1, -0.1, 0.15]), np.zeros(4))
    report = motion.eliminate(0.0, q, v)
    assert not report.converged
    assert report.violation == motion.violation(0.0, report.q) > 3.0
    assert np.abs(five_bar.loop_rows(report.q, report.v)[:, 0]).max() < 1e-9
