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

"""The IR of a trace: straight-line text for scalars or for lanes of a vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import math
import struct
from typing import Any

from mbd_ros.execution.ir.trace import Operand, Symbol, Trace

_ARITHMETIC = {'add': 'fadd contract', 'sub': 'fsub contract', 'mul': 'fmul contract'}
_UNLESS = {'or_infinite': math.inf, 'or_nan': math.nan}


@dataclass(frozen=True)
class Width:
    """How many states a value holds: 1 is a double, W a vector of W doubles."""

    lanes: int = 1

    @property
    def type(self) -> str:
        """Return the IR type of a value."""
        return 'double' if self.lanes == 1 else f'<{self.lanes} x double>'

    @property
    def suffix(self) -> str:
        """How the names of LLVM's intrinsic functions of such values end."""
        return 'f64' if self.lanes == 1 else f'v{self.lanes}f64'

    def constant(self, value: float) -> str:
        """Return the same constant in all lanes, as IR text."""
        bits = f'0x{struct.unpack("<Q", struct.pack("<d", value))[0]:016X}'
        return bits if self.lanes == 1 else self._repeated('double', bits)

    @property
    def integer(self) -> str:
        """Return the IR type of as many 64-bit integers."""
        return 'i64' if self.lanes == 1 else f'<{self.lanes} x i64>'

    def whole(self, value: int) -> str:
        """Return the same integer in all lanes, as IR text."""
        return str(value) if self.lanes == 1 else self._repeated('i64', str(value))

    def _repeated(self, kind: str, text: str) -> str:
        return '<' + ', '.join([f'{kind} {text}'] * self.lanes) + '>'


SCALAR = Width()


def declarations_ir(*widths: Width) -> str:
    """Return the declarations that straight-line code of these widths needs."""
    return '\n'.join(f'declare {kind} @llvm.sqrt.{suffix}({kind})' for kind, suffix in sorted(
        {(width.type, width.suffix) for width in widths}))


