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

"""What follows from little: robots of one or two sliders, parts that stand for others."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from sliders import sliders

import mbd_ros
from mbd_ros.control import (
    ConstrainedMotion, default_task, DirectElimination, Ellipse, FunctionConstraint, JointCoupling,
    Line, NominalModel, PostureSpring, Stack, Task, ToolPosition, TrackingLaw, trajectory,
    udwadia_kalaba)
from mbd_ros.control.constraints.constraint_stack import followed_by, recorded_form
from mbd_ros.control.constraints.joint_paths import JointPaths
from mbd_ros.control.references.joint_coordinates import JointCoordinates
from mbd_ros.control.references.joint_trajectories import joint_trajectory, stopping
from mbd_ros.control.tasks import goal_check
from mbd_ros.control.tasks.approaching import Way
from mbd_ros.control.tasks.feasibility import check_joints, check_task, Extent, length_of
from mbd_ros.control.tasks.followed_tools import free_tool
from mbd_ros.control.tasks.goal_check import plan_joint_path, plan_task, precompile
from mbd_ros.control.tasks.task import controller_for, motion_for
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.control.tracking.adaptation import Adaptation
from mbd_ros.control.udwadia_kalaba.passive_joints import PassiveJoints
from mbd_ros.dynamics.loops.closure import close_loops
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import InfeasibleError, InvalidValueError, LoopOpenError

CURVED = mbd_ros.load("""<robot name="curved"><link name="a"/>
  <joint name="ball" type="spherical"><parent link="a"/><child link="b"/></joint>
  <link name="b"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="flat" type="planar"><parent link="a"/><child link="c"/></joint>
  <link name="c"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>""")


class Told:
    """A path of two joints that keeps the times at which it is asked."""

    def __init__(self):
        self.times, self.path = [], trajectory([0.0, 1.0], [[0.0, 0.0], [0.3, 0.2]])

    def at(self, time):
        self.times.append(time)
        return self.path.at(time)


def test_trajectories_are_looked_at_two_hundred_times_and_with_loops_thirty_two():
    dyn, path = sliders(1.0, 1.0), Told()
    check_joints(dyn, dyn.model.joint_names, path, 1.0, np.zeros(2))
    np.testing.assert_allclose(path.times, np.linspace(0.0, 1.0, 200), rtol=0, atol=1e-15)
    dyn, path = mbd_ros.compile(mbd_ros.load('urdf/five_bar.urdf')), Told()
    check_joints(dyn, ['left_drive', 'right_drive'], path, 1.0, np.zeros(4))
    np.testing.assert_allclose(path.times, np.linspace(0.0, 1.0, 32), rtol=0, atol=1e-15)


@pytest.mark.parametrize(('times', 'count'), [([0.0, 0.5], 32), (None, 1)])
def test_tasks_are_looked_at_thirty_two_times_and_at_once_where_nothing_moves(
        times, count, monkeypatch):
    dyn, seen = sliders(1.0, 1.0), []
    constraint = {'kind': 'joint_coupling', 'coefficients': {'j0': 1.0}, 'value': 0.1}
    if times:
        constraint = {'kind': 'joint_path', 'joints': ['j0'], 'times': times,
                      'positions': [[0.0], [0.1]]}
    plain = DirectElimination.eliminate
    monkeypatch.setattr(DirectElimination, 'eliminate', lambda self, *state: (
        seen.append(state[-1]), plain(self, *state))[1])
    check_task(dyn, Task(constraints=(constraint,)), np.zeros(2))
    np.testing.assert_allclose(seen, np.linspace(0.0, times[-1] if times else 0.0, count))


@pytest.mark.parametrize(('joints', 'refused'), [(['j0'], False), (['j0', 'j1'], True)])
def test_limits_count_where_a_task_leaves_no_choice(joints, refused):
    """Of a robot with a free joint nobody knows which way it goes."""
    rows = tuple({'kind': 'joint_coupling', 'coefficients': {name: 1.0}, 'value': 5.5}
                 for name in joints)
    if refused:
        with pytest.raises(InfeasibleError, match=r'position 5\.5 m of joint'):
            check_task(sliders(1.0, 1.0), Task(constraints=rows), np.zeros(2))
    else:
        check_task(sliders(1.0, 1.0), Task(constraints=rows), np.zeros(2))


def test_how_long_a_path_is():
    assert length_of(Ellipse([0, 0, 0], [1, 0, 0], [0, 1, 0], 3.0)) == 3.0
    assert length_of(Line([0, 0, 0], [1, 0, 0], 2.0, begin=0.5)) == 2.5
    assert length_of(SimpleNamespace()) == 0.0


def test_a_turn_of_a_user_is_followed_and_one_that_is_held_is_not():
    turn, held = SimpleNamespace(), SimpleNamespace(turns=False)
    dyn = sliders(1.0)
    parts = [JointCoupling(dyn.model, {'j0': 1.0}) for _ in range(2)]
    for part, orientation in zip(parts, (turn, held)):
        part.orientation = orientation
    assert followed_by(Stack(parts, np.zeros(1), np.zeros(1))) == [turn]


def test_a_stack_of_nothing_has_no_rows():
    empty, rest = Stack([], np.zeros(2), np.zeros(2)), np.zeros(2)
    assert empty.matrix(rest, rest, 0.0).shape == (0, 2)
    assert empty.right_side(rest, rest, 0.0).shape == (0,)
    assert empty.violation_rate(rest, rest, 0.0) is None
    assert recorded_form(empty) is None


def test_a_tool_of_no_name_is_the_last_link():
    dyn, q, p = sliders(1.0, 1.0), np.array([0.1, 0.3]), np.array([0.1, 0.7])
    for name, error in (('l0', 0.0), ('l1', 0.4), ('nobody', 0.4)):
        found = free_tool(dyn, name, SimpleNamespace(q=q), p)
        assert found.link == ('l1' if name == 'nobody' else name)
        assert found.error == pytest.approx(error, abs=1e-15)
        assert found.desired is found.nominal
        np.testing.assert_allclose(found.actual - found.nominal, [error, 0.0, 0.0], atol=1e-15)
        assert found.force.tolist() == [0.0, 0.0, 0.0]


def test_the_first_of_two_tools_is_that_of_the_path(puma):
    task = default_task('puma560')
    other = {'kind': 'tool_position', 'link': 'link4', 'axes': 'x',
             'path': {'kind': 'line', 'start': [0.3, 0, 0], 'end': [0.4, 0, 0], 'duration': 1.0}}
    q = np.array(task.start_positions)
    tracker = Tracker(puma, Task(link='tool', path=task.path, constraints=(other,)), q,
                      np.zeros(6))
    step = tracker.step(0.0, q, np.zeros(6))
    assert [tool.link for tool in tracker.tools(step, q)] == ['tool', 'link4']
    assert tracker.tool_points(step, q).link == 'tool'
    assert tracker.links == ('tool', 'link4')
    assert [type(path).__name__ for path in tracker.paths] == ['Ellipse', 'Line']
    assert tracker.rows == 4


class Recorder:
    """A tracker that keeps what it is asked."""

    def __init__(self, dyn, failures=0):
        self.dyn, self.calls, self.failures = dyn, [], failures

    def __getattr__(self, name):
        def called(*arguments, **settings):
            self.calls.append((name, *arguments[:1], *settings.values()))
            asked = settings.get('approach', Way(0.0)).duration
            return {'reference': ((np.array([0.1, 0.2]),) + 2 * (np.zeros(2),)),
                    'copy_for_planning': self, 'follow': 2.0 * asked}.get(name)
        return called

    def check_ahead(self, duration, path, *, effort):
        """Refuse the first durations."""
        self.calls.append(('check_ahead', duration, path))
        if sum(call[0] == 'check_ahead' for call in self.calls) <= self.failures:
            raise InfeasibleError('approach', duration, 'why')


def test_precompiling_goes_through_all_of_it_in_the_rhythm_of_control(monkeypatch):
    monkeypatch.setattr(goal_check, 'needs_of_joints', lambda *_, patience: None)
    tracker = Recorder(sliders(1.0, 1.0))
    precompile(tracker, ['j0'], np.zeros(2), np.zeros(2), 0.25)
    assert [call[1] for call in tracker.calls if call[0] == 'step'] == [
        0.0, 0.25, 0.5, 0.75, 1.0]
    assert [call[:2] for call in tracker.calls if call[0] == 'stop'] == [('stop', 0.5)]
    (_, path, joints), = [call for call in tracker.calls if call[0] == 'follow_joints']
    assert joints == ('j0', 'j1')   # in a tree all
    assert (path.begin, path.duration) == (0.0, 1.0)
    for time in (0.0, 0.5):
        np.testing.assert_allclose(path.at(time), [[0.1, 0.2], [0.0, 0.0], [0.0, 0.0]])


@pytest.mark.parametrize('failures', [0, 9, 10, 19, 20])
def test_an_approach_is_tried_ten_times_each_longer_by_a_quarter(failures, monkeypatch):
    """Then joints lead, as often; after that the first problem is told."""
    monkeypatch.setattr(goal_check, 'check_task', lambda *_: Extent(3.0, 0))
    tracker = Recorder(sliders(1.0), failures)
    if failures < 20:
        found = plan_task(tracker, Task(), np.zeros(1), np.zeros(1))
        assert found == (pytest.approx(0.1 * 2.5**(failures % 10), rel=1e-12), failures > 9, 1.0)
        assert tracker.calls[-1] == ('stop', 0.0)
        assert tracker.calls[-2][2] == 6.0   # two rounds of its paths
    else:
        with pytest.raises(InfeasibleError, match=r'0.1 s after'):
            plan_task(tracker, Task(), np.zeros(1), np.zeros(1))
    asked = [call[-1] for call in tracker.calls if call[0] == 'follow']
    tries = np.arange(min(failures + 1, 20))
    # What follows is twice what is asked, here.
    np.testing.assert_allclose([way.duration for way in asked], 0.05 * 2.5**(tries % 10))
    assert [way.by_joints for way in asked] == (tries > 9).tolist()


def test_a_path_of_joints_is_begun_and_stopped(monkeypatch):
    monkeypatch.setattr(goal_check, 'check_joints', lambda *arguments: checked.append(arguments))
    monkeypatch.setattr(goal_check, 'require_effort', lambda *_, patience: None)
    checked, tracker, path = [], Recorder(sliders(1.0, 1.0)), trajectory([0, 2], [[0, 0], [1, 1]])
    assert plan_joint_path(tracker, ('j0', 'j1'), lambda pace: path, np.zeros(2)) == 1.0
    assert checked[0][3] == 2.0
    assert tracker.calls == [
        ('copy_for_planning',), ('follow_joints', path, ('j0', 'j1')), ('stop', 0.0)]


def test_a_task_that_begins_where_the_robot_is_needs_no_approach():
    """The time of its paths is zero at the end of the approach."""
    dyn = sliders(1.0)
    moves = {'kind': 'joint_path', 'joints': ['j0'], 'times': [0.0, 2.0],
             'positions': [[0.2], [0.7]]}
    tracker = Tracker(dyn, Task(), np.array([0.2]), np.zeros(1))
    task = Task(constraints=(moves,), start='approach')
    assert tracker.follow(task, 5.0, np.array([0.2]), np.zeros(1)) == 0.0
    assert tracker.step(6.0, np.array([0.45]), np.zeros(1)).nominal.time == 1.0
    duration = tracker.follow(task, 6.0, np.array([0.2]), np.zeros(1))
    assert duration > 0.05
    assert tracker.step(6.0, np.array([0.45]), np.zeros(1)).nominal.time == -duration


def test_a_motion_for_one_constraint_has_no_stack():
    motion = motion_for(sliders(1.0), Task(constraints=(
        {'kind': 'joint_coupling', 'coefficients': {'j0': 1.0}},)))
    assert isinstance(motion.constraint, JointCoupling)
    controller = controller_for(sliders(1.0), Task(constraints=(
        {'kind': 'joint_coupling', 'coefficients': {'j0': 1.0}},)))
    state = controller.nominal.state
    assert (state.time, state.q.tolist(), state.v.tolist()) == (0.0, [0.0], [0.0])
    assert (state.moved, state.violation, state.violation_before) == (0.0, 0.0, 0.0)


def test_times_of_exactly_so_many_steps_take_so_many(monkeypatch):
    dyn, steps = sliders(1.0), []
    motion = ConstrainedMotion(dyn, JointCoupling(dyn.model, {'j0': 1.0}))
    model = NominalModel(motion, np.zeros(1), step=0.1)
    plain = motion.regular_step
    monkeypatch.setattr(motion, 'regular_step', lambda *state: (
        steps.append(state[-1]), plain(*state))[1])
    model.advance_to(0.3)
    np.testing.assert_allclose(steps, [0.1, 0.2, 0.3], rtol=1e-12)


def test_bare_rows_violate_nothing():
    dyn, rest = sliders(1.0, 1.0), np.zeros(2)
    bare = FunctionConstraint(lambda q, v, t: [[1.0, 0.0]], lambda q, v, t: [0.0])
    report = DirectElimination().eliminate(dyn, bare, rest, rest, 0.0)
    assert report[2:] == (0.0, 0.0, 0.0, 0.0, 0, 0.0, 0.0, 0, True)
    motion = ConstrainedMotion(dyn, bare)
    assert motion.violation(0.0, rest) == 0.0
    assert motion.health(0.0, rest, rest) == (0.0, 1, 1.0)
    speed = FunctionConstraint(bare.A, bare.b, None, lambda q, v, t: v[:1])
    assert ConstrainedMotion(dyn, speed).health(0.0, rest, np.array([-0.3, 1.0]))[0] == 0.3


@pytest.mark.parametrize(('size', 'done'), [(0.5, False), (2.0, True)])
def test_small_coordinates_are_rounded_by_less(size, done):
    """Sixteen roundings of 0.5 are 1.8e-15."""
    row = FunctionConstraint(lambda q, v, t: [[0.0, 1.0]], lambda q, v, t: [0.0],
                             lambda q, t: np.array([2.5e-15]), None)
    found = DirectElimination(tolerance=1e-16).eliminate(
        sliders(1.0, 1.0), row, np.array([size, 0.1]), np.zeros(2), 0.0)
    assert found.converged is done


@pytest.mark.parametrize(('settings', 'regular'), [
    ({}, True), ({'tolerance': None}, False), ({'position_iterations': 0}, False),
    ({'position_iterations': 1}, True), ({'velocity_iterations': 0}, False),
    ({'velocity_iterations': 2}, False)])
def test_which_eliminations_machine_code_does(settings, regular):
    dyn = sliders(1.0)
    code = ConstrainedMotion(dyn, JointCoupling(dyn.model, {'j0': 1.0})).in_machine_code()
    found = code.bounds(DirectElimination(**settings), 1e-10)
    assert (found is not None) == regular
    if regular:
        assert found[:4] == (1e-8, 1e-13, 0.2, 10.0)
        assert found.taken == math.inf
        wide = code.bounds(DirectElimination(rank_tolerance=1e-3), 1e-10)
        assert wide.rank == pytest.approx(1e-6)
        assert code.bounds(DirectElimination(), 2e-3).rank == pytest.approx(4e-6)


def test_a_closed_loop_is_closed_beside_what_an_elimination_left():
    """Not beside where that began."""
    dyn = mbd_ros.compile(mbd_ros.load('urdf/five_bar.urdf'))
    far = ToolPosition(dyn, 'tool', Ellipse([5, 0, 0], [0, 0, 0], [0, 0, 0]), axes='xz')
    motion = ConstrainedMotion(dyn, far)
    begin, _ = close_loops(dyn.model, np.array([0.3, -0.2, 0.1, 0.4]), np.zeros(4))
    left, _ = close_loops(dyn.model, np.array([-0.3, 0.2, 0.2, 0.1]), np.zeros(4))
    report = DirectElimination().eliminate(dyn, far, begin, np.zeros(4), 0.0)._replace(
        q=left + 1e-4 * np.array([1.0, -1.0, 1.0, 1.0]), converged=True)
    found = motion._closed(motion._loops[0], 0.0, report, begin, np.zeros(4))
    assert np.abs(found.q - left).max() < 1e-3
    assert not found.converged
    assert found.violation == motion.violation(0.0, found.q)
    assert found.rate == np.linalg.norm(motion.whole.violation_rate(found.q, found.v, 0.0))


def test_springs_and_dampers(puma):
    """``g + k (q_0 - q) - 2 zeta sqrt(k m) v``, joint by joint."""
    rng = np.random.default_rng(2)
    q, v, posture = rng.uniform(-1.0, 1.0, (3, 6))
    k = np.array([9.0, 8.0, 7.0, 3.0, 2.0, 1.0])
    M = puma.mass_matrix(q)
    spring = PostureSpring(puma, posture, stiffness=k, damping=0.7)
    expected = (puma.bias_forces(q, np.zeros(6)) + k * (posture - q)
                - 1.4 * np.sqrt(k * M.diagonal()) * v)
    # Rounding of 60 N m.
    np.testing.assert_allclose(spring(0.0, q, v, M), expected, rtol=0, atol=1e-12)


def test_a_base_that_floats_is_not_pulled():
    dyn = mbd_ros.compile(mbd_ros.load('urdf/rov.urdf', floating_base=True))
    spring = PostureSpring(dyn, mbd_ros.neutral(dyn.model), stiffness=3.0)
    assert spring.roots.tolist() == [0.0] * 6 + [3.0**0.5] * (dyn.model.nv - 6)


def test_quaternions_go_on_from_the_first_and_angles_count_their_turns():
    coordinates = JointCoordinates(CURVED, ['ball', 'flat'])
    angles = np.linspace(0.0, 1.9 * np.pi, 12)   # the last quaternion is opposite to the first
    flips = np.array([1, -1, 1, 1, -1, 1, -1, -1, 1, 1, 1, -1.0])
    rows = np.zeros((12, 7))
    rows[:, 2] = flips * np.sin(0.5 * angles)
    rows[:, 3] = flips * np.cos(0.5 * angles)
    rows[:, 6] = np.where(np.arange(12) % 2, 0.1, 0.1 + 2.0 * np.pi)
    smooth, plain = (coordinates.continued(rows, angles=each) for each in (True, False))
    for found in (smooth, plain):
        np.testing.assert_allclose(found[:, 2], np.sin(0.5 * angles), atol=1e-15)
        np.testing.assert_allclose(found[:, 3], np.cos(0.5 * angles), atol=1e-15)
    np.testing.assert_allclose(smooth[:, 6], rows[0, 6], rtol=0, atol=1e-14)
    np.testing.assert_array_equal(plain[:, 6], rows[:, 6])
    path = joint_trajectory(CURVED, ['flat'], [0.0, 5.0], [[0, 0, 0.0], [0, 0, 7.0]])
    assert path.at(5.0).position[2] == pytest.approx(7.0, abs=1e-13)


@pytest.mark.parametrize(('spin', 'segments'), [(0.0, 1), (0.9, 1), (1.1, 2), (2.1, 3)])
def test_stops_of_turning_joints_have_a_way_point_every_half_a_radian(spin, segments):
    """At the mean speed of half its own within one second."""
    v = np.array([0.0, spin, 0.0, 0.0, 0.0, 0.0])
    q = mbd_ros.neutral(CURVED)
    path = stopping(CURVED, ['ball'], q, v, np.zeros(6), np.full(3, 0.4 * (spin or 1.0)))
    assert path.duration == pytest.approx(1.0 if spin else 0.05)
    assert len(path.times) == 1 + segments
    dyn = sliders(1.0)
    path = stopping(dyn.model, ['j0'], np.zeros(1), 9.0 * np.ones(1), np.zeros(1), np.ones(1))
    assert len(path.times) == 2   # a slider does not turn


def test_gains_that_may_change(urdf_arm):
    gains = {'bandwidth': 15.0, 'approach_speed': 1.5, 'robust_rate': 0.0}
    law = TrackingLaw(urdf_arm)
    law.change_gains(**gains)
    for wrong in ({'robust_rate': 0.5}, {'adaptation_rate': 0.5}, {'adaptation_rate': -1e-9},
                  {'adaptation_rate': math.inf}):
        with pytest.raises(InvalidValueError):
            law.change_gains(**{**gains, **wrong})
    learning = TrackingLaw(urdf_arm, adaptation=Adaptation(urdf_arm, 'tool', 2.0))
    for rate in (0.5, 0.0):
        learning.change_gains(**gains, adaptation_rate=rate)
        assert learning.adaptation.rate == rate
    assert not learning.needs_new_terms(0.0, 0.5) and learning.needs_new_terms(0.5, 0.0)
    assert law.needs_new_terms(0.0, 0.5) and law.needs_new_terms(0.5, 0.0)
    assert not law.needs_new_terms(0.0, 0.0)


def test_many_states_of_a_robot_with_loops_are_single_ones():
    """Its own rows stand behind those of the task, state by state; one argument serves all."""
    model, rng = mbd_ros.load('urdf/five_bar.urdf'), np.random.default_rng(4)
    dyn = mbd_ros.compile(model)
    states = [close_loops(model, rng.uniform(-0.2, 0.2, 4), rng.uniform(-0.5, 0.5, 4))
              for _ in range(3)]
    q, v = (np.array(part) for part in zip(*states))
    tau, A, b = rng.normal(size=(3, 4)), rng.normal(size=(3, 1, 4)), rng.normal(size=(3, 1))
    many = udwadia_kalaba(model, q, v, tau, A, b)
    for k in range(3):
        one = udwadia_kalaba(model, q[k], v[k], tau[k], A[k], b[k])
        for name in ('accelerations', 'constraint_force', 'rank'):
            np.testing.assert_allclose(getattr(many, name)[k], getattr(one, name), rtol=1e-12)
        rows = dyn.loop_rows(q[k], v[k])
        np.testing.assert_allclose(A[k] @ one.accelerations, b[k], rtol=0, atol=1e-10)
        np.testing.assert_allclose(rows[:, VALUES:] @ one.accelerations, -rows[:, VALUES - 1],
                                   rtol=0, atol=1e-9)
    served = udwadia_kalaba(model, q, v, tau[0], A[0], b[0])
    np.testing.assert_allclose(served.accelerations[2], udwadia_kalaba(
        model, q[2], v[2], tau[0], A[0], b[0]).accelerations, rtol=1e-12)


@pytest.mark.parametrize('wrong', ['abc', [[object()]], [[1.0, [2.0]]]])
def test_rows_that_are_no_numbers(wrong):
    model = sliders(1.0).model
    with pytest.raises(InvalidValueError, match=r'A is .*rows of real numbers'):
        udwadia_kalaba(model, [0.0], [0.0], [0.0], wrong, [0.0])


def test_groups_of_paths_begin_at_zero():
    path = JointPaths([(('j0',), trajectory([0.0, 2.0], [[0.0], [1.0]])),
                       (('j1',), trajectory([0.0, 3.0], [[0.0], [1.0]]))])
    assert (path.begin, path.duration, path.names) == (0.0, 3.0, ('j0', 'j1'))


def test_measured_joints_that_contradict_say_that_nothing_was_moved():
    dyn = mbd_ros.compile(mbd_ros.load('urdf/five_bar.urdf'))
    joints = PassiveJoints(dyn, dyn.model.joint_names)
    with pytest.raises(LoopOpenError) as caught:
        joints.complete(np.array([0.1, 0.0, 0.0, 0.0]), np.zeros(4))
    assert caught.value.moved == 0.0
    assert caught.value.residual > 0.01


def test_a_weightless_robot_counts_time_from_where_it_began():
    tracker = Tracker(sliders(1.0), Task(), np.zeros(1), np.zeros(1), time=3.0)
    assert tracker.step(5.0, np.zeros(1), np.zeros(1)).nominal.time == 2.0
