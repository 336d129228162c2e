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

"""The operators |x|, max(0, x) and tanh: by floats, by traces, as machine code, differentiated."""

import ctypes

import numpy as np
import pytest

from mbd_ros.execution.compiled_calls.traced_function import machine_code_of
from mbd_ros.execution.ir.batch import batch_ir
from mbd_ros.execution.ir.differentiation import evaluate, tangents
from mbd_ros.execution.ir.machine_code import MachineCode, vector_lanes
from mbd_ros.execution.ir.sincos import sincos_ir
from mbd_ros.execution.ir.straight_line import declarations_ir, StraightLine, Width
from mbd_ros.execution.ir.trace import Trace
from mbd_ros.spatial import absolute, positive_part, tanh

OPERATORS = {'absolute': (absolute, np.abs), 'tanh': (tanh, np.tanh),
             'positive_part': (positive_part, lambda x: np.maximum(0.0, x))}
SPECIAL = [0.0, -0.0, 1e-310, -1e-310, 1e300, -1e300, np.inf, -np.inf, np.nan]
POINTS = np.array([*SPECIAL, *np.random.default_rng(5).normal(scale=3.0, size=23)])


def in_lanes(operator, values, lanes):
    """Return an operator of values by code of so many lanes."""
    trace, width = Trace(), Width(lanes)
    result = operator(trace.input(0, 0))
    block = StraightLine('s', {0: '%a0'}, width)
    kernel = MachineCode('\n'.join([
        sincos_ir(width), declarations_ir(width),
        'define void @kernel(ptr %a0, ptr %world, ptr %result) {', *block.compute(trace, [result]),
        *block.store(result, '%result', 0), '  ret void', '}']))
    loop = MachineCode(batch_ir([1], 1, width), addresses=[kernel.address('kernel')])
    found = np.empty_like(values)
    ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * 3)(loop.address('batch'))(
        len(values), values.ctypes.data, None, found.ctypes.data)
    return found


@pytest.mark.parametrize('name', OPERATORS)
def test_values(name):
    operator, peer = OPERATORS[name]
    expected = peer(POINTS)
    floats = [operator(x) for x in POINTS.tolist()]
    # Of tanh NumPy's own vector code and the C library's may differ in the last place or two.
    close = {'rtol': 1e-15, 'atol': 0.0, 'equal_nan': True}
    np.testing.assert_allclose(floats, expected, **close)
    code = machine_code_of(lambda trace, x: [operator(x[0])], (1,), name, 'an operator')
    np.testing.assert_array_equal([code(np.array([x]))[0] for x in POINTS], floats)
    for lanes in (2, vector_lanes()):
        np.testing.assert_array_equal(in_lanes(operator, POINTS, lanes), floats)


def test_zero_has_no_sign():
    assert np.copysign(1.0, absolute(-0.0)) == 1.0
    assert np.copysign(1.0, in_lanes(absolute, np.array([-0.0, -0.0]), 2)[0]) == 1.0


@pytest.mark.parametrize('name', OPERATORS)
def test_first_and_second_derivatives(name):
    operator, _ = OPERATORS[name]
    trace = Trace()
    x = trace.input(0, 0)
    value = operator(x * 2.0) * x
    first, = tangents(trace, [value], {x: 1.0})
    second, = tangents(trace, [first], {x: 1.0})
    for at in (-1.3, -0.2, 0.4, 2.0):
        h = 1e-4  # differences are off by h^2 times derivatives of order 10
        for rate, what in ((first, value), (second, first)):
            ahead, behind = (evaluate(trace, [what], {(0, 0): at + d})[0] for d in (h, -h))
            assert evaluate(trace, [rate], {(0, 0): at})[0] == pytest.approx(
                (ahead - behind) / (2.0 * h), abs=1e-6)


@pytest.mark.parametrize(('operator', 'slope'), [(absolute, 0.0), (positive_part, 1.0),
                                                 (tanh, 1.0)])
def test_slopes_at_zero_are_finite(operator, slope):
    trace = Trace()
    x = trace.input(0, 0)
    rate, = tangents(trace, [operator(x)], {x: 1.0})
    assert evaluate(trace, [rate], {(0, 0): 0.0}) == [slope]
