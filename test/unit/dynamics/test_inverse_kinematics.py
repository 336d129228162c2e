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

"""Inverse kinematics: poses that configurations give are found again, within the limits."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import model_of, random_state, trees

import mbd_ros
from mbd_ros.errors import InvalidValueError, ShapeError, UnknownNameError, UnsupportedError

URDF = Path(__file__).resolve().parents[3] / 'urdf'
PANDA = mbd_ros.load(URDF / 'panda.urdf')
TOOL = 'tool'
NEAR = 0.1
"""[rad, m]: what is that near is found from the neutral side of no singular configuration."""


def configurations(model, count, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([mbd_ros.random_configuration(model, rng) for _ in range(count)])


def test_poses_of_an_arm_are_found_within_its_limits():
    poses = mbd_ros.pose(PANDA, configurations(PANDA, 100), TOOL)
    found = mbd_ros.inverse_kinematics(PANDA, {TOOL: poses}, attempts=20)
    assert found.q.shape == (100, 7) and found.error.shape == found.converged.shape == (100,)
    # Each attempt succeeds on about 6 of 10 poses: 20 of them miss one in 1e8.
    assert found.converged.all()
    # The error is that of positions and rotation vectors; an entry of the pose has no more.
    np.testing.assert_allclose(mbd_ros.pose(PANDA, found.q, TOOL), poses, atol=2e-9)
    assert (found.q >= PANDA.lower).all() and (found.q <= PANDA.upper).all()


@settings(max_examples=25, deadline=None, derandomize=True)
@given(text=trees(max_joints=6), seed=st.integers(0, 2**16))
def test_near_positions_on_random_trees(text, seed):
    model = mbd_ros.load(text)
    q = random_state(model, seed)[0]
    links = model.body_names[-2:]
    targets = {link: mbd_ros.pose(model, q, link)[:3, 3] for link in links}
    start = mbd_ros.integrate(model, q, NEAR * np.ones(model.nv))
    found = mbd_ros.inverse_kinematics(model, targets, start, limits=False, tolerance=1e-6,
                                       iterations=200)
    for link, target in targets.items():
        # Near a singular configuration the error falls slowly; it never grows.
        begin = np.abs(mbd_ros.pose(model, start, link)[:3, 3] - target).max()
        assert np.abs(mbd_ros.pose(model, found.q, link)[:3, 3] - target).max() <= max(
            begin, float(found.error)) + 1e-12


def test_a_floating_base_with_a_spherical_joint():
    model = model_of([0, 1], ['floating', 'spherical'], 3)
    q = configurations(model, 5)
    link = model.body_names[1]
    found = mbd_ros.inverse_kinematics(model, {link: mbd_ros.pose(model, q, link)})
    assert found.converged.all()
    np.testing.assert_allclose(np.linalg.norm(found.q[:, 3:7], axis=1), 1.0, atol=1e-14)


def test_a_target_out_of_reach_is_pointed_at():
    found = mbd_ros.inverse_kinematics(PANDA, {TOOL: [5.0, 0.0, 0.333]})
    assert found.converged.shape == () and not found.converged
    # Stretched towards it, seen from the shoulder at the same height.
    point = mbd_ros.pose(PANDA, found.q, TOOL)[:3, 3]
    assert point[0] > 0.8
    assert found.error == pytest.approx(np.abs(point - [5.0, 0.0, 0.333]).max())


def test_limits_may_be_left():
    poses = mbd_ros.pose(PANDA, configurations(PANDA, 50), TOOL)
    found = mbd_ros.inverse_kinematics(PANDA, {TOOL: poses}, limits=False, attempts=5)
    assert found.converged.all()
    assert ((found.q < PANDA.lower) | (found.q > PANDA.upper)).any()


@pytest.mark.parametrize(('name', 'link', 'pose'), [
    ('stewart.urdf.xacro', 'platform', True), ('delta.urdf.xacro', 'platform', False),
    ('five_bar.urdf', 'tool', False), ('four_bar.urdf', 'rocker', True)])
def test_links_in_closed_loops_reach_poses_that_the_loops_allow(name, link, pose):
    model, rng = mbd_ros.load(URDF / name), np.random.default_rng(3)
    closed, _ = mbd_ros.close_loops(model, mbd_ros.neutral(model))
    wanted = np.array([mbd_ros.close_loops(model, mbd_ros.integrate(
        model, closed, 0.4 * rng.normal(size=model.nv)))[0] for _ in range(4)])
    poses = mbd_ros.pose(model, wanted, link)
    targets = {link: poses if pose else poses[:, :3, 3]}
    for start in (closed, None):   # the neutral configuration is open
        found = mbd_ros.inverse_kinematics(model, targets, start, limits=False)
        assert found.converged.all()
        there = mbd_ros.pose(model, found.q, link)
        # The tolerance, of positions and rotation vectors.
        np.testing.assert_allclose(there if pose else there[:, :3, 3], targets[link], atol=2e-9)
        again, _ = mbd_ros.close_loops(model, found.q)
        np.testing.assert_allclose(again, found.q, atol=1e-7)   # closed as they are


def test_what_the_loops_do_not_allow_has_not_converged():
    model = mbd_ros.load(URDF / 'five_bar.urdf')
    found = mbd_ros.inverse_kinematics(model, {'tool': [9.0, 0.0, 0.0]}, attempts=2)
    assert not found.converged and found.error > 1.0


def test_a_gripper_whose_fingers_follow_each_other():
    """Its mimic joint counts where the robot is loaded with it: one finger leads the other."""
    text = URDF.joinpath('panda.urdf').read_text()
    inertial = ('<inertial><mass value="0.1"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" '
                'iyz="0" izz="1e-4"/></inertial>')
    for side, sign, more in (('left', 1, ''), ('right', -1, '<mimic joint="left"/>')):
        text = text.replace('</robot>', (
            f'<link name="{side}_tip">{inertial}</link><joint name="{side}" type="prismatic">'
            f'<parent link="tool"/><child link="{side}_tip"/><axis xyz="0 {sign} 0"/>'
            f'<limit lower="0" upper="0.04" velocity="1" effort="1"/>{more}</joint></robot>'))
    model = mbd_ros.load(text, mimic=True)
    q = np.array([0.3, 0.4, -0.2, -1.5, 0.1, 1.2, 0.4, 0.02, 0.02])
    assert model.joint_names[-2:] == ('left', 'right')
    target = mbd_ros.pose(model, q, 'left_tip')
    found = mbd_ros.inverse_kinematics(model, {
        'left_tip': target, 'tool': mbd_ros.pose(model, q, 'tool')}, q + 0.1)
    assert found.converged
    np.testing.assert_allclose(found.q[-2:], 0.02, atol=1e-8)


def test_all_solutions_of_a_linkage_are_refused():
    model = mbd_ros.load(URDF / 'four_bar.urdf')
    with pytest.raises(UnsupportedError, match='one pose of one link of a tree with 6 joints'):
        mbd_ros.inverse_kinematics(model, {'rocker': np.eye(4)}, solutions='all')


@pytest.mark.parametrize(('targets', 'options', 'error', 'text'), [
    ({}, {}, InvalidValueError, 'at least one'),
    ({'hand': [0.0, 0.0, 0.0]}, {}, UnknownNameError, 'hand'),
    ({TOOL: [0.0, 0.0]}, {}, ShapeError, r'\(4, 4\)'),
    ({TOOL: ['a', 'b', 'c']}, {}, InvalidValueError, 'numbers'),
    ({TOOL: [0.0, np.nan, 0.0]}, {}, InvalidValueError, 'finite'),
    ({TOOL: 2.0 * np.eye(4)}, {}, InvalidValueError, 'rotation matrix'),
    ({TOOL: np.diag([1.0, 1.0, -1.0, 1.0])}, {}, InvalidValueError, 'rotation matrix'),
    ({TOOL: mbd_ros.pose(PANDA, np.zeros(7), TOOL).T}, {}, InvalidValueError, 'then 0 0 0 1'),
    ({TOOL: np.zeros(3)}, {'tolerance': 0.0}, InvalidValueError, 'tolerance is 0.0'),
    ({TOOL: np.zeros(3)}, {'tolerance': 'fine'}, InvalidValueError, "tolerance is 'fine'"),
    ({TOOL: np.zeros(3)}, {'seed': -1}, InvalidValueError, 'seed is -1'),
    ({TOOL: np.zeros((2, 3)), 'link3': np.zeros((3, 3))}, {}, ShapeError, 'as many states'),
    ({TOOL: [0.0, 0.0, 0.0]}, {'iterations': 0}, InvalidValueError, 'iterations'),
    ({TOOL: [0.0, 0.0, 0.0]}, {'attempts': 1.5}, InvalidValueError, 'attempts'),
    ({TOOL: [0.0, 0.0, 0.0]}, {'q0': np.zeros(3)}, ShapeError, 'q0'),
])
def test_bad_input_is_one_clear_error(targets, options, error, text):
    with pytest.raises(error, match=text):
        mbd_ros.inverse_kinematics(PANDA, targets, **options)


@pytest.mark.parametrize('kinds', [['revolute'] * 4, ['spherical', 'revolute', 'prismatic']])
@pytest.mark.parametrize('what', ['pose', 'position', 'both'])
def test_one_step_by_hand(kinds, what):
    """``(J^T J + e . e / 2 + 1e-13) dq = J^T e``; without the axes whose limits it would pass."""
    model = model_of(list(range(len(kinds))), kinds, 7)
    q = configurations(model, 1, 2)[0]
    last, other = model.body_names[-1], model.body_names[0]
    near = mbd_ros.integrate(model, q, 1e-3 * np.cos(1.0 + np.arange(model.nv)))
    pose, here = (mbd_ros.pose(model, place, last) for place in (near, q))
    spin = pose[:3, :3] @ here[:3, :3].T
    # The turn is of 1 mrad: its rotation vector is the skew part but for 1e-9 of the third order.
    turn = 0.5 * np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0],
                           spin[1, 0] - spin[0, 1]])
    error, J = pose[:3, 3] - here[:3, 3], mbd_ros.jacobian(model, q, last)
    targets = {last: pose[:3, 3] if what == 'position' else pose}
    if what == 'position':
        J = J[:3]
    else:
        error = np.concatenate((error, turn))
    if what == 'both':
        targets[other] = mbd_ros.pose(model, near, other)[:3, 3]
        error = np.concatenate((error, targets[other] - mbd_ros.pose(model, q, other)[:3, 3]))
        J = np.concatenate((J, mbd_ros.jacobian(model, q, other)[:3]))

    def step(free):
        used = J * free
        return np.linalg.solve(used.T @ used + (0.5 * error @ error + 1e-13) * np.eye(model.nv),
                               used.T @ error)

    for held in (False, True):
        all_of_it = step(np.ones(model.nv))
        lower, upper = np.full((2, model.nv), ((-9.0,), (9.0,)))
        entry = model.nq - 1   # of the last joint, which has one coordinate
        free = np.ones(model.nv)
        if held:   # it stands at the limit to which it would go on
            (lower if all_of_it[-1] < 0.0 else upper)[-1] = q[entry]
            free[-1] = 0.0
        limited = replace(model, lower=lower, upper=upper)
        found = mbd_ros.inverse_kinematics(limited, targets, q, iterations=1, tolerance=1e-15)
        np.testing.assert_allclose(mbd_ros.difference(model, q, found.q), step(free), atol=1e-8)


def test_limits_within_a_step_are_kept_not_held():
    """Two slides to a point: one stops at its limit on the way, the other arrives."""
    slide = ('<joint name="{0}" type="prismatic"><parent link="{1}"/><child link="{0}_link"/>'
             '<axis xyz="{2}"/><limit lower="-0.25" upper="0.5" effort="1" velocity="1"/></joint>'
             '<link name="{0}_link"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" '
             'iyy="1" iyz="0" izz="1"/></inertial></link>')
    model = mbd_ros.load('<robot name="r"><link name="base"/>' + slide.format('x', 'base', '1 0 0')
                         + slide.format('y', 'x_link', '0 1 0') + '</robot>')
    for wanted, expected in (([0.7, 0.3], [0.5, 0.3]), ([0.2, -0.4], [0.2, -0.25]),
                             ([0.7, -0.4], [0.5, -0.25]), ([0.5, -0.25], [0.5, -0.25])):
        found = mbd_ros.inverse_kinematics(model, {'y_link': [*wanted, 0.0]}, iterations=60)
        np.testing.assert_allclose(found.q, expected, atol=1e-9)   # the tolerance
        left = np.abs(np.subtract(wanted, expected)).max()
        assert found.error == pytest.approx(left, abs=1e-9)
        assert found.converged == (left < 1e-9)


@pytest.mark.parametrize(('pose', 'point', 'start', 'found'), [
    ((), None, (), ()), ((1,), None, (), (1,)), ((3,), None, (), (3,)), (None, (), (), ()),
    (None, (1,), (), (1,)), (None, (3,), (), (3,)), ((), (3,), (), (3,)), ((3,), (1,), (), (3,)),
    ((), None, (1,), (1,)), ((), (), (3,), (3,)), ((3,), (3,), (1,), (3,)),
    ((1,), (), (3,), (3,))])
def test_one_state_or_many(pose, point, start, found):
    """What is given once serves all; the result is of one state where all are."""
    q = configurations(PANDA, 1, 3)[0]
    targets = {}
    if pose is not None:
        targets[TOOL] = np.broadcast_to(mbd_ros.pose(PANDA, q, TOOL), (*pose, 4, 4))
    if point is not None:
        targets['link3'] = np.broadcast_to(mbd_ros.pose(PANDA, q, 'link3')[:3, 3], (*point, 3))
    result = mbd_ros.inverse_kinematics(PANDA, targets, np.broadcast_to(q, (*start, 7)))
    assert result.q.shape == (*found, 7)
    assert result.error.shape == result.converged.shape == found
    assert result.converged.all()
    np.testing.assert_array_equal(result.q, np.broadcast_to(q, (*found, 7)))   # it begins there


def test_attempts_begin_anew_where_the_first_failed():
    """Some find a way within a dozen steps, others only from elsewhere."""
    q = configurations(PANDA, 12, 5)
    poses = mbd_ros.pose(PANDA, q, TOOL)
    once, more, same = (mbd_ros.inverse_kinematics(
        PANDA, {TOOL: poses}, attempts=count, seed=1, iterations=12) for count in (1, 8, 8))
    assert 0 < once.converged.sum() < 12 and more.converged.sum() > once.converged.sum()
    assert (more.error <= once.error).all()
    np.testing.assert_array_equal(more.q[once.converged], once.q[once.converged])
    np.testing.assert_array_equal(more.q, same.q)
    np.testing.assert_allclose(mbd_ros.pose(PANDA, more.q[more.converged], TOOL),
                               poses[more.converged], atol=2e-9)   # as above
    one = mbd_ros.inverse_kinematics(PANDA, {TOOL: poses}, attempts=1, iterations=1)
    assert (one.error > 1e-3).all() and not one.converged.any()
