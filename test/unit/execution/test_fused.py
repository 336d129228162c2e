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

"""Lists of parts: machine code of them, and the interpreter that is its reference."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from mbd_ros.execution.compiled_calls.call_recorder import CallRecorder
from mbd_ros.execution.compiled_calls.fused import Computed, fused, interpreted, KernelCall, Slice
from mbd_ros.execution.ir.loop_code import loop_code
from mbd_ros.spatial import larger, sine


def product(A, x, result, n):
    """Write ``A x`` for a matrix (n, n)."""
    for i in range(n):
        result[i] = 0.0
        for k in range(n):
            result[i] += A[i, k] * x[k]


def parts_of(code, n):
    """Return ``larger(A (A x), sin x)`` in parts, one argument from within another."""
    def reference(A, x):
        return A.reshape(n, n) @ x[:n]
    return [
        Computed(lambda given: [*given['x'], 1.0], 'longer', n + 1),
        KernelCall(code.address, ('A', 'longer'), 'once', n, reference),
        KernelCall(code.address, (Slice('A', 0), 'once'), 'unused', n, lambda x: 0.0 * x),
        KernelCall(code.address, ('A', 'once'), 'twice', n, reference),
        Computed(lambda given: [larger(a, sine(x)) for a, x in zip(given['twice'], given['x'])],
                 'all', n)]


@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 5), seed=st.integers(0, 2**16))
def test_what_is_interpreted_is_what_is_compiled(n, seed):
    rng = np.random.default_rng(seed)
    code = loop_code(product, [(n, n), (n,), (n,)], [n])
    parts = parts_of(code, n)
    A, x = rng.normal(size=n * n), rng.normal(size=n)
    found = fused({'A': n * n, 'x': n}, parts, 'example', code).call(A, x)
    # Rounding of sums of at most 5 numbers of order 10, twice.
    np.testing.assert_allclose(interpreted(('A', 'x'), parts)(A, x), found, rtol=0, atol=1e-12)
    matrix = A.reshape(n, n)
    np.testing.assert_allclose(found, np.maximum(matrix @ matrix @ x, np.sin(x)),
                               rtol=0, atol=1e-12)


def test_a_call_without_reference_cannot_be_interpreted():
    part = KernelCall(0, ('x',), 'nothing', 1)
    with pytest.raises(AssertionError, match='nothing'):
        interpreted(('x',), [part])(np.zeros(1))


@pytest.mark.parametrize(('parts', 'size'), [(13, 30), (112, 3)])
def test_values_of_different_parts_have_different_names(parts, size):
    """Value 23 of part 1 is not value 3 of part 12, and so on."""
    listed, last = [], 'x'
    for number in range(parts):
        listed.append(Computed(
            lambda given, last=last: [sine(a) + 0.1 * x for a, x in zip(given[last], given['x'])],
            f'r{number}', size))
        last = f'r{number}'
    x = np.linspace(-1.0, 1.0, size)
    # The slope of the sine is at most one: rounding of 112 parts adds up.
    np.testing.assert_allclose(fused({'x': size}, listed, 'many', None).call(x),
                               interpreted(('x',), listed)(x), rtol=1e-10, atol=0)


def smoothed(times, A, x, h):
    """Return ``x + h sum_k A^k x`` and its sum, by a function for the product."""
    found = x
    for _ in range(3):
        x = times(A, x)
        found = found + h * x
    return np.concatenate((found, [found.sum()]))


@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 5), seed=st.integers(0, 2**16))
def test_what_is_recorded_is_the_text_itself(n, seed):
    """Also of arguments that lie within another array, that have been computed, or are numbers."""
    rng = np.random.default_rng(seed)
    code = loop_code(product, [(n, n), (n,), (n,)], [n])
    step = CallRecorder({'A': n * n, 'data': n + 2, 'h': 1})

    def times(A, x):
        return step.call(code.address, (A, x), n)
    A, data, h = step.given.values()
    step.call(code.address, ('A', np.zeros(n, object)), n)   # whose result nobody needs
    found = step.fused(smoothed(times, A, data[1:-1], h), 'smoothed', code)
    A, data, h = rng.normal(size=(n, n)), rng.normal(size=n + 2), rng.normal(size=1)
    # Sums of at most 15 numbers of order 1000.
    np.testing.assert_allclose(found.call(A.ravel(), data, h),
                               smoothed(np.matmul, A, data[1:-1], h), rtol=1e-12, atol=1e-11)


def test_an_argument_is_stored_only_where_it_has_been_computed():
    step = CallRecorder({'x': 4})
    x = step.given['x']
    assert step.place(x) == Slice('x', 0)
    assert step.place(x[1:3]) == Slice('x', 1)
    assert not step.parts
    for other in (x[::-1], x[::2], 1.0 * x[:2] + x[2:], np.array([x[0], 1.0], object)):
        assert isinstance(step.place(other), str)
    assert len(step.parts) == 4
