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

"""A task carried out step by step: advance, take up again after a gap, hold."""

from dataclasses import replace
from pathlib import Path
import subprocess
import sys
import threading

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbd_ros
from mbd_ros.control import default_task
from mbd_ros.control.tasks.goal_check import plan_task
from mbd_ros.control.tasks.task import next_task
from mbd_ros.control.tasks.tracker import LONGEST_GAP, Tracker
from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.ir.machine_code import MachineCode
from mbd_ros.simulation import Stepper

ROOT = Path(__file__).resolve().parents[3]
PERIOD = 0.002


@pytest.fixture(scope='module')
def dyn():
    return mbd_ros.compile(mbd_ros.load(ROOT / 'urdf' / 'three_link_arm.urdf'))


@pytest.fixture
def tracker(dyn):
    task = default_task('three_link_arm')
    return Tracker(dyn, task, np.array(task.start_positions), np.zeros(3))


def run(tracker, stepper, begin, count):
    """Drive a simulated robot for some periods and return the last step."""
    for k in range(count):
        step = tracker.step(begin + k * PERIOD, stepper.q, stepper.v)
        stepper.advance(step.efforts.effort, PERIOD)
    return tracker.step(begin + count * PERIOD, stepper.q, stepper.v)


def test_a_robot_is_led_onto_the_path(dyn, tracker):
    task = tracker.task
    stepper = Stepper(dyn.model, np.array(task.start_positions))
    first = tracker.tool_points(tracker.step(0.0, stepper.q, stepper.v), stepper.q)
    assert first.error == pytest.approx(0.74330, abs=1e-5)   # theory page, section 3.5
    step = run(tracker, stepper, PERIOD, 1000)
    tool = tracker.tool_points(step, stepper.q)
    assert tool.error < 1e-4
    assert np.linalg.norm(tool.nominal - tool.desired) < 1e-12
    assert tracker.rows == 3


def test_the_force_at_the_tool_does_what_the_constraint_force_does(dyn, tracker):
    q = np.array(tracker.task.start_positions)
    for k in range(5):
        step = tracker.step(k * PERIOD, q, np.zeros(3))
    J = dyn.jacobian(step.nominal.q, 'tool')[:3]
    force = tracker.tool_points(step, q).force
    # J is regular (cond < 3.4 on the path), so that the two agree to rounding.
    assert J.T @ force == pytest.approx(step.nominal.constraint_force, rel=1e-10, abs=1e-10)


def test_after_a_gap_it_begins_anew_where_the_robot_is(tracker):
    q = np.array(tracker.task.start_positions)
    tracker.step(0.0, q, np.zeros(3))
    elsewhere = q + 0.1
    step = tracker.step(10.0, elsewhere, np.zeros(3))
    assert np.array_equal(step.nominal.q, elsewhere)
    assert step.nominal.time == 10.0
    near = tracker.step(10.0 + 0.5 * LONGEST_GAP, elsewhere, np.zeros(3))
    assert near.nominal.violation < 1e-12   # integrated on, not begun anew


def test_holding_balances_the_weight_where_it_began(dyn, tracker):
    q = np.array([0.3, -0.6, 1.1])
    tracker.release()   # from what it followed, it would come to rest there
    tracker.stop(1.0, q, np.zeros(3))
    held = tracker.step(1.0, q, np.zeros(3))
    assert held.efforts.effort == pytest.approx(dyn.bias_forces(q, np.zeros(3)), abs=1e-12)
    stepper = Stepper(dyn.model, q + 0.05)
    for k in range(1500):
        step = tracker.step(1.0 + k * PERIOD, stepper.q, stepper.v)
        stepper.advance(step.efforts.effort, PERIOD)
    assert stepper.q == pytest.approx(q, abs=1e-6)   # e^(-15 * 3 s) of 0.05 rad is far below
    points = tracker.tool_points(tracker.step(5.0, q, np.zeros(3)), q)
    assert points.force.tolist() == [0.0, 0.0, 0.0]


