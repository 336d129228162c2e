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

"""Machine code of a step gives what the operations give one after the other."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import (
    Actuation, constraints_from_data, default_task, DirectElimination, dynamics_with,
    JointCoupling, Payload, Stack, Task, ToolPosition, TracedConstraint, TracedVelocityConstraint,
    TrackingLaw)
from mbd_ros.control.constraints.approach import Approach
from mbd_ros.control.control_step.constrained_motion import ConstrainedMotion
from mbd_ros.control.control_step.nominal_model import NominalModel
from mbd_ros.control.tasks.task import motion_for
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.control.tracking.payload import carrier, reloaded
from mbd_ros.execution.ir import machine_code
from mbd_ros.model import state
from mbd_ros.model.state import neutral

URDF = Path(__file__).parents[3] / 'urdf'
DATA = Path(__file__).parents[2] / 'data'


def plain(motion):
    """Return the same motion without machine code."""
    other = ConstrainedMotion(motion.dyn, motion.constraint, applied=motion.applied,
                              elimination=motion.elimination, actuation=motion.actuation)
    other.in_machine_code = lambda: None
    return other


@pytest.mark.parametrize('robot', ['urdf_arm', 'puma'])
def test_fifty_steps_are_the_same(robot, request):
    """From a start on the path, and by an approach, to rounding."""
    dyn = request.getfixturevalue(robot)
    task = default_task(dyn.model.name)
    motion = motion_for(dyn, task)
    assert motion.in_machine_code() is not None
    begin = NominalModel(motion, task.start_positions, start='project').state
    away = begin.q + 0.02
    approach = ConstrainedMotion(
        dyn, Approach(motion.constraint, away, begin.v, 0.0, 0.08), applied=motion.applied,
        elimination=motion.elimination)
    assert approach.in_machine_code() is not None
    for one, q in ((motion, begin.q), (approach, away)):
        fast, slow = (NominalModel(each, q, begin.v) for each in (one, plain(one)))
        for k in range(1, 51):
            a, b = fast.advance_to(0.002 * k), slow.advance_to(0.002 * k)
            # Rounding of 1e-16, fifty times, with accelerations of up to 100 rad/s^2.
            np.testing.assert_allclose(a.q, b.q, rtol=0, atol=1e-12)
            np.testing.assert_allclose(a.v, b.v, rtol=0, atol=1e-11)
            np.testing.assert_allclose(a.accelerations, b.accelerations, rtol=0, atol=1e-9)
            np.testing.assert_allclose(a.effort, b.effort, rtol=0, atol=1e-9)
            np.testing.assert_allclose(a.multipliers, b.multipliers, rtol=0, atol=1e-9)
            assert a.rank == b.rank == 3
        assert a.violation < 1e-13


@pytest.mark.parametrize('metric', ['mass', 'euclidean'])
@pytest.mark.parametrize('longest', [0.1, 0.3])
def test_a_far_state_is_pulled_by_damped_steps(urdf_arm, metric, longest):
    """Each of at most so much [rad], as the elimination in Python takes them."""
    task = default_task('three_link_arm')
    motion = motion_for(urdf_arm, task)
    motion = ConstrainedMotion(
        urdf_arm, motion.constraint, applied=motion.applied,
        elimination=DirectElimination(metric, max_step=longest, max_velocity_step=1e3))
    start = NominalModel(motion, task.start_positions, start='project').state.q + 0.25
    first = motion.acceleration(0.0, start, np.zeros(3))
    found = motion.regular_step(0.0, start, np.zeros(3), first, 0.002)
    expected = NominalModel(plain(motion), start).advance_to(0.002)
    assert found is not None and found.violation_before > 0.1 > 1e-13 > found.violation
    # Both go by the same steps; rounding of 1e-16 in some ten of them.
    np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.v, expected.v, rtol=0, atol=1e-10)
    assert found.moved == pytest.approx(expected.moved, rel=1e-9) and found.moved > longest


def test_near_the_path_one_newton_step_is_enough(puma, monkeypatch):
    """The code that pulls a state further is not even made, and what it leaves is rounding."""
    task = default_task('puma560')
    motion = motion_for(puma, task)

    def refused(*_):
        raise AssertionError('pulled')
    monkeypatch.setattr(type(motion.in_machine_code().kernels), 'pulled_step', refused)
    begin = NominalModel(motion, task.start_positions, start='project').state
    model = NominalModel(motion, begin.q, begin.v)
    for k in range(1, 20):
        state = model.advance_to(0.002 * k)
        assert motion.regular_step(
            0.002 * k, state.q, state.v, state.accelerations, 0.002 * k + 0.002) is not None
        assert state.violation < 1e-12 < state.violation_before < 1e-6   # of a step, h^5
        assert 0.0 < state.moved < 1e-6


def test_what_is_not_regular_is_left_to_the_general_form(urdf_arm):
    """Straight arm: two independent rows, a finite answer."""
    motion = motion_for(urdf_arm, default_task('three_link_arm'))
    found = motion.solve(0.0, np.array([0.3, -0.5, 0.0]), np.zeros(3)).solution
    assert found.rank == 2
    assert np.isfinite(found.accelerations).all()


HOLDING = {
    'pose': [{'kind': 'tool_orientation', 'link': 'tool', 'orientation': {
        'start': [0.1, 0.7, 0, 0.7], 'end': [0, 1, 0.3, 0.2], 'duration': 1.0}}],
    'mixed': [{'kind': 'joint_coupling', 'coefficients': {'joint2': 1.0, 'joint3': 2.0}},
              {'kind': 'joint_speed', 'coefficients': {'joint4': 1.0}, 'value': 0.1}],
    'surface': [{'kind': 'on_surface', 'link': 'tool', 'point': [0.1, 0, 0.05], 'surfaces': [
        {'kind': 'sphere', 'center': [0.6, 0.1, 0.2], 'radius': 0.5}]}],
    'direction': [{'kind': 'tool_direction', 'link': 'tool', 'axis': [0, 0.1, 1],
                   'direction': [0, 0.3, -1]}],
    'sideslip': [{'kind': 'no_sideslip', 'link': 'link3', 'axis': [0.2, 1, 0]}],
}


@pytest.mark.parametrize('kind', [*HOLDING, 'functions'])
def test_every_kind_of_constraint_has_the_same_step(kind, puma):
    """A path with one more constraint, from 0.1 rad away: the approach and what follows."""
    task = default_task('puma560')
    path = motion_for(puma, task)
    if kind == 'functions':
        more = [TracedConstraint(puma.model, lambda q, t: [q[3] - 0.3 * t]),
                TracedVelocityConstraint(puma.model, lambda q, v, t: [v[5] - 0.1 * q[4] * t])]
    else:
        more = constraints_from_data(puma, HOLDING[kind])
    axes = 'x' if kind == 'surface' else 'xyz'
    tool = ToolPosition(puma, 'tool', path.constraint.path, axes=axes)
    q = np.array(task.start_positions)
    both = Stack([tool, *more], q, np.zeros(6))
    motion = ConstrainedMotion(puma, Approach(both, q, np.zeros(6), 0.0, 1.0),
                               applied=path.applied, elimination=path.elimination)
    assert motion.in_machine_code() is not None
    fast, slow = (NominalModel(each, q) for each in (motion, plain(motion)))
    for k in range(1, 41):
        a, b = fast.advance_to(0.002 * k), slow.advance_to(0.002 * k)
        # Rounding of 1e-16, forty times, with accelerations of up to 100 rad/s^2.
        np.testing.assert_allclose(a.q, b.q, rtol=0, atol=1e-12)
        np.testing.assert_allclose(a.accelerations, b.accelerations, rtol=0, atol=1e-8)
        assert a.rank == b.rank
    assert motion.regular_step(0.08, a.q, a.v, a.accelerations, 0.082) is not None


def test_equal_constraints_share_machine_code(puma):
    """A new goal compiles nothing: another path of the same tool."""
    task = default_task('puma560')
    one, other = motion_for(puma, task), motion_for(puma, task)
    q = np.array(task.start_positions)
    away = ConstrainedMotion(puma, Approach(other.constraint, q, np.zeros(6), 0.0, 1.0),
                             applied=other.applied, elimination=other.elimination)
    assert one.in_machine_code()._step is away.in_machine_code()._step


def five_bar():
    """Two drives, a loop of which three rows follow from the others."""
    dyn = mbd_ros.compile(mbd_ros.load(URDF / 'five_bar.urdf'))
    return motion_for(dyn, default_task('five_bar')), np.zeros(4)


def delta():
    """Three drives, a platform with a quaternion, six ball joints; a payload on the platform."""
    model = mbd_ros.load(URDF / 'delta.urdf.xacro')
    payload = Payload('platform', 0.3, (0.01, 0.0, -0.05))
    drives = ('arm1_drive', 'arm2_drive', 'arm3_drive')
    path = {'kind': 'circle', 'center': [0.0, 0.0, -0.42], 'radius': 0.04,
            'normal': [0.0, 0.0, 1.0], 'period': 1.0}
    return motion_for(dynamics_with(model, payload, (0.0, 0.0, -9.81)), Task(
        link='platform', path=path, actuated=drives)), neutral(model)


def floating():
    """Nothing holds the base, whose six entries of v come first; the tool's orientation, too."""
    model = mbd_ros.load(URDF / 'space_robot.urdf.xacro', floating_base=True)
    path = {'kind': 'circle', 'center': [1.04, 0.0, 0.59], 'radius': 0.1,
            'normal': [0.0, 1.0, 0.0], 'period': 3.0}
    held = {'kind': 'tool_orientation', 'link': 'tool', 'orientation': [0.0, 0.976, 0.0, 0.219]}
    q = neutral(model)
    q[-6:] = 0.0, 0.5, 1.3, 0.0, 0.9, 0.0
    return motion_for(mbd_ros.compile(model, gravity=(0.0, 0.0, 0.0)), Task(
        link='tool', path=path, constraints=(held,))), q


