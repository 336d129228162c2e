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
Derivatives of what a trace has recorded, in the same trace.

Every operation is differentiated by its rule and recorded like any other, so that derivatives of
derivatives need nothing more, and what is shared is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import math
import operator
from typing import Any

from mbd_ros.execution.ir.trace import Operand, Symbol, Trace
from mbd_ros.spatial import absolute, cosine, larger, or_infinite, or_nan, root, sine, step, tanh

OF_ONE: dict[str, Callable[[Any], Any]] = {
    'neg': operator.neg, 'root': root, 'sin': sine, 'cos': cosine, 'tanh': tanh, 'abs': absolute,
    'step': step}
OR = {'or_infinite': or_infinite, 'or_nan': or_nan}


def tangents(trace: Trace, results: Sequence[Operand], seeds: Mapping[Symbol, Operand]
             ) -> list[Operand]:
    """
    Return the rates of results for given rates of inputs (forward mode).

    Parameters
    ----------
    trace : Trace
        Where the results are recorded; their derivatives are recorded there, too.
    results : sequence of Operand
        What is differentiated.
    seeds : mapping of Symbol to Operand
        Rate of each input; inputs that are not named are constant.

    Returns
    -------
    list of Operand
        One rate for each result.

    """
    rates: dict[int, Operand] = {}
    for symbol in trace.needed(list(results)):
        total: Operand = 0.0
        if symbol.name == 'input':
            total = seeds.get(symbol, 0.0)
        elif any(rates[one.number] != 0.0 for one in symbol.operands()):
            for operand, slope in slopes(symbol):
                if isinstance(operand, Symbol):
                    total = total + rates[operand.number] * slope
        rates[symbol.number] = total
    return [rates[one.number] if isinstance(one, Symbol) else 0.0 for one in results]


def gradients(trace: Trace, results: Sequence[Operand], weights: Sequence[Operand],
              inputs: Sequence[Symbol]) -> list[Operand]:
    """
    Return the derivatives of a weighted sum of results by inputs (reverse mode).

    Parameters
    ----------
    trace : Trace
        Where the results are recorded; the derivatives are recorded there, too.
    results, weights : sequence of Operand
        What is differentiated: the sum of their products, the weights held.
    inputs : sequence of Symbol
        By which.

    Returns
    -------
    list of Operand
        One derivative for each input.

    """
    totals: dict[int, Operand] = {}

    def add(operand: Operand, share: Operand) -> None:
        if isinstance(operand, Symbol):
            totals[operand.number] = totals.get(operand.number, 0.0) + share

    for result, weight in zip(results, weights):
        add(result, weight)
    for symbol in reversed(trace.needed(list(results))):
        total = totals.get(symbol.number, 0.0)
        if symbol.name != 'input' and total != 0.0:
            for operand, slope in slopes(symbol):
                add(operand, total * slope)
    return [totals.get(one.number, 0.0) for one in inputs]


def slopes(symbol: Symbol) -> tuple[tuple[Operand, Operand], ...]:
    """
    Return what an operation depends on, each with the derivative by it.

    An operand that is there twice is named twice.
    """
    x, y = symbol.first, symbol.second
    if symbol.name in ('add', 'sub'):
        return (x, 1.0), (y, 1.0 if symbol.name == 'add' else -1.0)
    if symbol.name == 'mul':
        return (x, y), (y, x)
    if symbol.name == 'larger':
        first = step(x - y)
        return (x, first), (y, 1.0 - first)
    if symbol.name in OR:
        return (x, 1.0),
    if symbol.name not in OF_ONE and symbol.name != 'inv':
        raise NotImplementedError(f'the derivative of {symbol.name}')
    return (x, _slope(symbol, x)),


def _slope(symbol: Symbol, x: Symbol) -> Operand:
    """Return the derivative of an operation on one operand."""
    if symbol.name == 'neg':
        return -1.0
    if symbol.name == 'inv':
        return -(symbol * symbol)
    if symbol.name == 'root':
        return 0.5 / symbol
    if symbol.name == 'sin':
        return x.cosine()
    if symbol.name == 'cos':
        return -x.sine()
    if symbol.name == 'tanh':
        return 1.0 - symbol * symbol
    return step(x) - step(-x) if symbol.name == 'abs' else 0.0   # of a step


def evaluate(trace: Trace, results: Sequence[Operand],
             inputs: Mapping[tuple[int | str, int], Operand]) -> list[Operand]:
    """
    Return the values of results, operation by operation.

    Parameters
    ----------
    trace : Trace
        Where the results are recorded.
    results : sequence of Operand
        What is wanted.
    inputs : mapping of (argument, entry) to Operand
        Values of the inputs: numbers, or symbols of one other trace, where all is recorded anew.

    Returns
    -------
    list of Operand
        One value for each result.

    """
    values: dict[int, Operand] = {}

    def value(operand: object) -> Operand:
        return (values[operand.number] if isinstance(operand, Symbol)
                else float(operand))  # type: ignore[arg-type]

    for symbol in trace.needed(list(results)):
        x, y = symbol.first, symbol.second
        if symbol.name == 'input':
            values[symbol.number] = inputs[x, y]
        elif symbol.name in ('add', 'sub', 'mul'):
            left, right = value(x), value(y)
            values[symbol.number] = (left + right if symbol.name == 'add' else
                                     left - right if symbol.name == 'sub' else left * right)
        elif symbol.name == 'inv':
            divisor = value(x)
            values[symbol.number] = (1.0 / divisor if isinstance(divisor, Symbol) or divisor
                                     else math.inf)
        elif symbol.name in OR:
            values[symbol.number] = OR[symbol.name](value(x), value(y))
        elif symbol.name == 'larger':
            values[symbol.number] = larger(value(x), value(y))
        else:
            values[symbol.number] = OF_ONE[symbol.name](value(x))
    return [value(result) for result in results]
