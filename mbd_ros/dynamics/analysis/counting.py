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
Scalars that count: each operation is a node of a graph, with what it waits for.

Zeros and ones that are known beforehand are folded and changes of sign are free, as in code that
is made for one robot. A scalar carries its value, so that what is counted can be checked.

"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
import math
from typing import Any

Operand = Any
"""A ``Counted`` or a number."""


class Graph:
    """
    Operations in the order in which they were asked for.

    Attributes
    ----------
    kinds : list of str
        ``'mul'``, ``'add'``, ``'div'``, ``'function'``; ``'input'`` takes no time.
    waits : list of tuple of int
        The nodes whose results each one needs.

    """

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.waits: list[tuple[int, ...]] = []
        self._known: dict[tuple[str, int], Counted] = {}

    def input(self, value: float) -> Counted:
        """Return a scalar that is there from the beginning."""
        return self.node('input', value)

    def node(self, kind: str, value: float, *operands: Operand) -> Counted:
        """Return the result of an operation."""
        self.kinds.append(kind)
        self.waits.append(tuple(one.place for one in operands if isinstance(one, Counted)))
        return Counted(self, len(self.kinds) - 1, value)

    def function(self, name: str, value: float, operand: Counted) -> Counted:
        """Return a function of a scalar; the same one is evaluated once."""
        key = name, operand.place
        if key not in self._known:
            self._known[key] = self.node('function', value, operand)
        found = self._known[key]
        return found if found.value == value else -found

    def record(self, name: str, value: Operand, floor: Operand) -> Operand:
        """Return what guards a pivot: its value, as comparisons take part in no sum."""
        if name != 'larger':
            return value
        return self.node('function', max(number(value), number(floor)), value, floor)


def number(operand: Operand) -> float:
    """Return the value of an operand."""
    return operand.value if isinstance(operand, Counted) else float(operand)


class Counted:
    """A scalar of a graph; it has the functions that ``spatial`` and NumPy ask for."""

    __slots__ = ('place', 'trace', 'value')

    def __init__(self, trace: Graph, place: int, value: float) -> None:
        self.trace, self.place, self.value = trace, place, value

    def __neg__(self) -> Counted:
        """Return the scalar with the other sign, for nothing."""
        return Counted(self.trace, self.place, -self.value)

    def __add__(self, other: Operand) -> Operand:
        """Return the sum."""
        if not isinstance(other, Counted) and other == 0.0:
            return self
        return self.trace.node('add', self.value + number(other), self, other)

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Operand:
        """Return the difference."""
        return self + -other

    def __rsub__(self, other: Operand) -> Operand:
        """Return the difference, the other way round."""
        return -self + other

    def __mul__(self, other: Operand) -> Operand:
        """Return the product."""
        if not isinstance(other, Counted):
            if other == 0.0:
                return 0.0
            if abs(other) == 1.0:
                return self if other > 0.0 else -self
        return self.trace.node('mul', self.value * number(other), self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Operand:
        """Return the quotient."""
        if not isinstance(other, Counted):
            return self * (1.0 / other)
        return self.trace.node('div', self.value / other.value, self, other)

    def __rtruediv__(self, other: Operand) -> Operand:
        """Return the quotient, the other way round."""
        if other == 0.0:
            return 0.0
        return self.trace.node('div', number(other) / self.value, self)

    def sine(self) -> Counted:
        """Return the sine."""
        return self.trace.function('sine', math.sin(self.value), self)

    def cosine(self) -> Counted:
        """Return the cosine."""
        return self.trace.function('cosine', math.cos(self.value), self)

    def root(self) -> Counted:
        """Return the square root."""
        return self.trace.function('root', math.sqrt(self.value), self)

    sin, cos, sqrt = sine, cosine, root   # by which NumPy knows them


def needed(graph: Graph, results: Iterable[Operand]) -> list[int]:
    """Return the operations on which results depend, in their order, without inputs."""
    waiting = [one.place for one in results if isinstance(one, Counted)]
    found: set[int] = set()
    while waiting:
        place = waiting.pop()
        if place not in found:
            found.add(place)
            waiting.extend(graph.waits[place])
    return sorted(place for place in found if graph.kinds[place] != 'input')


def depths(graph: Graph, places: list[int]) -> dict[int, int]:
    """Return for each operation the length of the longest path that ends with it."""
    found: dict[int, int] = {}
    for place in places:
        found[place] = 1 + max((found.get(one, 0) for one in graph.waits[place]), default=0)
    return found


def kinds_of(graph: Graph, places: list[int]) -> Counter[str]:
    """Return how many operations there are of each kind."""
    return Counter(graph.kinds[place] for place in places)
