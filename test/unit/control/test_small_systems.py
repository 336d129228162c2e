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

"""The equation in loops gives what the general form gives, and says where that has to decide."""

import ctypes
from pathlib import Path

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import Actuation
from mbd_ros.control.udwadia_kalaba.drives import driven
from mbd_ros.control.udwadia_kalaba.equation import constrained_acceleration
from mbd_ros.control.udwadia_kalaba.rank_facts import clear, CONFLICT, FACTS, KEPT, PIVOT, RANK
from mbd_ros.control.udwadia_kalaba.small_systems import (
    actuated_share, constrained_motion, least_step, limited_step, shortest_step)
from mbd_ros.control.udwadia_kalaba.solvers import limited_entry, solver, step_solver
from mbd_ros.dynamics.loops.closure import close_loops
from mbd_ros.dynamics.loops.efforts import driven_share

LEAST = 1e-8
URDF = Path(__file__).parents[3] / 'urdf'


def solved(M, Q, A, b, passive=0):
    """Return accelerations, force, multipliers, residual and facts, by machine code."""
    m, n = A.shape
    result = np.full(2 * (n + m) + FACTS, 7.0)   # all of it is written
    arrays = [np.ascontiguousarray(array, float) for array in (M, Q, A, b, result)]
    code = solver(n, m, passive)
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(code.address)(
        *(array.ctypes.data for array in arrays))
    return np.split(arrays[4], np.cumsum([n, n, m, m]))


def system(rng, n, m, rank):
    """Return a random system whose rows of different length have a rank."""
    root = rng.normal(size=(n, n))
    base = rng.normal(size=(rank, n))
    A = base if rank == m else np.vstack([base, rng.normal(size=(m - rank, rank)) @ base])
    A = A[rng.permutation(m)] * 10.0**rng.uniform(-1, 1, (m, 1))
    return root @ root.T + np.eye(n), rng.normal(size=n), A, A @ rng.normal(size=n)


@settings(max_examples=40, deadline=None)
@given(size=st.sampled_from([(1, 1, 1), (3, 3, 3), (4, 7, 4), (6, 4, 3), (12, 6, 6), (21, 21, 21),
                             (7, 9, 5)]),
       conflict=st.booleans(), seed=st.integers(0, 10**6))
def test_it_is_the_general_form(size, conflict, seed):
    n, m, rank = size
    rng = np.random.default_rng(seed)
    M, Q, A, b = system(rng, n, m, rank)
    if conflict:
        b = b + rng.normal(size=m)
    found = solved(M, Q, A, b)
    expected = constrained_acceleration(M, Q, A, b)
    facts = found[4]
    if not clear(facts, LEAST):
        assert facts[KEPT] < 1e-6   # random rows are seldom so near to each other
        return
    assert facts[RANK] == expected.rank == rank
    assert (facts[RANK] < m and facts[CONFLICT] > 1e-8) == expected.conflicting
    if expected.conflicting:   # the largest residual, in the scale of its row
        most = max(np.abs(expected.accelerations).max(), np.abs(
            expected.accelerations - np.linalg.solve(M, expected.constraint_force)).max())
        scale = np.abs(A).sum(1) * most + np.abs(b)
        assert facts[CONFLICT] == pytest.approx(
            (np.abs(expected.residual) / scale).max(), rel=1e-6)
    else:
        assert facts[CONFLICT] < 1e-8
    # Rounding times the condition: of M up to 1e3, of the rows its inverse margin, twice.
    loss = 1e-16 * 1e3 * n / min(facts[KEPT], facts[PIVOT])
    for one, other in zip(found, (expected.accelerations, expected.constraint_force,
                                  expected.multipliers, expected.residual)):
        scale = 1.0 + np.abs(other).max() + np.abs(expected.accelerations).max()
        np.testing.assert_allclose(one, other, rtol=0, atol=10.0 * loss * scale)


@settings(max_examples=30, deadline=None)
@given(size=st.sampled_from([(3, 3, 3), (6, 3, 3), (7, 6, 4), (4, 7, 4), (21, 21, 19)]),
       weighted=st.booleans(), seed=st.integers(0, 10**6))
def test_the_least_step_is_the_acceleration_of_a_robot_at_rest(size, weighted, seed):
    n, m, rank = size
    M, _, A, d = system(np.random.default_rng(seed), n, m, rank)
    M = M if weighted else np.eye(n)
    arrays = [*([M] * weighted), np.ascontiguousarray(A), d, np.full(n + FACTS, 7.0)]
    code = step_solver(n, m, weighted=weighted)
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(code.address)(
        *(array.ctypes.data for array in arrays))
    step, facts = arrays[-1][:n], arrays[-1][n:]
    if clear(facts, LEAST):
        expected = constrained_acceleration(M, np.zeros(n), A, d)
        assert facts[RANK] == expected.rank == rank
        # Rounding times the condition, as above.
        loss = 1e-16 * 1e3 * n / min(facts[KEPT], facts[PIVOT])
        scale = 1.0 + np.abs(expected.accelerations).max()
        np.testing.assert_allclose(step, expected.accelerations, rtol=0, atol=10.0 * loss * scale)
    else:
        assert facts[KEPT] < 1e-6   # random rows are seldom so near to each other


