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

"""What the controller tells of a control step, against the step itself and its physics."""

from pathlib import Path
import re

from mbd_msgs.action import FollowPath
from mbd_msgs.msg import ControllerState
import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import default_task
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.messages.dynamics.loop_wrenches import loop_wrench_messages
from mbd_ros.messages.states.joint_states import Measured
from mbd_ros.messages.trajectories.controller_states import idle_state, tracking_state
from mbd_ros.messages.trajectories.path_goals import path_feedback, watch_for
from mbd_ros.messages.trajectories.trajectories import feedback_of, standard_state

URDF = Path(__file__).parents[3] / 'urdf'
START = np.deg2rad([45.0, -45.0, 90.0])
STAMP = 3_000_000_007   # ns
LAG = np.array([0.02, -0.01, 0.03])   # of the measured arm behind the nominal model [rad]


def numbers(point):
    """Return a vector of a message as an array."""
    return np.array([point.x, point.y, point.z])


@pytest.fixture(scope='module')
def tracked(model):
    """Return a tracker of the arm, its step after 0.01 s and the measured state."""
    dyn = mbd_ros.compile(model)
    tracker = Tracker(dyn, default_task('three_link_arm'), START, np.zeros(3))
    tracker.step(0.0, START, np.zeros(3))
    nominal = tracker.step(0.01, START, np.zeros(3)).nominal
    measured = Measured(nominal.q - LAG, nominal.v + 0.1, np.array([1.0, 2.0, 3.0]))
    return tracker, tracker.step(0.01, measured.q, measured.v), measured


def test_a_step_is_told_with_its_parts(model, tracked):
    tracker, step, measured = tracked
    tools = tracker.tools(step, measured.q)
    state = tracking_state(STAMP, 'ground', model, measured, step, tools, 3)
    assert (state.header.stamp.sec, state.header.stamp.nanosec) == (3, 7)
    assert state.header.frame_id == 'ground'
    assert state.mode == ControllerState.MODE_TRACKING
    assert state.path_time == pytest.approx(0.01)
    assert list(state.joint_names) == list(model.joint_names)
    assert np.array(state.reference.positions) == pytest.approx(measured.q + LAG)
    assert np.array(state.feedback.positions) == pytest.approx(measured.q)
    assert np.array(state.feedback.velocities) == pytest.approx(measured.v)
    assert list(state.feedback.effort) == [1.0, 2.0, 3.0]
    # Error: desired minus actual, as control_msgs has it.
    assert np.array(state.error.positions) == pytest.approx(LAG)
    assert np.array(state.error.velocities) == pytest.approx(np.full(3, -0.1))
    # The nominal effort moves the nominal model: inverse dynamics of its state.
    needed = mbd_ros.inverse_dynamics(model, step.nominal.q, step.nominal.v,
                                      step.nominal.accelerations)
    assert np.array(state.effort_nominal) == pytest.approx(needed, abs=1e-9)
    assert np.array(state.reference.effort) == pytest.approx(needed, abs=1e-9)
    parts = np.array(state.effort_nominal) + state.effort_feedback
    if len(state.effort_robust):
        parts += state.effort_robust
    assert np.array(state.effort_total) == pytest.approx(parts)
    assert state.power == pytest.approx(float(np.dot(state.effort_total, measured.v)))
    assert not state.saturated
    assert (state.constraint_rows, state.constraint_rank) == (3, 3)
    assert state.constraint_violation_after < 1e-9
    # The tool of the measured robot, by forward kinematics.
    actual = mbd_ros.pose(model, measured.q, 'tool')[:3, 3]
    assert numbers(state.tool_actual) == pytest.approx(actual)
    assert numbers(state.tool_nominal) == pytest.approx(
        mbd_ros.pose(model, step.nominal.q, 'tool')[:3, 3])
    assert state.tool_error == pytest.approx(
        np.linalg.norm(numbers(state.tool_desired) - actual))
    # The force at the tool does what the constraint force does.
    jacobian = mbd_ros.jacobian(model, step.nominal.q, 'tool')[:3]
    assert jacobian.T @ numbers(state.tool_force) == pytest.approx(
        np.array(state.effort_constraint), rel=1e-6)


