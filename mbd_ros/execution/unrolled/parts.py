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
A long trace in parts of bounded length, each a function of its own.

The time to compile straight-line code grows faster than its length. Cut into parts, of which each
reads what earlier ones have put aside, it grows in proportion.

"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mbd_ros.execution.ir.trace import Operand, Symbol, Trace

LONGEST = 2000
"""Operations of a part."""
IN_PARTS = 12000
"""Operations from which on code is cut: below, one function is not yet slow to compile."""
ASIDE = 'aside'
"""Argument of inputs that read what earlier parts have put aside."""


class Part(NamedTuple):
    """
    Operations that follow each other.

    Attributes
    ----------
    trace : Trace
        The operations; inputs of the argument ``ASIDE`` come from earlier parts.
    aside, results : list of tuple
        Entry and scalar of what is put aside for later parts, and of what is a result.

    """

    trace: Trace
    aside: list[tuple[int, Operand]]
    results: list[tuple[int, Operand]]


def parted(trace: Trace, results: Sequence[Operand], longest: int) -> tuple[list[Part], int]:
    """
    Return the parts of a trace, and the number of values put aside.

    Parameters
    ----------
    trace : Trace
        The operations.
    results : sequence of Operand
        What is wanted of them.
    longest : int
        Operations of a part.

    Returns
    -------
    parts : list of Part
        In order; one if the trace is short.
    count : int
        Values put aside.

    """
    needed = [symbol for symbol in trace.needed(list(results)) if symbol.name != 'input']
    home = {symbol.number: k // longest for k, symbol in enumerate(needed)}
    count = max(1, -(-len(needed) // longest))
    crossing: dict[int, int] = {}
    for symbol in needed:
        for operand in symbol.operands():
            if home.get(operand.number, home[symbol.number]) < home[symbol.number]:
                crossing.setdefault(operand.number, len(crossing))
    wanted: list[list[tuple[int, Operand]]] = [[] for _ in range(count)]
    for entry, result in enumerate(results):
        number = result.number if isinstance(result, Symbol) else -1
        wanted[home.get(number, count - 1)].append((entry, result))
    parts = []
    for k in range(count):
        part = _Copy(k, home, crossing)
        for symbol in needed[k * longest:(k + 1) * longest]:
            part.of(symbol)
        aside = [(crossing[symbol.number], part.of(symbol))
                 for symbol in needed[k * longest:(k + 1) * longest] if symbol.number in crossing]
        parts.append(Part(part.trace, aside, [(entry, part.of(value))
                                              for entry, value in wanted[k]]))
    return parts, len(crossing)


class _Copy:
    """Copies operations of one part into a trace of its own."""

    def __init__(self, number: int, home: dict[int, int], crossing: dict[int, int]) -> None:
        self.trace = Trace()
        self._number, self._home, self._crossing = number, home, crossing
        self._copies: dict[int, Operand] = {}

    def of(self, operand: Operand) -> Operand:
        """Return what stands for an operand in this part."""
        if not isinstance(operand, Symbol):
            return operand
        copy = self._copies.get(operand.number)
        if copy is None:
            if operand.name == 'input':
                copy = self.trace.input(operand.first, operand.second)
            elif self._home[operand.number] < self._number:
                copy = self.trace.input(ASIDE, self._crossing[operand.number])
            else:
                first, second = (self.of(one) for one in (operand.first, operand.second))
                copy = self.trace.record(operand.name, first, second)
            self._copies[operand.number] = copy
        return copy
