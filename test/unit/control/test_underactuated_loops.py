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

"""Texts of under-actuated robots with loops, run as Python, against projections by NumPy."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from mbd_ros.control.udwadia_kalaba.orthogonal_columns import IN_TURN, least_norm, orthogonalize
from mbd_ros.control.udwadia_kalaba.rank_facts import (
    clear, CONFLICT, DROPPED, FACTS, KEPT, PIVOT, RANK)
from mbd_ros.control.udwadia_kalaba.underactuated_loops import reached_motion, reached_share

SEEDS = st.integers(0, 2**16)
LEAST = 1e-6


class System:
    """
    A random system in coordinates ``y = F^T qdd``, ``M = F F^T``, by pseudo-inverses.

    ``X`` are the loops' rows there, ``pushes`` the drives, ``reach`` what these do beside loops.
    """

    def __init__(self, seed, n, loops, drives, rows=0):
        rng = np.random.default_rng(seed)
        root = rng.normal(size=(n, n))
        self.M, self.Q = root @ root.T + np.eye(n), rng.normal(size=n)
        self.A, self.b = rng.normal(size=(loops + rows, n)), rng.normal(size=loops + rows)
        self.places = rng.permutation(n)[:drives]
        self.F = np.linalg.cholesky(self.M)
        self.Y = np.linalg.solve(self.F, self.A.T)
        self.X = self.Y[:, :loops]
        self.pushes = np.linalg.solve(self.F, np.eye(n)[:, self.places])
        self.reach = self.pushes - self.X @ np.linalg.pinv(self.X) @ self.pushes
        self.condition = max(map(np.linalg.cond, (self.X, self.reach, self.M)))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(n=st.integers(4, 7), loops=st.integers(1, 2), rows=st.integers(1, 2), seed=SEEDS)
def test_what_drives_bring_about_in_a_loop(n, loops, rows, seed):
    """The loops' least force, then the least that drives span for the task, in the metric of M."""
    drives = n - loops - 1   # one motion is left to itself
    s = System(seed, n, loops, drives, rows)
    result = np.full(2 * (n + loops + rows) + FACTS, 7.0)
    reached_motion(s.M, s.Q, s.A, s.b, s.places.astype(float), result, n, loops + rows, loops,
                   drives, loops, drives, rows + 1)
    found, force, multipliers, residual, facts = np.split(
        result, np.cumsum([n, n, loops + rows, loops + rows]))
    own = np.linalg.solve(s.F, s.Q)
    held = np.linalg.pinv(s.X.T) @ (s.b[:loops] - s.X.T @ own)
    spanned = s.reach @ np.linalg.pinv(s.reach)
    task = s.Y[:, loops:]
    wanted = np.linalg.pinv(task.T @ spanned, rcond=1e-9)
    if not clear(facts, LEAST):
        assert max(s.condition, np.linalg.cond(wanted)) > 30.0
        return
    asked = s.b[loops:] - task.T @ (own + held)
    driven = wanted @ asked
    tau = np.linalg.pinv(s.reach) @ driven
    # 1e-9: numbers of order 10 under conditions up to 1e3, twice.
    how = {'rtol': 0, 'atol': 1e-9 * (1.0 + np.abs(found).max() + np.abs(multipliers).max())}
    np.testing.assert_allclose(found, np.linalg.solve(s.F.T, own + held + driven), **how)
    np.testing.assert_allclose(force, s.F @ (held + driven), **how)
    np.testing.assert_allclose(
        multipliers[:loops], np.linalg.pinv(s.X) @ (held + driven - s.pushes @ tau), **how)
    np.testing.assert_allclose(multipliers[loops:], np.linalg.pinv(spanned @ task) @ driven, **how)
    np.testing.assert_allclose(residual, s.A @ found - s.b, **how)
    assert facts[RANK] == loops + min(rows, drives)
    assert (facts[CONFLICT] > 1e-9) == (rows > drives)   # one drive for two random equations


@settings(max_examples=40, deadline=None, derandomize=True)
@given(n=st.integers(4, 7), loops=st.integers(1, 2), fewer=st.integers(0, 1), seed=SEEDS)
def test_the_share_nearest_to_a_force(n, loops, fewer, seed):
    drives = n - loops - fewer
    s = System(seed, n, loops, drives)
    result = np.ones(n + FACTS)
    reached_share(s.M, s.A, s.Q, s.places.astype(float), result, n, loops, drives, loops, drives)
    facts = result[n:]
    if not clear(facts, LEAST):
        assert s.condition > 30.0
        return
    expected = np.zeros(n)
    expected[s.places] = np.linalg.pinv(s.reach) @ np.linalg.solve(s.F, s.Q)
    # As above.
    np.testing.assert_allclose(result[:n], expected, rtol=0,
                               atol=1e-9 * (1.0 + np.abs(expected).max()))
    assert (facts[RANK], facts[CONFLICT]) == (0.0, 0.0)
    lower = np.linalg.cholesky(s.M)
    assert facts[PIVOT] == pytest.approx((np.diag(lower)**2 / np.diag(s.M)).min(), rel=1e-9)


