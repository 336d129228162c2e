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

"""The tracking law, alone and closed over a simulated robot with delays."""

from collections import deque
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import controller_for, default_task, Task, TrackingLaw
from mbd_ros.control.control_step.joint_reference import JointReference
from mbd_ros.control.references.splines import trajectory
from mbd_ros.control.tasks.task import TASKS
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError
from mbd_ros.simulation import Stepper

URDF = Path(__file__).parents[3] / 'urdf'
PERIOD, PLANT_STEP = 0.002, 0.0005


@pytest.fixture(name='law')
def tracking_law(urdf_arm):
    """Return the law of the three-link arm."""
    return TrackingLaw(urdf_arm)


@pytest.fixture(name='state')
def nominal_state(urdf_arm):
    """Return a nominal state on the path."""
    controller = controller_for(urdf_arm, default_task('three_link_arm'))
    return controller.nominal.advance_to(0.5)


def test_on_the_path_the_nominal_force_is_enough(law, state):
    """No error, no feedback."""
    result = law.efforts(state, state.q, state.v)
    # 1e-12: two ways to compute forces of 20 N m.
    np.testing.assert_allclose(result.effort, state.constraint_force, rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.feedback, 0, rtol=0, atol=1e-12)
    assert result.saturated == ()


def test_a_weightless_robot_is_carried_and_damped(law, urdf_arm, state):
    """Gravity, and the damping that lets each joint alone forget its motion within seconds."""
    rng = np.random.default_rng(5)
    v = 0.1 * rng.normal(size=3)
    model = urdf_arm.model
    result = law.gravity_compensation(state.q, v)
    weight = mbd_ros.bias_forces(model, state.q, np.zeros(3))
    damping = -1.0 * np.diag(mbd_ros.mass_matrix(model, state.q)) * v   # 1 / s
    np.testing.assert_allclose(result.nominal, weight, rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.effort, weight + damping, rtol=0, atol=1e-12)


