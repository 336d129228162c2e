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

"""Robots that float and have loops, ball joints outside loops: any robot under any constraint."""

from pathlib import Path

from described import on_platform
import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import (
    Actuation, ConstrainedMotion, Ellipse, PostureSpring, Task, ToolPosition, TrackingLaw)
from mbd_ros.control.control_step.nominal_model import NominalModel
from mbd_ros.control.tasks.tracker import Mode, Tracker
from mbd_ros.control.udwadia_kalaba.drives import (
    dense_share, driven, driven_entries, driven_kernel, is_under_actuated, reach)
from mbd_ros.control.udwadia_kalaba.rank_facts import clear
from mbd_ros.description.xml.xacro_file import expand_xacro
from mbd_ros.dynamics.loops.closure import close_loops
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import InvalidValueError
from mbd_ros.model.state import difference, floating_base, integrate, neutral
from mbd_ros.simulation import Stepper
from mbd_ros.spatial.rank_thresholds import CLEARLY_FREE

URDF = Path(__file__).parents[3] / 'urdf'
PERIOD = 0.002
SHARE = {'five_bar': ('left_drive', 'right_drive'),
         'delta': ('arm1_drive', 'arm2_drive', 'arm3_drive')}
TOOLS = {'five_bar': 'tool', 'delta': 'platform'}
WEIGHTLESS = [0.0, 0.0, 0.0]

HANGING = """<robot name="hanging"><link name="root"/>
  <joint name="slide" type="prismatic"><parent link="root"/><child link="cart"/>
    <axis xyz="1 0 0"/><limit effort="500" velocity="5" lower="-2" upper="2"/></joint>
  <link name="cart"><inertial><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="lift" type="prismatic"><parent link="cart"/><child link="hook"/>
    <axis xyz="0 0 1"/><limit effort="500" velocity="5" lower="-2" upper="2"/></joint>
  <link name="hook"><inertial><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="ball" type="spherical"><parent link="hook"/><child link="bob"/></joint>
  <link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="1.5"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial></link>
</robot>"""


@pytest.fixture(scope='module', params=sorted(SHARE))
def floating(request):
    """Return a robot on a platform of 5 kg that floats, its drives and its tool."""
    file, = URDF.glob(f'{request.param}.urdf*')
    model = mbd_ros.load(on_platform(expand_xacro(str(file)).decode()), floating_base=True)
    dyn = mbd_ros.compile(model, gravity=WEIGHTLESS)
    return dyn, Actuation(model, SHARE[request.param]), TOOLS[request.param]


@pytest.fixture(scope='module')
def hanging():
    return mbd_ros.compile(mbd_ros.load(HANGING))


def some_state(dyn, seed):
    """Return a state with closed loops, moving and turned about."""
    model, rng = dyn.model, np.random.default_rng(seed)
    q = integrate(model, neutral(model), rng.uniform(-0.15, 0.15, model.nv))
    return close_loops(model, q, rng.uniform(-0.5, 0.5, model.nv))


def dense(M, Q, loops, b_l, S, A, b):
    """
    Return accelerations by the formula of Udwadia and Kalaba, square roots and all.

    W maps forces to accelerations where the loops hold, ``W_S`` those that the actuators can
    bring about: ``qdd = a + W_S^(1/2) (A W_S^(1/2))^+ (b - A a)``.
    """
    invertible = np.linalg.inv(M)
    held = invertible @ loops.T @ np.linalg.pinv(loops @ invertible @ loops.T, rcond=1e-9)
    W = invertible - held @ loops @ invertible
    a = W @ Q + held @ b_l
    reached = W @ S.T @ np.linalg.pinv(S @ W @ S.T, rcond=1e-9) @ S @ W
    sizes, axes = np.linalg.eigh(reached)
    root = axes * np.sqrt(np.maximum(sizes, 0.0)) @ axes.T
    return a + root @ np.linalg.pinv(A @ root, rcond=1e-5) @ (b - A @ a)


