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

"""The operators, functions and methods that expressions of xacro may use; there are no others."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
import math
import operator
import re
from typing import Any

from mbd_ros.description.xml.xacro_bounds import Budget, check_bits, MAX_ENTRIES, Same

MAX_WIDTH = 999
"""Characters a text is filled up to, and digits a number is rounded to."""

MAX_DIGITS = 4000
"""Of a whole number as text."""

Function = Callable[..., Any]

_MATH = (
    'acos', 'acosh', 'asin', 'asinh', 'atan', 'atan2', 'atanh', 'ceil', 'copysign', 'cos', 'cosh',
    'degrees', 'dist', 'erf', 'erfc', 'exp', 'expm1', 'fabs', 'floor', 'fmod', 'fsum', 'gamma',
    'gcd', 'hypot', 'isclose', 'isfinite', 'isinf', 'isnan', 'ldexp', 'log', 'log10', 'log1p',
    'log2', 'modf', 'pow', 'radians', 'remainder', 'sin', 'sinh', 'sqrt', 'tan', 'tanh', 'trunc')
_CONSTANTS = ('pi', 'e', 'tau', 'inf', 'nan')
_TEXT = (
    'capitalize', 'count', 'endswith', 'find', 'index', 'isalnum', 'isalpha', 'isdecimal',
    'isdigit', 'islower', 'isnumeric', 'isspace', 'isupper', 'lower', 'lstrip', 'partition',
    'removeprefix', 'removesuffix', 'rfind', 'rindex', 'rpartition', 'rsplit', 'rstrip', 'split',
    'startswith', 'strip', 'swapcase', 'title', 'upper')
_PADDED = ('center', 'ljust', 'rjust', 'zfill')
_CONVERSION = re.compile(r'%(?:\([^()]*\))?[-+ #0]*\d{0,3}(?:\.\d{0,3})?[diouxXeEfFgGcrs%]')


class Operators:
    """
    Arithmetic with bounds: what could grow fast is looked at before it is computed.

    Parameters
    ----------
    budget : Budget
        Of the expansion.

    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self.binary: dict[type[ast.operator], Function] = {
            ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: self.product,
            ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: self.remainder,
            ast.Pow: self.power, ast.LShift: self.shifted, ast.RShift: operator.rshift,
            ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor}
        self.unary: dict[type[ast.unaryop], Function] = {
            ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Not: operator.not_,
            ast.Invert: operator.invert}
        self.compare: dict[type[ast.cmpop], Function] = {
            ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
            ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_,
            ast.IsNot: operator.is_not, ast.In: lambda item, group: item in group,
            ast.NotIn: lambda item, group: item not in group}

    def product(self, left: Any, right: Any) -> Any:
        """Return ``left * right``."""
        if isinstance(left, int) and isinstance(right, int):
            check_bits(left.bit_length() + right.bit_length())
        for sequence, count in ((left, right), (right, left)):
            if isinstance(sequence, (str, list, tuple)) and isinstance(count, int):
                self._budget.size(sequence, MAX_ENTRIES // max(count, 1))
        return left * right

    def power(self, base: Any, exponent: Any) -> Any:
        """Return ``base ** exponent``."""
        if isinstance(base, int) and isinstance(exponent, int):
            check_bits(base.bit_length() * abs(exponent))
        return base ** exponent

    def shifted(self, left: Any, right: Any) -> Any:
        """Return ``left << right``."""
        if isinstance(left, int) and isinstance(right, int):
            check_bits(left.bit_length() + right)
        return left << right

    def remainder(self, left: Any, right: Any) -> Any:
        """Return ``left % right``; of a text, with the values of ``right`` put in."""
        if isinstance(left, str):
            if '%' in _CONVERSION.sub('', left):
                raise ValueError('a text with other conversions than %d, %g, %s, ... and widths '
                                 f'above {MAX_WIDTH} is not allowed before %')
            places = left.count('%')
            self._budget.step(places * (self._budget.size(right) + MAX_WIDTH) // 10)
            self._budget.size(right, 10 * MAX_ENTRIES // max(places, 1))
        return left % right


class Functions:
    """
    Functions by name, as xacro offers them, and methods by the type they belong to.

    Parameters
    ----------
    budget : Budget
        Of the expansion.
    own : dict of str to callable
        What needs files and messages: the namespace ``xacro``.

    Attributes
    ----------
    spaces : dict of str to dict
        Functions and constants of the namespaces ``math``, ``python`` and ``xacro``.
    known : dict of str to callable
        Functions that need no namespace.
    takes_functions : set of callable
        Those whose arguments may be functions.

    """

    def __init__(self, budget: Budget, own: dict[str, Function]) -> None:
        self._budget = budget
        python: dict[str, Function] = {
            'abs': abs, 'all': all, 'any': any, 'bool': bool, 'dict': self._dict, 'divmod': divmod,
            'enumerate': self._enumerate, 'filter': self._filter, 'float': float,
            'frozenset': self._set, 'int': _whole, 'isinstance': self._is_a, 'len': len,
            'list': list,
            'map': self._map, 'max': max, 'min': min, 'ord': ord,
            'range': self._range, 'repr': repr, 'reversed': self._reversed, 'round': _rounded,
            'set': self._set, 'sorted': sorted, 'str': str, 'sum': self._sum, 'tuple': tuple,
            'zip': self._zip}
        functions: dict[str, Function] = {name: getattr(math, name) for name in _MATH}
        self.spaces: dict[str, dict[str, Any]] = {
            'math': functions | {name: getattr(math, name) for name in _CONSTANTS},
            'python': {**python}, 'xacro': {**own}}
        self.known = functions | own | python
        self.takes_functions: set[Function] = {self._map, self._filter, self._is_a}
        self._kinds = _KINDS | {self._set: set, self._dict: dict}
        self._methods: dict[type, dict[str, Function]] = {
            str: {name: getattr(str, name) for name in _TEXT} | {
                name: _padded(getattr(str, name)) for name in _PADDED} | {
                'join': self._join, 'replace': _replace},
            list: {name: getattr(list, name) for name in ('count', 'index')},
            tuple: {name: getattr(tuple, name) for name in ('count', 'index')},
            dict: {'get': dict.get, 'items': lambda owner: list(dict.items(owner)),
                   'keys': lambda owner: list(dict.keys(owner)),
                   'values': lambda owner: list(dict.values(owner))}}

    def method(self, owner: Any, name: str) -> Function | None:
        """Return a method of a value, to be called with it first; None if it has none."""
        for kind, methods in self._methods.items():
            if isinstance(owner, kind):
                return methods.get(name)
        return None

    def collected(self, values: Iterable[Any]) -> list[Any]:
        """Return values in a list, with a bound on what they are together."""
        found, room = [], MAX_ENTRIES
        for value in values:
            size = self._budget.size(value, room)
            self._budget.step(size)
            room -= size
            found.append(value)
        return found

    def _set(self, values: Any = ()) -> set[Any]:
        """Return a set; keys with one hash take a time that grows with the square of them."""
        found: set[Any] = set()
        same = Same()
        for value in values:
            before = len(found)
            found.add(value)
            if len(found) > before:
                same.add(value)
            self._budget.step()
        return found

    def _dict(self, values: Any = (), **named: Any) -> dict[Any, Any]:
        """Return a dictionary, likewise."""
        found: dict[Any, Any] = {}
        same = Same()
        for key, value in (values.items() if isinstance(values, dict) else values):
            before = len(found)
            found[key] = value
            if len(found) > before:
                same.add(key)
            self._budget.step()
        return found | named

    def _is_a(self, value: Any, *kinds: Function) -> bool:
        return isinstance(value, tuple(self._kinds[kind] for kind in kinds))

    def _map(self, function: Function, *lists: Any) -> list[Any]:
        return self.collected(function(*values) for values in self._zip(*lists))

    def _filter(self, function: Function | None, values: Any) -> list[Any]:
        return [value for value in values if (value if function is None else function(value))]

    def _zip(self, *lists: Any) -> list[Any]:
        if lists and min(map(len, lists)) * len(lists) > MAX_ENTRIES:
            raise ValueError(f'a value of more than {MAX_ENTRIES} entries is not allowed')
        return list(zip(*lists))

    def _enumerate(self, values: Any, start: int = 0) -> list[Any]:
        return list(enumerate(values, start))

    def _reversed(self, values: Any) -> list[Any]:
        return list(reversed(values))

    def _range(self, *bounds: int) -> range:
        made = range(*bounds)
        if len(made) > MAX_ENTRIES:
            raise ValueError(f'a range of more than {MAX_ENTRIES} entries is not allowed')
        return made

    def _sum(self, values: Any, start: Any = 0) -> Any:
        total = start
        for value in values:
            total = self._budget.checked(total + value)
            self._budget.step()
        return total

    def _join(self, between: str, parts: Any) -> str:
        texts = self.collected(parts)
        if len(between) * len(texts) > MAX_ENTRIES:
            raise ValueError(f'a value of more than {MAX_ENTRIES} entries is not allowed')
        return between.join(texts)


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    if (text.count(old) + 1) * len(new) > MAX_ENTRIES:
        raise ValueError(f'a value of more than {MAX_ENTRIES} entries is not allowed')
    return text.replace(old, new, count)


def _padded(method: Function) -> Function:
    """Return a method that fills a text up, with a bound on the width."""
    def bounded(text: str, width: int, *fill: str) -> Any:
        if width > MAX_WIDTH:
            raise ValueError(f'a width above {MAX_WIDTH} is not allowed')
        return method(text, width, *fill)
    return bounded


def _whole(value: Any = 0, *base: int) -> int:
    if isinstance(value, str) and len(value) > MAX_DIGITS:
        raise ValueError(f'a whole number of more than {MAX_DIGITS} digits is not allowed')
    return int(value, *base)


def _rounded(value: Any, digits: int | None = None) -> Any:
    if digits is not None and abs(digits) > MAX_WIDTH:
        raise ValueError(f'rounding to more than {MAX_WIDTH} digits is not allowed')
    return round(value, digits)


_KINDS: dict[Function, type] = {
    _whole: int, bool: bool, float: float, list: list, str: str, tuple: tuple}
