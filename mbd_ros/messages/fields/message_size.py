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

"""How large a message is before it is made into objects, of which one takes 400 octets or more."""

from __future__ import annotations

from collections.abc import Callable
import functools
import importlib
import struct
from typing import Any, NamedTuple, TypeAlias

from rosidl_parser import definition

from mbd_ros.errors import MbdError

MOST_OCTETS = 16 << 20
"""Of a message on the wire."""
MOST_ELEMENTS = 20_000
"""Strings and messages in the sequences of a message, such as points of a trajectory."""
SMALL = 1 << 14
"""Octets of a message that is read where it is used: in some 2 ms, whatever it holds."""
PLAIN = b'\0\1'
"""How plain little-endian CDR begins, which all nodes on such machines send."""
HEADER = 4
SIZES = {'boolean': 1, 'octet': 1, 'char': 1, 'int8': 1, 'uint8': 1, 'int16': 2, 'uint16': 2,
         'int32': 4, 'uint32': 4, 'int64': 8, 'uint64': 8, 'float': 4, 'double': 8}
_length = struct.Struct('<I').unpack_from


class Limits(NamedTuple):
    """
    How large the messages of a topic may be.

    Attributes
    ----------
    octets : int
        On the wire.
    elements : int
        Strings and messages in all of their sequences.
    small : int
        Octets of one that is read where it is used; a larger one is read beside the callbacks.
    waiting : int
        Messages that wait while a large one is read, as the depth of most profiles.

    """

    octets: int = MOST_OCTETS
    elements: int = MOST_ELEMENTS
    small: int = SMALL
    waiting: int = 10


USUAL = Limits()


class _Budget:
    """How many elements a message may still have."""

    def __init__(self, data: bytes, most: int) -> None:
        self.data, self.most, self.left = data, most, most

    def take(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise TooLargeError(f'more than {self.most} strings and messages in its sequences',
                                f'{self.most} in all')


Walk: TypeAlias = Callable[[_Budget, int], int]
"""Given a budget and the position of a field, returns the position behind it."""


class TooLargeError(MbdError):
    """A message is larger than a node reads."""

    def __init__(self, found: str, allowed: str) -> None:
        super().__init__(f'a message with {found}; allowed: {allowed}')


def require_within(data: bytes, kind: Any, limits: Limits = USUAL) -> None:
    """
    Refuse a message that would become too many objects, before it does.

    Parameters
    ----------
    data : bytes
        Plain CDR, as a raw subscription gives it.
    kind : type
        Class of the message.
    limits : Limits, optional
        What is allowed.

    Raises
    ------
    TooLargeError
        If it has more octets or elements than that.
    MbdError
        If the octets are no such message.

    """
    if len(data) > limits.octets:
        raise TooLargeError(f'{len(data)} octets', str(limits.octets))
    if len(data) <= SMALL:
        return
    if bytes(data[:2]) != PLAIN:
        raise MbdError(f'{len(data)} octets that begin with {bytes(data[:4]).hex()}; allowed: '
                       'plain little-endian CDR (0001....)')
    try:
        _walk_of(kind)(_Budget(data, limits.elements), HEADER)
    except (struct.error, RecursionError) as error:
        raise MbdError(f'{len(data)} octets are no {kind.__name__}: {error}') from None


def is_bounded(kind: Any) -> bool:
    """Tell whether all messages of a class have about the same size: there is no sequence."""
    return all(_is_bounded(slot) for slot in kind.SLOT_TYPES)


def _is_bounded(slot: Any) -> bool:
    if isinstance(slot, definition.Array):
        return _is_bounded(slot.value_type)
    if isinstance(slot, definition.NamespacedType):
        return is_bounded(_class_of(slot))
    return isinstance(slot, definition.BasicType)


def _class_of(slot: Any) -> Any:
    return getattr(importlib.import_module('.'.join(slot.namespaces)), slot.name)


@functools.cache
def _walk_of(kind: Any) -> Walk:
    """Return what goes over a message of a class."""
    walks = [_walk(slot) for slot in kind.SLOT_TYPES]
    if not walks:   # an empty message has one octet
        return lambda budget, place: place + 1

    def walk(budget: _Budget, place: int) -> int:
        for one in walks:
            place = one(budget, place)
        return place
    return walk


def _aligned(place: int, size: int) -> int:
    return place + (HEADER - place) % size


def _walk(slot: Any) -> Walk:
    """Return what goes over a field."""
    if isinstance(slot, definition.NamespacedType):
        return _walk_of(_class_of(slot))
    if isinstance(slot, definition.BasicType):
        size = SIZES[slot.typename]
        return lambda budget, place: place + (HEADER - place) % size + size
    if isinstance(slot, definition.AbstractGenericString):
        unit = 4 if isinstance(slot, definition.AbstractWString) else 1
        return lambda budget, place: _behind(budget, place, unit, 1)
    inner = slot.value_type
    if isinstance(inner, definition.BasicType):
        size = SIZES[inner.typename]
        if isinstance(slot, definition.Array):
            return lambda budget, place: _aligned(place, size) + size * slot.size
        return lambda budget, place: _behind(budget, place, size, size)
    return _repeated(_walk(inner), slot.size if isinstance(slot, definition.Array) else None)


def _behind(budget: _Budget, place: int, size: int, alignment: int) -> int:
    """Return the position behind a sequence of numbers or a string."""
    place = _aligned(place, 4)
    count = _length(budget.data, place)[0]
    place += 4
    if not count:
        return place
    place = _aligned(place, alignment) + size * count
    if place > len(budget.data):
        raise struct.error(f'a length of {count} is beyond their end')
    return place


def _repeated(each: Walk, count: int | None) -> Walk:
    """Return what goes over several elements; their number comes first if it is not known."""
    def walk(budget: _Budget, place: int) -> int:
        number = count
        if number is None:
            place = _aligned(place, 4)
            number = _length(budget.data, place)[0]
            place += 4
        budget.take(number)
        for _ in range(number):
            place = each(budget, place)
        return place
    return walk
