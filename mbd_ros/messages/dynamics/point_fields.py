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
One field of many messages as an array, and arrays as a field of copies of messages.

A request may carry a hundred thousand points. Nothing here runs Python for each of them: fields
are taken, joined and put by ``map``, a part at a time, between which other threads may run.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterator, Sequence
import copy
from itertools import repeat
from operator import attrgetter
from types import MemberDescriptorType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import NotFiniteError, ShapeError

Array = NDArray[np.float64]
PART = 4096
"""Messages at a time: less than a millisecond."""
NUMBER = 8
"""Bytes of a number."""


def parts(messages: Sequence[Any]) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield messages a part at a time, and the number of the first one of each."""
    for first in range(0, len(messages), PART):
        yield first, messages[first:first + PART]


def rows_of(messages: Sequence[Any], field: str, joints: Sequence[str], *, needed: bool) -> Array:
    """
    Return a field of messages that holds one number for each joint.

    Parameters
    ----------
    messages : sequence of message
        N of them.
    field : str
        Name of the field.
    joints : sequence of str
        Names of the n joints.
    needed : bool
        Whether the field must be there; if not, an empty one stands for zeros.

    Returns
    -------
    array
        (N, n).

    Raises
    ------
    ShapeError
        If a field has another number of entries.
    NotFiniteError
        If a number is NaN or infinite.

    """
    rows = np.zeros((len(messages), len(joints)))
    for first, some in parts(messages):
        _fill(rows[first:first + PART], list(map(attrgetter(field), some)), field, first, needed)
    finite = np.isfinite(rows)
    if not finite.all():
        index, joint = (int(k) for k in np.argwhere(~finite)[0])
        raise NotFiniteError(f'{field} of point {index}', f"joint '{joints[joint]}'",
                             float(rows[index, joint]))
    return rows


def _fill(rows: Array, values: Sequence[Any], field: str, first: int, needed: bool) -> None:
    """Fill some rows; ``first`` is the number of the first one in the request."""
    width, lengths = rows.shape[1], set(map(len, values))
    if lengths == {0} and not needed:
        return
    if lengths == {width}:
        joined = b''.join(values) if set(map(type, values)) == {array} else b''
        if len(joined) == NUMBER * rows.size:
            rows[...] = np.frombuffer(joined).reshape(rows.shape)
        else:
            rows[...] = values
        return
    for index, part in enumerate(values):
        if len(part) == width:
            rows[index] = part
        elif len(part) > 0 or needed:
            raise ShapeError(f'{field} of point {first + index}', (len(part),),
                             f'({width},), one for each joint name')


def first_filled(messages: Sequence[Any], field: str) -> int | None:
    """Return the number of the first message whose field is not empty, None if all are."""
    for first, some in parts(messages):
        lengths = list(map(len, map(attrgetter(field), some)))
        if any(lengths):
            return first + next(place for place, length in enumerate(lengths) if length)
    return None


def copies_with(messages: Sequence[Any], field: str, rows: Array) -> list[Any]:
    """
    Return copies of messages with a field set to the rows of a matrix.

    Parameters
    ----------
    messages : sequence of message
        N of one type; they are not changed. Copies share what is in the other fields.
    field : str
        Name of a field of numbers.
    rows : array
        (N, n).

    Returns
    -------
    list of message
        N copies.

    """
    made: list[Any] = []
    for first, some in parts(messages):
        width, block = rows.shape[1], array('d', rows[first:first + PART].tobytes())
        values = [block[k:k + width] for k in range(0, width * len(some), width)] if width else [
            array('d') for _ in some]
        made += _copied(some, field, values)
    return made


def _copied(messages: Sequence[Any], field: str, values: Sequence[array[float]]) -> list[Any]:
    """Return copies with other values in a field."""
    kind = type(messages[0])
    names = getattr(kind, '__slots__', ())
    plain = all(isinstance(getattr(kind, name, None), MemberDescriptorType) for name in names)
    if not plain or f'_{field}' not in names or set(map(type, messages)) != {kind}:
        made = [copy.copy(message) for message in messages]
        for message, value in zip(made, values):
            setattr(message, field, value)
        return made
    new: Any = kind.__new__
    made = list(map(new, repeat(kind, len(messages))))
    for name in names:   # without the checks of each assignment: the values are those of messages
        given = values if name == f'_{field}' else map(attrgetter(name), messages)
        deque(map(setattr, made, repeat(name), given), 0)
    return made