def test_other_messages_of_a_step_say_the_same(model, tracked):
    _, step, measured = tracked
    standard = standard_state(STAMP, model, measured, step)
    feedback = feedback_of(STAMP, model, measured, step)
    for one in (standard, feedback):
        assert (one.header.stamp.sec, one.header.stamp.nanosec) == (3, 7)
        assert list(one.joint_names) == list(model.joint_names)
        assert np.array(one.error.positions) == pytest.approx(LAG)
    assert list(standard.output.effort) == step.effort.tolist()
    assert list(feedback.desired.positions) == list(standard.reference.positions)
    assert list(feedback.actual.positions) == measured.q.tolist()


@pytest.mark.parametrize(('seconds', 'duration'), [(0.02, 0.02), (0.0, np.inf)])
def test_progress_of_a_path_goal(tracked, seconds, duration):
    """A duration of zero stands for all of the path; this ellipse has no end."""
    tracker, step, measured = tracked
    goal = FollowPath.Goal()
    goal.duration.nanosec = round(seconds * 1e9)
    watch = watch_for(goal, tracker, 0.0, path=0.0, end=0.0, goal_time=0.0)
    tools = tracker.tools(step, measured.q)
    told = path_feedback(STAMP, watch, step, tools)
    assert (told.header.stamp.sec, told.header.stamp.nanosec) == (3, 7)
    assert told.path_time == pytest.approx(0.01)
    assert told.progress == pytest.approx(0.01 / duration)
    assert told.tool_error == tools[0].error
    assert told.constraint_violation == step.nominal.violation


def test_an_idle_controller_tells_why_and_no_numbers():
    state = idle_state(STAMP, ControllerState.MODE_WAITING, 'no robot', ['a', 'b'],
                       generation=4, step=9)
    assert (state.header.stamp.sec, state.header.stamp.nanosec) == (3, 7)
    assert (state.mode, state.message) == (ControllerState.MODE_WAITING, 'no robot')
    assert list(state.joint_names) == ['a', 'b']
    assert (state.model_generation, state.step) == (4, 9)
    assert not len(state.effort_total)
    assert not state.tools


@pytest.mark.parametrize('robot', ['five_bar', 'four_bar', 'slider_crank'])
def test_wrenches_of_loop_joints_replace_the_loops(robot):
    """Put on both links of the robot cut open, they give the accelerations of the closed one."""
    text = (URDF / f'{robot}.urdf').read_text()
    model = mbd_ros.load(text)
    opened = mbd_ros.load(re.sub('<loop_joint.*?</loop_joint>', '', text, flags=re.DOTALL))
    assert opened.joint_names == model.joint_names
    q, v = mbd_ros.close_loops(model, np.full(model.nq, 0.3), np.zeros(model.nv))
    tau = np.linspace(-1.0, 1.0, model.nv)
    dyn = mbd_ros.compile(model)
    held = mbd_ros.constrained_dynamics(model, q, v, tau)
    found = loop_wrench_messages(dyn, STAMP, q, held.multipliers, 'ground')
    forces = {name: np.zeros(6) for name in model.body_names}
    for loop, message in zip(model.loops, found, strict=True):
        assert message.header.frame_id == 'ground'
        assert (message.header.stamp.sec, message.header.stamp.nanosec) == (3, 7)
        force, moment = numbers(message.wrench.force), numbers(message.wrench.torque)
        bodies = dyn.body_poses(q)
        first = bodies[loop.frame1.body]   # of the frame, whose origin the wrench is at
        point = first[:3, :3] @ loop.frame1.translation + first[:3, 3]
        for frame, sign in ((loop.frame1, 1.0), (loop.frame2, -1.0)):
            if frame.body >= 0:
                link = model.body_names[frame.body]
                lever = point - mbd_ros.pose(model, q, link)[:3, 3]
                forces[link] += sign * np.array([*force, *(moment + np.cross(lever, force))])
    closed = held.accelerations
    assert mbd_ros.forward_dynamics(opened, q, v, tau, external_forces=forces) == pytest.approx(
        closed, rel=1e-8, abs=1e-8)   # of accelerations up to 100 rad/s^2
    assert np.abs(closed - mbd_ros.forward_dynamics(opened, q, v, tau)).max() > 0.1
