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


"""Targets beyond poses: residuals against definitions, solves, and differential steps."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import model_of, random_state, trees
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

import mbd_ros
from mbd_ros import (
    AxisTarget, CenterOfMassTarget, LookAtTarget, PoseTarget, PositionTarget, PostureTarget,
    RelativePoseTarget)
from mbd_ros.dynamics.inverse_kinematics.differential import (
    bounded_step, differential_step, LOOP_WEIGHT, step_bounds)
from mbd_ros.dynamics.inverse_kinematics.targets import read_targets
from mbd_ros.errors import InvalidValueError, ShapeError, UnknownNameError, UnsupportedError

URDF = Path(__file__).resolve().parents[3] / 'urdf'
PANDA = mbd_ros.load(URDF / 'panda.urdf')
AXIS, POINT = np.array((0.6, 0.0, 0.8)), np.array((0.1, -0.2, 0.3))


def errors(model, q, targets):
    """Return what is left of targets, by the text of their definitions."""
    found = []
    for one in targets:
        if isinstance(one, CenterOfMassTarget):
            found.append(one.position - mbd_ros.center_of_mass(model, q))
            continue
        pose = mbd_ros.pose(model, q, one.link)
        if isinstance(one, PositionTarget):
            found.append(one.position - (pose[:3, :3] @ one.point + pose[:3, 3]))
        elif isinstance(one, AxisTarget):
            found.append(one.direction / np.linalg.norm(one.direction) - pose[:3, :3] @ AXIS)
        elif isinstance(one, LookAtTarget):
            sight = one.point - pose[:3, 3]
            found.append(sight / np.linalg.norm(sight) - pose[:3, :3] @ AXIS)
        else:
            wanted = one.pose if isinstance(one, PoseTarget) else mbd_ros.pose(
                model, q, one.reference) @ one.pose
            found += [wanted[:3, 3] - pose[:3, 3], Rotation.from_matrix(
                wanted[:3, :3] @ pose[:3, :3].T).as_rotvec()]
    return np.concatenate(found)


def all_targets(model, q, link, other):
    """Return one target of each kind that a configuration meets."""
    pose, second = mbd_ros.pose(model, q, link), mbd_ros.pose(model, q, other)
    return [
        PoseTarget(link, pose), PositionTarget(link, pose[:3, :3] @ POINT + pose[:3, 3], POINT),
        AxisTarget(link, AXIS, 3.0 * pose[:3, :3] @ AXIS),
        LookAtTarget(link, 2.0 * AXIS, pose[:3, 3] + 2.5 * pose[:3, :3] @ AXIS),
        CenterOfMassTarget(mbd_ros.center_of_mass(model, q)),
        RelativePoseTarget(link, other, np.linalg.inv(second) @ pose)]


@settings(max_examples=5, deadline=None, derandomize=True)
@given(text=trees(max_joints=5), seed=st.integers(0, 2**16))
def test_rows_are_errors_and_their_derivatives(text, seed):
    model = mbd_ros.load(text)
    q = random_state(model, seed)[0]
    rng = np.random.default_rng(seed)
    wanted = mbd_ros.integrate(model, q, 0.3 * rng.normal(size=model.nv))
    targets = all_targets(model, wanted, model.body_names[-1], model.body_names[0])
    kinds, numbers = read_targets(model, targets)
    step = differential_step(model, kinds)
    rows = step.rows(q[None], numbers[None])
    # Rotation vectors of SciPy and ours; each is exact to rounding of the matrices.
    np.testing.assert_allclose(rows[0, :, 0], errors(model, q, targets), atol=1e-9)
    left = np.abs(errors(model, wanted, targets)).max()
    assert left < 1e-7   # acos-like roundings of rotation vectors of zero turns
    # The rows of rotations are derivatives of turns, not of their rotation vectors: compared
    # where the error is zero, where both are the same.
    rows = step.rows(wanted[None], numbers[None])
    h = 1e-5
    for k in range(model.nv):
        unit = h * np.eye(model.nv)[k]
        difference = (errors(model, mbd_ros.integrate(model, wanted, unit), targets) - errors(
            model, mbd_ros.integrate(model, wanted, -unit), targets)) / (2.0 * h)
        # h^2 of the third derivatives and 1e-16 / h of rounding, for entries of order 10
        np.testing.assert_allclose(-rows[0, :, 1 + k], difference, atol=1e-7)


@pytest.mark.parametrize('number', range(6))
@pytest.mark.parametrize('executor', [None, 'interpreted'])
def test_each_target_is_reached(number, executor):
    count = 8 if executor is None else 1
    for q in mbd_ros.random_configuration(PANDA, 4, count):
        target = all_targets(PANDA, q, 'tool', 'link2')[number]
        near = q + 0.2 * np.cos(np.arange(7.0))
        found = mbd_ros.inverse_kinematics(PANDA, target, near, executor=executor)
        assert found.converged and not found.message
        # one step beyond the tolerance of 1e-9
        assert np.abs(errors(PANDA, found.q, [target])).max() < 1e-8
        assert (found.q >= PANDA.lower).all() and (found.q <= PANDA.upper).all()


def test_batches_alone_and_threads_agree():
    q = mbd_ros.random_configuration(PANDA, 5, 3000)
    poses = mbd_ros.pose(PANDA, q, 'tool')
    targets = [PositionTarget('tool', poses[:, :3, 3]),
               AxisTarget('tool', (0.0, 0.0, 1.0), poses[:, :3, 2])]
    one = mbd_ros.inverse_kinematics(PANDA, targets)
    two = mbd_ros.inverse_kinematics(PANDA, targets, executor=mbd_ros.Threads(2))
    assert one.converged.all()
    np.testing.assert_array_equal(one.q, two.q)   # random numbers are those of the rows


def test_a_posture_is_where_the_rest_goes():
    q = mbd_ros.random_configuration(PANDA, 6, 20)
    for here, other in zip(q[::2], q[1::2]):
        pose, far = mbd_ros.pose(PANDA, here, 'tool'), []
        for more in ([], [PostureTarget(other)]):
            found = mbd_ros.inverse_kinematics(
                PANDA, [PoseTarget('tool', pose), *more], here, iterations=200, attempts=1)
            assert found.converged
            far.append(np.linalg.norm(found.q - other))
        assert far[1] <= far[0] + 1e-9   # where it begins is as near as can be, or it comes nearer


def test_weights_choose_what_gives_way():
    """Of two positions that exclude each other the heavier is nearer; weight 0 does not count."""
    there = np.array((0.4, 0.2, 0.6))
    left = []
    for weight in (1.0, 10.0, 100.0):
        found = mbd_ros.inverse_kinematics(PANDA, [
            PositionTarget('tool', there, weight=weight), PositionTarget('tool', there + 0.1)])
        assert not found.converged
        left.append(np.linalg.norm(mbd_ros.pose(PANDA, found.q, 'tool')[:3, 3] - there))
    # w^2 : 1 shares of the distance
    np.testing.assert_allclose(left, 0.1 * np.sqrt(3.0) / (1.0 + np.array((1.0, 10.0, 100.0))**2),
                               rtol=1e-3)
    pose = mbd_ros.pose(PANDA, mbd_ros.random_configuration(PANDA, 7), 'tool')
    pose[:3, 3] = 9.0
    assert mbd_ros.inverse_kinematics(PANDA, PoseTarget(
        'tool', pose, weight=(0.0, 0.0, 0.0, 1.0, 1.0, 1.0))).converged


def test_several_targets_of_a_floating_robot():
    """A base, a mass centre, and a hand relative to the base, one solve."""
    model = model_of(range(9), ['floating', *['revolute'] * 8], 3)
    q = mbd_ros.random_configuration(model, 8)
    links = model.body_names
    targets = [PoseTarget(links[0], mbd_ros.pose(model, q, links[0])),
               RelativePoseTarget(links[-1], links[0], np.linalg.inv(mbd_ros.pose(
                   model, q, links[0])) @ mbd_ros.pose(model, q, links[-1])),
               CenterOfMassTarget(mbd_ros.center_of_mass(model, q))]
    start = mbd_ros.integrate(model, q, 0.1 * np.cos(np.arange(model.nv)))
    found = mbd_ros.inverse_kinematics(model, targets, start, limits=False)
    assert found.converged
    assert np.abs(errors(model, found.q, targets)).max() < 1e-8   # as above


def test_what_is_out_of_reach_is_told():
    target = np.eye(4)
    target[:3, 3] = 3.0, 0.5, 0.0
    found = mbd_ros.inverse_kinematics(PANDA, {'tool': target})
    assert not found.converged and found.message == (
        "not reached: pose of 'tool' at (3, 0.5, 0) m: the nearest configuration that was found, "
        f'in q, is off by {found.error:.3g} [m, rad] at most; allowed: 1e-09')
    many = mbd_ros.inverse_kinematics(PANDA, {'tool': np.stack(
        (mbd_ros.pose(PANDA, PANDA.lower, 'tool'), target))})
    assert many.converged.tolist() == [True, False]
    assert many.message.startswith('1 of 2 targets are not reached; the worst is state 1, pose')


def test_robots_that_differ_in_names_or_limits_have_code_of_their_own():
    """On disk code is found by what it follows from."""
    text = URDF.joinpath('panda.urdf').read_text()
    swapped = mbd_ros.load(text.replace('"link6"', '"x"').replace('"link5"', '"link6"').replace(
        '"x"', '"link5"'))
    narrow = mbd_ros.load(text.replace('lower="-2.8973"', 'lower="-0.5"'))
    q = np.array((0.1, 0.2, -0.3, -1.5, 0.2, 1.0, 0.3))
    for model in (PANDA, swapped, narrow):
        for link in ('link5', 'link6'):
            point = mbd_ros.pose(model, q, link)[:3, 3]
            found = mbd_ros.inverse_kinematics(model, {link: point}, q + 0.3)
            assert found.converged and (found.q >= model.lower).all()
            np.testing.assert_allclose(mbd_ros.pose(model, found.q, link)[:3, 3], point,
                                       atol=2e-9)   # the tolerance


@pytest.mark.parametrize('robot', ['panda', 'floating', 'loop'])
def test_the_differential_step_is_the_least_within_its_bounds(robot):
    model = {'panda': PANDA, 'floating': model_of(range(5), ['floating', *['revolute'] * 4], 3),
             'loop': mbd_ros.load(URDF / 'five_bar.urdf')}[robot]
    if robot != 'panda':   # their files have no limits of velocity
        model = replace(model, velocity_limits=np.full(model.nv, 2.0))
    rng, link = np.random.default_rng(9), model.body_names[-1]
    bounded = 0
    for _ in range(20):
        q = mbd_ros.random_configuration(model, rng)
        targets = [*all_targets(model, mbd_ros.integrate(
            model, q, 0.3 * rng.normal(size=model.nv)), link, model.body_names[0]),
            PostureTarget(mbd_ros.random_configuration(model, rng), weight=0.1)]
        kinds, numbers = read_targets(model, targets)
        step, dt, gain, damping = differential_step(model, kinds), 0.05, 0.7, 1e-3
        v = mbd_ros.differential_inverse_kinematics(model, q, targets, dt, gain=gain,
                                                    damping=damping)
        rows, bounds = step.rows(q[None], numbers[None]), np.empty((2, model.nv))
        step_bounds(q, step.joints, np.array((gain, damping, dt, 0.5, 1.0)), bounds, model.nv)
        low, high = bounds
        A = np.vstack((rows[0, :, 1:], np.sqrt(damping) * np.eye(model.nv)))
        b = np.append(gain * rows[0, :, 0], np.zeros(model.nv))
        wide = low < high
        oracle = lsq_linear(A[:, wide], b - A[:, ~wide] @ low[~wide], (low[wide], high[wide]),
                            method='bvls', tol=1e-15)
        dq = v * dt
        assert (dq >= low - 1e-15).all() and (dq <= high + 1e-15).all()
        mine = np.sum((A @ dq - b)**2)
        # Squares lose half of the digits: 1e-8 of the weights of loops, 1e-12 without.
        scale = np.sum(b * b) * (1e-6 if robot == 'loop' else 1e-10)
        assert mine <= 2.0 * oracle.cost + scale
        bounded += int(((dq == low) | (dq == high)).sum())
    assert bounded > 20   # or the test would not see bounds
    assert LOOP_WEIGHT > 1e3


@settings(max_examples=30, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**16), m=st.integers(1, 9), n=st.integers(1, 8))
def test_bounded_steps_of_random_rows(seed, m, n):
    """The Python text, which is what runs as machine code, against SciPy."""
    rng = np.random.default_rng(seed)
    rows, low = rng.normal(size=(m, n + 1)), -rng.random(n)
    high, result = low + rng.random(n) * rng.choice((0.0, 2.0), n), np.empty(n + 1)
    bounded_step(rows, np.stack((low, high)), np.array((1.0, 0.01)), *np.empty((2, n, n)), result,
                 m, n)
    wide = low < high
    A, b = np.vstack((rows[:, 1:], 0.1 * np.eye(n))), np.append(rows[:, 0], np.zeros(n))
    assert result[n] == 1.0
    np.testing.assert_array_equal(result[:n][~wide], low[~wide])
    if wide.any():
        oracle = lsq_linear(A[:, wide], b - A[:, ~wide] @ low[~wide], (low[wide], high[wide]),
                            method='bvls', tol=1e-15).x
        np.testing.assert_allclose(result[:n][wide], oracle, atol=1e-8)   # damping 0.01


def test_a_loop_of_steps_arrives_within_limits_of_velocity():
    rng = np.random.default_rng(10)
    q, wanted = mbd_ros.random_configuration(PANDA, rng, 2)
    pose, dt = mbd_ros.pose(PANDA, wanted, 'tool'), 0.01
    q = 0.7 * wanted + 0.3 * q
    for _ in range(400):
        v = mbd_ros.differential_inverse_kinematics(PANDA, q, {'tool': pose}, dt)
        assert (np.abs(v) <= PANDA.velocity_limits * (1.0 + 1e-12)).all()
        q = q + dt * v
        assert (q >= PANDA.lower).all() and (q <= PANDA.upper).all()
    np.testing.assert_allclose(mbd_ros.pose(PANDA, q, 'tool'), pose, atol=1e-6)   # of 4 s


def test_differential_steps_of_many_states():
    q = mbd_ros.random_configuration(PANDA, 11, 5)
    poses = mbd_ros.pose(PANDA, q + 0.1, 'tool')
    many = mbd_ros.differential_inverse_kinematics(PANDA, q, {'tool': poses}, 0.01)
    each = [mbd_ros.differential_inverse_kinematics(PANDA, one, {'tool': pose}, 0.01)
            for one, pose in zip(q, poses)]
    # Lanes and scalar code round differently; damping 1e-8 of redundant joints makes 1e-7 of it.
    np.testing.assert_allclose(many, each, atol=1e-5)


@pytest.mark.parametrize(('targets', 'error', 'text'), [
    ([], InvalidValueError, 'at least one'),
    ([1.0], InvalidValueError, 'at least one'),
    (PoseTarget('hand', np.eye(4)), UnknownNameError, 'hand'),
    (PoseTarget('tool', np.eye(3)), ShapeError, r'\(4, 4\)'),
    (PoseTarget('tool', np.eye(4), weight=(1.0, 2.0)), ShapeError, r'\(6,\)'),
    (PoseTarget('tool', np.eye(4), weight=-1.0), InvalidValueError, '0 or more'),
    (PositionTarget('tool', (0.0, 0.0)), ShapeError, r'\(3,\)'),
    (PositionTarget('tool', np.zeros(3), point='x'), InvalidValueError, 'numbers'),
    (AxisTarget('tool', (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), InvalidValueError, 'not zero'),
    (AxisTarget('tool', (0.0, 0.0, 1.0), (0.0, np.nan, 1.0)), InvalidValueError, 'finite'),
    (LookAtTarget('tool', (0.0, 1.0), np.zeros(3)), ShapeError, r'\(3,\)'),
    (CenterOfMassTarget((0.0, 0.0)), ShapeError, r'\(3,\)'),
    (RelativePoseTarget('tool', 'hand', np.eye(4)), UnknownNameError, 'hand'),
    (PostureTarget(np.zeros(6)), ShapeError, r'\(7,\)'),
    ([PostureTarget(np.zeros(7))] * 2, InvalidValueError, 'one posture')])
def test_bad_targets_are_one_clear_error(targets, error, text):
    for call in (lambda: mbd_ros.inverse_kinematics(PANDA, targets),
                 lambda: mbd_ros.differential_inverse_kinematics(
                     PANDA, np.zeros(7), targets, 0.01)):
        with pytest.raises(error, match=text):
            call()


@pytest.mark.parametrize(('options', 'text'), [
    ({'dt': 0.0}, 'dt is 0.0'), ({'gain': 1.5}, 'gain is 1.5'), ({'damping': 0.0}, 'damping'),
    ({'limits': -1.0}, 'limits is -1.0'), ({'dt': 'x'}, "dt is 'x'")])
def test_bad_options_of_a_step_are_one_clear_error(options, text):
    with pytest.raises(InvalidValueError, match=text):
        mbd_ros.differential_inverse_kinematics(
            PANDA, np.zeros(7), {'tool': np.zeros(3)}, **{'dt': 0.01, **options})


def test_executors_of_other_kinds_are_refused():
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(1) as pool, pytest.raises(UnsupportedError, match='threads'):
        mbd_ros.inverse_kinematics(PANDA, {'tool': np.zeros(3)}, executor=mbd_ros.Futures(pool))
