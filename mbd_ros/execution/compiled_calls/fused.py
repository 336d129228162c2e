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

"""Several kernels of a robot and what is computed from their results, in one call from Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.compiled_calls.fast_call import fast_call
from mbd_ros.execution.ir.machine_code import address_ir, MachineCode
from mbd_ros.execution.ir.sincos import sincos_ir
from mbd_ros.execution.ir.straight_line import SCALAR, StraightLine
from mbd_ros.execution.ir.trace import Operand, Symbol, Trace


class Slice(NamedTuple):
    """
    The entries of an input or result from one of them on.

    Attributes
    ----------
    name : str
        Of the whole.
    first : int
        The entry.

    """

    name: str
    first: int


class Indirect(NamedTuple):
    """
    What the address points to that an entry of an input holds, bit for bit.

    Functions and arrays that come this way may be others at every call. As a float64 an address is
    a number near zero, and finite.

    Attributes
    ----------
    name : str
        Of the input.
    entry : int
        The entry.

    """

    name: str
    entry: int


Argument: TypeAlias = str | Slice | Indirect | int


class KernelCall(NamedTuple):
    """
    One call of a kernel.

    Attributes
    ----------
    address : int or Indirect
        Of ``void kernel(argument..., result)``.
    arguments : tuple of str, Slice, Indirect or int
        Names of inputs of the whole or of results of calls before; an int is an address.
    result : str
        Name of what it computes.
    size : int
        Number of entries of that.
    reference : callable, optional
        The same on arrays, those of the arguments that have names, for ``interpreted``.

    """

    address: int | Indirect
    arguments: tuple[Argument, ...]
    result: str
    size: int
    reference: Callable[..., Any] | None = None


class Computed(NamedTuple):
    """
    Something computed between the calls.

    Attributes
    ----------
    record : callable
        From symbols of all inputs and earlier results, by name, to the entries.
    result : str
        Name of what it computes.
    size : int
        Number of entries of that.

    """

    record: Callable[[dict[str, list[Symbol]]], Sequence[Operand]]
    result: str
    size: int


class _Given(dict[str, list[Symbol]]):
    """Symbols of all inputs and results by name, made when they are asked for."""

    def __init__(self, trace: Trace, sizes: Mapping[str, int]) -> None:
        super().__init__()
        self._trace, self._sizes = trace, sizes

    def __missing__(self, name: str) -> list[Symbol]:
        self[name] = [self._trace.input(name, entry) for entry in range(self._sizes[name])]
        return self[name]


class FusedCode(NamedTuple):
    """
    A fused function for other machine code to call.

    Attributes
    ----------
    address : int
        Of ``void kernel(input..., result)``; valid as long as this object lives.
    code, keep : MachineCode, object
        What the address belongs to, and what the addresses in it belong to.

    """

    address: int
    code: MachineCode
    keep: object


class Fused(NamedTuple):
    """
    A fused function, to be called from Python, too.

    Attributes
    ----------
    call : callable
        Takes one vector of float64 for each input and returns one new vector; None where an
        entry of an input or of the result is not finite or a size does not fit.
    address : int
        Of ``void kernel(input..., result)``, for further fusion.

    """

    call: Callable[..., Any]
    address: int


def fused(inputs: Mapping[str, int], parts: Sequence[KernelCall | Computed], name: str,
          keep: object) -> Fused:
    """
    Return a function that calls kernels and computes from inputs and their results.

    Parameters
    ----------
    inputs : mapping of str to int
        Sizes of the arguments by name, in order.
    parts : sequence of KernelCall or Computed
        What is done, in order; the last one computes what is returned.
    name : str
        Name of the function.
    keep : object
        Kept alive as long as the function: what the addresses belong to.

    Returns
    -------
    Fused
        The function.

    """
    code = fused_code(inputs, parts, keep)

    def otherwise(*arguments: object) -> None:
        assert code, 'kept alive as long as the function that calls it'
    return Fused(fast_call(code.address, list(inputs.values()), (), (parts[-1].size,), otherwise,
                           name, f'{name}({", ".join(inputs)})'), code.address)


def interpreted(inputs: Sequence[str], parts: Sequence[KernelCall | Computed]
                ) -> Callable[..., NDArray[np.float64]]:
    """
    Return what ``fused`` does, part by part on floats.

    Parameters
    ----------
    inputs : sequence of str
        Names of the arguments, in order.
    parts : sequence of KernelCall or Computed
        What is done, in order; every call with its ``reference``.

    Returns
    -------
    callable
        Takes one vector for each input and returns a new one.

    """
    def call(*given: NDArray[np.float64]) -> NDArray[np.float64]:
        known: dict[str, Any] = {name: array.tolist() for name, array in zip(inputs, given)}
        for part in parts:
            if isinstance(part, Computed):
                known[part.result] = list(part.record(known))
                continue
            assert part.reference is not None, part.result
            found = part.reference(*(np.array(known[name]) for name in part.arguments
                                     if isinstance(name, str)))
            known[part.result] = np.ravel(found).tolist()
        return np.array(known[parts[-1].result])
    return call


def fused_code(inputs: Mapping[str, int], parts: Sequence[KernelCall | Computed], keep: object
               ) -> FusedCode:
    """
    Return the same for other machine code alone, which takes half the time to make.

    Parameters
    ----------
    inputs, parts, keep
        As in ``fused``; of an input that only kernels read the size does not matter.

    """
    spaces = {**inputs, **{part.result: part.size for part in parts}}
    last = parts[-1]
    addresses: list[int] = []
    count = 0
    lines = [f'  %{part.result} = alloca [{part.size} x double], align 64'
             for part in parts[:-1]]
    where = {space: f'%{space}' for space in spaces} | {last.result: '%fused_result'}

    def address(value: int) -> str:
        pointer = f'%p{len(addresses)}'
        lines.append(address_ir(pointer, len(addresses)))
        addresses.append(value)
        return pointer

    def pointer(argument: Argument) -> str:
        nonlocal count
        if isinstance(argument, int):
            return address(argument)
        if isinstance(argument, str):
            return where[argument]
        count += 1
        lines.append(f'  %inside{count} = getelementptr double, ptr {where[argument.name]}, '
                     f'i64 {argument[1]}')
        if isinstance(argument, Slice):
            return f'%inside{count}'
        lines.append(f'  %pointed{count} = load ptr, ptr %inside{count}')
        return f'%pointed{count}'

    blocks: dict[Trace, StraightLine] = {}
    for part in parts:
        if isinstance(part, KernelCall):
            function = pointer(part.address)
            pointers = [pointer(argument) for argument in part.arguments]
            handed = ', '.join(f'ptr {pointer}' for pointer in [*pointers, where[part.result]])
            lines.append(f'  call void {function}({handed})')
            continue
        trace = Trace()
        results = list(part.record(_Given(trace, spaces)))
        assert len(results) == part.size, f'{part.result}: {len(results)} entries, not {part.size}'
        # Parts of one recording share their values: what one has computed others just use.
        trace = next((one.trace for one in results if isinstance(one, Symbol)), trace)
        block = blocks.setdefault(trace, StraightLine(f's{len(blocks)}_', where))
        lines += block.compute(trace, results)
        for entry, result in enumerate(results):
            lines += block.store(result, where[part.result], entry)
    parameters = ', '.join(f'ptr noalias readonly %{argument}' for argument in inputs)
    code = MachineCode('\n'.join([
        sincos_ir(SCALAR),
        f'define void @kernel({parameters}, ptr noalias %fused_result) nounwind {{',
        *lines, '  ret void', '}']), addresses=addresses)
    return FusedCode(code.address('kernel'), code, keep)