def cart_pole():
    """Take a pole that has no actuator, and its entry of v comes last."""
    model = mbd_ros.load(DATA / 'ladder' / '03_cart_pole.urdf')
    dyn = mbd_ros.compile(model)
    cart, pole = model.joint_names
    return ConstrainedMotion(dyn, JointCoupling(model, {pole: 1.0}, 0.5),
                             actuation=Actuation(model, [cart])), np.array([0.1, 0.4])


def redundant():
    """Prescribe a path and twice one more row, with springs towards a posture and a payload."""
    model = mbd_ros.load(URDF / 'panda.urdf')
    dyn = dynamics_with(model, Payload('tool', 2.0, (0.0, 0.0, 0.1)), (0.0, 0.0, -9.81))
    task = default_task('panda')
    rows = [{'kind': 'joint_coupling', 'coefficients': {name: factor}, 'value': 0.4 * factor}
            for name, factor in ((model.joint_names[-1], 1.0), (model.joint_names[-1], -2.0))]
    return motion_for(dyn, replace(task, constraints=tuple(rows))), np.array(task.start_positions)


@pytest.mark.parametrize(('case', 'rank', 'rows'), [
    (five_bar, 4, 7), (delta, 21, 21), (floating, 6, 6), (cart_pole, 1, 1), (redundant, 4, 5)])
