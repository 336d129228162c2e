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

"""What a task leaves free is held; what is accepted is carried out; beyond limits leads back."""

from dataclasses import replace
import functools

from arms import arm, ARMS, READY
from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

import mbd_ros
from mbd_ros.control.control_step.applied_forces import (
    avoiding_force, PostureSpring, rooms, STEPS_AHEAD)
from mbd_ros.control.control_step.constrained_motion import _State
from mbd_ros.control.control_step.constrained_step import constrained_motion
from mbd_ros.control.references.splines import trajectory
from mbd_ros.control.tasks.feasibility import check_joints
from mbd_ros.control.tasks.goal_check import plan_joint_path, plan_task
from mbd_ros.control.tasks.holding import QUICKNESS
from mbd_ros.control.tasks.task import motion_for, next_task, Task
from mbd_ros.control.tasks.tracker import Mode, Tracker
from mbd_ros.control.tracking.limits import Limits
from mbd_ros.errors import InfeasibleError

PERIOD = 0.002


@functools.cache
def robot(name):
    return mbd_ros.compile(mbd_ros.load(arm(name)))


def circle(center, radius=0.1, period=4.0, **more):
    return {'link': 'tool', 'path': {
        'kind': 'circle', 'center': [float(x) for x in center], 'radius': radius,
        'normal': [1.0, 0.0, 0.0] if 'normal' not in more else more.pop('normal'),
        'period': period}, **more}


def tool(dyn, q):
    return dyn.pose(np.array(q, float), 'tool')[:3, 3]


def followed(dyn, q, data, duration):
    """Carry out a goal by a robot that is where its nominal model is; return the tracker, q, v."""
    q, v = np.array(q, float), np.zeros(dyn.model.nv)
    idle = Task(link='tool')
    tracker, task = Tracker(dyn, idle, q, v), next_task(idle, data)
    way = plan_task(tracker.copy_for_planning(), task, q, v, duration)
    end = tracker.follow(task, 0.0, q, v, approach=way) + duration
    states = []
    for time in np.arange(PERIOD, end, PERIOD).tolist():
        nominal = tracker.step(time, q, v).nominal
        q, v = nominal.q, nominal.v
        states.append((q, v))
        if tracker.mode is not Mode.FOLLOWING:
            break
    return tracker, states


@pytest.mark.parametrize('name', ARMS)
def test_a_circle_without_a_posture_is_followed(name):
    """Two rounds, from a usual posture; free joints come back after each, and do not drift."""
    dyn = robot(name)
    center = tool(dyn, READY[name]) - (0.0, 0.0, 0.0 if name != 'scara' else 0.02)
    normal = [0.0, 0.0, 1.0] if name == 'scara' else [1.0, 0.0, 0.0]
    tracker, states = followed(dyn, READY[name], circle(center, 0.08, normal=normal), 8.0)
    assert (tracker.mode, tracker.problem) == (Mode.FOLLOWING, '')
    round_, places = round(4.0 / PERIOD), np.array([q for q, _ in states])
    # The slowest free motion decays at some 2 rad/s or faster: exp(-8) of less than a radian.
    np.testing.assert_allclose(places[-1], places[-1 - round_], rtol=0, atol=2e-3)
    # A circle of 0.08 m takes joints with levers of 0.2 m or more less than a radian away.
    assert np.abs(places - READY[name]).max() < 1.0


@pytest.mark.parametrize('name', ['offset_wrist', 'seven'])
def test_from_the_stretched_arm_too(name):
    """Where the tool cannot go inwards."""
    dyn = robot(name)
    tracker, _ = followed(dyn, np.zeros(dyn.model.nq), circle(tool(dyn, READY[name])), 4.0)
    assert (tracker.mode, tracker.problem) == (Mode.FOLLOWING, '')


@pytest.mark.parametrize('more', [{}, {'posture': READY['slim'], 'posture_stiffness': [20.0]}])
def test_dampers_suit_the_integrator_in_every_configuration(more):
    """The arm folds up, and its first and third joint turn against each other with no inertia."""
    dyn, q = robot('slim'), np.array(READY['slim'])
    center = tool(dyn, q) - (0.05, 0.0, 0.0)   # a Gen3 walked the tutorial so, and was refused
    tracker, states = followed(dyn, q, circle(center, 0.05, normal=[0.0, 0.0, 1.0], **more), 8.0)
    assert (tracker.mode, tracker.problem) == (Mode.FOLLOWING, '')
    mobility = [np.linalg.inv(dyn.mass_matrix(one))[0, 0] for one, _ in states[::100]]
    assert max(mobility) > 5.0 * mobility[0]


