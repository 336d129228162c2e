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

"""Ball, planar and floating joints on paths: what is asked of them, and that they do it."""

from itertools import pairwise
import math
from pathlib import Path

from constraint_checks import assert_consistent
from described import joint, on_platform, robot
from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import (
    ConstrainedMotion, constraints_from_data, JointPath, NominalModel, PathPoint, Task)
from mbd_ros.control.constraints.joint_paths import joint_path, JointPaths
from mbd_ros.control.control_step.motion_kernels import motion_kernels
from mbd_ros.control.references.joint_coordinates import JointCoordinates
from mbd_ros.control.references.joint_trajectories import joint_trajectory, stopping
from mbd_ros.control.tasks.feasibility import check_joints
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import InvalidValueError, ShapeError, UnknownNameError
from mbd_ros.model.state import difference, integrate, neutral, random_configuration
from mbd_ros.simulation import Stepper
from mbd_ros.simulation.manifold import displaced

FIVE_BAR = Path(__file__).parents[3] / 'urdf' / 'five_bar.urdf'
THREE_LINKS = mbd_ros.load(FIVE_BAR.with_name('three_link_arm.urdf'))
NAMES = ('ball', 'slide', 'free', 'plane')
PERIOD = 0.002
HALF = math.sqrt(0.5)


def body(name):
    return (f'<link name="{name}"><inertial><origin xyz="0.1 0.02 -0.3"/><mass value="1.5"/>'
            '<inertia ixx=".05" ixy=".01" ixz="0" iyy=".04" iyz="0" izz=".02"/></inertial></link>')


@pytest.fixture(scope='module')
def dyn():
    """Return a robot with a joint of every kind of several coordinates, and a prismatic one."""
    return mbd_ros.compile(mbd_ros.load(robot(
        '<link name="root"/>', *map(body, 'abcd'),
        joint('slide', 'prismatic', 'root', 'a', '<axis xyz="1 0 0"/><limit effort="500" '
              'velocity="5" lower="-2" upper="2"/>'),
        joint('ball', 'spherical', 'a', 'b', '<origin xyz="0 0 -.5" rpy=".1 .2 .3"/>'),
        joint('plane', 'planar', 'a', 'c', '<axis xyz="0 .6 .8"/>'),
        joint('free', 'floating', 'b', 'd', ''))))


def moved(model, q, size):
    """Return configurations that follow each other, each turned and shifted against the other."""
    return [integrate(model, q, size * k * np.cos(np.arange(model.nv) + k)) for k in range(4)]


@pytest.fixture
def path(dyn):
    """Return a spline through four configurations; the joints have an order of their own."""
    coordinates, rest = JointCoordinates(dyn.model, NAMES), np.zeros(dyn.model.nv)
    rows = [coordinates.point(q, rest, rest).position for q in moved(
        dyn.model, random_configuration(dyn.model, np.random.default_rng(5)), 0.3)]
    return joint_trajectory(dyn.model, NAMES, [0.0, 0.3, 0.6, 1.0],
                            coordinates.continued(np.array(rows)))


def on(dyn, path, time):
    """Return the state (q, v) of the robot at a time of a path of all its joints."""
    q, v = np.zeros(dyn.model.nq), np.zeros(dyn.model.nv)
    JointCoordinates(dyn.model, NAMES).put(path.at(time), q, v)
    return q, v


@pytest.mark.parametrize('seed', [1, 2, 3])
def test_derivatives_near_and_far_from_the_path(dyn, path, seed):
    """At random states all over the manifold."""
    assert_consistent(dyn.model, joint_path(dyn.model, NAMES, path), seed)