def test_along_axes_that_a_path_leaves_free_nothing_is_off(dyn):
    task = default_task('three_link_arm')
    q = np.array([0.3, -0.4, 1.0])
    start = dyn.pose(q, 'tool')[:3, 3]
    path = {'kind': 'line', 'start': start.tolist(), 'end': [*start[:2].tolist(), 9.0],
            'duration': 1.0}   # far above, where only z would have it
    tracker = Tracker(dyn, next_task(task, {'path': path, 'axes': 'xy'}), q, np.zeros(3))
    stepper = Stepper(dyn.model, q)
    tool = tracker.tool_points(run(tracker, stepper, 0.0, 100), stepper.q)
    np.testing.assert_allclose(tool.desired, tool.nominal, atol=1e-12)
    assert tool.error < 1e-4


@pytest.mark.parametrize(('name', 'period'), [
    ('puma560', 0.001),   # with too long a step for it the nominal model cannot go on
    ('puma560', 0.03),   # 20 m/s
    ('three_link_arm', 0.03),
])
def test_a_path_that_is_far_too_fast_stops_the_robot_where_it_is(name, period):
    """Nothing of the nominal model's speed reaches the robot, and none is left to stop with."""
    dyn = mbd_ros.compile(mbd_ros.load(ROOT / 'urdf' / f'{name}.urdf'))
    task = replace(default_task(name), start='approach')
    stepper = Stepper(dyn.model, task.start_positions)
    tracker = Tracker(dyn, replace(task, path={}, constraints=()), stepper.q, stepper.v)
    tracker.stop(0.0, stepper.q, stepper.v)
    tracker.step(0.0, stepper.q, stepper.v)
    tracker.follow(replace(task, path={**task.path, 'period': period}), 0.0, stepper.q, stepper.v)
    problems = set()
    for k in range(1, 500):
        try:
            step = tracker.step(k * PERIOD, stepper.q, stepper.v)
        except mbd_ros.MbdError as error:
            tracker.stop(k * PERIOD, stepper.q, stepper.v, str(error))
            step = tracker.step(k * PERIOD, stepper.q, stepper.v)
        problems.add(tracker.problem)
        stepper.advance(step.efforts.effort, PERIOD)
        assert (np.abs(stepper.v) < 1.5 * dyn.model.velocity_limits).all()
    assert any('velocity' in problem or 'cannot be continued' in problem for problem in problems)
    assert np.abs(stepper.v).max() < 1e-3   # it holds
    # It moved for some periods at most, at less than the top speed.
    assert np.abs(stepper.q - task.start_positions).max() < 0.1


def test_a_robot_that_is_too_fast_is_stopped_while_it_is_pulled_onto_the_path(dyn):
    """The nominal model is granted its jump, the robot is not."""
    task = default_task('three_link_arm')
    assert task.start == 'as_given'
    q, v = np.array(task.start_positions), np.array([0.0, 16.0, 0.0])
    tracker = Tracker(dyn, task, q, v)
    tracker.step(PERIOD, q, v)
    assert tracker.problem == (
        "the robot: velocity 16 rad/s of joint 'joint2' is beyond its limits, -10 to 10 rad/s")


def test_the_end_is_that_of_the_last_path_or_turn():
    """A turn ends, too; an orientation that is held is no end, nor a circle."""
    puma = mbd_ros.compile(mbd_ros.load(ROOT / 'urdf' / 'puma560.urdf'))
    q = np.array(default_task('puma560').start_positions)
    pose = puma.pose(q, 'tool')
    x, now = pose[:3, 3], Rotation.from_matrix(pose[:3, :3])
    line = {'kind': 'tool_position', 'link': 'tool',
            'path': {'kind': 'line', 'start': x, 'end': x + 0.01, 'duration': 2.0}}
    turn = {'kind': 'tool_orientation', 'link': 'tool', 'orientation': {
        'start': now.as_quat(), 'duration': 3.0,
        'end': (now * Rotation.from_rotvec([0.0, 0.0, 0.05])).as_quat()}}
    held = {**turn, 'orientation': now.as_quat()}
    circle = {**line, 'path': {'kind': 'circle', 'center': x, 'radius': 0.01,
                               'normal': [0.0, 0.0, 1.0]}}
    for constraints, end in (([line, held], 2.0), ([line, turn], 3.0), ([turn], 3.0),
                             ([held], np.inf), ([circle, turn], np.inf)):
        task = next_task(default_task('puma560'), {'constraints': tuple(constraints)})
        assert Tracker(puma, task, q, np.zeros(6)).end == end


