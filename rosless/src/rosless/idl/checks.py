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

"""Checks of values assigned to message fields, with the texts of the generated classes."""

from __future__ import annotations

import array
from collections import UserList, UserString
from collections.abc import Callable, Sequence, Set
import math
from typing import Any
import warnings

from .definition import FieldType, FLOATS, INTEGER_LIMITS, NUMBERS
from .resolve import message_class

FLOAT32_MAX = 3.402823466e38
FLOAT64_MAX = 1.7976931348623157e308
_numpy: Any = None


def numpy() -> Any:
    """Return the module NumPy, imported when a field first needs it (it costs 0.1 s at start)."""
    global _numpy
    if _numpy is None:
        import numpy as module

        _numpy = module
    return _numpy


def dtype(kind: FieldType) -> Any:
    """Return the NumPy type of the elements of a numeric array."""
    return numpy().dtype('uint8' if kind.base == 'char' else kind.base)


def checker(name: str, kind: FieldType) -> Callable[[Any], Any]:
    """
    Return a function that checks a value for a field and returns what is to be stored.

    Parameters
    ----------
    name : str
        Name of the field, for the message of the AssertionError.
    kind : FieldType
        Type of the field.

    """
    if kind.kind == 'scalar':
        return _scalar(name, kind)
    if not kind.is_number:
        return _sequence(name, kind)
    return _number_array(name, kind) if kind.kind == 'array' else _number_sequence(name, kind)


def _scalar(name: str, kind: FieldType) -> Callable[[Any], Any]:
    base = kind.base
    if kind.is_message:
        cls: Any = None
        text = f"The '{name}' field must be a sub message of type '{base.split('/')[2]}'"

        def message(value: Any) -> Any:
            nonlocal cls
            if cls is None:
                cls = message_class(base)
            assert isinstance(value, cls), text
            return value

        return message
    if base in INTEGER_LIMITS:
        low, high = INTEGER_LIMITS[base]
        unsigned = 'unsigned integer' if low == 0 else 'integer'

        def integer(value: Any) -> Any:
            assert isinstance(value, int), f"The '{name}' field must be of type 'int'"
            assert low <= value <= high, (
                f"The '{name}' field must be an {unsigned} in [{low}, {high}]"
            )
            return value

        return integer
    if base in FLOATS:
        limit = _limit(base)
        label = 'float' if base == 'float32' else 'double'

        def real(value: Any) -> Any:
            assert isinstance(value, float), f"The '{name}' field must be of type 'float'"
            assert -limit <= value <= limit or not math.isfinite(value), (
                f"The '{name}' field must be a {label} in [-{limit}, {limit}]"
            )
            return value

        return real
    if base == 'bool':

        def boolean(value: Any) -> Any:
            assert isinstance(value, bool), f"The '{name}' field must be of type 'bool'"
            return value

        return boolean
    if base == 'byte':

        def octet(value: Any) -> Any:
            assert isinstance(value, (bytes, bytearray)) and len(value) == 1, (
                f"The '{name}' field must be of type 'bytes' or 'ByteString' with length 1"
            )
            return bytes(value)

        return octet
    bound = kind.string_bound

    def string(value: Any) -> Any:
        if bound is not None:
            assert isinstance(value, (str, UserString)) and len(value) <= bound, (
                f"The '{name}' field must be string value not longer than {bound}"
            )
        assert isinstance(value, str), f"The '{name}' field must be of type 'str'"
        return value

    return string


def _is_sequence(name: str, value: Any) -> bool:
    if isinstance(value, Set):
        warnings.warn(
            f"a set for the sequence field '{name}': it has no order, and is deprecated since ROS "
            '2 Lyrical; use a list', DeprecationWarning, stacklevel=4)
        return True
    return isinstance(value, (Sequence, UserList)) and not isinstance(value, (str, UserString))


def _size_text(kind: FieldType) -> str:
    if kind.kind == 'array':
        return f' with length {kind.size}'
    return '' if kind.size is None else f' with length <= {kind.size}'


def _fits(value: Any, kind: FieldType) -> bool:
    if kind.size is None:
        return True
    return len(value) == kind.size if kind.kind == 'array' else len(value) <= kind.size


def _sequence(name: str, kind: FieldType) -> Callable[[Any], Any]:
    element = _scalar(name, FieldType(kind.base, string_bound=kind.string_bound))
    label = kind.base.split('/')[-1]
    label = {'string': 'str', 'wstring': 'str', 'byte': 'bytes'}.get(label, label)
    what = f'a set or sequence{_size_text(kind)}'
    text = f"The '{name}' field must be {what} and each value of type '{label}'"

    def check(value: Any) -> Any:
        assert _is_sequence(name, value) and _fits(value, kind), text
        try:
            for item in value:
                element(item)
        except AssertionError:
            raise AssertionError(text) from None
        return value

    return check


def _numbers_ok(value: Any, kind: FieldType) -> bool:
    if kind.base in FLOATS:
        limit = _limit(kind.base)
        return all(
            isinstance(v, float) and (-limit <= v <= limit or not math.isfinite(v)) for v in value
        )
    low, high = INTEGER_LIMITS[kind.base]
    return all(isinstance(v, int) and low <= v <= high for v in value)


def _number_text(name: str, kind: FieldType) -> str:
    if kind.base in FLOATS:
        limit = _limit(kind.base)
        label = 'float' if kind.base == 'float32' else 'double'
        each = f"each value of type 'float' and each {label} in [{-limit:f}, {limit:f}]"
    else:
        low, high = INTEGER_LIMITS[kind.base]
        unsigned = 'unsigned integer' if low == 0 else 'integer'
        each = f"each value of type 'int' and each {unsigned} in [{low}, {high}]"
    return f"The '{name}' field must be a set or sequence{_size_text(kind)} and {each}"


def _number_sequence(name: str, kind: FieldType) -> Callable[[Any], Any]:
    code = NUMBERS[kind.base][2]

    def check(value: Any) -> Any:
        if isinstance(value, array.array):
            assert value.typecode == code, (
                f"The '{name}' array.array() must have the type code of '{code}'"
            )
            assert _fits(value, kind), (
                f"The '{name}' array.array() must have a size <= {kind.size}"
            )
            return value
        assert _is_sequence(name, value) and _fits(value, kind) and _numbers_ok(value, kind), (
            _number_text(name, kind)
        )
        return array.array(code, value)

    return check


def _number_array(name: str, kind: FieldType) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        np = numpy()
        if isinstance(value, np.ndarray):
            wanted = dtype(kind)
            assert value.dtype == wanted, (
                f"The '{name}' numpy.ndarray() must have the dtype of 'numpy.{wanted}'"
            )
            assert value.size == kind.size, (
                f"The '{name}' numpy.ndarray() must have a size of {kind.size}"
            )
            return value
        assert _is_sequence(name, value) and _fits(value, kind) and _numbers_ok(value, kind), (
            _number_text(name, kind)
        )
        return np.array(value, dtype=dtype(kind))

    return check


def _limit(base: str) -> float:
    return FLOAT32_MAX if base == 'float32' else FLOAT64_MAX