@pytest.mark.parametrize('name', ARMS)
def test_accelerations_and_forces_belong_together(name):
    """``M vdot = applied - h + Q_c`` by machine code and without; rows hold with dampers ahead."""
    dyn, rng = robot(name), np.random.default_rng(5)
    q = np.array(READY[name])
    task = next_task(Task(), circle(tool(dyn, q)))
    motion = motion_for(dyn, task, q)
    v = rng.uniform(-1.0, 1.0, dyn.model.nv)
    code = motion.in_machine_code()
    assert code is not None
    found = code.solve(0.1, q, v, motion.tolerance)
    written = constrained_motion(_State(motion, 0.1, q, v))
    assert motion.applied.ahead == STEPS_AHEAD * task.step
    for applied, solution in ((found[1], found[0]), written):
        # Efforts of an arm of 20 kg are of 100 N m at most, solved in double precision.
        np.testing.assert_allclose(
            dyn.mass_matrix(q) @ solution.accelerations,
            applied - dyn.bias_forces(q, v) + solution.constraint_force, rtol=0, atol=1e-9)
        np.testing.assert_allclose(
            motion.whole.matrix(q, v, 0.1) @ solution.accelerations,
            motion.whole.right_side(q, v, 0.1), rtol=0, atol=1e-9)
    np.testing.assert_allclose(found[0].accelerations, written[1].accelerations, rtol=1e-9,
                               atol=1e-9)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(name=st.sampled_from(['offset_wrist', 'narrow', 'seven']), seed=st.integers(0, 2**16),
       period=st.sampled_from([1.5, 4.0]))
def test_what_is_accepted_is_not_aborted(name, seed, period):
    """Random circles, of any orientation, some of them fast or far away."""
    dyn, rng = robot(name), np.random.default_rng(seed)
    center = tool(dyn, READY[name]) + rng.uniform(-0.3, 0.3, 3)
    normal = rng.normal(size=3)
    data = circle(center, rng.uniform(0.05, 0.25), period,
                  normal=(normal / np.linalg.norm(normal)).tolist())
    try:
        tracker, states = followed(dyn, READY[name], data, 2.0 * period)
    except InfeasibleError:
        return
    assert (tracker.mode, tracker.problem) == (Mode.FOLLOWING, '')
    limits = Limits(dyn.model)
    assert not any(limits.exceeded(*state) for state in states[::10])


def test_without_stiffness_what_is_free_falls_and_is_refused():
    """As on the arm of the tutorial before; the message says what helps."""
    dyn, q = robot('offset_wrist'), np.array(READY['offset_wrist'])
    data = circle(tool(dyn, q), posture_stiffness=[0.0])
    assert motion_for(dyn, next_task(Task(), data), q).applied is None
    with pytest.raises(InfeasibleError, match=(
            r'beyond its limits.*; try a joint goal first, .* farther from limits and not '
            "stretched, a 'posture' or a constraint tool_direction for the 3 directions of motion "
            'that the task leaves free')):
        followed(dyn, q, data, 8.0)


def test_a_path_that_fails_late_is_refused_at_once():
    """Two rounds, and what is asked for: a line that ends outside of what the joints can do."""
    dyn, q = robot('narrow'), READY['narrow']
    start = tool(dyn, q)
    line = {'kind': 'line', 'start': start.tolist(), 'end': (start + 0.15 * np.eye(3)[2]).tolist(),
            'duration': 6.0}
    tracker, _ = followed(dyn, q, {'path': line}, 6.0)
    assert tracker.mode is Mode.FOLLOWING
    fast = {'path': circle(start, 0.1, 0.25)['path']}
    with pytest.raises(InfeasibleError, match=r'the (path|approach) cannot be followed'):
        followed(dyn, q, fast, 1.0)


def test_what_is_held():
    """Equal springs for all joints of a kind, at the posture of the begin, away from limits."""
    dyn = robot('scara')
    q = np.array([0.4, 1.0, 0.0, 0.0])   # the slide is at its limit
    spring = motion_for(dyn, Task('tool', circle(tool(dyn, q))['path'], axes='xy'), q).applied
    assert isinstance(spring, PostureSpring) and spring.rooms == rooms(dyn.model)
    np.testing.assert_allclose(spring.posture, [0.4, 1.0, 0.02, 0.0])   # a tenth of 0.2 m
    inertia = dyn.mass_matrix(q).diagonal()
    np.testing.assert_allclose(
        spring.roots[:3]**2, QUICKNESS**2 * inertia[[0, 0, 2]], rtol=1e-12)
    assert spring.roots[3] < spring.roots[0]   # as light as it is it would swing too fast
    given_ = replace(Task('tool', circle(tool(dyn, q))['path']), posture=(0.0, 1.0, 0.1, 0.0))
    assert motion_for(dyn, given_, q).applied.posture.tolist() == [0.0, 1.0, 0.1, 0.0]
    assert motion_for(dyn, given_, q).applied.rooms == ()


def test_limits_are_avoided_before_they_are_met():
    """By forces that begin at zero, grow inwards, and depend on no other joint."""
    model = robot('narrow').model
    roots, inertia = [2.0] * 6, [0.5] * 6
    q, v = np.array(READY['narrow']), np.zeros(6)

    def force(q, v):
        return avoiding_force(rooms(model), 1.0, roots, q.tolist(), v.tolist(), inertia)
    assert force(q, v) == [0.0] * 6
    near, fast = q.copy(), v.copy()
    for deep, expected in ((0.0, 0.0), (0.1, 2.0), (0.2, 8.0)):   # 10 k x^2 / 0.2, k = 4
        near[2], near[1] = model.upper[2] - 0.2 + deep, model.lower[1] + 0.2 - deep
        np.testing.assert_allclose(force(near, v), [0, expected, -expected, 0, 0, 0], atol=1e-12)
    for share in (0.7, 0.9):   # 3 * 2 * 2 sqrt(0.5) y
        fast[4] = -share * model.velocity_limits[4]
        brake = 12.0 * np.sqrt(0.5) * (share - 0.7) * model.velocity_limits[4]
        np.testing.assert_allclose(force(q, fast), [0, 0, 0, 0, brake, 0], atol=1e-9)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**16), beyond=st.floats(0.02, 0.5), speed=st.floats(-2.0, 2.0))