def test_the_text_is_python_too():
    """Without compilation, to rounding in another order."""
    rng = np.random.default_rng(1)
    for n, m, rank, passive in ((3, 2, 2, 0), (4, 5, 3, 0), (5, 3, 3, 2)):
        M, Q, A, b = system(rng, n, m, rank)
        result = np.full(2 * (n + m) + FACTS, 7.0)
        constrained_motion(M, Q, A, b, result, n, m, passive, m + 1)
        found = np.concatenate(solved(M, Q, A, b, passive))
        np.testing.assert_allclose(found, result, rtol=1e-9, atol=1e-10)


def test_rows_at_small_angles_have_the_rank_of_the_general_form():
    """Each may lie near the one before: those that come in their turn must not hide others."""
    rng, clear_ones = np.random.default_rng(7), 0
    for k in range(600):
        n, m = ((3, 3), (7, 6), (4, 7), (7, 9))[k % 4]
        rank = int(rng.integers(1, min(n, m) + 1))
        M, Q, _, _ = system(rng, n, m, rank)
        base = rng.normal(size=(rank, n))
        for i in range(1, rank):
            if rng.random() < 0.6:
                base[i] = base[i - 1] + 10.0**rng.uniform(-6, 0) * base[i]
        A = np.vstack([base, rng.normal(size=(m - rank, rank)) @ base])[rng.permutation(m)]
        b = A @ rng.normal(size=n)
        found, facts = np.split(np.concatenate(solved(M, Q, A, b)), [2 * (n + m)])
        if clear(facts, LEAST):
            clear_ones += 1
            expected = constrained_acceleration(M, Q, A, b)
            assert facts[RANK] == expected.rank
            # Some 1e3 operations that round, some in unlucky order, over angles and pivots.
            loss = 1e-12 / np.sqrt(facts[KEPT] * facts[PIVOT])
            np.testing.assert_allclose(
                found[:n], expected.accelerations, rtol=0,
                atol=loss * (1.0 + np.abs(expected.accelerations).max()))
    assert clear_ones > 300


def test_a_rank_in_doubt_is_said_to_be():
    rng = np.random.default_rng(3)
    M, Q, A, b = system(rng, 6, 3, 3)
    for part in (1e-5, 1e-7, 1e-9):
        near = np.vstack([A, A[0] + part * rng.normal(size=6)])
        assert not clear(solved(M, Q, near, np.append(b, b[0]))[4], LEAST)
    near = np.vstack([A, A[0] + 1e-15 * rng.normal(size=6)])
    facts = solved(M, Q, near, np.append(b, b[0]))[4]
    assert clear(facts, LEAST)
    assert facts[RANK] == 3
    M[:, 2] = M[2] = 0.0
    facts = solved(M, Q, A, b)[4]
    assert not clear(facts, LEAST)
    tiny = solved(np.eye(3), np.zeros(3), np.diag([1.0, 1.0, 1e-13]), np.ones(3))[4]
    assert not clear(tiny, LEAST)   # a row of rounding errors, or of very small units


@pytest.mark.parametrize('robot', ['five_bar', 'delta', 'stewart'])
@pytest.mark.parametrize('braced', [False, True])
def test_the_share_of_the_drives(robot, braced):
    """As many drives as freedoms, and all joints: two ways to hold a platform share by norm."""
    file, = URDF.glob(f'{robot}.urdf*')
    model = mbd_ros.load(file)
    dyn = mbd_ros.compile(model)
    names = [name for name in model.joint_names if braced or 'drive' in name or 'leg' in name
             and 'slide' in name]
    drives = [name for name, kind in zip(model.joint_names, model.joint_types)
              if kind.nv == 1 and name in names]
    if len(drives) < 2:
        drives = [name for name, kind in zip(model.joint_names, model.joint_types)
                  if kind.name == 'PRISMATIC']
    rng = np.random.default_rng(4)
    actuation = Actuation(model, drives)
    for _ in range(5):
        q, _ = close_loops(model, mbd_ros.model.state.integrate(
            model, mbd_ros.model.state.neutral(model), rng.uniform(-0.05, 0.05, model.nv)),
            np.zeros(model.nv))
        force = rng.normal(size=model.nv)
        expected = driven_share(dyn, q, force, drives)
        # The decision is left to the general form at a part of 1e-3: rounding times its inverse.
        np.testing.assert_allclose(driven(dyn, q, force, actuation), expected, rtol=0,
                                   atol=1e-11 * np.abs(expected).max())


