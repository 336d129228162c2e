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

"""Solving with matrices that have the pattern of a tree."""

import ctypes
import math

import numpy as np
import pytest

from mbd_ros.execution.ir import elimination_ir
from mbd_ros.execution.ir.elimination_ir import REGISTERS, work_size
from mbd_ros.execution.ir.machine_code import MachineCode, vector_lanes
from mbd_ros.execution.ir.straight_line import Width
from mbd_ros.execution.program.elimination import axis_ends, axis_parents, eliminate

# A free body of six axes carries two chains: bodies 1, 2 and body 3 with a second free body 4.
PARENTS, OFFSETS, NV = (-1, 0, 1, 0, 3), (0, 6, 7, 8, 9), 15
AXES = [-1, 0, 1, 2, 3, 4, 5, 6, 5, 8, 9, 10, 11, 12, 13]


def test_axes_follow_each_other_to_the_ground():
    assert axis_parents(PARENTS, OFFSETS, NV) == AXES
    assert axis_ends(AXES) == [15] * 6 + [8, 8] + [15] * 7


def test_two_trees_on_the_ground():
    assert axis_parents((-1, 0, -1), (0, 1, 2), 3) == [-1, 0, -1]
    assert axis_ends([-1, 0, -1]) == [2, 2, 3]


def test_bodies_that_are_not_numbered_depth_first():
    assert axis_parents((-1, 0, 0, 1), (0, 1, 2, 3), 4) == [-1, 0, 0, 1]
    assert axis_ends([-1, 0, 0, 1]) == [4, 4, 3, 4]


def test_no_axes():
    assert axis_parents((), (), 0) == []
    eliminate([], [])


def random_matrices(axes, rng):
    """Return A, B and a symmetric matrix with the pattern of the tree; its condition is small."""
    nv = len(axes)
    lower = np.diag(rng.uniform(1.0, 2.0, nv))
    for k in range(nv):
        i = axes[k]
        while i >= 0:
            lower[k, i] = rng.normal() / nv
            i = axes[i]
    return np.array([*rng.normal(size=(2, nv, nv)), lower.T @ lower])


def check(found, matrices):
    a, b, mass = matrices
    # 1e-13: some fifteen roundings; the condition of M is below 1e2.
    for mine, expected in zip(found, (-np.linalg.solve(mass, a), -np.linalg.solve(mass, b),
                                      np.linalg.inv(mass))):
        np.testing.assert_allclose(mine, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


TREES = pytest.mark.parametrize('axes', [AXES, [-1], [-1, 0, -1], [-1, 0, 0, 1]])


@TREES
def test_eliminate(axes):
    matrices = random_matrices(axes, np.random.default_rng(0))
    flat = matrices.ravel().tolist()
    eliminate(flat, axes)
    found = np.reshape(flat, matrices.shape)
    check(found, matrices)
    np.testing.assert_array_equal(found[2], found[2].T)


@TREES
@pytest.mark.parametrize('together', [False, True])
@pytest.mark.parametrize('lanes', [2, 4, 8])
def test_machine_code(axes, lanes, together, monkeypatch):
    """The loops give the same for every width of registers, for one state and for lanes."""
    monkeypatch.setattr(elimination_ir, 'vector_lanes', lambda: lanes)
    width, rng, nv = Width(lanes if together else 1), np.random.default_rng(1), len(axes)
    states = [random_matrices(axes, rng) for _ in range(width.lanes)]
    block = REGISTERS * lanes // width.lanes
    sides, mass = (math.ceil(size / block) * block for size in (3 * nv, nv))
    work = np.zeros((work_size(nv, 3, width), width.lanes))
    rows = work[:nv * (sides + 2 * mass + block // REGISTERS)].reshape(nv, -1, width.lanes)
    for lane, (a, b, m) in enumerate(states):
        rows[:, :2 * nv, lane] = np.hstack([a, b])
        rows[:, 2 * nv:3 * nv, lane] = np.eye(nv)
        rows[:, sides:sides + nv, lane] = m
    code = MachineCode('\n'.join([
        elimination_ir.elimination_ir(3, width),
        'define void @run(ptr %w, ptr %r, ptr %p, ptr %e, i64 %n) {',
        '  call void @eliminate(ptr %w, ptr %r, ptr %p, ptr %e, i64 %n)', '  ret void', '}']))
    result = np.full((3 * nv * nv + 1, width.lanes), 7.0)
    parents, ends = np.array(axes), np.array(axis_ends(axes))
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (work, result, parents, ends)]
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_int64)(code.address('run'))(
        *pointers, nv)
    assert (result[-1] == 7.0).all()
    for lane, matrices in enumerate(states):
        check(result[:-1, lane].reshape(3, nv, nv), matrices)


def test_rows_of_the_work_array_are_whole_blocks():
    block = REGISTERS * vector_lanes()
    assert work_size(7, 3, Width()) == 8 + 7 * (
        block * (math.ceil(21 / block) + 2 * math.ceil(7 / block)) + block // REGISTERS)
    assert work_size(8, 3, Width(vector_lanes())) == 8 + 8 * (24 + 8 + 8 + 1)
    assert work_size(7, 0, Width(vector_lanes())) == 0
