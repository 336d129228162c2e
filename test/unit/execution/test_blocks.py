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

"""Systems of blocks along chains and trees, against dense solutions."""

from fractions import Fraction

from hypothesis import given, strategies as st
import numpy as np
import pytest

from mbd_ros.execution.stacks.blocks import (
    eliminate_chain, eliminate_chunks, eliminate_tree, reduce_cyclically, solve_definite)

SIZE, MANY = 3, 2


def system(parents, seed):
    """Return a definite matrix (n b, n b) for each state whose joints couple at their bodies."""
    rng = np.random.default_rng(seed)
    n = len(parents)
    rows = np.zeros((MANY, n, SIZE, n, SIZE))
    for i, parent in enumerate(parents):   # as Phi: a joint moves its own body and its parent
        rows[:, i, :, i] = rng.normal(size=(MANY, SIZE, SIZE)) + 2.0 * np.eye(SIZE)
        if parent >= 0:
            rows[:, i, :, parent] = rng.normal(size=(MANY, SIZE, SIZE))
    flat = rows.reshape(MANY, n * SIZE, n * SIZE)
    matrix = flat @ np.swapaxes(flat, 1, 2) + np.eye(n * SIZE)
    return matrix, rng.normal(size=(n, MANY, SIZE, 2))


def blocks_of(matrix, n):
    blocks = matrix.reshape(MANY, n, SIZE, n, SIZE)
    return lambda i, j: blocks[:, i, :, j]


def dense(matrix, right):
    n = len(right)
    found = np.linalg.solve(matrix, np.moveaxis(right, 0, 1).reshape(MANY, n * SIZE, -1))
    return np.moveaxis(found.reshape(MANY, n, SIZE, -1), 0, 1)


def with_half(half, inner, right):
    """Return the row of a block of which half the diagonal is given."""
    return half + half, inner, right


@pytest.mark.parametrize('n', [1, 2, 3, 4, 5, 8, 33, 64, 200])
def test_chains(n):
    matrix, right = system(range(-1, n - 1), n)
    block = blocks_of(matrix, n)
    diagonal = np.stack([block(i, i) for i in range(n)])
    inner = np.stack([block(i, i - 1) if i else 0.0 * block(0, 0) for i in range(n)])
    expected = dense(matrix, right)
    found = [eliminate_chain(diagonal, inner, right), reduce_cyclically(diagonal, inner, right)]
    found += [eliminate_chunks(with_half, (0.5 * diagonal, inner, right), count, threads)
              for count in (1, 2, 3, 7, n) for threads in (1, 2)]
    for one in found:
        # Definite by the unit matrix that is added: condition below 1e3.
        np.testing.assert_allclose(one, expected, atol=1e-12 * np.abs(expected).max())


@given(st.lists(st.integers(0, 100), min_size=1, max_size=12), st.integers(0, 99))
def test_trees(draws, seed):
    parents = [draw % (i + 1) - 1 for i, draw in enumerate(draws)]
    matrix, right = system(parents, seed)
    n, block = len(parents), blocks_of(matrix, len(parents))
    couplings = {(i, j): block(i, j)[None] for i in range(n) for j in range(i)
                 if parents[i] == j or parents[i] == parents[j] >= 0}
    found = eliminate_tree(np.stack([block(i, i) for i in range(n)]), couplings, right)
    expected = dense(matrix, right)
    # Condition below 1e4.
    np.testing.assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())


def test_chunks_do_not_depend_on_the_number_of_threads():
    matrix, right = system(range(-1, 99), 1)
    block = blocks_of(matrix, 100)
    arguments = (np.stack([block(i, i) for i in range(100)]),
                 np.stack([block(i, max(i - 1, 0)) * (i > 0) for i in range(100)]), right)
    alone = eliminate_chunks(with_half, arguments, 8)
    for threads in (2, 3, 8):
        assert np.array_equal(eliminate_chunks(with_half, arguments, 8, threads), alone)


def test_the_indefinite_is_told_from_the_definite():
    sound, hollow = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0, 1.0], [1.0, 1.0]])
    found = solve_definite(np.stack([sound, hollow, sound]), np.ones((3, 2, 1)))
    np.testing.assert_allclose(found[[0, 2]], 1.0 / 3.0)
    assert np.isnan(found[1]).all()


def test_any_kind_of_scalar():
    matrix = np.array([[Fraction(2), Fraction(1)], [Fraction(1), Fraction(2)]], dtype=object)
    found = solve_definite(matrix[None], np.array([[[Fraction(3)], [Fraction(3)]]], dtype=object))
    assert found.tolist() == [[[1], [1]]]