@pytest.mark.parametrize('axes', ['x', 'xz'])
def test_the_motion_is_that_of_the_dense_formula(floating, axes):
    """Loops hold, the drives alone bring about the rows, with the least where they can choose."""
    dyn, drives, tool = floating
    for seed in range(3):
        q, v = some_state(dyn, seed)
        path = Ellipse(dyn.pose(q, tool)[:3, 3], [0.03, 0, 0], [0, 0.02, 0.01])
        motion = ConstrainedMotion(dyn, ToolPosition(dyn, tool, path, axes=axes),
                                   actuation=drives)
        assert motion.under_actuated
        found = motion.solve(0.3, q, v).solution
        M, h = dyn.mass_matrix(q), dyn.bias_forces(q, v)
        A, b = motion.whole.matrix(q, v, 0.3), motion.whole.right_side(q, v, 0.3)
        count, S = motion.loop_rows, np.eye(len(v))[drives.active]
        expected = dense(M, -h, A[:count], b[:count], S, A[count:], b[count:])
        scale = np.abs(expected).max()
        # The square root of a singular matrix has half the digits.
        np.testing.assert_allclose(found.accelerations, expected, rtol=0, atol=1e-6 * scale)
        np.testing.assert_allclose(A @ found.accelerations, b, rtol=0, atol=1e-9 * scale)
        assert not found.conflicting
        # The efforts alone give these accelerations, and the multipliers are those of the loops.
        tau = motion.efforts(q, found.constraint_force)
        assert not tau[drives.passive].any()
        plant = mbd_ros.constrained_dynamics(dyn.model, q, v, tau, gravity=WEIGHTLESS)
        np.testing.assert_allclose(plant.accelerations, found.accelerations, rtol=0,
                                   atol=1e-7 * scale)
        np.testing.assert_allclose(A[:count].T @ found.multipliers[:count] + tau,
                                   found.constraint_force, rtol=0, atol=1e-8 * scale)


@pytest.mark.parametrize('axes', ['x', 'xz'])
def test_machine_code_does_what_the_dense_form_does(floating, axes):
    """Motion, efforts, and what is taken from a measurement, to rounding times the condition."""
    dyn, drives, tool = floating
    for seed in range(3):
        q, v = some_state(dyn, seed)
        path = Ellipse(dyn.pose(q, tool)[:3, 3], [0.03, 0, 0], [0, 0.02, 0.01])
        quick, dense = (ConstrainedMotion(dyn, ToolPosition(dyn, tool, path, axes=axes),
                                          actuation=drives) for _ in range(2))
        dense._whole_is_known = True   # that there is no machine code
        assert quick.in_machine_code().solve(0.3, q, v, 1e-10) is not None
        one, other = (motion.solve(0.3, q, v).solution for motion in (quick, dense))
        # Squared parts above 1e-6 are left to machine code: 1e-16 / 1e-6.
        for name in ('accelerations', 'constraint_force', 'residual'):
            found, expected = getattr(one, name), getattr(other, name)
            np.testing.assert_allclose(
                found, expected, rtol=0, atol=1e-10 * (1.0 + np.abs(other.accelerations).max()))
        assert (one.rank, one.conflicting) == (other.rank, other.conflicting)
        np.testing.assert_allclose(one.multipliers[quick.loop_rows:],
                                   other.multipliers[quick.loop_rows:], rtol=0, atol=1e-9)
        force = np.random.default_rng(seed).normal(size=len(v))
        expected = reach(dyn, q, dyn.mass_matrix(q), drives).efforts(force)
        np.testing.assert_allclose(driven(dyn, q, force, drives), expected, rtol=0,
                                   atol=1e-10 * np.abs(expected).max())
        seen_q, seen_v = close_loops(dyn.model, integrate(
            dyn.model, q, 1e-4 * force), v + 0.01 * force)
        way, pace = difference(dyn.model, q, seen_q), seen_v - v
        models = [NominalModel(motion, q, v, time=0.3) for motion in (quick, dense)]
        assert quick.in_machine_code().observed(models[0].state, way, pace, 1e-10) is not None
        states = [model.observe(seen_q, seen_v) for model in models]
        for name in ('q', 'v', 'accelerations', 'effort', 'constraint_force'):
            one, other = (getattr(state, name) for state in states)
            np.testing.assert_allclose(one, other, rtol=0,
                                       atol=1e-10 * (1.0 + np.abs(other).max()))


@pytest.mark.parametrize('tilt', [0.0, 1e-11, 1e-9, 3e-7, 3e-6, 1e-5, 1e-4, 1e-3])
def test_a_planar_loop_hardly_out_of_a_plane_of_the_world(floating, tilt):
    """The rows are in axes of a body: none is a little out of the plane, the rank in no doubt."""
    dyn, drives, tool = floating
    rest, turn = np.zeros(dyn.model.nv), np.zeros(dyn.model.nv)
    turn[3] = tilt  # about x; the plane of the five-bar robot is that of x and z
    q, v = close_loops(dyn.model, neutral(dyn.model), rest)
    path = Ellipse(dyn.pose(q, tool)[:3, 3], [0.03, 0, 0], [0, 0, 0.01])
    found = []
    for place in (q, integrate(dyn.model, q, turn)):
        motion = ConstrainedMotion(dyn, ToolPosition(dyn, tool, path, axes='xz'),
                                   actuation=drives)
        one = motion.in_machine_code().solve(0.0, place, v, 1e-10)
        assert one is not None
        found.append(one[0].accelerations)
    # A turned robot moves as much otherwise as it is turned, up to rounding.
    np.testing.assert_allclose(found[1], found[0], rtol=0.0,
                               atol=(1e-11 + 10.0 * tilt) * np.abs(found[0]).max())


