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

"""Derivatives of traces, and functions of scalars as machine code."""

import math

import numpy as np
import pytest

from mbd_ros.execution.compiled_calls.traced_function import machine_code_of
from mbd_ros.execution.ir.differentiation import evaluate, gradients, tangents
from mbd_ros.execution.ir.trace import Trace
from mbd_ros.spatial import absolute, cosine, larger, root, sine, tanh


def function(x, y):
    """Return one value made of every operation."""
    return sine(x * y) / (2.0 + y ** 2) - cosine(x - 3.0) * (-x) + (
        1.0 / (1.0 + x * x) + root(1.0 + x * x) ** -3)


def recorded():
    """Return a trace with its inputs and the function's value."""
    trace = Trace()
    x, y = trace.input(0, 0), trace.input(0, 1)
    return trace, x, y, function(x, y)


def test_first_and_second_derivatives():
    """Against the complex step, exact to rounding, and its central difference."""
    trace, x, y, value = recorded()
    dx, dy = (tangents(trace, [value], {axis: 1.0})[0] for axis in (x, y))
    dxy = tangents(trace, [dx], {y: 1.0})[0]
    at = {(0, 0): 0.7, (0, 1): -0.4}
    found = evaluate(trace, [value, dx, dy, dxy], at)

    def complex_function(x, y):
        return (np.sin(x * y) / (2 + y**2) - np.cos(x - 3) * -x + 1 / (1 + x * x)
                + np.sqrt(1 + x * x)**-3)
    h = 1e-30
    assert found[0] == pytest.approx(function(0.7, -0.4), rel=1e-15)
    assert found[1] == pytest.approx(complex_function(0.7 + 1j * h, -0.4).imag / h, rel=1e-14)
    assert found[2] == pytest.approx(complex_function(0.7, -0.4 + 1j * h).imag / h, rel=1e-14)
    d = 1e-5   # error of the difference: d^2 times third derivatives of order 1
    slope = [complex_function(0.7 + 1j * h, -0.4 + s * d).imag / h for s in (1, -1)]
    assert found[3] == pytest.approx((slope[0] - slope[1]) / (2 * d), abs=1e-8)


def test_gradients_are_tangents_transposed():
    """Reverse and forward mode of one function with every operation there is, both ways."""
    trace = Trace()
    x, y = trace.input(0, 0), trace.input(0, 1)
    values = [function(x, y), larger(x * x, y) - absolute(x * y) + tanh(x), 3.0, x, y * y]
    weights = [0.3, -1.1, 2.0, 0.7, trace.input(1, 0)]
    at = {(0, 0): 0.7, (0, 1): -0.4, (1, 0): 1.7}
    back = evaluate(trace, gradients(trace, values, weights, [x, y]), at)
    for found, axis in zip(back, (x, y)):
        columns = evaluate(trace, tangents(trace, values, {axis: 1.0}), at)
        assert found == pytest.approx(
            np.dot([*weights[:4], 1.7], columns), rel=1e-14)   # a dozen roundings


def test_inputs_without_a_seed_are_constant():
    trace, x, y, _ = recorded()
    assert tangents(trace, [x * 2.0, 3.0, y], {x: 5.0}) == [10.0, 0.0, 0.0]


def test_machine_code_gives_what_the_operations_give():
    """And falls back to them for lists and for results that are not finite."""
    code = machine_code_of(lambda trace, x, y: [function(x[0], y[0]), 1.0 / x[0], 7.0], (1, 1),
                           'f', 'a function')
    expected = [function(0.7, -0.4), 1 / 0.7, 7.0]
    np.testing.assert_allclose(code(np.array([0.7]), np.array([-0.4])), expected, rtol=1e-14)
    np.testing.assert_allclose(code([0.7], [-0.4]), expected, rtol=1e-14)
    assert math.isinf(code(np.array([0.0]), np.array([1.0]))[1])


def test_whole_powers_of_symbols():
    trace = Trace()
    x = trace.input(0, 0)
    assert evaluate(trace, [x ** 3, x ** -1, x ** 0], {(0, 0): 2.0}) == [8.0, 0.5, 1.0]
    with pytest.raises(TypeError):
        x ** 0.5


def test_the_larger_of_two():
    """The same by machine code and by operations, with constants on either side."""
    code = machine_code_of(lambda trace, x: [larger(x[0], x[1]), larger(x[0], 0.5),
                                             larger(-1.0, x[1])], (2,), 'f', 'a function')
    for x in ([0.2, -3.0], [-2.0, 0.7], [0.5, 0.5]):
        expected = [max(x), max(x[0], 0.5), max(x[1], -1.0)]
        assert code(np.array(x)).tolist() == expected
        assert code(x).tolist() == expected
