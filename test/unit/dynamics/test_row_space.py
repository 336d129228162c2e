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

"""Rank, null space, multipliers and nearest displacement of constraint rows, by definition."""

from pathlib import Path

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.spatial.rank_thresholds import LOOP_RANK

URDF = Path(__file__).parents[3] / 'urdf'
MODEL = mbd_ros.load(URDF / 'bricard.urdf')   # one loop: rows of lengths and of angles


def rows(rank, seed, count=None):
    """Return random rows of a rank: (m, nv) numbers of order 1."""
    rng = np.random.default_rng(seed)
    m = sum(len(loop.rows) for loop in MODEL.loops) if count is None else count
    return rng.normal(size=(m, rank)) @ rng.normal(size=(rank, MODEL.nv))


@settings(max_examples=40)
@given(rank=st.integers(0, 4), seed=st.integers(0, 2**16))
def test_what_is_asked_of_one_state(rank, seed):
    A = rows(rank, seed)
    space = RowSpace(MODEL, A)
    assert space.rank == rank
    # Random factors of order 1: products of condition up to 1e4, ten digits are left.
    scale = 1e-9 * max(1.0, np.abs(A).max())
    E, N = space.combinations(), space.motions()
    assert E.shape == (rank, len(A))
    assert np.linalg.matrix_rank(E @ A) == rank
    assert N.shape == (MODEL.nv, MODEL.nv - rank)
    assert np.linalg.matrix_rank(N) == MODEL.nv - rank
    np.testing.assert_allclose(A @ N, 0.0, atol=scale)
    chosen = space.independent()
    assert chosen.sum() == rank
    assert np.linalg.matrix_rank(A[chosen]) == rank
    if rank:
        rng = np.random.default_rng(seed)
        violation = A @ rng.normal(size=MODEL.nv)
        np.testing.assert_allclose(A @ space.nearest(violation), -violation, atol=1e3 * scale)
        force = A.T @ rng.normal(size=len(A))
        np.testing.assert_allclose(A.T @ space.multipliers(force), force, atol=1e3 * scale)
        assert space.smallest == space.sigma[rank - 1]
        assert space.condition == pytest.approx(space.sigma[0] / space.sigma[rank - 1])
        assert 1.0 <= space.condition <= 1.0 / LOOP_RANK
    else:
        assert (space.smallest, space.condition) == (0.0, 1.0)


def test_many_states_are_as_each_of_them():
    many = np.array([rows(rank, 7 * rank) for rank in range(5)])
    space = RowSpace(MODEL, many)
    assert space.rank.tolist() == list(range(5))
    for k, A in enumerate(many):
        one = RowSpace(MODEL, A)
        np.testing.assert_allclose(space.sigma[k], one.sigma, rtol=1e-9, atol=1e-12)
        assert space.smallest[k] == pytest.approx(one.smallest)
        assert space.condition[k] == pytest.approx(one.condition)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**16), size=st.sampled_from([1e-3, 1.0, 1e3]))
def test_the_rank_does_not_depend_on_the_unit_of_length(seed, size):
    """A robot in millimetres has levers a thousand times longer; angles stay."""
    lengths = np.array([len(row) != 2 for loop in MODEL.loops for row in loop.rows])
    A = rows(3, seed)
    scaled = RowSpace(MODEL, A * np.where(lengths, size, 1.0)[:, None])
    assert scaled.rank == 3
    np.testing.assert_allclose(scaled.sigma, RowSpace(MODEL, A).sigma, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize('free', [[0], [1, 3], [0, 2, 4]])
def test_columns_that_do_not_count_are_zero(free):
    A = rows(5, 3)
    space = RowSpace(MODEL, A, np.array(free))
    assert space.rank == min(5, len(free))
    other = np.setdiff1d(np.arange(MODEL.nv), free)
    assert not space.motions()[other].any()
    assert not space.nearest(A[:, free] @ np.ones(len(free)))[other].any()


def test_rows_below_the_stated_angle_are_no_rows():
    """LOOP_RANK is an angle: of two rows that differ by less the second adds nothing."""
    lengths = np.array([len(row) != 2 for loop in MODEL.loops for row in loop.rows])
    first, second = np.flatnonzero(~lengths)[:2]
    for factor, rank in ((0.5, 1), (4.0, 2)):
        A = np.zeros((len(lengths), MODEL.nv))
        A[first, :2] = A[second, :2] = (0.6, 0.8)
        A[second, :2] += factor * LOOP_RANK * np.array([-0.8, 0.6])
        assert RowSpace(MODEL, A).rank == rank