def test_a_state_and_its_point_of_a_path_belong_together(dyn):
    """The constraint is satisfied there with both rates, and the way back gives the state."""
    model, rng = dyn.model, np.random.default_rng(8)
    coordinates = JointCoordinates(model, NAMES)
    q, (v, a) = random_configuration(model, rng), rng.uniform(-1, 1, (2, model.nv))
    point = coordinates.point(q, v, a)
    found_q, found_v = np.zeros(model.nq), np.zeros(model.nv)
    # A longer quaternion is the same orientation, with rates that are longer by as much.
    for _, turn in coordinates.turns():
        for row in point:
            row[turn] *= -3.0
    coordinates.put(point, found_q, found_v)
    # All in a few dozen operations of size 1: 1e-14.
    np.testing.assert_allclose(difference(model, q, found_q), 0.0, rtol=0, atol=1e-14)
    np.testing.assert_allclose(found_v, v, rtol=0, atol=1e-14)

    class There:
        def at(self, time):
            return PathPoint(*point)
    constraint = JointPath(model, NAMES, There())
    for zero in (constraint.violation(q, 0.0), constraint.violation_rate(q, v, 0.0),
                 constraint.matrix(q, v, 0.0) @ a - constraint.right_side(q, v, 0.0)):
        np.testing.assert_allclose(zero, 0.0, rtol=0, atol=1e-13)
    ball = constraint.matrix(q, v, 0.0)[:3]
    np.testing.assert_allclose(ball, np.eye(3, model.nv, 1), rtol=0, atol=1e-14)


def test_the_error_of_an_orientation_is_geodesic_and_one_step_removes_it(dyn):
    """From any angle below pi, since A leaves the direction of phi as it is."""
    rng = np.random.default_rng(2)
    q = random_configuration(dyn.model, rng)
    coordinates, rest = JointCoordinates(dyn.model, ['ball']), np.zeros(dyn.model.nv)
    there = coordinates.point(q, rest, rest).position
    constraint = JointPath(dyn.model, ['ball'], joint_trajectory(
        dyn.model, ['ball'], [0.0, 1.0], [there, there]))
    for angle in (1e-9, 0.4, 3.1):
        way = rest.copy()
        axis = rng.normal(size=3)
        way[1:4] = angle * axis / np.linalg.norm(axis)
        away = displaced(dyn.model, q, way)
        phi = constraint.violation(away, 0.0)
        # Exact to rounding of the quaternions, 1e-16 of a turn.
        assert np.linalg.norm(phi) == pytest.approx(angle, abs=1e-14)
        step = np.linalg.pinv(constraint.matrix(away, rest, 0.0)) @ phi
        np.testing.assert_allclose(
            constraint.violation(displaced(dyn.model, away, -step), 0.0), 0.0, atol=1e-13)


def test_prescribed_motion_takes_the_efforts_of_inverse_dynamics(dyn, path):
    """The nominal model stays on the path of all joints, in machine code and without."""
    model = dyn.model
    motion = ConstrainedMotion(dyn, joint_path(model, NAMES, path))
    assert motion.in_machine_code() is not None
    plain = ConstrainedMotion(dyn, motion.constraint)
    plain.in_machine_code = lambda: None
    q, v = on(dyn, path, 0.0)
    fast, slow = NominalModel(motion, q, v), NominalModel(plain, q, v)
    for k in range(1, 101):
        time = 0.01 * k
        one, other = fast.advance_to(time), slow.advance_to(time)
        q, v = on(dyn, path, time)
        (_, v1), (_, v2) = on(dyn, path, time - 1e-5), on(dyn, path, time + 1e-5)
        # Eliminated to a violation of 1e-12 after each step.
        np.testing.assert_allclose(difference(model, q, one.q), 0.0, rtol=0, atol=1e-11)
        np.testing.assert_allclose(one.v, v, rtol=0, atol=1e-10)
        np.testing.assert_allclose(one.effort, dyn.inverse_dynamics(q, v, one.accelerations),
                                   rtol=0, atol=1e-9)
        if 1e-3 < time % 0.3 < 0.299 and time < 0.99:   # the third derivative jumps at points
            # h^2 / 6 = 2e-11 times a third derivative of some 100 rad/s^3, 1e-16 v / h.
            np.testing.assert_allclose(one.accelerations, (v2 - v1) / 2e-5, rtol=0, atol=1e-6)
        # Two ways through the same numbers of size 100.
        np.testing.assert_allclose(one.effort, other.effort, rtol=0, atol=1e-8)


