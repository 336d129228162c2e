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

    def rate(operand: object) -> Operand:
        return rates[operand.number] if isinstance(operand, Symbol) else 0.0

    for symbol in trace.needed(list(results)):
        x, y = symbol.first, symbol.second
        if symbol.name == 'input':
            rates[symbol.number] = seeds.get(symbol, 0.0)
        elif symbol.name == 'add':
            rates[symbol.number] = rate(x) + rate(y)
        elif symbol.name == 'sub':
            rates[symbol.number] = rate(x) - rate(y)
        elif symbol.name == 'mul':
            rates[symbol.number] = rate(x) * y + x * rate(y)
        elif symbol.name == 'neg':
            rates[symbol.number] = -rate(x)
        elif symbol.name == 'inv':
            rates[symbol.number] = -(rate(x) * symbol * symbol)
        elif symbol.name in OR:
            rates[symbol.number] = rate(x)
        elif symbol.name == 'root':
            rates[symbol.number] = rate(x) * (0.5 / symbol)
        elif symbol.name == 'sin':
            rates[symbol.number] = rate(x) * x.cosine()
        elif symbol.name == 'cos':
            rates[symbol.number] = -(rate(x) * x.sine())
        elif symbol.name == 'tanh':
            rates[symbol.number] = rate(x) * (1.0 - symbol * symbol)
        elif symbol.name == 'abs':
            rates[symbol.number] = rate(x) * (step(x) - step(-x))
        elif symbol.name == 'step':
            rates[symbol.number] = 0.0
        elif symbol.name == 'larger':
            rates[symbol.number] = rate(y) + (rate(x) - rate(y)) * step(x - y)
        else:
            raise NotImplementedError(f'the derivative of {symbol.name}')
    return [rate(result) for result in results]


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
