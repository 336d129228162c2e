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

"""The texts of small systems with loops, run as Python, against NumPy and what they report."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from mbd_ros.control.udwadia_kalaba.loop_systems import clean_rows, driven_share, passive_step
from mbd_ros.control.udwadia_kalaba.rank_facts import (
    clear, CONFLICT, DROPPED, FACTS, KEPT, PIVOT, RANK)
from mbd_ros.control.udwadia_kalaba.small_systems import factorize
from mbd_ros.spatial.rank_thresholds import NO_LOOP_ROW

SEEDS = st.integers(0, 2**16)


@settings(max_examples=30)
@given(n=st.integers(1, 6), seed=SEEDS, scale=st.sampled_from([1e-6, 1.0, 1e6]))
def test_factors_give_the_matrix_and_the_least_pivot(n, seed, scale):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n))
    M = scale * (root @ root.T + 0.1 * np.eye(n))
    L, scales = np.zeros((n, n)), np.zeros(n)
    least = factorize(M, L, scales, n)
    full = np.tril(L, -1) + np.eye(n)
    D = np.diag(1.0 / scales**2)
    np.testing.assert_allclose(full @ D @ full.T, M, rtol=0, atol=1e-11 * np.abs(M).max())
    assert least == pytest.approx(min(np.diag(D) / np.diag(M)), rel=1e-9)


def test_a_singular_matrix_has_no_pivot():
    """Of a body without inertia, of an exact multiple, and of no mass matrix at all."""
    for M in (np.diag([1.0, 0.0, 2.0]), np.array([[4.0, 2.0], [2.0, 1.0]]), -np.eye(2)):
        n = len(M)
        with np.errstate(all='ignore'):
            try:
                least = factorize(M, np.zeros((n, n)), np.zeros(n), n)
            except (ValueError, ZeroDivisionError):   # Python's square root; machine code has NaN
                continue
        assert least <= 0.0


def loops(rng, m, n, rank):
    """Return rows (m, 3 + n) of loops with phi, rate and bias before A of a rank."""
    A = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
    return np.hstack([0.01 * rng.normal(size=(m, 3)), A])


@settings(max_examples=40)
@given(n=st.integers(3, 7), passive=st.integers(1, 3), more=st.integers(0, 2), seed=SEEDS)
def test_passive_joints_close_the_loops(n, passive, more, seed):
    """As many independent rows as passive joints, others follow from them."""
    rng = np.random.default_rng(seed)
    m = passive + more
    rows = loops(rng, m, n, passive)
    rows[:, 0] = rows[:, 3:] @ rng.normal(size=n) * 0.01   # there is a closed state near by
    places = rng.permutation(n)[:passive].astype(float)
    known = np.setdiff1d(np.arange(n), places)
    rates = np.zeros(n)
    rates[known] = rng.normal(size=len(known))
    result = np.full(2 * n + FACTS + 2, 7.0)
    passive_step(rows, rates, places, result, n, m, passive, max(m, passive), 3)
    dq, v, facts, (widest, longest) = np.split(result, [n, 2 * n, 2 * n + FACTS])
    if not clear(facts, 1e-8):
        assert np.linalg.cond(rows[:, 3:][:, places.astype(int)]) > 1e2
        return
    assert facts[RANK] == passive
    assert (facts[PIVOT], facts[CONFLICT]) == (1.0, 0.0)
    assert (widest, longest) == (np.abs(rows[:, 0]).max(), np.abs(dq).max())
    assert not dq[known].any()
    assert v[known].tolist() == rates[known].tolist()
    # Condition up to 1e4 of numbers of order 1.
    np.testing.assert_allclose(rows[:, 3:] @ dq, -rows[:, 0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(rows[:, 3:] @ v, 0.0, rtol=0, atol=1e-9)


def test_passive_joints_that_the_loops_leave_free_are_not_clear():
    rng = np.random.default_rng(2)
    rows, result = loops(rng, 2, 5, 2), np.full(2 * 5 + FACTS + 2, 7.0)
    passive_step(rows, np.zeros(5), np.array([0.0, 2.0, 4.0]), result, 5, 2, 3, 3, 3)
    assert result[10 + RANK] == 2
    assert not clear(result[10:10 + FACTS], 1e-8)


@settings(max_examples=40)
@given(n=st.integers(3, 7), m=st.integers(1, 3), more=st.integers(0, 2), seed=SEEDS)
def test_drives_share_a_force_with_least_norm(n, m, more, seed):
    rng = np.random.default_rng(seed)
    m = min(m, n - 1)
    A, force = rng.normal(size=(m, n)), rng.normal(size=n)
    drives = min(n, n - m + more)
    places = rng.permutation(n)[:drives]
    result = np.full(n + FACTS, 7.0)
    driven_share(A, force, places.astype(float), result, n, m, drives, max(m, n), n)
    efforts, facts = result[:n], result[n:]
    N = np.linalg.svd(A)[2][m:].T   # the motions that the loops allow
    reach = N[places].T
    expected = np.zeros(n)
    expected[places] = np.linalg.pinv(reach) @ N.T @ force
    if not clear(facts, 1e-6):
        assert np.linalg.cond(A) > 30.0 or np.linalg.cond(reach) > 30.0
        return
    assert facts[RANK] == 0.0   # of what drives lack
    assert (facts[PIVOT], facts[CONFLICT]) == (1.0, 0.0)
    # Squared parts as large as 1e-6 are clear: condition up to 1e3, twice.
    np.testing.assert_allclose(efforts, expected, rtol=0, atol=1e-8)
    assert facts[DROPPED] < 1e-20


def test_a_motion_that_no_drive_reaches_is_counted_and_not_clear():
    A, result = np.array([[1.0, 1.0, 0.0, 0.0]]), np.full(4 + FACTS, 7.0)
    driven_share(A, np.ones(4), np.array([0.0, 2.0]), result, 4, 1, 2, 4, 4)
    assert result[4 + RANK] == 1.0
    assert result[4 + KEPT] == 0.0
    assert not clear(result[4:], 1e-6)


def test_nearly_dependent_rows_of_loops_decide_the_clearness():
    """The smaller part of both steps counts: of the rows, and of what drives reach."""
    angle = 1e-2
    A = np.array([[1.0, 0.0, 0.0, 0.0], [1.0, angle, 0.0, 0.0]])
    result = np.full(4 + FACTS, 7.0)
    driven_share(A, np.ones(4), np.array([2.0, 3.0]), result, 4, 2, 2, 4, 4)
    assert result[4 + RANK] == 0.0
    assert result[4 + KEPT] == pytest.approx(angle**2, rel=1e-3)


@pytest.mark.parametrize(('size', 'kept'), [
    (2.0 * NO_LOOP_ROW, True), (0.5 * NO_LOOP_ROW, False)])
def test_rows_that_are_rounding_are_left_out(size, kept):
    rows = np.array([[0.1, 0.2, 0.3, 3.0, 4.0], [0.4, 0.5, 0.6, 3.0 * size, 4.0 * size]])
    result = np.ones((2, 5))
    clean_rows(rows, result, 2, 2, 3)
    np.testing.assert_array_equal(result[0], rows[0])
    np.testing.assert_array_equal(result[1, :3], rows[1, :3])
    np.testing.assert_array_equal(result[1, 3:], rows[1, 3:] if kept else [0.0, 0.0])