def test_too_few_actuators_are_refused_and_say_how_many_equations_they_satisfy(dyn, tracker):
    """Two motors cannot move a tool in three directions; one can hold its height."""
    exact = np.array([0.235544981, -0.872716323, 1.745432646])
    two = replace(tracker.task, actuated=('joint1', 'joint2'))
    words = r"actuated is \['joint1', 'joint2'\]; .* they satisfy 2 of 3 equations"
    with pytest.raises(InvalidValueError, match=words):
        tracker.follow(two, 0.0, exact, np.zeros(3))
    assert tracker.task is not two   # what it did before goes on
    height = replace(tracker.task, actuated=('joint2',), axes='z')
    tracker.follow(height, 0.0, exact, np.zeros(3))
    assert tracker.step(0.002, exact, np.zeros(3)).nominal.effort[[0, 2]].tolist() == [0.0, 0.0]


@pytest.fixture
def compiled(monkeypatch):
    """Return what this thread compiles from now on; others do so aside."""
    found, plain = [], MachineCode.__init__

    def noted(self, *arguments, **settings):
        if threading.current_thread() is threading.main_thread():
            found.append(arguments)
        plain(self, *arguments, **settings)
    monkeypatch.setattr(MachineCode, '__init__', noted)
    return found


@pytest.mark.parametrize('robot', ['puma560', 'five_bar'])
def test_no_stop_waits_for_a_compiler(robot, compiled):
    """What it needs was compiled when control began, also of a robot with a loop."""
    dyn = mbd_ros.compile(mbd_ros.load(ROOT / 'urdf' / f'{robot}.urdf'))
    task = default_task(robot)
    q = np.array(task.start_positions or mbd_ros.model.state.neutral(dyn.model))
    v = np.zeros(dyn.model.nv)
    tracker = Tracker(dyn, replace(task, start='approach'), q, v)
    for k in range(3):
        tracker.step(k * PERIOD, q, v)
    compiled.clear()
    tracker.stop(2 * PERIOD, q, v, 'asked to')
    for k in range(3, 6):
        assert tracker.step(k * PERIOD, q, v).fused
    assert not compiled


def test_no_goal_that_was_planned_waits_for_a_compiler(compiled):
    """Other paths, and other constraints; the robot follows each without exceeding its limits."""
    dyn = mbd_ros.compile(mbd_ros.load(ROOT / 'urdf' / 'puma560.urdf'))
    task = replace(default_task('puma560'), start='approach')
    q, v = np.array(task.start_positions), np.zeros(6)
    tracker = Tracker(dyn, task, q, v)
    for k in range(3):
        tracker.step(k * PERIOD, q, v)
    a, b, c = [0.5, 0.1, 0.5], [0.55, 0.15, 0.5], [0.6, 0.1, 0.55]
    spline = {'kind': 'spline', 'points': [a, b, c], 'duration': 2.0}
    wrist = {'kind': 'joint_coupling', 'coefficients': {'joint4': 1.0, 'joint6': 1.0}}
    for path, constraints in (
            (spline, ()), ({**spline, 'closed': True}, ()),
            ({'kind': 'line', 'start': a, 'end': b, 'duration': 1.0}, (wrist,)),
            ({'kind': 'lissajous', 'center': a, 'amplitude': [0.1, 0.1, 0.1],
              'turns': [1, 2, 3]}, (wrist, wrist)),
            ({'kind': 'circle', 'center': a, 'radius': 0.1, 'normal': [0, 0, 1]}, ())):
        other = replace(task, path=path, constraints=constraints)
        approach = plan_task(tracker.copy_for_planning(), other, q, v)
        compiled.clear()
        one = tracker.copy_for_planning()
        assert one.follow(other, 2 * PERIOD, q, v, approach=approach) == approach.duration
        step = one.step(3 * PERIOD, q, v)
        assert step.fused
        assert not compiled, path
        for time in np.arange(4 * PERIOD, approach.duration + 1.0, 2 * PERIOD):
            step = one.step(time, step.nominal.q, step.nominal.v)
            assert not one.problem, (path, time, one.problem)
        assert one.tool_points(step, step.nominal.q).error < 1e-6   # the approach is over