def test_loops_and_passive_joints_and_redundant_rows(case, rank, rows):
    """Forty steps by an approach, then efforts of the law, are those of the general form."""
    motion, q = case()
    start = NominalModel(motion, q, start='project').state
    away = start.q
    if not motion.loop_rows:
        away = state.integrate(motion.dyn.model, start.q, np.full(len(start.v), 0.01))
    joined = ConstrainedMotion(
        motion.dyn, Approach(motion.constraint, away, start.v, 0.0, 0.06), applied=motion.applied,
        elimination=motion.elimination, actuation=motion.actuation)
    fast, slow = (NominalModel(each, away, start.v) for each in (joined, plain(joined)))
    for k in range(1, 41):
        a, b = fast.advance_to(0.002 * k), slow.advance_to(0.002 * k)
        # Rounding of 1e-16, forty times, with accelerations of up to 100 rad/s^2.
        np.testing.assert_allclose(a.q, b.q, rtol=0, atol=1e-12)
        np.testing.assert_allclose(a.v, b.v, rtol=0, atol=1e-11)
        for name in ('accelerations', 'effort', 'constraint_force', 'multipliers', 'applied'):
            one, other = getattr(a, name), getattr(b, name)
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * (1.0 + abs(other).max()))
        assert a.rank == b.rank == rank
        assert len(a.multipliers) == rows
        assert a.conflicting == b.conflicting is False
    assert joined.regular_step(0.08, a.q, a.v, a.accelerations, 0.082) is not None
    rng = np.random.default_rng(6)
    for rate in (0.0, 40.0):
        fast_law, slow_law = (TrackingLaw(
            motion.dyn, actuation=motion.actuation, robust_rate=rate) for _ in range(2))
        slow_law.machine_code = lambda: None
        for size in (1e-3, 0.1, 1.0):
            q = state.integrate(motion.dyn.model, a.q, rng.uniform(-size, size, len(a.v)))
            v = a.v + rng.uniform(-size, size, len(a.v))
            assert fast_law.machine_code() is not None
            for one, other in zip(fast_law.efforts(a, q, v), slow_law.efforts(a, q, v)):
                if one is None or isinstance(one, tuple):
                    assert one == other
                else:   # loops decide at parts of 1e-3, and efforts are up to 1e4 N m
                    np.testing.assert_allclose(
                        one, other, rtol=1e-10, atol=1e-12 * (1e3 + abs(other).max()))


