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

"""Identities of the Udwadia-Kalaba force on random systems."""

from hypothesis import given, settings, strategies
import numpy as np

from mbd_ros.control import constrained_acceleration

systems = strategies.tuples(
    strategies.integers(2, 8), strategies.integers(1, 8), strategies.integers(0, 2**32 - 1))


def random_system(n, m, seed, rank=None):
    """Return M, Q, A, b with eigenvalues of M in [0.1, 10] and rows of the rank asked for."""
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(n, n)))[0]
    M = basis @ np.diag(10.0 ** rng.uniform(-1, 1, n)) @ basis.T
    rank = min(n, m) if rank is None else rank
    left = np.linalg.qr(rng.normal(size=(m, m)))[0][:, :rank]
    right = np.linalg.qr(rng.normal(size=(n, n)))[0][:, :rank]
    A = left @ np.diag(rng.uniform(0.3, 3, rank)) @ right.T
    return M, rng.normal(size=n), A, A @ rng.normal(size=n)


# The systems have conditions below 1e4, so that 1e-10 leaves four digits beyond float64.
TIGHT = {'rtol': 1e-10, 'atol': 1e-10}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(systems)
def test_satisfies_newton_and_the_constraint(system):
    """``M qdd = Q + Q_c``, ``A qdd = b`` and ``Q_c = A^T lambda``."""
    M, Q, A, b = random_system(*system)
    solution = constrained_acceleration(M, Q, A, b)
    np.testing.assert_allclose(M @ solution.accelerations, Q + solution.constraint_force, **TIGHT)
    np.testing.assert_allclose(A @ solution.accelerations, b, **TIGHT)
    np.testing.assert_allclose(A.T @ solution.multipliers, solution.constraint_force, **TIGHT)
    np.testing.assert_allclose(solution.residual, 0, atol=1e-10)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(systems, strategies.integers(1, 4))
def test_force_does_no_work_on_free_displacements(system, rank):
    """``w^T Q_c = 0`` for every w in the null space of A."""
    n, m, seed = system
    M, Q, A, b = random_system(n, m, seed, min(rank, n, m))
    _, sigma, directions = np.linalg.svd(A)
    free = directions[int((sigma > 1e-12).sum()):]
    np.testing.assert_allclose(
        free @ constrained_acceleration(M, Q, A, b).constraint_force, 0, atol=1e-10)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(systems, strategies.integers(1, 8))
def test_equals_the_dense_lagrange_system(system, rank):
    """The same accelerations as the least-squares solution of ``[[M, -A^T], [A, 0]]``."""
    n, m, seed = system
    M, Q, A, b = random_system(n, m, seed, min(rank, n, m))
    kkt = np.block([[M, -A.T], [A, np.zeros((m, m))]])
    dense = np.linalg.lstsq(kkt, np.concatenate([Q, b]), rcond=1e-12)[0]
    solution = constrained_acceleration(M, Q, A, b)
    # lstsq minimizes the norm of accelerations and multipliers together; the accelerations are
    # unique, so that the multipliers of least norm are the same.
    np.testing.assert_allclose(solution.accelerations, dense[:n], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(solution.multipliers, dense[n:], rtol=1e-8, atol=1e-8)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(systems, strategies.integers(0, 2**32 - 1))
def test_scaling_and_duplicating_rows_changes_nothing(system, seed):
    """Rows in other units and repeated rows describe the same constraint."""
    M, Q, A, b = random_system(*system)
    expected = constrained_acceleration(M, Q, A, b)
    rng = np.random.default_rng(seed)
    # Dependent rows determine the answer together, weighted by their scale: rounding in the
    # largest then hides the smallest. Independent rows do not disturb each other.
    decades = 6 if len(b) <= M.shape[0] else 1
    scale = 10.0 ** rng.uniform(-decades, decades, len(b))
    repeated = rng.integers(0, len(b), len(b) + 3)
    order = np.concatenate([np.arange(len(b)), repeated])
    for rows, right_side in ((A * scale[:, None], b * scale), (A[order], b[order])):
        solution = constrained_acceleration(M, Q, rows, right_side)
        assert solution.rank == expected.rank
        # 1e-9: dependent rows scaled apart by 100 cost one digit more.
        np.testing.assert_allclose(
            solution.accelerations, expected.accelerations, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(
            solution.constraint_force, expected.constraint_force, rtol=1e-9, atol=1e-9)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(systems)
def test_is_nearest_to_the_free_acceleration(system):
    """Gauss's principle: every other admissible acceleration is farther, in the metric of M."""
    M, Q, A, b = random_system(*system)
    qdd = constrained_acceleration(M, Q, A, b).accelerations
    free = np.linalg.solve(M, Q)
    _, sigma, directions = np.linalg.svd(A)
    null = directions[int((sigma > 1e-12).sum()):]
    other = qdd + np.random.default_rng(system[2]).normal(size=len(null)) @ null

    def distance(candidate):
        return (candidate - free) @ M @ (candidate - free)
    assert distance(qdd) <= distance(other) + 1e-10


@settings(max_examples=40, deadline=None, derandomize=True)
@given(systems)
def test_conflict_is_the_least_squares_compromise(system):
    """What the Moore-Penrose inverse of ``A M^-1/2`` would give, for random right-hand sides."""
    n, m, seed = system
    M, Q, A, _ = random_system(n, m, seed, max(1, min(n, m) - 1))
    b = np.random.default_rng(seed + 1).normal(size=m)
    values, vectors = np.linalg.eigh(M)
    root = vectors @ np.diag(np.sqrt(values)) @ vectors.T
    inverse = vectors @ np.diag(1 / np.sqrt(values)) @ vectors.T
    free = np.linalg.solve(M, Q)
    force = root @ np.linalg.pinv(A @ inverse, rcond=1e-10) @ (b - A @ free)
    solution = constrained_acceleration(M, Q, A, b)
    np.testing.assert_allclose(solution.constraint_force, force, rtol=1e-9, atol=1e-9)