def test_no_goal_waits_for_an_import():
    """To import SciPy's splines takes 0.3 s, which would be between two control steps."""
    script = ('import sys, mbd_ros.control.tasks.tracker; known = set(sys.modules); '
              'from mbd_ros.control import spline, trajectory; '
              'spline([[0, 0, 0], [1, 0, 0], [1, 1, 0]], 1.0).at(0.5); '
              'trajectory([0, 1], [[0], [1]]).at(0.5); print(set(sys.modules) - known)')
    found = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True,
                           check=True, cwd=ROOT)
    assert found.stdout.strip() == 'set()'


@pytest.mark.parametrize('fused', [True, False])
@pytest.mark.parametrize(('off', 'way', 'problem'), [
    (0.1, 0.0, ''), (0.0, 0.5, 'the nominal model: velocity ')])
def test_a_nominal_model_jumps_onto_its_path_but_goes_no_faster_than_its_limits(
        dyn, fused, off, way, problem):
    task, at_rest = default_task('three_link_arm'), np.zeros(3)
    assert task.start == 'as_given'
    q = np.array(task.start_positions)
    x, aside = dyn.pose(q, 'tool')[:3, 3], np.array([0.0, 1.0, 0.0])
    path = {'kind': 'line', 'start': x + off * aside, 'end': x + (off + way) * aside,
            'duration': 0.05}
    tracker = Tracker(dyn, next_task(task, {'path': path}), q, at_rest)
    if not fused:
        tracker._fused = None
    for k in range(20):
        tracker.step(k * PERIOD, q, at_rest)
    assert tracker.problem[:len(problem)] == problem
    assert bool(tracker.problem) == bool(problem)


def test_a_weightless_robot_violates_nothing(dyn, tracker):
    """Its nominal model is the measured state, with the efforts that carry it."""
    q, v = np.array([0.3, -0.6, 1.1]), np.array([0.1, 0.0, -0.2])
    tracker.release()
    nominal = tracker.step(2.0, q, v).nominal
    assert (nominal.violation_before, nominal.violation, nominal.moved) == (0.0, 0.0, 0.0)
    assert nominal.rank == 0
    assert (nominal.time, nominal.conflicting) == (2.0, False)
    np.testing.assert_array_equal(nominal.q, q)
    np.testing.assert_array_equal(nominal.v, v)
    assert not nominal.accelerations.any()
    assert not nominal.constraint_force.any()


@pytest.mark.parametrize('fused', [True, False])
@pytest.mark.parametrize(('part', 'stops'), [(1.49, False), (1.51, True)])
def test_a_measured_velocity_may_be_half_as_fast_again_as_a_planned_one(dyn, fused, part, stops):
    task = default_task('three_link_arm')
    q, v = np.array(task.start_positions), np.array([part, 0.0, 0.0]) * dyn.model.velocity_limits
    tracker = Tracker(dyn, task, q, np.zeros(3))
    if not fused:
        tracker._fused = None
    tracker.step(0.0, q, np.zeros(3))
    tracker.step(PERIOD, q, v)
    assert tracker.problem.startswith('the robot: velocity ') == stops
    assert bool(tracker.problem) == stops