def test_a_robot_on_a_ball_joint_follows_a_trajectory_and_holds(dyn, path):
    """All joints are driven; the plant is integrated with efforts held for 2 ms."""
    q, v = on(dyn, path, 0.0)
    tracker = Tracker(dyn, Task(actuated=NAMES), q, v)
    tracker.follow_joints(path, 0.0, q, v, joints=NAMES)
    stepper = Stepper(dyn.model, q, v)
    worst, late, before = 0.0, 0.0, None
    for k in range(900):
        step = tracker.step(k * PERIOD, stepper.q, stepper.v)
        worst = max(worst, float(np.abs(step.efforts.error).max()))
        effort = step.nominal.effort
        if before is not None:   # what the efforts change by while they are held, as accelerations
            change = np.linalg.solve(dyn.mass_matrix(step.nominal.q), effort - before)
            late = max(late, float(np.abs(change).max()))
        before = effort
        stepper.advance(step.efforts.effort, PERIOD)
    # On average half of that is missing, which w^2 = 225 / s^2 makes an error of; twice that here.
    assert worst < late / 225.0
    end, _ = on(dyn, path, 1.0)
    # 0.8 s at rest: (1 + 15 * 0.8) e^(-15 * 0.8) = 8e-5 of it.
    np.testing.assert_allclose(difference(dyn.model, end, stepper.q), 0.0, rtol=0,
                               atol=1e-4 * worst)


def test_a_ball_that_spins_fast_is_stopped_the_way_it_turns(dyn):
    """Two and a half turns until it rests; the reference goes on from where it is."""
    model = dyn.model
    q, v = random_configuration(model, np.random.default_rng(4)), np.zeros(model.nv)
    v[1:4] = 0.0, 3.0, 4.0
    a, top = np.zeros(model.nv), np.full(model.nv, 4.0 / (5.0 * math.pi))   # 2 pi seconds
    path = stopping(model, NAMES, q, v, a, top)
    coordinates = JointCoordinates(model, NAMES)
    begin, rates = np.zeros(model.nq), np.zeros(model.nv)
    coordinates.put(path.at(0.0), begin, rates)
    np.testing.assert_allclose(difference(model, q, begin), 0.0, rtol=0, atol=1e-14)
    np.testing.assert_allclose(rates, v, rtol=0, atol=1e-13)
    turned = 0.0
    states = [(begin, rates)]
    for time in np.linspace(0.0, path.duration, 500):
        states.append((np.zeros(model.nq), np.zeros(model.nv)))
        coordinates.put(path.at(time), *states[-1])
    for (one, _), (other, _) in pairwise(states):
        way = difference(model, one, other)[1:4]
        turned += float(np.linalg.norm(way))
        assert way @ (0.0, 3.0, 4.0) > -1e-12
    # Between points 0.5 rad apart a quintic of the quaternion keeps the axis and the end.
    assert turned == pytest.approx(5.0 * math.pi, abs=1e-9)
    np.testing.assert_allclose(states[-1][1], 0.0, rtol=0, atol=1e-12)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**16), speed=st.sampled_from([1e-3, 1.0, 30.0]),
       longest=st.sampled_from([math.inf, 0.02, 0.3]))
