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

"""A robot that moves the same with fewer operations."""

import itertools
from pathlib import Path

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import random_state, trees, urdf
from scipy.spatial.transform import Rotation as Peer

import mbd_ros
from mbd_ros.dynamics.algorithms.crba import MASS_MATRIX
from mbd_ros.dynamics.algorithms.forward_dynamics import FORWARD_DYNAMICS
from mbd_ros.dynamics.algorithms.rnea import INVERSE_DYNAMICS
from mbd_ros.dynamics.quantities.derivatives import INVERSE_DYNAMICS_DERIVATIVES
from mbd_ros.dynamics.quantities.energies import ENERGIES
from mbd_ros.execution.program.driver import run
from mbd_ros.execution.program.records import rotation_record
from mbd_ros.execution.program.sweeps import World
from mbd_ros.execution.program.tree import joints_of, tree_of
from mbd_ros.execution.unrolled.equivalent import alike, equivalent, in_turns
from mbd_ros.spatial import Rotation, Vector3
from mbd_ros.spatial.rotation import Successive

PROGRAMS = (FORWARD_DYNAMICS, INVERSE_DYNAMICS, MASS_MATRIX, INVERSE_DYNAMICS_DERIVATIVES)
SHIPPED = sorted((Path(__file__).parents[3] / 'urdf').iterdir())
SQUARE = [np.diag(signs) @ np.eye(3)[list(order)]
          for order in itertools.permutations(range(3))
          for signs in itertools.product((1.0, -1.0), repeat=3)]
SQUARE = [matrix for matrix in SQUARE if np.linalg.det(matrix) > 0.0]


def prepared(text, floating, seed):
    model = mbd_ros.load(text, floating_base=floating)
    q, v, third = (list(map(float, part)) for part in random_state(model, seed))
    joints = joints_of(model, {'q': q, 'v': v, 'qdd': third, 'tau': third})
    return tree_of(model), joints, World(Vector3(0.3, -0.4, -9.81))


@settings(max_examples=15, deadline=None, derandomize=True)
@given(text=trees(max_joints=6), floating=st.booleans(), seed=st.integers(0, 2**16))
def test_joints_move_as_before(text, floating, seed):
    tree, joints, world = prepared(text, floating, seed)
    for program in PROGRAMS:
        expected = np.array(run(program, tree, joints, world))
        found = np.array(run(program, equivalent(program, tree, joints), joints, world))
        # As for lanes: other roundings, amplified by a condition of the mass matrix below 1e5.
        np.testing.assert_allclose(
            found, expected, rtol=0.0, atol=1e-10 * max(1.0, np.abs(expected).max(initial=0.0)))


@pytest.mark.parametrize('square', SQUARE)
@pytest.mark.parametrize('angle', [0.0, 1.5708, 0.3])
def test_a_rotation_that_keeps_an_axis_is_turns(square, angle):
    about_z = np.array([[np.cos(angle), -np.sin(angle), 0.0],
                        [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    for after in SQUARE[::3]:
        matrix = square @ about_z @ after
        turns = in_turns(rotation_record(matrix))
        assert isinstance(turns, Successive)
        found = np.array(turns.multiplied()).T
        np.testing.assert_allclose(found, matrix, rtol=0.0, atol=1e-15)  # copies and products


@settings(max_examples=60, deadline=None, derandomize=True)
@given(square=st.sampled_from(SQUARE), exponent=st.floats(-16.0, -1.0),
       axis=st.integers(0, 2), after=st.sampled_from(SQUARE))
def test_a_rounded_quarter_turn_is_not_rounded_further(square, exponent, axis, after):
    """``rpy="1.5707963 0 0"``: cos of it is 2.7e-8, and rounds other entries to 1."""
    near = Peer.from_rotvec(np.eye(3)[axis] * 10.0**exponent).as_matrix()
    further = Peer.from_rotvec(np.eye(3)[axis - 1] * 10.0**exponent).as_matrix()
    matrix = square @ near @ further @ after
    turns = in_turns(rotation_record(matrix))
    found = np.array([turns.axis(k) for k in range(3)]).T
    # A matrix stays as it is; turns copy entries, and products of theirs are rounded.
    np.testing.assert_allclose(found, matrix, rtol=0.0, atol=1e-15)


@pytest.mark.parametrize('angle', ['1.5707963', '1.57079633', '3.1415927', '-1.5708'])
def test_rounded_turns_in_files_as_machine_code(angle):
    text = ('<robot name="r"><link name="l0"/>' + ''.join(
        f'<link name="l{k}"><inertial><origin xyz="0.1 0.2 -0.3"/><mass value="2"/>'
        '<inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        f'<joint name="j{k}" type="continuous"><parent link="l{k - 1}"/><child link="l{k}"/>'
        f'<origin xyz="0.3 0.1 0.2" rpy="{rpy}"/><axis xyz="0 0 1"/></joint>'
        for k, rpy in enumerate((f'{angle} 0 0', f'0 {angle} 0', f'{angle} {angle} 0',
                                 f'{angle} 0 {angle}'), 1)) + '</robot>')
    model = mbd_ros.load(text)
    q, v, third = random_state(model, 3)
    for function in (mbd_ros.forward_dynamics, mbd_ros.inverse_dynamics):
        expected = function(model, q, v, third, executor='interpreted')
        # Other roundings, amplified by a condition of the mass matrix of less than 1e3.
        np.testing.assert_allclose(function(model, q, v, third, executor='compiled'), expected,
                                   rtol=0.0, atol=1e-12 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize('path', SHIPPED, ids=lambda path: path.name)
def test_shipped_robots_stay_the_same(path):
    model = mbd_ros.load(path, floating_base='space' in path.name)
    q, v, third = random_state(model, 3)
    for program in PROGRAMS[:3]:
        joints = joints_of(model, {'q': list(map(float, q)), 'v': list(map(float, v)),
                                   'qdd': list(map(float, third)), 'tau': list(map(float, third))})
        tree = tree_of(model)
        world = World(Vector3(0.3, -0.4, -9.81))
        expected = np.array(run(program, tree, joints, world))
        found = np.array(run(program, equivalent(program, tree, joints), joints, world))
        np.testing.assert_allclose(found, expected, rtol=0.0,
                                   atol=1e-12 * max(1.0, np.abs(expected).max()))


def test_a_general_rotation_stays_a_matrix():
    matrix = Peer.from_euler('xyz', (0.1, 0.2, 0.3)).as_matrix()
    assert isinstance(in_turns(rotation_record(matrix)), Rotation)


def test_masses_stay_where_single_bodies_are_asked_for():
    tree, joints, _ = prepared(urdf([0, 1, 2], ['revolute'] * 3, 1), False, 0)
    inertias = [body.inertia for body in tree.bodies]
    assert [body.inertia for body in equivalent(ENERGIES, tree, joints).bodies] == inertias
    moved = equivalent(FORWARD_DYNAMICS, tree, joints).bodies
    assert all(body.inertia.mass == 0.0 for body in moved)


def test_lanes_hold_rotations_of_one_form():
    tree, *_ = prepared(urdf([0, 0], ['revolute'] * 2, 1), False, 0)
    first, second = (body._replace(placement=body.placement._replace(rotation=rotation_record(
        matrix))) for body, matrix in zip(tree.bodies, (
            SQUARE[0], Peer.from_euler('xyz', (0.1, 0.2, 0.3)).as_matrix())))
    turned = first._replace(placement=first.placement._replace(
        rotation=in_turns(first.placement.rotation)))
    assert alike([turned, turned]) == [turned, turned]
    assert alike([turned, second]) == [first, second]