def test_clearness_is_that_of_the_least_clear_step():
    """Of loops, of what drives do beside them, of the task beside what drives reach."""
    e, little = np.eye(4), 1e-2
    for A, places in (
            ([e[0], e[0] + little * e[1], e[2]], [2, 3]),   # two loops, nearly the same
            ([e[0] + little * e[2], e[1], e[3]], [0, 3]),   # a drive nearly against a loop
            ([e[0], e[1], e[0] + little * e[3]], [2, 3])):  # a task nearly along a loop
        result = np.zeros(2 * (4 + 3) + FACTS)
        reached_motion(e, np.zeros(4), np.array(A), np.zeros(3), np.array(places, float), result,
                       4, 3, 2, 2, 2, 2, 2)
        assert result[14 + KEPT] == pytest.approx(little**2, rel=1e-3)


def test_drives_that_do_the_same_are_not_clear():
    result = np.zeros(3 + FACTS)   # a loop couples the first two axes rigidly
    reached_share(np.eye(3), np.array([[1.0, -1.0, 0.0]]), np.ones(3), np.array([0.0, 1.0]),
                  result, 3, 1, 2, 1, 2)
    assert result[3 + KEPT] == 0.0


@settings(max_examples=60, deadline=None, derandomize=True)
@given(n=st.integers(2, 7), rank=st.integers(1, 3), more=st.integers(0, 2), none=st.integers(0, 2),
       near=st.sampled_from([None, 0.3, 1e-3]), seed=SEEDS)
def test_least_norm_whatever_the_rank(n, rank, more, none, near, seed):
    """Columns that others imply, columns of zeros, neighbours at small angles."""
    rng, rank = np.random.default_rng(seed), min(rank, n)
    base = rng.normal(size=(n, rank))
    if near and rank > 1:
        base[:, 1] = base[:, 0] + near * base[:, 1]
    columns = np.hstack([base, base @ rng.normal(size=(rank, more)), np.zeros((n, none))])
    columns = columns[:, rng.permutation(columns.shape[1])]
    m = columns.shape[1]
    d = columns.T @ rng.normal(size=n)
    u, multipliers, facts = np.zeros(n), np.zeros(m), np.zeros(FACTS)
    least_norm(columns.copy(), d, u, multipliers, facts, n, m, m)
    if facts[KEPT] < 1e-7:
        assert np.linalg.cond(base) > 1e3
        return
    assert facts[RANK] == rank
    assert facts[DROPPED] < 1e-20   # squared rounding
    assert 0.0 < facts[KEPT] <= 1.0
    expected = np.linalg.pinv(columns.T, rcond=1e-9) @ d
    # Rounding times the condition, which is up to 1e4, twice.
    np.testing.assert_allclose(u, expected, rtol=0, atol=1e-8 * np.abs(expected).max())
    expected = np.linalg.pinv(columns, rcond=1e-9) @ u
    np.testing.assert_allclose(multipliers, expected, rtol=0,
                               atol=1e-6 * (1.0 + np.abs(expected).max()))


@pytest.mark.parametrize(('part', 'taken'), [(1.2 * IN_TURN, 1), (0.8 * IN_TURN, 2)])
def test_a_column_comes_in_its_turn_while_enough_is_left_of_it(part, taken):
    """Else after the one of which most is left."""
    X = np.array([[1.0, np.sqrt(1.0 - part), 0.0], [0.0, np.sqrt(part), 0.0], [0.0, 0.0, 1.0]])
    order, facts = np.zeros(3), np.zeros(FACTS)
    orthogonalize(X, np.zeros((3, 3)), order, np.zeros(3), facts, 3, 3, 3)
    assert order[1] == taken


def test_a_column_that_is_not_taken_has_weight_one():
    X = np.array([[3.0, 6.0], [0.0, 0.0]])
    weights = np.zeros(2)
    orthogonalize(X, np.zeros((2, 2)), np.zeros(2), weights, np.zeros(FACTS), 2, 2, 2)
    np.testing.assert_array_equal(np.sort(weights), [1.0 / 9.0, 1.0])


@pytest.mark.parametrize(('part', 'clear_enough'), [(1e-9, True), (1e-11, False)])
def test_a_row_beside_which_another_may_be_rounding_is_not_clear(part, clear_enough):
    facts = np.zeros(FACTS)
    orthogonalize(np.diag([1.0, part]), np.zeros((2, 2)), np.zeros(2), np.zeros(2), facts, 2, 2, 2)
    assert (facts[KEPT] > 0.0) == clear_enough