def test_another_payload_on_the_link_compiles_nothing(monkeypatch):
    """It is the motion of that payload, by the machine code that was there."""
    model = mbd_ros.load(URDF / 'puma560.urdf')
    task = default_task('puma560')
    dyn = carrier(model, None, 'tool', (0.0, 0.0, -9.81))
    tracker = Tracker(dyn, task, np.array(task.start_positions), np.zeros(6))
    for k in range(3):   # onto the path by the general form, then on it
        tracker.step(0.002 * k, np.array(task.start_positions), np.zeros(6))

    def refused(*_):
        raise AssertionError('compiled')
    payload = Payload('tool', 2.0, (0.0, 0.05, 0.1))
    with monkeypatch.context() as patch:
        patch.setattr(machine_code, '_object_code', refused)
        same = reloaded(dyn, payload)
        assert same is dyn
        tracker.set_dynamics(same)
        for k in range(3, 20):
            step = tracker.step(0.002 * k, np.array(task.start_positions), np.zeros(6))
    assert same.payload == payload
    other = dynamics_with(model, payload, (0.0, 0.0, -9.81))
    q, v = step.nominal.q, step.nominal.v
    # The load adds numbers of up to 100 N m.
    np.testing.assert_allclose(
        step.nominal.effort, other.inverse_dynamics(q, v, step.nominal.accelerations), atol=1e-10)
    assert reloaded(same, Payload('link3', 0.0)) is dyn
    assert same.payload == Payload('tool', 0.0)
    assert reloaded(same, Payload('link3', 1.0)) is not dyn


@pytest.mark.parametrize('rate', [0.0, 60.0])
def test_the_law_is_the_same_in_machine_code(puma, rate):
    """Near the path, far from it, at its limits; with a robust term that reaches its bound."""
    rng = np.random.default_rng(3)
    state = NominalModel(motion_for(puma, default_task('puma560')), rng.uniform(-1, 1, 6)).state
    fast, slow = (TrackingLaw(puma, robust_rate=rate) for _ in range(2))
    slow.machine_code = lambda: None
    for size in (1e-3, 0.1, 1.0, 30.0):
        q, v = state.q + rng.uniform(-size, size, 6), state.v + rng.uniform(-size, size, 6)
        for a, b in zip(fast.efforts(state, q, v), slow.efforts(state, q, v)):
            if a is None or isinstance(a, tuple):
                assert a == b
            else:   # 1e-13 of efforts of up to 1e4 N m before they are cut
                np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-9)


def test_what_was_prepared_is_not_compiled_in_a_step(monkeypatch):
    """A payload on another link needs machine code; a controller makes it before it goes on."""
    model = mbd_ros.load(URDF / 'puma560.urdf')
    task = default_task('puma560')
    start, rest = np.array(task.start_positions), np.zeros(6)
    first, second, third = model.joint_names[:3]
    joints = Task.from_data({'link': 'tool', 'constraints': [
        {'kind': 'joint_coupling', 'coefficients': {first: 1.0, second: 0.5}, 'value': 0.1},
        {'kind': 'joint_path', 'joints': [third], 'times': [0, 1], 'positions': [[2.2], [2.3]]}]})
    for each, moved in ((task, False), (task, True), (joints, False)):
        dyn = carrier(model, None, 'tool', (0.0, 0.0, -9.81))
        tracker = Tracker(dyn, each, start, rest)
        if moved:   # joints that hold instead of a path
            tracker.stop(0.0, start, rest)
        tracker.tool_points(tracker.step(0.002, start, rest), start)
        other = reloaded(dyn, Payload('link4', 1.5))
        assert other is not dyn
        tracker.prepare(other, start, rest)

        def refused(*_):
            raise AssertionError('compiled')
        with monkeypatch.context() as patch:
            patch.setattr(machine_code, '_object_code', refused)
            tracker.set_dynamics(other)
            step = tracker.step(0.004, start, rest)
            tracker.energy(start, rest)
            tracker.tool_points(step, start)
        assert np.isfinite(step.efforts.effort).all()