def test_beyond_limits_joints_may_always_lead_back(seed, beyond, speed):
    """A joint that was left beyond its limit, or faster than allowed, while others are within."""
    dyn, rng = robot('narrow'), np.random.default_rng(seed)
    model = dyn.model
    inside = rng.uniform(0.8 * np.maximum(model.lower, -3.0), 0.8 * np.minimum(model.upper, 3.0))
    q, v, joint = inside.copy(), np.zeros(6), int(rng.integers(6))
    q[joint] = model.upper[joint] + beyond
    v[joint] = speed * model.velocity_limits[joint]
    joints = model.joint_names
    there = 10.0   # seconds: mean speeds of a sixth of the limits, and slower than what it stops
    path = trajectory([0.0, there], [q, inside], [v, 0.0 * v], np.zeros((2, 6)))
    overshoot = max(path.at(time)[0][joint] for time in np.linspace(0.0, 5.0, 500)) - q[joint]
    if v[joint] > 0.0 and overshoot > 0.1 * v[joint]:   # it would go on outwards for long
        with pytest.raises(InfeasibleError):
            check_joints(dyn, joints, path, there, q)
        return
    if np.abs(np.array([path.at(t)[1] for t in np.linspace(0.0, there, 500)])).max() > max(
            1.1 * np.abs(v).max(), model.velocity_limits.min()):
        return
    check_joints(dyn, joints, path, there, q)
    away = trajectory([0.0, there], [q, q + 0.3 * np.eye(6)[joint]])
    with pytest.raises(InfeasibleError, match=f"position .* of joint 'j{joint}'"):
        check_joints(dyn, joints, away, there, q)


def test_a_goal_from_beyond_the_limits_is_carried_out():
    """By joints, and by a path of the tool; once within, a joint may not go out again."""
    dyn = robot('narrow')
    model, v = dyn.model, np.zeros(6)
    q = np.array(READY['narrow'])
    q[2] = model.upper[2] + 0.3
    home = np.array(READY['narrow'])
    tracker = Tracker(dyn, Task('tool'), q, v)
    back = trajectory([0.0, 2.0], [q, home])
    plan_joint_path(tracker.copy_for_planning(), model.joint_names, lambda pace: back, q)
    tracker.follow_joints(back, 0.0, q, v)
    place, pace = q, v
    for time in np.arange(0.0, 2.1, PERIOD).tolist():
        nominal = tracker.step(time, place, pace).nominal
        place, pace = nominal.q, nominal.v
    assert (tracker.mode, tracker.problem) == (Mode.FOLLOWING, '')
    np.testing.assert_allclose(place, home, atol=1e-12)
    again = trajectory([0.0, 2.0, 4.0], [q, home, q])
    with pytest.raises(InfeasibleError, match="'j2' is beyond its limits"):
        check_joints(dyn, model.joint_names, again, 4.0, q)
    tracker, states = followed(dyn, q, circle(tool(dyn, home)), 4.0)
    assert (tracker.mode, tracker.problem) == (Mode.FOLLOWING, '')
    assert states[-1][0][2] < model.upper[2]


def test_limits_around_a_state():
    model = robot('narrow').model
    limits = Limits(model)
    q, v = np.array(READY['narrow']), np.zeros(6)
    assert limits.around(q, v) is limits
    beyond = q.copy()
    beyond[4] = model.upper[4] + 0.2
    wide = limits.around(beyond, v)
    assert not wide.exceeded(beyond, v) and not wide.exceeded(beyond, v, measured=True)
    assert 'j4' in wide.exceeded(beyond + 0.01 * np.eye(6)[4], v)
    assert 'j1' in wide.exceeded(np.where(np.arange(6) == 1, 3.0, beyond), v)
    assert wide.narrowed(limits, beyond, v).exceeded(beyond, v) == ''
    assert 'j4' in wide.narrowed(limits, q, v).exceeded(beyond, v)
    fast = np.where(np.arange(6) == 3, -4.0, 0.0)   # allowed: pi
    wide = limits.around(q, fast)
    assert not wide.exceeded(q, 1.09 * fast) and 'j3' in wide.exceeded(q, 1.11 * fast)
    assert 'j3' in wide.exceeded(q, -fast)
    # A robot that runs away is stopped, wherever it began: 1.5 times the limit, as ever.
    assert not wide.exceeded(q, 1.1 * fast, measured=True)
    assert 'j3' in limits.around(q, 1.5 * fast).exceeded(q, 1.5 * fast, measured=True)