def test_simple_joints_stop_where_a_constant_deceleration_would_stop_them(seed, speed, longest):
    """A fifth of a second from top speed at half of it on average; never within 0.05 s."""
    rng, model = np.random.default_rng(seed), THREE_LINKS
    q, v, a = rng.normal(size=3), speed * rng.normal(size=3), rng.normal(size=3)
    top = rng.uniform(0.5, 3.0, 3)
    path = stopping(model, model.joint_names, q, v, a, top, longest)
    assert path.duration == pytest.approx(
        min(max(0.05, 0.4 * np.abs(v / top).max()), longest), rel=1e-12)
    begin, end = path.at(0.0), path.at(path.duration)
    scale = max(1.0, speed)
    np.testing.assert_allclose(begin.position, q, rtol=0, atol=1e-13 * scale)
    np.testing.assert_allclose(begin.velocity, v, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(begin.acceleration, a, rtol=0, atol=1e-10 * scale)
    np.testing.assert_allclose(end.position, q + 0.5 * path.duration * v, rtol=0,
                               atol=1e-12 * scale)
    np.testing.assert_allclose(end.velocity, 0.0, rtol=0, atol=1e-11 * scale)
    np.testing.assert_allclose(end.acceleration, 0.0, rtol=0, atol=1e-9 * scale / path.duration)


def test_stopping_a_tracker_brings_every_driven_joint_to_rest(dyn, path):
    q, v = on(dyn, path, 0.0)
    tracker = Tracker(dyn, Task(actuated=NAMES), q, v)
    tracker.follow_joints(path, 0.0, q, v, joints=NAMES)
    for k in range(200):
        before = tracker.step(k * PERIOD, *on(dyn, path, k * PERIOD)).nominal
    tracker.stop(0.4, before.q, before.v, 'enough')
    for k in range(200, 700):
        step = tracker.step(k * PERIOD, before.q, before.v)
        if k == 200:   # 2 ms on, with the speed it had
            way = difference(dyn.model, before.q, step.nominal.q)
            assert way == pytest.approx(PERIOD * before.v, abs=1e-3 * PERIOD * 10.0)
    assert np.abs(step.nominal.v).max() < 1e-9


def test_groups_of_joints_with_paths_of_their_own(dyn, path):
    """Their rows are stacked; the whole rests when the last one does."""
    slide = joint_trajectory(dyn.model, ['slide'], [0.0, 2.0], [[0.1], [0.5]])
    ball = joint_trajectory(dyn.model, ['ball'], [0.0, 1.0], [[0, 0, 0, 1], [0, 0, HALF, HALF]])
    both = JointPaths(((('slide',), slide), (('ball',), ball)))
    assert both.names == ('slide', 'ball')
    assert both.duration == 2.0
    assert both.at(0.0).position.tolist() == [0.1, 0.0, 0.0, 0.0, 1.0]
    stack = joint_path(dyn.model, both.names, both)
    assert [type(part) for part in stack.parts] == [JointPath, JointPath]
    assert_consistent(dyn.model, stack)


def test_from_data_with_velocities_in_the_axes_of_the_joint(dyn):
    """A quarter of a turn about z at 1 rad/s on its way; x, y and angle of a planar joint."""
    ball, plane = constraints_from_data(dyn, [
        {'kind': 'joint_path', 'joints': ['ball'], 'times': [0, 1, 2],
         'positions': [[0, 0, 0, 2], [0, 0, HALF, HALF], [0, 0, -1, 0]],
         'velocities': [[0, 0, 0], [0, 0, 1], [0, 0, 0]]},
        {'kind': 'joint_path', 'joints': ['plane'], 'times': [0, 1],
         'positions': [[0, 0, 0], [0.1, 0.2, 7.0]]}])
    q, v = np.zeros(dyn.model.nq), np.zeros(dyn.model.nv)
    ball.coordinates.put(ball.path.at(1.0), q, v)
    assert v[1:4] == pytest.approx([0.0, 0.0, 1.0], abs=1e-15)
    ball.coordinates.put(ball.path.at(2.0), q, v)
    assert q[1:5] == pytest.approx([0.0, 0.0, 1.0, 0.0])   # of the two, the nearer one
    assert plane.path.at(1.0).position[2] == 7.0           # more than a turn, as it was asked for


@pytest.mark.parametrize(('data', 'error', 'words'), [
    ({'joints': ['bell'], 'positions': [[0], [0]]}, UnknownNameError, "no joint named 'bell'"),
    ({'joints': ['ball', 'ball'], 'positions': [[0] * 8] * 2}, InvalidValueError,
     'each joint at most once'),
    ({'joints': ['ball'], 'positions': [[0, 0, 0]] * 2}, ShapeError,
     r'has shape \(2, 3\); allowed: \(k, 4\): ball, ball, ball, ball'),
    ({'joints': ['ball'], 'positions': [[0, 0, 0, 1], [0, 0, 0, 0]]}, InvalidValueError,
     "quaternion of joint 'ball' is .*not all zero"),
    ({'joints': ['ball'], 'positions': [[0, 0, 0, 1]] * 2, 'velocities': [[0, 0, 0, 0]] * 2},
     ShapeError, r'velocities .* \(2, 4\); allowed: \(k, 3\)'),
    ({'joints': ['ball'], 'positions': [[0, 0, 0, 1], [0, 0, 1, 0]],
      'velocities': [[0, 0, -9], [0, 0, -9]]}, InvalidValueError,
     "way of joint 'ball' at 0.*closer together"),
])
def test_paths_that_are_refused(dyn, data, error, words):
    with pytest.raises(error, match=words):
        constraints_from_data(dyn, [{'kind': 'joint_path', 'times': [0, 1], **data}])


def test_a_path_with_another_number_of_entries(dyn, path):
    with pytest.raises(ShapeError, match=r"has shape \(15,\); allowed: \(5,\), 4 of 'ball', 1 "):
        JointPath(dyn.model, ['ball', 'slide'], path)


def test_a_trajectory_after_a_stop_compiles_nothing(dyn, path):
    """The controller stops once before the robot moves; both have the same groups of joints."""
    q, v = on(dyn, path, 0.0)
    tracker = Tracker(dyn, Task(actuated=NAMES), q, v)
    tracker.stop(0.0, q, v)
    tracker.step(0.0, q, v)
    before = motion_kernels.made
    slide = joint_trajectory(dyn.model, ['slide'], [0.0, 1.0], [[0.1], [0.5]])
    others = tuple(name for name in dyn.model.joint_names if name != 'slide')
    coordinates, rest = JointCoordinates(dyn.model, others), np.zeros(dyn.model.nv)
    there = coordinates.point(q, rest, rest).position
    held = joint_trajectory(dyn.model, others, [0.0, 1.0], [there, there])
    both = JointPaths(((('slide',), slide), (others, held)))
    tracker.follow_joints(both, 0.0, q, v, joints=both.names)
    tracker.step(PERIOD, q, v)
    assert motion_kernels.made == before


def test_a_ball_joint_beside_closed_loops():
    """On the tool of a five-bar robot whose drives follow a trajectory at the same time."""
    text = FIVE_BAR.read_text().replace('</robot>', (
        '<joint name="ball" type="spherical"><parent link="tool"/><child link="b"/></joint>'
        f'{body("b")}</robot>'))
    dyn = mbd_ros.compile(mbd_ros.load(text))
    model, drives = dyn.model, ('left_drive', 'right_drive')
    q, v = mbd_ros.close_loops(model, neutral(model), np.zeros(model.nv))
    tracker = Tracker(dyn, Task(actuated=(*drives, 'ball')), q, v)
    assert not tracker.law.actuation.complete
    places = [model.q_offsets[model.joint_index(name)] for name in drives]
    moving = joint_trajectory(model, drives, [0.0, 0.5], [q[places], q[places] + (0.2, -0.1)])
    turning = joint_trajectory(model, ['ball'], [0.0, 0.8], [[0, 0, 0, 1], [0, 0.5, HALF, 0.5]])
    both = JointPaths(((drives, moving), (('ball',), turning)))
    check_joints(dyn, both.names, both, both.duration, q)
    tracker.follow_joints(both, 0.0, q, v, joints=both.names)
    stepper = Stepper(model, q, v)
    worst = 0.0
    for k in range(600):
        step = tracker.step(k * PERIOD, stepper.q, stepper.v)
        worst = max(worst, float(np.abs(step.efforts.error).max()))
        stepper.advance(step.efforts.effort, PERIOD)
    # Held efforts miss what accelerations change by within 1 ms, up to 300 rad/s^3 of the bob.
    assert worst < 300.0 * 0.5 * PERIOD / 225.0
    ball = model.q_offsets[model.joint_index('ball')]
    assert stepper.q[places] == pytest.approx(q[places] + (0.2, -0.1), abs=1e-4)
    turn = stepper.q[ball:ball + 4]
    assert abs(turn @ (0, 0.5, HALF, 0.5)) == pytest.approx(1.0, abs=1e-8)
    tracker.stop(1.2, stepper.q, stepper.v)
    assert set(tracker.preview(1.2)[0]) == {*drives, 'ball'}


ARM = robot(
    '<link name="base"/>', body('upper'), body('fore'),
    joint('ball', 'spherical', 'base', 'upper', '<origin xyz="0.2 0 0"/>'),
    joint('elbow', 'revolute', 'upper', 'fore', '<origin xyz="0 0 -.6"/><axis xyz="0 1 0"/>'
          '<limit effort="50" velocity="9" lower="-3" upper="3"/>'))


def test_a_ball_joint_on_a_base_that_floats():
    """The base gives way, as nobody drives it; the joints follow nevertheless."""
    model = mbd_ros.load(on_platform(ARM), floating_base=True)
    dyn = mbd_ros.compile(model, gravity=[0.0, 0.0, 0.0])
    drives = ('elbow', 'ball')
    path = joint_trajectory(model, drives, [0.0, 0.5, 1.0], [
        [0.0, 0, 0, 0, 1], [0.4, 0.5, -0.5, 0.5, 0.5], [0.1, 0, 0, HALF, HALF]])
    q, v = neutral(model), np.zeros(model.nv)
    tracker = Tracker(dyn, Task(actuated=drives), q, v)
    tracker.follow_joints(path, 0.0, q, v, joints=drives)
    stepper = Stepper(model, q, v, gravity=[0.0, 0.0, 0.0])
    own = JointCoordinates(model, drives).v
    worst, efforts = 0.0, []
    for k in range(700):
        step = tracker.step(k * PERIOD, stepper.q, stepper.v)
        worst = max(worst, float(np.abs(step.efforts.error[own]).max()))
        efforts.append(step.efforts.effort)
        stepper.advance(step.efforts.effort, PERIOD)
    assert not np.delete(efforts, own, axis=1).any()
    assert np.linalg.norm(difference(model, q, stepper.q)[:3]) > 0.01   # the base has moved
    # Held efforts miss what accelerations change by within 1 ms, up to 400 rad/s^3.
    assert worst < 400.0 * 0.5 * PERIOD / 225.0


def test_a_ball_joint_is_led_onto_its_path_without_a_jump():
    """A planned approach from 1.2 rad away, and then along the path."""
    dyn = mbd_ros.compile(mbd_ros.load(ARM))
    model = dyn.model
    task = Task(actuated=('ball', 'elbow'), link='fore', start='approach', constraints=({
        'kind': 'joint_path', 'joints': ['elbow', 'ball'], 'times': [0.0, 1.0],
        'positions': [[0.0, 0.0, 0.0, 0.0, 1.0], [0.5, 0.0, 0.0, HALF, HALF]]},))
    q = neutral(model)
    q = integrate(model, q, np.array([0.0, 1.2, 0.0, 0.3]))
    tracker = Tracker(dyn, task, q, np.zeros(model.nv))
    approach = -tracker.step(0.0, q, np.zeros(model.nv)).nominal.time
    assert approach > 0.3
    before = q
    for k in range(1, round((approach + 1.2) / PERIOD)):
        nominal = tracker.step(k * PERIOD, before, np.zeros(model.nv)).nominal
        way = difference(model, before, nominal.q)
        assert np.abs(way).max() < PERIOD * 5.0   # no faster than 5 rad/s: no jump
        before = nominal.q
    end, _ = np.zeros(model.nq), np.zeros(model.nv)
    JointCoordinates(model, ['elbow', 'ball']).put(PathPoint(
        np.array([0.5, 0.0, 0.0, HALF, HALF]), np.zeros(5), np.zeros(5)), end, _)
    # Eliminated to 1e-12 in each step.
    np.testing.assert_allclose(difference(model, end, before), 0.0, rtol=0, atol=1e-11)