def test_more_drives_than_they_can_move_are_left_to_the_dense_form(floating):
    """All joints of a loop driven: their shares are not unique, the least are taken."""
    dyn, _, _ = floating
    model = dyn.model
    drives = Actuation(model, [name for name, kind in zip(model.joint_names, model.joint_types)
                               if kind.nv == 1])
    assert is_under_actuated(dyn, drives)
    q, _ = some_state(dyn, 4)
    force = np.random.default_rng(4).normal(size=model.nv)
    np.testing.assert_array_equal(
        driven(dyn, q, force, drives),
        reach(dyn, q, dyn.mass_matrix(q), drives).efforts(force))


def test_a_robot_that_floats_with_loops_follows_a_path(floating):
    """Its base moves against its arms; the tool is where it should be, then the robot holds."""
    dyn, drives, tool = floating
    model = dyn.model
    assert floating_base(model) is not None
    q, _ = close_loops(model, neutral(model))
    begin, axes = dyn.pose(q, tool)[:3, 3], 'xz' if tool == 'tool' else 'xyz'
    path = {'kind': 'ellipse', 'center': (begin - [0.03, 0, 0]).tolist(), 'a': [0.03, 0, 0],
            'b': [0, 0, 0.02], 'period': 1.0}
    robot = Stepper(model, q, gravity=WEIGHTLESS)
    tracker = Tracker(dyn, Task.from_data({
        'link': tool, 'path': path, 'axes': axes, 'start': 'approach',
        'actuated': list(drives.joint_names)}), robot.q, robot.v)
    errors = []
    for k in range(260):
        step = tracker.step(k * PERIOD, robot.q, robot.v)
        assert not step.efforts.effort[drives.passive].any()
        errors.append(tracker.tool_points(step, robot.q).error)
        robot.advance(step.efforts.effort, PERIOD)
    assert step.nominal.time > 0.2
    assert max(errors[-50:]) < 2e-4   # what efforts held for 2 ms cost at 0.2 m/s
    assert step.nominal.violation < 1e-12
    assert np.abs(difference(model, neutral(model), robot.q)[:6]).max() > 1e-3   # it does float
    fast = np.abs(robot.v[drives.active]).max()
    tracker.stop(260 * PERIOD, robot.q, robot.v)
    for k in range(260, 380):
        step = tracker.step(k * PERIOD, robot.q, robot.v)
        robot.advance(step.efforts.effort, PERIOD)
    assert tracker.mode is Mode.HOLDING
    # The error of the stop decays by exp(-15 t); the base drifts on, nothing can stop it.
    assert np.abs(robot.v[drives.active]).max() < 0.3 * fast


def test_the_law_lets_drives_accelerate_as_wanted(floating):
    """Whatever the base does: of the wanted motion the loops allow, the drives get theirs."""
    dyn, drives, _ = floating
    q, v = some_state(dyn, 5)
    wanted = np.random.default_rng(1).normal(size=len(v))
    A = dyn.loop_rows(q, v)[:, VALUES:]
    M = dyn.mass_matrix(q)
    held = np.linalg.solve(M, A.T)
    wanted -= held @ np.linalg.pinv(A @ held, rcond=1e-9) @ (
        A @ wanted + dyn.loop_rows(q, v)[:, VALUES - 1])   # so that the loops allow it
    effort = driven(dyn, q, dyn.inverse_dynamics(q, v, wanted), drives)
    found = mbd_ros.constrained_dynamics(dyn.model, q, v, effort, gravity=WEIGHTLESS)
    np.testing.assert_allclose(found.accelerations[drives.active], wanted[drives.active],
                               atol=1e-7 * np.abs(wanted).max())


def test_drives_that_catch_every_motion_keep_their_own_form():
    """Of a five-bar robot on the ground two drives do all, one does not, whatever the pose."""
    dyn = mbd_ros.compile(mbd_ros.load(URDF / 'five_bar.urdf'))
    assert not is_under_actuated(dyn, Actuation(dyn.model, SHARE['five_bar']))
    assert is_under_actuated(dyn, Actuation(dyn.model, SHARE['five_bar'][:1]))


