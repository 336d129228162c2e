"""Solving with matrices that have the pattern of a tree."""

import math

import numpy as np
import pytest

from mbd_ros.execution.elimination import axis_ends, axis_parents, eliminate
from mbd_ros.execution.elimination_ir import work_size
from mbd_ros.execution.machine_code import vector_lanes
from mbd_ros.execution.straight_line import Width

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


@pytest.mark.parametrize('axes', [AXES, [-1], [-1, 0, -1], [-1, 0, 0, 1]])
def test_eliminate(axes):
    rng = np.random.default_rng(0)
    nv = len(axes)
    lower = np.diag(rng.uniform(1.0, 2.0, nv))
    for k in range(nv):
        i = axes[k]
        while i >= 0:
            lower[k, i] = rng.normal() / nv
            i = axes[i]
    mass = lower.T @ lower  # has the pattern of the tree
    a, b = rng.normal(size=(2, nv, nv))
    matrices = np.ravel([a, b, mass]).tolist()
    eliminate(matrices, axes)
    found = np.reshape(matrices, (3, nv, nv))
    # 1e-13: some fifteen roundings; the condition of M is below 1e2.
    for mine, expected in zip(found, (-np.linalg.solve(mass, a), -np.linalg.solve(mass, b),
                                      np.linalg.inv(mass))):
        np.testing.assert_allclose(mine, expected, rtol=0, atol=1e-13 * np.abs(expected).max())
    np.testing.assert_array_equal(found[2], found[2].T)


def test_rows_of_the_work_array_are_whole_blocks():
    block = 4 * vector_lanes()
    assert work_size(7, 3, Width()) == 8 + 7 * (
        block * (math.ceil(21 / block) + 2 * math.ceil(7 / block)) + block // 4)
    assert work_size(8, 3, Width(vector_lanes())) == 8 + 8 * (24 + 8 + 8 + 1)
    assert work_size(7, 0, Width(vector_lanes())) == 0