class StraightLine:
    """
    The IR of a trace, as part of a function.

    Parameters
    ----------
    prefix : str
        Makes the names of values unique within the function.
    pointers : mapping
        Where to read the inputs of each argument from: names of pointers, or of the values of
        its entries.
    width : Width
        How many states a value holds.
    common : sequence
        Arguments whose entries are single doubles, the same for all lanes.

    """

    def __init__(self, prefix: str, pointers: Mapping[Any, str | Mapping[int, str]],
                 width: Width = SCALAR,
                 common: Sequence[Any] = ()) -> None:
        self._prefix = prefix
        self._pointers = pointers
        self._width = width
        self._common = common if width.lanes > 1 else ()
        self._stores = 0
        self._angles: set[int] = set()
        self._done: set[int] = set()
        self._widths: dict[int, Width] = {}

    def compute(self, trace: Trace, results: Sequence[Operand], together: Width = SCALAR
                ) -> list[str]:
        """
        Return the instructions that compute results.

        Parameters
        ----------
        trace : Trace
            The operations.
        results : sequence of Operand
            What is wanted of them.
        together : Width
            How many sines and cosines of inputs to compute at a time, in scalar code.

        Returns
        -------
        list of str
            IR.

        """
        needed = trace.needed(list(results))
        lines = []
        for symbol in needed:
            self._widths[symbol.number] = self._width_of(symbol)
        if self._width == SCALAR and together != SCALAR:
            lines = self._angles_together(needed, together)
        left = [symbol for symbol in needed if symbol.number not in self._done
                and self._known(symbol) is None]
        self._done.update(symbol.number for symbol in left)
        return lines + [self._instruction(symbol) for symbol in left]

    def _angles_together(self, needed: list[Symbol], width: Width) -> list[str]:
        """Return the instructions for sines and cosines of inputs, several angles at a time."""
        wanted = {symbol.first.number: symbol.first for symbol in needed
                  if symbol.name in ('sin', 'cos') and _of_inputs(symbol.first, width.lanes)}
        if not wanted:
            return []
        places: dict[int, tuple[int, int]] = {}
        groups: list[list[Symbol]] = []
        for angle in sorted(wanted.values(), key=lambda one: -self._widths[one.number].lanes):
            scalars = angle.first if angle.name == 'pack' else (angle,)
            if not groups or len(groups[-1]) + len(scalars) > width.lanes:
                groups.append([])
            places[angle.number] = len(groups) - 1, len(groups[-1])
            groups[-1] += scalars
        if len(groups) == len(wanted):  # alone each
            return []
        inputs = {scalar.number: scalar for group in groups for scalar in group}
        lines = [self._instruction(scalar) for scalar in inputs.values()]
        self._done.update(inputs)
        kind = width.type
        for number, group in enumerate(groups):
            vector, pair = 'zeroinitializer', f'%{self._prefix}g{number}'
            for lane, angle in enumerate(group):
                new = f'{pair}v{lane}'
                lines.append(f'  {new} = insertelement {kind} {vector}, double '
                             f'{self.value(angle)}, i64 {lane}')
                vector = new
            lines.append(f'  {pair} = call {{{kind}, {kind}}} @sincos{width.lanes}({kind} '
                         f'{vector})')
            for part in (0, 1):
                lines.append(f'  {pair}p{part} = extractvalue {{{kind}, {kind}}} {pair}, {part}')
        for symbol in needed:
            if symbol.name in ('sin', 'cos') and symbol.first.number in places:
                number, first = places[symbol.first.number]
                part = 0 if symbol.name == 'sin' else 1
                lines.append(self._out_of(self.value(symbol), kind,
                                          f'%{self._prefix}g{number}p{part}', first,
                                          self._widths[symbol.number].lanes))
                self._done.add(symbol.number)
        return lines

    def _out_of(self, target: str, kind: str, vector: str, first: int, count: int) -> str:
        """Return the instruction that takes one or more neighbouring lanes out of a vector."""
        if count == 1:
            return f'  {target} = extractelement {kind} {vector}, i64 {first}'
        mask = ', '.join(f'i32 {first + k}' for k in range(count))
        return (f'  {target} = shufflevector {kind} {vector}, {kind} poison, '
                f'<{count} x i32> <{mask}>')

    def store(self, operand: Operand, pointer: str, entry: int | str) -> list[str]:
        """Return the instructions that store a value at an entry of an array."""
        place, kind = self._place(), self._width.type
        return [f'  {place} = getelementptr {kind}, ptr {pointer}, i64 {entry}',
                f'  store {kind} {self.value(operand)}, ptr {place}, align 8']

    def add(self, operand: Operand, pointer: str, entry: int) -> list[str]:
        """Return the instructions that add a value to an entry of an array."""
        place, kind = self._place(), self._width.type
        return [f'  {place} = getelementptr {kind}, ptr {pointer}, i64 {entry}',
                f'  {place}b = load {kind}, ptr {place}, align 8',
                f'  {place}s = fadd {kind} {place}b, {self.value(operand)}',
                f'  store {kind} {place}s, ptr {place}, align 8']

    def value(self, operand: Operand, width: Width | None = None) -> str:
        """Return the name of a symbol's value, or a constant as text."""
        if isinstance(operand, Symbol):
            return self._known(operand) or f'%{self._prefix}{operand.number}'
        return (width or self._width).constant(operand)

    def _known(self, symbol: Symbol) -> str | None:
        """Return the name of an input that is a value already."""
        values = self._pointers.get(symbol.first) if symbol.name == 'input' else None
        return values[symbol.second] if isinstance(values, Mapping) else None

    def _width_of(self, symbol: Symbol) -> Width:
        """Return how many lanes a value has; those of its operands are known."""
        if symbol.name == 'pack':
            return Width(len(symbol.first))
        if symbol.name in ('input', 'lane'):
            return self._width
        first, *others = (self._widths[part.number] for part in symbol.operands())
        if symbol.name == 'half':
            return Width(first.lanes // 2)
        if others and others[0] != first:
            raise TypeError(f'{symbol.name} of {first.lanes} and {others[0].lanes} lanes')
        return first

    def _place(self) -> str:
        self._stores += 1
        return f'%{self._prefix}w{self._stores}'

    def _instruction(self, symbol: Symbol) -> str:
        target, name, width = self.value(symbol), symbol.name, self._widths[symbol.number]
        kind = width.type
        if name == 'input':
            return self._read(target, symbol)
        if name == 'pack':
            return self._packed(target, symbol.first)
        if name in ('lane', 'half'):
            return self._taken(target, symbol)
        first = self.value(symbol.first, width)
        if name == 'neg':
            return f'  {target} = fneg {kind} {first}'
        if name == 'inv':
            return f'  {target} = fdiv {kind} {self.value(1.0, width)}, {first}'
        if name == 'root':
            return f'  {target} = call {kind} @llvm.sqrt.{width.suffix}({kind} {first})'
        if name == 'abs':
            return f'  {target} = call {kind} @llvm.fabs.{width.suffix}({kind} {first})'
        if name == 'tanh':
            return self._of_each_lane(target, 'tanh', first, width)
        if name == 'step':
            condition = kind.replace('double', 'i1')
            return (f'  {target}c = fcmp ugt {kind} {first}, {self.value(0.0, width)}\n'
                    f'  {target} = uitofp {condition} {target}c to {kind}')
        if name in ('sin', 'cos'):
            return self._sine_or_cosine(target, symbol)
        second = self.value(symbol.second, width)
        if name in _UNLESS:
            condition = kind.replace('double', 'i1')
            return (f'  {target}c = fcmp ugt {kind} {first}, {second}\n'  # NaN stays NaN
                    f'  {target} = select {condition} {target}c, {kind} {first}, '
                    f'{kind} {self.value(_UNLESS[name], width)}')
        if name == 'larger':
            condition = kind.replace('double', 'i1')
            return (f'  {target}c = fcmp ogt {kind} {first}, {second}\n'
                    f'  {target} = select {condition} {target}c, {kind} {first}, '
                    f'{kind} {second}')
        return f'  {target} = {_ARITHMETIC[name]} {kind} {first}, {second}'

    def _of_each_lane(self, target: str, function: str, value: str, width: Width) -> str:
        """Return the instructions that call a function of the C library for each lane."""
        if width.lanes == 1:
            return f'  {target} = call double @{function}(double {value})'
        lines, before = [], 'poison'
        for k in range(width.lanes):
            new = target if k == width.lanes - 1 else f'{target}v{k}'
            lines += [f'  {target}x{k} = extractelement {width.type} {value}, i64 {k}',
                      f'  {target}y{k} = call double @{function}(double {target}x{k})',
                      f'  {new} = insertelement {width.type} {before}, double {target}y{k}, '
                      f'i64 {k}']
            before = new
        return '\n'.join(lines)

    def _packed(self, target: str, scalars: Sequence[Operand]) -> str:
        """Return the instructions that make a vector of scalars."""
        count = len(scalars)
        kind = Width(count).type
        constants = ', '.join('double poison' if isinstance(scalar, Symbol)
                              else f'double {SCALAR.constant(scalar)}' for scalar in scalars)
        name, lines, places = f'<{constants}>', [], list(range(count))
        changing = [(k, scalar) for k, scalar in enumerate(scalars) if isinstance(scalar, Symbol)]
        if len(changing) == count and len(set(scalars)) == 1:
            changing, places = changing[:1], [0] * count
        for k, scalar in changing:
            new = f'{target}k{k}'
            lines.append(f'  {new} = insertelement {kind} {name}, double {self.value(scalar)}, '
                         f'i64 {k}')
            name = new
        mask = ', '.join(f'i32 {place}' for place in places)
        return '\n'.join([*lines, f'  {target} = shufflevector {kind} {name}, {kind} poison, '
                          f'<{count} x i32> <{mask}>'])

    def _taken(self, target: str, symbol: Symbol) -> str:
        """Return the instruction that takes a scalar or half of the lanes out of a vector."""
        width = self._widths[symbol.first.number]
        vector = f'{width.type} {self.value(symbol.first)}'
        if symbol.name == 'lane':
            return f'  {target} = extractelement {vector}, i64 {symbol.second}'
        half = width.lanes // 2
        return self._out_of(target, width.type, self.value(symbol.first), symbol.second * half,
                            half)

    def _read(self, target: str, symbol: Symbol) -> str:
        pointer, entry, kind = self._pointers[symbol.first], symbol.second, self._width.type
        if symbol.first not in self._common:
            return (f'  {target}p = getelementptr {kind}, ptr {pointer}, i64 {entry}\n'
                    f'  {target} = load {kind}, ptr {target}p, align 8')
        mask = f'<{self._width.lanes} x i32> zeroinitializer'
        return (f'  {target}p = getelementptr double, ptr {pointer}, i64 {entry}\n'
                f'  {target}d = load double, ptr {target}p\n'
                f'  {target}v = insertelement {kind} poison, double {target}d, i64 0\n'
                f'  {target} = shufflevector {kind} {target}v, {kind} poison, {mask}')

    def _sine_or_cosine(self, target: str, symbol: Symbol) -> str:
        """Return the instructions for a sine or cosine; one call gives both of an angle."""
        width, angle = self._widths[symbol.number], symbol.first
        kind = width.type
        both, lines = f'%{self._prefix}both{angle.number}', ''
        if angle.number not in self._angles:
            self._angles.add(angle.number)
            lines = (f'  {both} = call {{{kind}, {kind}}} @sincos{width.lanes}'
                     f'({kind} {self.value(angle)})\n')
        return (f'{lines}  {target} = extractvalue {{{kind}, {kind}}} {both}, '
                f'{0 if symbol.name == "sin" else 1}')


def _of_inputs(angle: Symbol, most: int) -> bool:
    """Return whether an angle is an input, or a vector of so many inputs at most."""
    if angle.name == 'pack':
        return len(angle.first) <= most and all(
            isinstance(scalar, Symbol) and scalar.name == 'input' for scalar in angle.first)
    return angle.name == 'input'
