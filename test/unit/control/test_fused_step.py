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

"""A control step in one call of machine code does what its parts do one after the other."""

from dataclasses import replace
from pathlib import Path
import sys

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
import yaml

import mbd_ros
from mbd_ros.control import default_task, NominalModel, Payload, Task
from mbd_ros.control.references.paths import PathPoint
from mbd_ros.control.references.scalar_manifold import (
    displaced, displacement, SMALL, turned)
from mbd_ros.control.references.splines import trajectory
from mbd_ros.control.tasks.task import motion_for
from mbd_ros.control.tasks.tracker import Mode, Tracker
from mbd_ros.control.tracking.payload import carrier, reloaded
from mbd_ros.model.state import difference, integrate, neutral, random_configuration
from mbd_ros.simulation import Stepper

ROOT = Path(__file__).resolve().parents[3]
PERIOD = 0.002
ROBOTS = ('three_link_arm', 'puma560', 'panda', 'dual_arm', 'five_bar', 'delta', 'space_robot')


def launched(name, payload=None):
    """Return robot, task and initial configuration as the launch files have them."""
    nodes = yaml.safe_load((ROOT / 'config' / f'{name}.yaml').read_text())
    simulator, controller = (nodes[f'/**/{node}']['ros__parameters'] for node in (
        'simulator', 'controller'))
    known = Task.__dataclass_fields__
    data = {key: value for key, value in controller.items() if key in known}
    if 'constraints' in data:
        data['constraints'] = yaml.safe_load(data['constraints'])
    file, = (ROOT / 'urdf').glob(f'{name}.urdf*')
    model = mbd_ros.load(file, floating_base=controller.get('floating_base', False))
    q = neutral(model)
    for joint, position in zip(simulator['joints'], simulator.get('initial_positions', ())):
        q[model.q_offsets[model.joint_index(joint)]] = position
    task = replace(Task.from_data(data), start='approach')
    gravity = controller.get('gravity', (0.0, 0.0, -9.81))
    return carrier(model, payload, task.link, gravity), task, q


def pair(dyn, task, q):
    """Return two trackers, the second without whole steps in machine code."""
    fast, slow = (Tracker(dyn, task, q, np.zeros(dyn.model.nv)) for _ in range(2))
    without(slow)
    return fast, slow


def without(tracker):
    """Let a tracker take its steps part by part from now on."""
    def use(source):
        tracker._source, tracker._fused = source, None
    tracker._use, tracker._fused = use, None


def assert_same(one, other, tolerance):
    """Compare all parts of two steps."""
    for a, b in zip((*one.nominal, *one.efforts), (*other.nominal, *other.efforts)):
        if a is None or isinstance(a, tuple):
            assert a == b
        else:
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
    np.testing.assert_array_equal(one.effort, one.efforts.effort)


@pytest.mark.parametrize('name', ROBOTS)
def test_steps_of_every_robot_are_the_same(name):
    """The approach and the beginning of the path; all of them are one call."""
    dyn, task, q = launched(name)
    robot = Stepper(dyn.model, q, gravity=dyn.gravity)
    fast, slow = pair(dyn, task, robot.q)
    calls = 0
    for k in range(300):
        one, other = (tracker.step(k * PERIOD, robot.q, robot.v) for tracker in (fast, slow))
        calls += one.fused
        # The same machine code of the parts; rounding of 1e-16 is fed back for 300 steps.
        assert_same(one, other, 1e-9)
        robot.advance(one.effort, PERIOD)
    assert fast.mode is slow.mode is Mode.FOLLOWING
    assert calls == 300


def python_calls(function, *arguments):
    """Return what a function returns, and how many calls it made, its own among them."""
    count = 0

    def seen(frame, event, argument):
        nonlocal count
        count += event in ('call', 'c_call')
    sys.setprofile(seen)
    try:
        result = function(*arguments)
    finally:
        sys.setprofile(None)
    return result, count


