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
Symbolic scalars that record what is computed with them.

A trace is a list of operations without repetition: equal operations on equal operands are recorded
once, and what is known beforehand is folded (``0 * x``, ``1 * x``, ``x - x``, ``(z / x) * x``).
Folding takes for granted that the inputs are finite; executors check that at the entry.

"""

from __future__ import annotations

from typing import Any, TypeAlias, Union

Operand: TypeAlias = Union['Symbol', float]


class Trace:
    """
    The operations recorded so far, each a ``Symbol``, in the order of their numbers.

    Attributes
    ----------
    symbol : type
        Kind of symbol that it makes.

    """

    symbol: type[Symbol]

    def __init__(self) -> None:
        self.operations: list[Symbol] = []
        self._known: dict[tuple[str, object, object], Symbol] = {}

    def input(self, argument: int | str, entry: int) -> Symbol:
        """Return the symbol of one entry of one argument."""
        return self.record('input', argument, entry)

    def record(self, name: str, first: Operand | int | str | tuple[Operand, ...],
               second: Operand | int | None = None) -> Symbol:
        """Return the symbol of an operation, recorded now or found."""
        key = (name, first, second)
        symbol = self._known.get(key)
        if symbol is None:
            symbol = self.symbol(self, len(self.operations), name, first, second)
            self.operations.append(symbol)
            self._known[key] = symbol
        return symbol

    def needed(self, results: list[Operand]) -> list[Symbol]:
        """Return the operations that results depend on, in order."""
        wanted = {result.number for result in results if isinstance(result, Symbol)}
        for symbol in reversed(self.operations):
            if symbol.number in wanted:
                wanted.update(x.number for x in symbol.operands())
        return [symbol for symbol in self.operations if symbol.number in wanted]


class Symbol:
    """
    A scalar whose value is not known yet.

    Attributes
    ----------
    trace : Trace
        Where it is recorded, under which ``number``.
    name : str
        Its operation: ``input, add, sub, mul, neg, inv, root, sin, cos, tanh, abs, step,
        or_infinite, or_nan`` or ``larger``; with lanes (``side_by_side.py``) also ``pack, lane``
        or ``half``.
    first, second : Symbol or float or int or str or tuple or None
        The operands; for an input argument (a number or a name) and entry.

    """

    __slots__ = ('first', 'name', 'number', 'second', 'trace')

    def __init__(self, trace: Trace, number: int, name: str, first: Any,
                 second: Any) -> None:
        self.trace = trace
        self.number = number
        self.name = name
        self.first = first
        self.second = second

    def operands(self) -> list[Symbol]:
        """Return the symbols that it depends on directly."""
        parts = self.first if self.name == 'pack' else (self.first, self.second)
        return [part for part in parts if isinstance(part, Symbol)]

    def __add__(self, other: Operand) -> Operand:
        if not isinstance(other, Symbol):
            return self if other == 0.0 else self.trace.record('add', self, float(other))
        if other.name == 'neg':
            return self - other.first
        if self.name == 'neg':
            return other - self.first
        if other.number < self.number:
            self, other = other, self
        return self.trace.record('add', self, other)

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Operand:
        if not isinstance(other, Symbol):
            return self if other == 0.0 else self.trace.record('add', self, -float(other))
        if other is self:
            return 0.0
        if other.name == 'neg':
            return self + other.first
        if self.name == 'neg':
            return -(self.first + other)
        return self.trace.record('sub', self, other)

    def __rsub__(self, other: Operand) -> Operand:
        if other == 0.0:
            return -self
        if self.name == 'neg':
            return self.first + other
        return self.trace.record('sub', other, self)

    def __neg__(self) -> Operand:
        if self.name == 'neg':
            return self.first
        if self.name == 'sub':
            return self.second - self.first
        return self.trace.record('neg', self)

    def __mul__(self, other: Operand) -> Operand:
        if not isinstance(other, Symbol):
            if other == 0.0:
                return 0.0
            if other == 1.0:
                return self
            if other == -1.0:
                return -self
            if self.name == 'neg':
                return self.first * -other
            return self.trace.record('mul', self, float(other))
        if self.name == 'neg':
            return -(self.first * other)
        if other.name == 'neg':
            return -(self * other.first)
        undone = _undone(self, other)
        if undone is None:
            undone = _undone(other, self)
        if undone is not None:
            return undone
        if other.number < self.number:
            self, other = other, self
        return self.trace.record('mul', self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Operand:
        if not isinstance(other, Symbol):
            return self * (1.0 / other)
        return self * other._inverse()

    def __rtruediv__(self, other: Operand) -> Operand:
        return self._inverse() * other

    def __pow__(self, exponent: int) -> Operand:
        if not isinstance(exponent, int):
            return NotImplemented
        power: Operand = 1.0
        for _ in range(abs(exponent)):
            power = power * self
        return power if exponent >= 0 else 1.0 / power

    def _inverse(self) -> Symbol:
        return self.trace.record('inv', self)

    def root(self) -> Symbol:
        """Return the square root."""
        return self.trace.record('root', self)

    def __abs__(self) -> Symbol:
        return self.trace.record('abs', self)

    def tanh(self) -> Symbol:
        """Return the hyperbolic tangent."""
        return self.trace.record('tanh', self)

    def step(self) -> Symbol:
        """Return 0 where it is 0 or less, else 1."""
        return self.trace.record('step', self)

    def sine(self) -> Symbol:
        """Return the sine."""
        return self.trace.record('sin', self)

    def cosine(self) -> Symbol:
        """Return the cosine."""
        return self.trace.record('cos', self)

    sin, cos, sqrt = sine, cosine, root   # by which NumPy knows them


Trace.symbol = Symbol


def _undone(product: Symbol, factor: Symbol) -> Operand | None:
    """Return z where a product z * (1/x) is multiplied by its x, else None."""
    if product.name == 'inv' and product.first is factor:
        return 1.0
    if product.name != 'mul':
        return None
    for inverse, rest in ((product.first, product.second), (product.second, product.first)):
        if isinstance(inverse, Symbol) and inverse.name == 'inv' and inverse.first is factor:
            return rest
    return None
