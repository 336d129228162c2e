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


"""
A function in NumPy that calls kernels, recorded once as the parts of a fused call.

The text is run on arrays of symbols. What it computes becomes straight-line code; where it calls
a kernel, the arguments are stored, and the result is a new array of symbols. On floats, with other
functions in place of the kernels, the same text runs as it stands.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.compiled_calls.fused import (
    Argument, Computed, Fused, fused, Indirect, KernelCall, Slice)
from mbd_ros.execution.ir.trace import Operand, Symbol, Trace

Symbols: TypeAlias = NDArray[Any]
"""Of ``Symbol`` and float, dtype object."""


class CallRecorder:
    """
    The parts of a function while it is recorded.

    Parameters
    ----------
    inputs : mapping of str to int
        Sizes of the arguments by name, as ``fused`` takes them.

    Attributes
    ----------
    given : dict of str to array
        The arguments, arrays (size,) of symbols.
    parts : list of KernelCall and Computed
        What has been recorded, for ``fused``.

    """

    def __init__(self, inputs: Mapping[str, int]) -> None:
        self._inputs, self._trace = dict(inputs), Trace()
        self.parts: list[KernelCall | Computed] = []
        self.given = {name: self._symbols(name, size) for name, size in inputs.items()}

    def call(self, address: int | Indirect, arguments: Sequence[Argument | Symbols], size: int
             ) -> Symbols:
        """
        Record the call of a kernel.

        Parameters
        ----------
        address : int or Indirect
            Of ``void kernel(argument..., result)``.
        arguments : sequence of array or Argument
            Arrays of symbols, or what ``KernelCall`` takes.
        size : int
            Number of entries of the result.

        Returns
        -------
        array
            (size,) symbols of the result.

        """
        places = tuple(self.place(one) if isinstance(one, np.ndarray) else one
                       for one in arguments)
        return self.include([KernelCall(address, places, f'call{len(self.parts)}', size)])

    def include(self, parts: Sequence[KernelCall | Computed]) -> Symbols:
        """Record parts that others have listed; return the symbols of the last one's result."""
        self.parts += parts
        return self._symbols(parts[-1].result, parts[-1].size)

    def place(self, array: Symbols) -> Argument:
        """Return where the entries of an array are, after they have been stored if need be."""
        entries = array.tolist()
        first = entries[0] if entries else None
        if isinstance(first, Symbol) and first.name == 'input' and all(
                isinstance(one, Symbol) and (one.name, one.first, one.second) == (
                    'input', first.first, first.second + k) for k, one in enumerate(entries)):
            return Slice(first.first, first.second)   # as they stand, of an input or a result
        name = f'array{len(self.parts)}'
        self._store(entries, name)
        return name

    def end(self, result: Sequence[Operand] | Symbols) -> list[KernelCall | Computed]:
        """Return all parts; the last one computes the result of the function."""
        self._store(list(result), 'end')
        return self.parts

    def fused(self, result: Sequence[Operand] | Symbols, name: str, keep: object) -> Fused:
        """Return the function with this result; see ``fused``."""
        return fused(self._inputs, self.end(result), name, keep)

    def _symbols(self, space: str, size: int) -> Symbols:
        found = np.empty(size, object)
        found[:] = [self._trace.input(space, entry) for entry in range(size)]
        return found

    def _store(self, entries: list[Operand], name: str) -> None:
        self.parts.append(Computed(lambda given: entries, name, len(entries)))
