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

"""Records that an interface text is parsed into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

# ROS name of a number -> (struct format, octets, type code of array.array, name in IDL)
NUMBERS: dict[str, tuple[str, int, str, str]] = {
    'int8': ('b', 1, 'b', 'int8'),
    'uint8': ('B', 1, 'B', 'uint8'),
    'char': ('B', 1, 'B', 'uint8'),
    'int16': ('h', 2, 'h', 'int16'),
    'uint16': ('H', 2, 'H', 'uint16'),
    'int32': ('i', 4, 'i', 'int32'),
    'uint32': ('I', 4, 'I', 'uint32'),
    'int64': ('q', 8, 'q', 'int64'),
    'uint64': ('Q', 8, 'Q', 'uint64'),
    'float32': ('f', 4, 'f', 'float'),
    'float64': ('d', 8, 'd', 'double'),
}
FLOATS = ('float32', 'float64')
PRIMITIVES = frozenset(NUMBERS) | {'bool', 'byte', 'string', 'wstring'}
INTEGER_LIMITS: dict[str, tuple[int, int]] = {
    name: (0, 2 ** (8 * size) - 1)
    if name.startswith('u') or name == 'char'
    else (-(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1)
    for name, (_, size, _, _) in NUMBERS.items()
    if name not in FLOATS
}


@dataclass(frozen=True)
class FieldType:
    """
    Type of a field.

    Attributes
    ----------
    base : str
        A primitive, ``'float64'``, or the full name of a message, ``'std_msgs/msg/Header'``.
    kind : str
        ``'scalar'``, ``'array'`` (fixed length) or ``'sequence'``.
    size : int, optional
        Length of an array, upper bound of a sequence; None if unbounded.
    string_bound : int, optional
        Upper bound of the length of a string.

    """

    base: str
    kind: Literal['scalar', 'array', 'sequence'] = 'scalar'
    size: int | None = None
    string_bound: int | None = None

    @property
    def is_message(self) -> bool:
        """Whether the elements are messages."""
        return self.base not in PRIMITIVES

    @property
    def is_number(self) -> bool:
        """Whether the elements are numbers that array.array and NumPy can hold."""
        return self.base in NUMBERS

    @property
    def text(self) -> str:
        """Name of the type as `get_fields_and_field_types` of generated classes spells it."""
        if self.is_message:
            package, _, name = self.base.split('/')
            element = f'{package}/{name}'
        elif self.is_number:
            element = NUMBERS[self.base][3]
        else:
            element = {'bool': 'boolean', 'byte': 'octet'}.get(self.base, self.base)
        if self.string_bound is not None:
            element = f'{element}<{self.string_bound}>'
        if self.kind == 'array':
            return f'{element}[{self.size}]'
        if self.kind == 'sequence':
            bound = '' if self.size is None else f', {self.size}'
            return f'sequence<{element}{bound}>'
        return element


@dataclass(frozen=True)
class Field:
    """A field of a message; `default` is None if the text gives none."""

    name: str
    type: FieldType
    default: Any = None


@dataclass(frozen=True)
class Constant:
    """A constant of a message."""

    name: str
    base: str
    value: Any


@dataclass(frozen=True)
class MessageDefinition:
    """A message: `name` is the full name, `'std_msgs/msg/Header'`."""

    name: str
    fields: tuple[Field, ...]
    constants: tuple[Constant, ...] = ()


@dataclass(frozen=True)
class ServiceDefinition:
    """A service and its two messages, named `..._Request` and `..._Response`."""

    name: str
    request: MessageDefinition
    response: MessageDefinition


@dataclass(frozen=True)
class ActionDefinition:
    """An action and its three messages, named `..._Goal`, `..._Result` and `..._Feedback`."""

    name: str
    goal: MessageDefinition
    result: MessageDefinition
    feedback: MessageDefinition