@pytest.mark.parametrize('start', ['as_given', 'approach'])
@pytest.mark.parametrize('name', ['three_link_arm', 'puma560', 'panda', 'five_bar'])
def test_the_first_steps_of_a_task_go_the_same_way_as_all_others(name, start):
    """Also of one that begins off its path: up to 7,857 calls before, and 1,856 in the second."""
    dyn = mbd_ros.compile(mbd_ros.load(ROOT / 'urdf' / f'{name}.urdf'))
    task = replace(default_task(name), start=start)
    q = np.array(task.start_positions or neutral(dyn.model))
    tracker = Tracker(dyn, task, q, np.zeros(dyn.model.nv))
    if start == 'as_given':
        assert tracker._source.state.violation > 0.1
    for begin in (0.0, 3 * PERIOD):   # where the nominal model is by then
        for k in range(4):
            step, count = python_calls(
                tracker.step, begin + k * PERIOD, q, np.zeros(dyn.model.nv))
            assert step.fused
            assert count <= 16   # 9; the first look-ups and the second code of a step are the rest
            assert step.nominal.violation < 1e-12
        tracker.follow(task, 3 * PERIOD, q, np.zeros(dyn.model.nv))


@pytest.mark.parametrize('name', ['three_link_arm', 'puma560', 'panda', 'five_bar'])
def test_a_step_from_far_away_is_that_of_the_general_elimination(name):
    """Its Newton steps are damped by the same text; one Newton step would not be enough."""
    dyn = mbd_ros.compile(mbd_ros.load(ROOT / 'urdf' / f'{name}.urdf'))
    task = default_task(name)
    q = np.array(task.start_positions or neutral(dyn.model))
    one, other = (NominalModel(motion_for(dyn, replace(task, start='as_given')), q)
                  for _ in range(2))
    other.motion.regular_step = lambda *_: None
    for k in range(1, 4):
        found, expected = (model.advance_to(k * PERIOD) for model in (one, other))
        # The damping is found to 1e-10, and the Newton iterations end within 1e-13.
        for a, b in zip(found, expected):
            np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-7)
    assert one.unread is None


def test_a_path_of_all_joints_is_one_call(dyn_puma):
    """And so is coming to rest, and holding."""
    dyn, task, q = dyn_puma
    robot = Stepper(dyn.model, q)
    fast, slow = pair(dyn, task, q)
    path = trajectory([0.0, 0.3, 0.5], [q, q + 0.2, q - 0.1])
    for tracker in (fast, slow):
        tracker.follow_joints(path, 0.0, q, np.zeros(6))
    calls = 0
    for k in range(400):
        if k == 120:
            for tracker in (fast, slow):
                tracker.stop(k * PERIOD, robot.q, robot.v)
        one, other = (tracker.step(k * PERIOD, robot.q, robot.v) for tracker in (fast, slow))
        calls += one.fused
        assert_same(one, other, 1e-10)   # the same code of the parts
        robot.advance(one.effort, PERIOD)
    assert calls > 390
    assert fast.mode is Mode.HOLDING


@pytest.fixture(scope='module')
def dyn_puma():
    return launched('puma560')


def test_a_limit_is_left_to_the_ordinary_way(dyn_puma):
    """The robot is pushed beyond a limit: the step says so, and the robot is stopped."""
    dyn, task, q = dyn_puma
    fast, slow = pair(dyn, task, q)
    for k in range(60):
        for tracker in (fast, slow):
            tracker.step(k * PERIOD, q, np.zeros(6))
    beyond = q.copy()
    beyond[1] = dyn.model.upper[1] + 0.5
    v = np.zeros(6)
    v[1] = 1.0
    one, other = (tracker.step(60 * PERIOD, beyond, v) for tracker in (fast, slow))
    assert fast.mode is slow.mode is Mode.HOLDING
    assert fast.problem == slow.problem
    assert 'the robot: position' in fast.problem
    assert_same(one, other, 1e-9)


def test_loops_hold_where_a_task_cannot():
    """A speed of a drive against the path: what compromise that needs, the general form finds."""
    dyn, task, q = launched('five_bar')
    against = {'kind': 'joint_speed', 'coefficients': {'left_drive': 1.0}, 'value': 0.5}
    fast, slow = pair(dyn, replace(task, constraints=(against,)), q)
    v = np.zeros(dyn.model.nv)
    for k in range(20):
        one, other = (tracker.step(k * PERIOD, q, v) for tracker in (fast, slow))
        assert_same(one, other, 1e-9)   # as above
        assert one.nominal.conflicting
        assert not one.fused
    phi, rate = dyn.loop_rows(one.nominal.q, one.nominal.v)[:, :2].T
    assert np.abs(phi).max() < 1e-12    # the tolerance of eliminations is 1e-13
    assert np.abs(rate).max() < 1e-12


