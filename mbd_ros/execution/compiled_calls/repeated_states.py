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

"""Steps of a run, one after the other in native code, each from the state before."""

from __future__ import annotations

from collections.abc import Callable
import ctypes

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.compiled_calls.fused import FusedCode
from mbd_ros.execution.ir.machine_code import address_ir, MachineCode

Array = NDArray[np.float64]


def repeated_states(step: FusedCode, size: int, stride: int
                    ) -> Callable[[int, Array, Array, Array], Array]:
    """
    Return ``(count, start, given, constants) -> (count, size)``, the states after each step.

    Parameters
    ----------
    step : FusedCode
        ``void kernel(state, given, constants, result)``.
    size : int
        Of a state.
    stride : int
        By how many entries what is given to a step begins after that of the step before.

    """
    code = MachineCode('\n'.join([
        'define void @repeat(i64 %count, ptr %start, ptr %given, ptr %constants, ptr %result) '
        'nounwind {', 'entry:', address_ir('%kernel', 0), '  br label %loop', 'loop:',
        '  %k = phi i64 [0, %entry], [%next, %loop]',
        '  %state = phi ptr [%start, %entry], [%here, %loop]',
        f'  %first = mul i64 %k, {size}', f'  %row = mul i64 %k, {stride}',
        '  %here = getelementptr double, ptr %result, i64 %first',
        '  %rows = getelementptr double, ptr %given, i64 %row',
        '  call void %kernel(ptr %state, ptr %rows, ptr %constants, ptr %here)',
        '  %next = add i64 %k, 1', '  %more = icmp slt i64 %next, %count',
        '  br i1 %more, label %loop, label %done', 'done:', '  ret void', '}']),
        addresses=[step.address])
    call = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * 4)(code.address('repeat'))

    def steps(count: int, start: Array, given: Array, constants: Array) -> Array:
        assert code and step, 'kept alive as long as the function that calls them'
        handed = [np.ascontiguousarray(part, np.float64) for part in (start, given, constants)]
        result = np.empty((count, size))
        if count:
            call(count, *(part.ctypes.data for part in handed), result.ctypes.data)
        return result

    return steps