def test_error_dynamics_are_linear_near_the_path(law, urdf_arm, state):
    """``edd + 2 w ed + w^2 e = 0`` for every joint."""
    rng = np.random.default_rng(8)
    q, v = state.q + rng.uniform(-0.01, 0.01, 3), state.v + rng.uniform(-0.1, 0.1, 3)
    result = law.efforts(state, q, v)
    acceleration = urdf_arm.forward_dynamics(q, v, result.effort)
    e, ed, edd = state.q - q, state.v - v, state.accelerations - acceleration
    np.testing.assert_allclose(edd + 30 * ed + 225 * e, 0, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(result.error, e)
    np.testing.assert_array_equal(result.error_rate, ed)
    np.testing.assert_allclose(result.effort, result.nominal + result.feedback, atol=1e-12)


def test_drives_are_told_velocities_that_forget_errors_and_positions_of_a_little_later(law, state):
    """``ed = -w e / 2`` near the path, far off it the approach speed: 15 rad/s and 1.5 rad/s."""
    e = np.array([0.02, -0.01, 0.0])
    np.testing.assert_allclose(law.velocities(state, e), state.v + 7.5 * e, rtol=0, atol=1e-15)
    far = law.velocities(state, np.array([1.0, -1.0, 0.3]))
    np.testing.assert_allclose(far, state.v + np.array([1.5, -1.5, 1.5]), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(law.positions(state, 0.0), state.q)
    np.testing.assert_allclose(law.positions(state, 0.01), state.q + 0.01 * state.v,
                               rtol=0, atol=1e-15)


def test_whole_turns_of_joints_without_end_are_no_error():
    """Edge case 7: a sensor may count them or not; a joint with limits has no second place."""
    link = ('<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
            'ixz="0" iyz="0"/></inertial></link>')
    joint = ('<joint name="{0}" type="{1}"><parent link="l{2}"/><child link="l{3}"/>'
             '<axis xyz="0 1 0"/><limit lower="-9" upper="9" effort="1e6" velocity="9"/></joint>')
    model = mbd_ros.load('<robot name="two">' + ''.join(link.format(f'l{k}') for k in range(3))
                         + joint.format('free', 'continuous', 0, 1)
                         + joint.format('stopped', 'revolute', 1, 2) + '</robot>')
    dyn = mbd_ros.compile(model)
    path = trajectory([0.0, 1.0], [[3.1, 0.0], [3.2, 0.0]])
    state = JointReference(dyn, path).advance_to(0.5)
    law = TrackingLaw(dyn)
    error = law.efforts(state, np.array([3.1 - 2 * np.pi, 2 * np.pi]), np.zeros(2)).error
    # 1e-15 times a few turns.
    np.testing.assert_allclose(error, [state.q[0] - 3.1, -2 * np.pi], rtol=0, atol=1e-14)


def test_far_from_the_path_the_approach_is_bounded(law, urdf_arm, state):
    """A jump of the nominal model asks for no more speed than allowed."""
    for far in (1.0, 3.0):    # less than half a turn: these joints have no end
        q = state.q - far
        result = law.efforts(state, q, state.v + 1.5)
        acceleration = urdf_arm.forward_dynamics(q, state.v + 1.5, result.effort)
        # At the approach speed there is no feedback acceleration, whatever the distance.
        np.testing.assert_allclose(acceleration, state.accelerations, rtol=0, atol=1e-10)


def test_velocity_limits_bound_the_approach(puma):
    """Half a joint's velocity limit where that is less than the approach speed."""
    controller = controller_for(puma, default_task('puma560'))
    state = controller.nominal.advance_to(0.5)
    limits = puma.model.velocity_limits
    q, v = state.q - 3.0, state.v + np.minimum(0.5 * limits, 1.5)
    acceleration = puma.forward_dynamics(q, v, controller.law.efforts(state, q, v).effort)
    np.testing.assert_allclose(acceleration, state.accelerations, rtol=0, atol=1e-9)


def test_limits_are_respected_and_reported(urdf_arm, state):
    """The joints whose effort was cut are named; the parts stay uncut."""
    law = TrackingLaw(urdf_arm, effort_limits=[100.0, 5.0, 100.0])
    result = law.efforts(state, state.q, state.v)
    assert np.abs(state.effort[1]) > 5
    assert result.effort[1] == -5
    assert result.saturated == ('joint2',)
    np.testing.assert_array_equal(result.nominal, state.effort)


@pytest.mark.parametrize(('q', 'v', 'error', 'text'), [
    ([0, np.nan, 0], [0, 0, 0], NotFiniteError, "q of joint 'joint2' is nan"),
    ([0, 0, 0], [0, 0, np.inf], NotFiniteError, "v of joint 'joint3' is inf"),
    ([0, 0], [0, 0, 0], ShapeError, 'q has shape (2,); allowed: (3,)'),
])
def test_bad_measurements_are_refused(law, state, q, v, error, text):
    """An effort is never made from NaN."""
    with pytest.raises(error) as caught:
        law.efforts(state, np.array(q, float), np.array(v, float))
    assert text in str(caught.value)


@pytest.mark.parametrize(('arguments', 'error', 'text'), [
    ({'bandwidth': 0.0}, InvalidValueError, 'bandwidth is 0.0; allowed: a positive number'),
    ({'approach_speed': np.nan}, InvalidValueError, 'approach_speed is nan'),
    ({'effort_limits': [1.0]}, ShapeError, 'effort_limits has shape (1,); allowed: (3,)'),
    ({'effort_limits': [1.0, -1, 1]}, InvalidValueError, 'allowed: numbers not below zero'),
])
def test_bad_settings_are_named(urdf_arm, arguments, error, text):
    """Each setting says what it may be."""
    with pytest.raises(error) as caught:
        TrackingLaw(urdf_arm, **arguments)
    assert text in str(caught.value)


def track(dyn, name, duration, delays):
    """
    Return times, tool errors and states of a run of 500 Hz control of a 2 kHz plant.

    ``delays`` are the least and largest number of plant steps from a measurement to its effort.
    """
    task = default_task(name)
    controller = controller_for(dyn, task)
    path = controller.nominal.motion.constraint.path
    plant = Stepper(dyn.model, task.start_positions, step=PLANT_STEP)
    tau = dyn.bias_forces(plant.q, plant.v)
    rng = np.random.default_rng(1)
    waiting, rows = deque(), []
    for index in range(round(duration / PLANT_STEP)):
        if index % round(PERIOD / PLANT_STEP) == 0:
            state = controller.nominal.advance_to(plant.time)
            result = controller.law.efforts(state, plant.q, plant.v)
            waiting.append((index + rng.integers(*delays, endpoint=True), result.effort))
            tool = dyn.pose(plant.q, task.link)[:3, 3] - path.at(plant.time).position
            rows.append((plant.time, np.linalg.norm(tool), plant.q, plant.v, result,
                         state.violation))
        while waiting and waiting[0][0] <= index:
            tau = waiting.popleft()[1]
        plant.advance(tau, PLANT_STEP)
    return [np.array(column) for column in zip(*((*row[:4], row[4].effort, row[5],
                                                  bool(row[4].saturated)) for row in rows))]


@pytest.mark.parametrize(('name', 'bound'), [('three_link_arm', 2e-4), ('puma560', 1e-4)])
def test_tracks_through_delays(name, bound, request):
    """
    Within 1 mm after 2 s and for good, with 1 to 3 ms from measurement to effort.

    What is left is the effort's lag: the acceleration it was made for has changed by the jerk
    times 4 ms when it acts, which feedback of 225 1/s^2 turns into 1e-4 rad.
    """
    dyn = request.getfixturevalue({'three_link_arm': 'urdf_arm', 'puma560': 'puma'}[name])
    time, error, q, v, effort, violation, saturated = track(dyn, name, 14.0, (2, 6))
    model = dyn.model
    assert error[0] > 0.5
    assert error[time >= 2].max() < bound < 1e-3
    assert violation[3:].max() < 1e-12
    assert not saturated.any()
    assert (q >= model.lower).all()
    assert (q <= model.upper).all()
    assert (np.abs(v) <= model.velocity_limits).all()
    assert (np.abs(effort) <= model.effort_limits).all()
    # After two turns of 2 pi the motion repeats itself, the free part included.
    turn = round(2 * np.pi / PERIOD)
    np.testing.assert_allclose(q[-1], q[-1 - turn], rtol=0, atol=2e-3)


def test_task_from_data_checks_names():
    """Wrong names get the nearest; what is needed is asked for."""
    from mbd_ros.errors import UnknownNameError
    with pytest.raises(UnknownNameError, match=r"named 'bandwith'.*did you mean 'bandwidth'"):
        Task.from_data({'link': 'tool', 'path': {}, 'bandwith': 3.0})
    with pytest.raises(InvalidValueError, match=r'task is .*; allowed: also with path'):
        Task.from_data({'link': 'tool'})
    with pytest.raises(UnknownNameError, match="no task for a robot named 'puma'; known: "
                                               'three_link_arm, puma560'):
        default_task('puma')


def test_task_starts_from_the_measured_state(urdf_arm):
    """Given a state, the nominal model begins there; else at the task's start, else at zero."""
    task = default_task('three_link_arm')
    controller = controller_for(urdf_arm, task, q=[0.1, -0.7, 1.2], v=[0.1, 0, 0], time=3.0)
    np.testing.assert_array_equal(controller.nominal.state.q, [0.1, -0.7, 1.2])
    np.testing.assert_array_equal(controller.nominal.state.v, [0.1, 0, 0])
    assert controller.nominal.state.time == 3.0
    np.testing.assert_array_equal(
        controller_for(urdf_arm, task).nominal.state.q, task.start_positions)
    bare = Task.from_data({'link': 'tool', 'path': dict(task.path), 'axes': 'z'})
    np.testing.assert_array_equal(controller_for(urdf_arm, bare).nominal.state.q, np.zeros(3))


def test_task_with_one_stiffness_for_all(puma):
    """One entry serves all joints."""
    task = Task.from_data({'link': 'tool', 'path': default_task('puma560').path,
                           'posture': [0.0, -0.9, 2.7, 0.0, 1.3, 0.0],
                           'posture_stiffness': [7.0]})
    spring = controller_for(puma, task).nominal.motion.applied
    assert set(spring.roots) == {7.0**0.5}


@pytest.mark.parametrize('name', sorted(TASKS))
def test_every_shipped_task_has_a_controller(name):
    """Also one whose task begins with a planned approach: without a jump, and onto the path."""
    file = next(URDF.glob(f'{name}.urdf*'))
    dyn = mbd_ros.compile(mbd_ros.load(file))
    nominal, law = controller_for(dyn, default_task(name))
    first = nominal.state
    if default_task(name).start == 'approach':
        before, after = first.q, nominal.advance_to(0.02).q
        assert np.abs(after - before).max() < 0.02   # 1 rad/s; a jump would be of some tenths
    end = nominal.advance_to(3.0)
    motion = controller_for(dyn, default_task(name)).nominal.motion
    constraint = getattr(motion.constraint, 'constraint', motion.constraint)
    assert np.linalg.norm(constraint.violation(end.q, 3.0)) < 1e-10   # of the elimination: 1e-13
    assert np.isfinite(law.efforts(end, end.q, end.v).effort).all()


@pytest.mark.parametrize('way', ['machine code', 'Python'])
def test_gains_change_within_half_a_second(urdf_arm, state, way):
    """In between they lie between; then the law is that of the new gains."""
    new = {'bandwidth': 40.0, 'approach_speed': 0.3, 'robust_rate': 5.0}
    law, expected = TrackingLaw(urdf_arm, robust_rate=20.0), TrackingLaw(urdf_arm, **new)
    if way == 'Python':
        law.machine_code = expected.machine_code = lambda dyn=None: None
    q, v = state.q + 0.2, state.v - 0.1
    efforts = [law.efforts(state, q, v).effort]
    law.change_gains(**new)
    for _ in range(260):
        law.ramp_gains(PERIOD)
        efforts.append(law.efforts(state, q, v).effort)
    np.testing.assert_array_equal(efforts[-1], expected.efforts(state, q, v).effort)
    way_of_efforts = np.abs(efforts[-1] - efforts[0]).max()
    assert way_of_efforts > 1.0
    # 250 steps of a ramp; gains times clipped errors are no straight line, but ten times a share.
    assert np.abs(np.diff(efforts, axis=0)).max() < 10.0 * way_of_efforts / 250.0


@pytest.mark.parametrize(('gain', 'value', 'allowed'), [
    ('bandwidth', 0.0, 'a positive number'), ('approach_speed', np.nan, 'a positive number'),
    ('robust_rate', -1.0, 'not below zero'), ('robust_rate', 5.0, 'began without a robust term'),
    ('adaptation_rate', 1.0, 'began without learning'),
    ('adaptation_rate', -1.0, 'not below zero'), ('adaptation_rate', np.nan, 'not below zero')])
def test_gains_that_cannot_be_changed_to(law, state, gain, value, allowed):
    before = law.gains.copy()
    with pytest.raises(InvalidValueError, match=f'{gain} is .*{allowed}'):
        law.change_gains(**{'bandwidth': 9.0, 'approach_speed': 1.0, 'robust_rate': 0.0,
                            gain: value})
    law.ramp_gains(1.0)
    np.testing.assert_array_equal(law.gains, before)


def test_a_tracker_goes_on_with_other_gains(urdf_arm):
    """Whole steps in machine code take them, too."""
    task = default_task('three_link_arm')
    q = np.array(task.start_positions) + 0.05
    trackers = [Tracker(urdf_arm, one, q, np.zeros(3)) for one in (
        task, replace(task, bandwidth=30.0))]
    trackers[0].change_gains(trackers[1].task)
    steps = [[one.step(PERIOD * k, q, np.zeros(3)) for k in range(300)] for one in trackers]
    assert steps[0][-1].fused
    first, last = (np.abs(steps[0][k].efforts.effort - steps[1][k].efforts.effort).max()
                   for k in (1, -1))
    assert first > 0.5 and last == 0.0


@pytest.mark.parametrize('gains', [
    {'robust_rate': 20.0}, {'adaptation_rate': 2.0},
    {'robust_rate': 20.0, 'adaptation_rate': 2.0}])
def test_a_tracker_gets_terms_that_it_began_without(urdf_arm, gains):
    """With gains from zero on; what was learned before stays."""
    task = default_task('three_link_arm')
    q, rest = np.array(task.start_positions) + 0.05, np.zeros(3)
    tracker, expected = (Tracker(urdf_arm, one, q, rest) for one in (task, replace(task, **gains)))
    wanted = replace(task, **gains)
    for one in (tracker, expected):
        one.step(0.0, q, rest)
    law = tracker.change_gains(wanted)
    assert law is not None and tracker.law is not law
    tracker.prepare_law(law, q, rest)
    tracker.use_law(law)
    assert tracker.change_gains(wanted) is None
    for k in range(1, 300):
        steps = [one.step(PERIOD * k, q, rest) for one in (tracker, expected)]
    robust = [step.efforts.robust for step in steps]
    assert ('robust_rate' in gains) == (np.abs(robust[1]).max() > 0.01)
    np.testing.assert_array_equal(*robust)   # nothing is learned so far from the path
    np.testing.assert_array_equal(*(step.efforts.effort for step in steps))
    learning = tracker.law.adaptation
    assert (learning.rate if learning else 0.0) == wanted.adaptation_rate


def test_what_is_infinite_has_no_way_between(urdf_arm):
    law = TrackingLaw(urdf_arm, approach_speed=np.inf)
    for speed in (np.inf, 1.0, np.inf):
        law.change_gains(bandwidth=20.0, approach_speed=speed, robust_rate=0.0)
        law.ramp_gains(0.1)
        assert not np.isnan(law.gains).any()


def test_a_law_never_loses_a_term_that_acts(urdf_arm):
    """Nor is one used that was prepared for another robot, or other gains."""
    task = default_task('three_link_arm')
    q, rest = np.array(task.start_positions), np.zeros(3)
    tracker = Tracker(urdf_arm, replace(task, robust_rate=5.0), q, rest)
    learning = replace(task, adaptation_rate=1.0)
    law = tracker.change_gains(learning)
    assert law.robust and tracker.can_use(law, learning)
    assert not tracker.can_use(TrackingLaw(urdf_arm), task)   # it would drop the robust term
    assert tracker.can_use(law, replace(task, robust_rate=5.0))
    tracker.set_dynamics(mbd_ros.compile(urdf_arm.model, gravity=(0.0, 0.0, -1.0)))
    assert not tracker.can_use(law, learning)
