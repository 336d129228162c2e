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

"""Functions with loops: as machine code they do what they do as Python."""

import ctypes
import math

import numpy as np
import pytest

from mbd_ros.execution.ir.loop_code import cold, loop_code

LIMIT = 0.5


def run(function, arrays, sizes=(), *, written_out=False):
    """Return copies of arrays after machine code of a function has been at them."""
    copies = [array.copy() for array in arrays]
    code = loop_code(function, [array.shape for array in arrays], sizes, written_out=written_out)
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(code.address)(
        *(copy.ctypes.data for copy in copies))
    return copies


def square_of(row, n: int) -> float:
    """Return the squared length of a row."""
    total = 0.0
    for i in range(n):
        total += row[i] * row[i]
    return total


def first_above(values, n: int) -> int:
    """Return where the first value above the limit is, n if there is none."""
    found = n
    for i in range(n):
        if values[i] > LIMIT and values[i] < math.inf:
            found = i
            break
    return found


def everything(A, b, result, n: int, m: int):
    """Use each kind of statement once."""
    own = np.zeros((n, m))
    for i in range(n - 1, -1, -1):
        for j in range(m):
            own[i, j] = A[i, j] / (1 + j) if A[i, j] > 0.0 else -A[i, j]
        result[i] = math.sqrt(square_of(own[i], m))
        if result[i] != result[0] or i == 1:
            result[i] -= abs(b[i % 2])
        else:
            result[i] += i
    tail(b[2:], result[n:n + 1], n - 2)
    result[n + 1] = first_above(b, n)
    result[n + 2] = int(b[0]) + 3 * (n - 1)


def tail(rest, total, n: int):
    """Sum what is handed over."""
    total[0] = 0.0
    for i in range(n):
        total[0] += rest[i]


@pytest.mark.parametrize('written_out', [False, True])
def test_each_kind_of_statement(written_out):
    rng = np.random.default_rng(2)
    for n, m in ((3, 1), (4, 7), (9, 16)):
        for _ in range(5):
            A, b, result = rng.normal(size=(n, m)), 3.0 * rng.normal(size=n), np.zeros(n + 3)
            found = run(everything, [A, b, result], [n, m], written_out=written_out)
            everything(A, b, result, n, m)
            assert (found[0] == A).all()
            # Sums of up to 16 numbers in another order.
            np.testing.assert_allclose(found[2], result, rtol=1e-14, atol=1e-14)


@cold
def halved(values, n: int):
    """Halve what is not small, up to the first that is."""
    for i in range(n):
        if abs(values[i]) < LIMIT:
            break
        values[i] = values[i] / 2.0


def sums_to_the_limit(A, result, n: int, m: int):
    """Sum rows as far as the entry at the diagonal says, through an array that was not empty."""
    row = np.empty(m)
    for i in range(n):
        for j in range(m):
            row[j] = A[i, j] if j > i else 1.0
        if i > 1:
            halved(row, m)
        result[i] = 0.0
        for j in range(int(A[i, i])):
            result[i] += row[j]


@pytest.mark.parametrize('written_out', [False, True])
def test_loops_that_are_written_out_beside_those_that_cannot_be(written_out):
    rng = np.random.default_rng(5)
    A, result = rng.normal(size=(4, 6)), np.zeros(4)
    np.fill_diagonal(A, [6.0, 0.0, 3.0, 5.0])
    found = run(sums_to_the_limit, [A, result], [4, 6], written_out=written_out)
    sums_to_the_limit(A, result, 4, 6)
    np.testing.assert_allclose(found[1], result, rtol=1e-14, atol=1e-14)   # six numbers
    assert result[1] == 0.0 != result[3]


def test_own_arrays_begin_at_zero_in_each_round():
    def rounds(result, n: int):
        for i in range(n):
            row = np.zeros(n)
            row[i] += 1.0
            for j in range(n):
                result[i, j] = row[j]
    found, = run(rounds, [np.full((3, 3), 7.0)], [3])
    assert (found == np.eye(3)).all()


def chained(values):
    """Compare three numbers at once."""
    if 0.0 < values[0] < 1.0:
        values[0] = 2.0


def inverted(values):
    """Use a sign that is no minus."""
    values[0] = +values[0]


def loop_with_else(values):
    """Let a loop say that it was not left."""
    for i in range(1):
        values[i] = 1.0
    else:
        values[0] = 2.0


@pytest.mark.parametrize('function', [chained, inverted, loop_with_else])
def test_what_it_cannot_translate_is_refused(function):
    with pytest.raises(AssertionError):
        loop_code(function, [(1,)])


def remainder(values, divisors, n: int):
    """Take the rest of a division."""
    for i in range(n):
        values[i] = values[i] % divisors[i]


def test_remainders_of_floats_have_the_sign_of_the_divisor():
    """Exactly as in Python, whose text it is."""
    rng = np.random.default_rng(8)
    values = np.concatenate([rng.uniform(-1e6, 1e6, 200), [0.0, -0.0, 3.4, -3.4, -1e-20, 1.7]])
    divisors = np.where(rng.uniform(size=206) < 0.5, 1.7, -1.7)
    found, _ = run(remainder, [values, divisors], (206,))
    remainder(values, divisors, 206)
    np.testing.assert_array_equal(found, values)
