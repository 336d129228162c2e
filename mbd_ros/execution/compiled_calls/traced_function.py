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

"""Plain functions of scalars as machine code: vectors in, one vector out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.compiled_calls.fast_call import fast_call
from mbd_ros.execution.ir.differentiation import evaluate
from mbd_ros.execution.ir.machine_code import MachineCode
from mbd_ros.execution.ir.sincos import sincos_ir
from mbd_ros.execution.ir.straight_line import SCALAR, StraightLine
from mbd_ros.execution.ir.trace import Operand, Symbol, Trace

Array = NDArray[np.float64]
Record: TypeAlias = Callable[..., Sequence[Operand]]


def machine_code_of(
    record: Record, sizes: Sequence[int], name: str, documentation: str, *,
    otherwise: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """
    Return a compiled function of vectors.

    Parameters
    ----------
    record : callable
        ``(trace, *arguments)`` to the results; each argument a list of symbols.
    sizes : sequence of int
        Length of each argument; none is empty.
    name, documentation : str
        ``__name__`` and ``__doc__``.
    otherwise : callable, optional
        Called with the same arguments where they are not (size,) arrays of finite float64 or a
        result is not finite. If not given, the operations are carried out one by one.

    Returns
    -------
    callable
        Takes one vector of float64 for each size; returns one new vector.

    """
    trace = Trace()
    arguments: list[list[Symbol]] = [
        [trace.input(argument, entry) for entry in range(size)]
        for argument, size in enumerate(sizes)]
    results = list(record(trace, *arguments))
    pointers = {k: f'%a{k}' for k in range(len(sizes))}
    block = StraightLine('s', pointers)
    parameters = ', '.join(f'ptr noalias readonly {pointer}' for pointer in pointers.values())
    lines = [sincos_ir(SCALAR),
             f'define void @kernel({parameters}, ptr noalias %result) nounwind {{',
             *block.compute(trace, results)]
    for entry, result in enumerate(results):
        lines += block.store(result, '%result', entry)
    code = MachineCode('\n'.join([*lines, '  ret void', '}']))

    def one_by_one(*given: Any) -> Any:
        assert code, 'kept alive as long as the function that calls it'
        if otherwise is not None:
            return otherwise(*given)
        inputs: dict[tuple[int | str, int], float] = {}
        for argument, vector in enumerate(given):
            for entry, value in enumerate(np.asarray(vector, np.float64).tolist()):
                inputs[argument, entry] = value
        return np.array(evaluate(trace, results, inputs), dtype=np.float64)
    return fast_call(code.address('kernel'), list(sizes), (), (len(results),), one_by_one, name,
                     documentation)