def test_a_late_state_goes_the_ordinary_way_and_then_on(dyn_puma):
    """Three periods at once are three steps of the nominal model."""
    dyn, task, q = dyn_puma
    fast, slow = pair(dyn, task, q)
    for time in (0.0, 0.002, 0.004, 0.010, 0.012, 0.0121, 0.0121, 0.0145):
        one, other = (tracker.step(time, q, np.zeros(6)) for tracker in (fast, slow))
        assert_same(one, other, 1e-9)   # as above
    assert fast.step(0.016, q, np.zeros(6)).fused


def test_what_is_no_state_is_refused_as_ever(dyn_puma):
    dyn, task, q = dyn_puma
    fast, _ = pair(dyn, task, q)
    fast.step(0.0, q, np.zeros(6))
    with pytest.raises(mbd_ros.errors.NotFiniteError, match=r"'joint2'"):
        fast.step(0.002, np.where(np.arange(6) == 1, np.nan, q), np.zeros(6))
    assert fast.step(0.004, q, np.zeros(6)).fused


def test_payload_and_gravity_change_in_between():
    """The step is that of the new dynamics, from where the nominal model was."""
    dyn, task, q = launched('panda', Payload('tool', 2.0, (0.0, 0.0, 0.1)))
    fast, slow = pair(dyn, task, q)
    v = np.zeros(dyn.model.nv)
    for k in range(90):
        if k in (30, 60):
            dyn = reloaded(dyn, Payload('tool', 1.0, (0.0, 0.05, 0.0))) if k == 30 else dyn
            if k == 60:
                dyn.change_gravity([1.0, 0.0, -9.0])
            for tracker in (fast, slow):
                tracker.set_dynamics(dyn)
        one, other = (tracker.step(k * PERIOD, q, v) for tracker in (fast, slow))
        assert_same(one, other, 1e-9)   # as above
    assert one.fused


def test_a_path_in_python_alone_goes_the_ordinary_way(dyn_puma):
    """A user's own class needs nothing but ``at``."""
    dyn, task, q = dyn_puma

    class Mine:
        def at(self, time):
            return PathPoint(q + 0.1 * time, np.full(6, 0.1), np.zeros(6))
    tracker = Tracker(dyn, replace(task, path={}, constraints=()), q, np.zeros(6))
    tracker.follow_joints(Mine(), 0.0, q, np.zeros(6))
    for k in range(3):
        step = tracker.step(k * PERIOD, q, np.zeros(6))
    assert not step.fused
    # Exactly the path: nothing is integrated where all joints are prescribed.
    np.testing.assert_allclose(step.nominal.q, q + 0.1 * 2 * PERIOD, rtol=1e-15)


CURVED = """<robot name="curved"><link name="a"/>
  <joint name="flat" type="planar"><parent link="a"/><child link="b"/></joint>
  <link name="b"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="ball" type="spherical"><parent link="b"/><child link="c"/></joint>
  <link name="c"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="turn" type="continuous"><parent link="c"/><child link="d"/></joint>
  <link name="d"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="free" type="floating"><parent link="a"/><child link="e"/></joint>
  <link name="e"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
</robot>"""


@pytest.fixture(scope='module')
def curved():
    return mbd_ros.load(CURVED)


@pytest.mark.parametrize('seed', range(4))
def test_small_displacements_on_scalars_are_those_of_the_state(curved, seed):
    """As far as they are used, up to SMALL [rad or m]."""
    rng = np.random.default_rng(seed)
    q, way = random_configuration(curved, rng), rng.normal(size=curved.nv)
    way *= SMALL / np.abs(way).max()
    # The fifth power of SMALL over 120 and rounding of coordinates up to 10.
    np.testing.assert_allclose(displaced(curved, q.tolist(), way.tolist()),
                               integrate(curved, q, way), rtol=0, atol=1e-14)


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.floats(-12.0, 0.0))
def test_displacements_on_scalars_are_those_of_the_state(curved, seed, size):
    """For turns up to 1 rad, of all kinds of joints; and the turn says when it is more."""
    rng = np.random.default_rng(seed)
    q = random_configuration(curved, rng)
    way = rng.uniform(-1.0, 1.0, curved.nv)
    turns = max(turned(curved, way.tolist()))
    way *= 10.0**size / turns
    found = displacement(curved, q.tolist(), integrate(curved, q, way).tolist())
    # Rounding of positions of 1 m and of quaternions; ``difference`` errs as much.
    np.testing.assert_allclose(found, way, rtol=0, atol=2e-14)
    np.testing.assert_allclose(found, difference(curved, q, integrate(curved, q, way)), rtol=0,
                               atol=2e-14)
    assert max(turned(curved, found)) == pytest.approx(10.0**size, abs=1e-13)
