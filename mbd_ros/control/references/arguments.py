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

"""Checks of arguments and of plain data, with messages that say what was found and is allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import math
from numbers import Real
from typing import Any

import numpy as np

from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import Matrix, Vector

CONSTRAINT = 'matrix', 'right_side', 'violation', 'violation_rate'

LARGEST, SMALLEST = 1e12, 1e-12
"""Range of the numbers in plain data: squares and cubes of them are finite, too."""

LONGEST_TEXT = 200
MOST_ENTRIES = 100_000
MOST_PARTS = 64
"""Bounds on plain data: characters of a name, numbers in a table, entries of a list of parts."""


def require(name: str, value: Any, attributes: tuple[str, ...], allowed: str) -> None:
    """Refuse an argument that lacks attributes; ``allowed`` says in words what it has to be."""
    if not all(hasattr(value, attribute) for attribute in attributes):
        raise InvalidValueError(name, value if isinstance(value, (str, int, float, list, tuple))
                                else type(value).__name__, allowed)


def require_model(value: Any) -> None:
    """Refuse what is not a robot's model."""
    if not isinstance(value, Model):
        raise InvalidValueError('model', type(value).__name__,
                                'a Model, as mbd_ros.load returns it')


def require_prepared(value: Any) -> None:
    """Refuse what is not the prepared dynamics of a robot."""
    require('dyn', value, ('model', 'mass_matrix'),
            'prepared dynamics, as mbd_ros.compile(model) returns them')


def finite(name: str, value: object) -> float:
    """Return a finite number."""
    return _number(name, value, -math.inf, math.inf, 'a finite number')


def positive(name: str, value: object) -> float:
    """Return a positive finite number."""
    return _number(name, value, 0.0, math.inf, 'a positive number')


def _number(name: str, value: object, least: float, most: float, allowed: str) -> float:
    """Return a number between two others."""
    try:
        found = (float(value) if isinstance(value, Real) and not isinstance(value, bool)
                 else math.nan)
    except OverflowError:
        found = math.nan
    if not least < found < most:
        raise InvalidValueError(name, value, allowed)
    return found


def numbers(name: str, value: Any, dimensions: int | None,
            allowed: str = 'rows of as many numbers each',
            entry: Callable[[int], str] = 'point {}'.format) -> Vector | Matrix:
    """
    Return a new array of finite numbers; of any number of dimensions if that is None.

    ``entry`` says in words which entry, along the first axis, is not finite. Raises
    InvalidValueError, ShapeError or NotFiniteError.
    """
    try:
        given = np.asarray(value)
        if given.dtype.kind not in 'fiu':
            raise TypeError
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise InvalidValueError(name, value, allowed) from None
    array = np.array(given, np.float64)
    if dimensions is not None and array.ndim != dimensions:
        raise ShapeError(name, array.shape, '(k,)' if dimensions == 1 else '(k, n)')
    if not np.isfinite(array).all():
        place = np.unravel_index(int(np.argmin(np.isfinite(array))), array.shape)
        raise NotFiniteError(name, entry(int(place[0])) if place else 'it', float(array[place]))
    return array


def vector(name: str, value: Any, size: int, allowed: str) -> Vector:
    """Return a read-only array (size,) of finite numbers; x, y, z, w are the names of entries."""
    array = numbers(name, value, None, allowed,
                    lambda k: 'xyzw'[k:k + 1] or f'entry {k}')
    if array.shape != (size,):
        raise ShapeError(name, array.shape, f'({size},), {allowed}')
    array.setflags(write=False)
    return array


def checked_point(name: str, value: Any) -> Vector:
    """Return a read-only (3,) vector of finite numbers."""
    return vector(name, value, 3, 'three numbers')


def checked_direction(name: str, value: Any) -> Vector:
    """Return a direction (3,) of length one."""
    found = checked_point(name, value)
    length = float(np.linalg.norm(found))
    if length == 0.0:
        raise InvalidValueError(name, [0.0, 0.0, 0.0], 'a vector that is not zero')
    return found / length


def text(name: str, value: object) -> str:
    """Return text that is not too long, of plain data."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise InvalidValueError(name, value, f'text of at most {LONGEST_TEXT} characters')
    return value


def texts(name: str, value: object) -> tuple[str, ...]:
    """Return a list of names, of plain data."""
    return tuple(text(f'entry {k} of {name}', one) for k, one in enumerate(
        _listed(name, value, 'a list of names')))


def flag(name: str, value: object) -> bool:
    """Return true or false, of plain data."""
    if not isinstance(value, bool):
        raise InvalidValueError(name, value, 'true or false')
    return value


def number(name: str, value: object) -> float:
    """Return a number, of plain data."""
    return _number(name, value, -LARGEST, LARGEST, f'a number, at most {LARGEST:g}')


def positive_number(name: str, value: object) -> float:
    """Return a number above zero, of plain data."""
    return _number(name, value, SMALLEST, LARGEST,
                   f'a positive number, {SMALLEST:g} to {LARGEST:g}')


def number_not_below_zero(name: str, value: object) -> float:
    """Return a number that is not below zero, of plain data."""
    return _number(name, value, -math.ulp(0.0), LARGEST,
                   f'a number not below zero, at most {LARGEST:g}')


def row(name: str, value: object) -> tuple[float, ...]:
    """Return a list of numbers, of plain data."""
    return tuple(_bounded(name, value, 1, 'a list of numbers').tolist())


def table(name: str, value: object) -> Matrix:
    """Return rows of numbers (k, n), of plain data."""
    return _bounded(name, value, 2, 'rows of as many numbers each')


def mapping(name: str, value: object) -> Mapping[str, Any]:
    """Return names and their values, of plain data."""
    if not isinstance(value, Mapping):
        raise InvalidValueError(name, value, 'a mapping of names to values')
    return value


def mappings(name: str, value: object) -> tuple[Mapping[str, Any], ...]:
    """Return a list of mappings, of plain data."""
    return tuple(mapping(f'entry {k} of {name}', one) for k, one in enumerate(
        _listed(name, value, 'a list of mappings')))


def _listed(name: str, value: object, allowed: str) -> Sequence[Any]:
    """Return a list that is not too long."""
    if not isinstance(value, (list, tuple)) or len(value) > MOST_PARTS:
        raise InvalidValueError(name, value, f'{allowed}, at most {MOST_PARTS} of them')
    return value


def _bounded(name: str, value: object, dimensions: int, allowed: str) -> Vector | Matrix:
    """Return an array of numbers that are not too large, and not too many."""
    if isinstance(value, (list, tuple)) and len(value) > MOST_ENTRIES:
        raise InvalidValueError(name, value, f'{allowed}, at most {MOST_ENTRIES} of them')
    array = numbers(name, value, dimensions, allowed)
    if array.size and np.abs(array).max() > LARGEST:
        raise InvalidValueError(name, float(np.abs(array).max()), f'numbers up to {LARGEST:g}')
    return array