@given(n=st.integers(2, 8), share=st.floats(0.0, 0.9), seed=st.integers(0, 10**6))
def test_efforts_that_let_actuated_joints_accelerate_alike(n, share, seed):
    """Against the equations of the passive joints, eliminated: ``M_pp q''_p = -M_pa q''_a``."""
    rng, passive = np.random.default_rng(seed), int(share * n)
    root = rng.normal(size=(n, n))
    M, force, result = root @ root.T + np.eye(n), rng.normal(size=n), np.full(n + FACTS, 7.0)
    actuated_share(M, force, result, n, passive)
    found, a, p = result[:n], slice(passive, None), slice(passive)
    wanted = np.linalg.solve(M, force)
    # M has a condition of up to 1e3; numbers of order 10.
    np.testing.assert_allclose(np.linalg.solve(M, found)[a], wanted[a], atol=1e-11)
    rest = np.linalg.solve(M[p, p], -M[p, a] @ wanted[a])
    np.testing.assert_allclose(found[a], M[a, p] @ rest + M[a, a] @ wanted[a], atol=1e-11)
    assert not found[p].any()
    assert clear(result[n:], LEAST)
    assert result[n:].tolist()[:PIVOT] == [0.0, 1.0, 0.0, 0.0]   # of rows, of which there are none
    assert result[n + PIVOT] == pytest.approx(
        (np.diag(np.linalg.cholesky(M))**2 / np.diag(M)).min(), rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(size=st.sampled_from([(3, 3), (6, 3), (7, 6), (9, 1)]), seed=st.integers(0, 10**6),
       part=st.floats(0.01, 0.99))
def test_a_step_that_is_too_long_becomes_the_damped_one_of_that_length(size, seed, part):
    """And one that is not stays the least one, at both sides of the limit."""
    n, m = size
    M, _, A, d = system(np.random.default_rng(seed), n, m, m)
    limited = limited_entry(n, m)
    least = limited(M.ravel(), A.ravel(), d, np.array((1e300,)))[:n]
    longest = np.abs(least).max()
    beyond, within = (limited(M.ravel(), A.ravel(), d, np.array((factor * longest,)))[:n]
                      for factor in (1.0 - 1e-6, 1.0 + 1e-6))
    np.testing.assert_array_equal(within, least)
    assert np.abs(beyond).max() < longest
    step = limited(M.ravel(), A.ravel(), d, np.array((part * longest,)))[:n]
    # The bisection leaves 1e-10 of the damping open; the length changes at most as fast.
    np.testing.assert_allclose(np.abs(step).max(), part * longest, rtol=1e-9)
    # x = M^-1 A^T w with (A M^-1 A^T + mu^2) w = d: what is left of d is along w.
    w = np.linalg.lstsq(A.T, M @ step, rcond=None)[0]
    left = d - A @ step
    mu = (left @ w) / (w @ w)
    assert mu > 0.0
    np.testing.assert_allclose(left, mu * w, atol=1e-6 * np.abs(d).max())


@settings(max_examples=12, deadline=None, derandomize=True)
@given(size=st.sampled_from([(3, 2, 2), (4, 4, 4), (5, 3, 2), (3, 4, 2)]),
       part=st.floats(0.1, 3.0), seed=st.integers(0, 10**6))
def test_steps_as_python_are_by_pseudo_inverses(size, part, seed):
    """The shortest, the least in the metric of M, and this damped until it is short enough."""
    n, m, rank = size
    M, _, A, d = system(np.random.default_rng(seed), n, m, rank)
    F = np.linalg.cholesky(M)
    Y = np.linalg.solve(F, A.T)
    least = np.linalg.solve(F.T, np.linalg.pinv(Y.T, rcond=1e-9) @ d)
    longest = np.abs(least).max()
    for step, arguments, expected in (
            (shortest_step, (A, d), np.linalg.pinv(A, rcond=1e-9) @ d),
            (least_step, (M, A, d), least),
            (limited_step, (M, A, d, np.array([part * longest])), least)):
        result = np.full(n + FACTS, 7.0)
        step(*arguments, result, n, m, m)
        found, facts = result[:n], result[n:]
        if not clear(facts, LEAST):
            continue
        assert facts[RANK] == rank
        assert facts[CONFLICT] == 0.0
        if step is shortest_step:
            assert facts[PIVOT] == 1.0
        else:
            assert facts[PIVOT] == pytest.approx((np.diag(F)**2 / np.diag(M)).min(), rel=1e-9)
        if step is limited_step and part < 1.0:
            # The bisection leaves 1e-10 of the damping open.
            assert np.abs(found).max() == pytest.approx(part * longest, rel=1e-9)
            damped = A @ np.linalg.solve(M, A.T)
            w = np.linalg.lstsq(A.T, M @ found, rcond=1e-9)[0]
            left = d - damped @ w   # mu^2 w
            np.testing.assert_allclose(left, (left @ w) / (w @ w) * w,
                                       atol=1e-6 * np.abs(d).max())
        else:
            # Conditions up to 1e4 of rows whose squared parts are above 1e-8.
            np.testing.assert_allclose(found, expected, rtol=0,
                                       atol=1e-7 * (1.0 + np.abs(expected).max()))
