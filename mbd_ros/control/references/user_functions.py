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
Functions that a user writes on scalars, recorded once.

The function is called once, on symbols that refuse branches on numbers not
known yet. The recording is replayed wherever its value or derivatives are needed, so that a
variable it refers to may change afterwards without two answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import math
from numbers import Real
from typing import Any

import numpy as np

from mbd_ros.control.references.scalars import Row
from mbd_ros.errors import InvalidValueError, MbdError
from mbd_ros.execution.ir.differentiation import evaluate
from mbd_ros.execution.ir.trace import Operand, Symbol, Trace

ALLOWED = ('a function of its scalars by + - * /, whole and half powers, and sine, cosine and '
           'root of mbd_ros.spatial or sin, cos, tan and sqrt of NumPy, without branches')
SMOOTH = frozenset({'input', 'add', 'sub', 'mul', 'neg', 'inv', 'root', 'sin', 'cos'})


class UserScalar(Symbol):
    """A symbol as a user's function meets it: NumPy takes it, a branch does not."""

    __slots__ = ()
    __hash__ = Symbol.__hash__

    def __bool__(self) -> bool:
        raise TypeError('its value is not known while the function is recorded')

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        raise TypeError('== and != are not known while the function is recorded')

    def __add__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else super().__add__(other)

    def __sub__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else super().__sub__(other)

    def __mul__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else super().__mul__(other)

    def __truediv__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else super().__truediv__(other)

    def __pow__(self, exponent: Any) -> Any:
        twice = 2.0 * float(exponent) if isinstance(exponent, Real) else math.nan
        if not twice.is_integer():
            return NotImplemented
        return (super().__pow__(round(0.5 * twice)) if twice % 2.0 == 0.0
                else self.root().__pow__(round(twice)))

    __radd__, __rmul__ = __add__, __mul__

    def __pos__(self) -> UserScalar:
        return self

    def tan(self) -> Operand:
        """Return the tangent, under NumPy's name."""
        return self.sine() / self.cosine()

    def __repr__(self) -> str:
        """Return what an error message calls it."""
        return 'scalar'


class UserTrace(Trace):
    """A trace of symbols that a user's function may meet."""

    symbol = UserScalar


class UserFunction:
    """
    A user's function, as it was when it was given.

    ``call`` takes ``(function, *arguments)`` to its results, each argument a list of symbols of a
    length in ``sizes``; ``returned`` and ``what`` say in messages what it has to return, and what
    it is. ``text`` is equal for functions that do the same; ``size`` is the number of results.
    Raises InvalidValueError if the function does what cannot be recorded, or returns no scalars.
    """

    def __init__(self, function: Callable[..., Any], call: Callable[..., Any],
                 sizes: Sequence[int], *, returned: str = 'a sequence of scalars, not empty',
                 what: str = 'constraint function') -> None:
        self._trace = UserTrace()
        arguments = [[self._trace.input(k, i) for i in range(size)]
                     for k, size in enumerate(sizes)]
        self._name = getattr(function, '__name__', repr(function))
        try:
            found = call(function, *arguments)
            values = list(found) if np.iterable(found) else []
        except MbdError:
            raise
        except Exception as error:   # whatever the user's function raises
            raise InvalidValueError(
                what, f'{self._name} ({type(error).__name__}: {error})', ALLOWED) from error
        if not values or not all(isinstance(value, (Symbol, Real)) and not isinstance(value, bool)
                                 for value in values):
            raise InvalidValueError(what, f'{self._name}, returning {found!r}',
                                    f'one that returns {returned}')
        self._results = [value if isinstance(value, Symbol) else float(value)
                         for value in values]
        self.size = len(values)
        steps = self._trace.needed(self._results)
        for step in steps:
            if step.name not in SMOOTH:
                raise InvalidValueError(what, f'{self._name} ({step.name})', ALLOWED)
        self.text = ';'.join(
            [f'{step.number}={step.name} {_told(step.first)} {_told(step.second)}'
             for step in steps] + [_told(result) for result in self._results])

    def __call__(self, *arguments: Row) -> list[Operand]:
        """Return the results for arguments on scalars, floats or symbols of any trace."""
        inputs: dict[tuple[int | str, int], Operand] = {
            (k, i): value for k, row in enumerate(arguments) for i, value in enumerate(row)}
        return evaluate(self._trace, self._results, inputs)


def _told(operand: object) -> str:
    """Return an operand in words that tell any two apart."""
    return f's{operand.number}' if isinstance(operand, Symbol) else repr(operand)
