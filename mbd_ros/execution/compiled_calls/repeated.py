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

"""Steps of the implicit midpoint rule, one after the other in native code."""

from __future__ import annotations

from collections.abc import Callable
import ctypes

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.ir.machine_code import address_ir, MachineCode

Array = NDArray[np.float64]


def repeated(address: int, nq: int, nv: int, iterations: int, closing: int | None = None
             ) -> Callable[..., Array]:
    """
    Return ``(count, q, v, tau, step, world, rows) -> (count, nq + nv)``, states after each step.

    ``tau`` is (nv,) for all steps, or (count, nv).

    Parameters
    ----------
    address : int
        Of ``void kernel(q, v, tau, step, q_m, v_m, world, result)``, which gives a better middle
        of the step; the first is the start, and the end is as far beyond the last.
    nq, nv : int
        Sizes of q and v.
    iterations : int
        How often it is asked in a step.
    closing : int, optional
        Of ``void kernel(q, v, step, rows, world, result)``, which closes the loops at the end;
        the kernel above has ``rows`` before its world then.

    """
    size = nq + nv
    rows, end = ('ptr %rows, ', '%open') if closing is not None else ('', '%here')
    middles = []
    for n in range(iterations):
        at = (f'%q{n}', f'%v{n}') if n else ('%q', '%v')
        middles.append(
            f'  call void %kernel(ptr %q, ptr %v, ptr %effort, ptr %step, ptr {at[0]}, '
            f'ptr {at[1]}, {rows}ptr %world, ptr %middle{n})')
    spaces = [line for n in range(iterations) for line in (
        f'  %middle{n} = alloca double, i64 {size}, align 64',
        f'  %q{n + 1} = getelementptr double, ptr %middle{n}, i64 0',
        f'  %v{n + 1} = getelementptr double, ptr %middle{n}, i64 {nq}')]
    closes: list[str] = []
    if closing is not None:
        spaces += [address_ir('%closing', 1), f'  %open = alloca double, i64 {size}, align 64',
                   f'  %vopen = getelementptr double, ptr %open, i64 {nq}']
        closes = ['  call void %closing(ptr %open, ptr %vopen, ptr %step, ptr %rows, ptr %world, '
                  'ptr %here)']
    code = MachineCode('\n'.join([
        'define void @repeat(i64 %count, i64 %stride, ptr %start, ptr %tau, ptr %step, '
        'ptr %world, ptr %rows, ptr %result) nounwind {', 'entry:', address_ir('%kernel', 0),
        *spaces,
        '  br label %loop', 'loop:', '  %k = phi i64 [0, %entry], [%next, %ended]',
        '  %q = phi ptr [%start, %entry], [%here, %ended]',
        f'  %v = getelementptr double, ptr %q, i64 {nq}',
        '  %taken = mul i64 %k, %stride',
        '  %effort = getelementptr double, ptr %tau, i64 %taken',
        f'  %first = mul i64 %k, {size}',
        '  %here = getelementptr double, ptr %result, i64 %first', *middles,
        '  br label %beyond', 'beyond:', '  %i = phi i64 [0, %loop], [%after, %beyond]',
        f'  %mp = getelementptr double, ptr %middle{iterations - 1}, i64 %i',
        '  %op = getelementptr double, ptr %q, i64 %i',
        f'  %np = getelementptr double, ptr {end}, i64 %i',
        '  %m = load double, ptr %mp', '  %o = load double, ptr %op',
        '  %d = fsub double %m, %o', '  %e = fadd double %m, %d',
        '  store double %e, ptr %np', '  %after = add i64 %i, 1',
        f'  %on = icmp slt i64 %after, {size}', '  br i1 %on, label %beyond, label %ended',
        'ended:', *closes, '  %next = add i64 %k, 1', '  %more = icmp slt i64 %next, %count',
        '  br i1 %more, label %loop, label %done', 'done:', '  ret void', '}']),
        addresses=[address] if closing is None else [address, closing])
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 2, *[ctypes.c_void_p] * 6)(
        code.address('repeat'))

    def steps(count: int, q: Array, v: Array, tau: Array, step: float, world: Array, rows: Array
              ) -> Array:
        assert code, 'kept alive as long as the function that calls it'
        given = [np.concatenate([q, v]), np.ascontiguousarray(tau, np.float64), np.array([step]),
                 world, rows]
        result = np.empty((count, size))
        if count:
            call(count, nv if tau.ndim == 2 else 0, *(array.ctypes.data for array in given),
                 result.ctypes.data)
        return result

    return steps