def test_springs_hold_a_posture_on_a_robot_that_floats(floating):
    """They pull at joints, not at the base, and all of their force comes from the drives."""
    dyn, drives, tool = floating
    q, v = some_state(dyn, 2)
    spring = PostureSpring(dyn, neutral(dyn.model), stiffness=3.0)
    force = spring(0.0, q, v, dyn.mass_matrix(q))
    assert not force[:6].any()
    np.testing.assert_allclose(
        spring(0.0, q, 0.0 * v, dyn.mass_matrix(q)),
        3.0 * difference(dyn.model, q, neutral(dyn.model)) * (np.arange(len(v)) > 5), atol=1e-12)
    path = Ellipse(dyn.pose(q, tool)[:3, 3], [0.03, 0, 0], [0, 0.02, 0.01])
    motion = ConstrainedMotion(dyn, ToolPosition(dyn, tool, path, axes='x'), applied=spring,
                               actuation=drives)
    found = motion.solve(0.0, q, v)
    assert not found.applied[drives.passive].any()
    np.testing.assert_allclose(found.solution.residual, 0.0, atol=1e-8)


def test_a_hook_is_led_while_what_hangs_from_it_swings(hanging):
    """A ball joint outside loops: its quaternion swings freely, the hook stays on its ellipse."""
    model = hanging.model
    q = neutral(model)
    q[2:] = [np.sin(0.3), 0.0, 0.0, np.cos(0.3)]
    robot = Stepper(model, q)
    tracker = Tracker(hanging, Task.from_data({
        'link': 'hook', 'axes': 'xz', 'path': {'kind': 'ellipse', 'center': [0, 0, 0],
                                               'a': [0.2, 0, 0], 'b': [0, 0, 0.2],
                                               'period': 2.0},
        'start': 'approach'}), robot.q, robot.v)
    errors = []
    for k in range(500):
        step = tracker.step(k * PERIOD, robot.q, robot.v)
        assert not step.efforts.effort[2:].any()
        errors.append(tracker.tool_points(step, robot.q).error)
        robot.advance(step.efforts.effort, PERIOD)
    assert step.nominal.time > 0.1
    assert max(errors[-100:]) < 2e-4   # what efforts held for 2 ms cost at 0.6 m/s
    assert np.abs(robot.v[2:]).max() > 0.5   # it swings, about more than one axis
    assert np.linalg.norm(robot.q[2:]) == pytest.approx(1.0, abs=1e-12)
    tracker.stop(500 * PERIOD, robot.q, robot.v)
    for k in range(500, 800):
        step = tracker.step(k * PERIOD, robot.q, robot.v)
        robot.advance(step.efforts.effort, PERIOD)
    assert np.abs(robot.v[:2]).max() < 2e-3


def test_what_no_drive_can_do_is_refused_by_name(floating):
    dyn, drives, _ = floating
    model = dyn.model
    q, _ = close_loops(model, neutral(model))
    base = list(model.links)[0]
    with pytest.raises(InvalidValueError, match='joints that can do it: they satisfy'):
        Tracker(dyn, Task.from_data({
            'link': base, 'path': {'kind': 'ellipse', 'center': [0.1, 0, 0], 'a': [0.1, 0, 0],
                                   'b': [0, 0.1, 0.1], 'period': 2.0},
            'constraints': [{'kind': 'tool_orientation', 'link': base,
                             'orientation': [0.0, 0.0, 0.0, 1.0]}],
            'actuated': list(drives.joint_names)}), q, np.zeros(model.nv))


def test_at_ease_it_does_nothing_where_nothing_is_heavy(floating):
    dyn, drives, _ = floating
    q, v = some_state(dyn, 3)
    law = TrackingLaw(dyn, actuation=drives, robust_rate=30.0)
    found = law.gravity_compensation(q, 0.0 * v)
    np.testing.assert_allclose(found.effort, 0.0, atol=1e-12)


@pytest.mark.parametrize('robot', sorted(SHARE))
@pytest.mark.parametrize('afloat', [False, True])
def test_machine_code_shares_among_drives_without_the_dense_form(robot, afloat):
    """On a platform that floats the drives leave motions, on the ground they do not."""
    file, = URDF.glob(f'{robot}.urdf*')
    text = expand_xacro(str(file)).decode()
    model = mbd_ros.load(on_platform(text) if afloat else text, floating_base=afloat)
    dyn, drives = mbd_ros.compile(model), Actuation(model, SHARE[robot])
    assert is_under_actuated(dyn, drives) == afloat
    kernel = driven_kernel(dyn, driven_entries(dyn, drives))
    for seed in range(3):
        q, _ = some_state(dyn, seed)
        force = np.random.default_rng(seed).normal(size=model.nv)
        found = kernel.call(q, force)
        assert clear(found[model.nv:].tolist(), CLEARLY_FREE)
        expected = dense_share(dyn, q, force, drives)
        # Where the decision is clear, a part of 1e-3 is kept: rounding times its inverse.
        np.testing.assert_allclose(found[:model.nv], expected, rtol=0,
                                   atol=1e-11 * np.abs(expected).max())
