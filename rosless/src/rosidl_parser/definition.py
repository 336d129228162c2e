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

"""Records of the types that a field may have; see `SLOT_TYPES` of message classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rosless.idl.definition import FieldType


class AbstractType:
    """Any type."""


class AbstractNestableType(AbstractType):
    """A type that may be an element."""


class AbstractGenericString(AbstractNestableType):
    """A text."""


class AbstractString(AbstractGenericString):
    """A text of 8-bit characters."""


class AbstractWString(AbstractGenericString):
    """A text of 16-bit characters."""


class AbstractNestedType(AbstractType):
    """A type with elements, of type `value_type`."""


class AbstractSequence(AbstractNestedType):
    """A sequence, bounded or not."""


@dataclass(frozen=True)
class BasicType(AbstractNestableType):
    """A number, a truth value or an octet: `typename` as in IDL, ``'double'``."""

    typename: str


@dataclass(frozen=True)
class NamespacedType(AbstractNestableType):
    """A message: ``NamespacedType(['std_msgs', 'msg'], 'Header')``."""

    namespaces: Sequence[str]
    name: str

    def namespaced_name(self) -> tuple[str, ...]:
        """Return namespaces and name."""
        return *self.namespaces, self.name


@dataclass(frozen=True)
class UnboundedString(AbstractString):
    """A text of any length."""


@dataclass(frozen=True)
class BoundedString(AbstractString):
    """A text of at most `maximum_size` characters."""

    maximum_size: int


@dataclass(frozen=True)
class UnboundedWString(AbstractWString):
    """A wide text of any length."""


@dataclass(frozen=True)
class BoundedWString(AbstractWString):
    """A wide text of at most `maximum_size` characters."""

    maximum_size: int


@dataclass(frozen=True)
class Array(AbstractNestedType):
    """A fixed number of elements."""

    value_type: AbstractNestableType
    size: int


@dataclass(frozen=True)
class UnboundedSequence(AbstractSequence):
    """Any number of elements."""

    value_type: AbstractNestableType


@dataclass(frozen=True)
class BoundedSequence(AbstractSequence):
    """At most `maximum_size` elements."""

    value_type: AbstractNestableType
    maximum_size: int


def type_of(field: FieldType) -> AbstractType:
    """Return the record for the type of a field."""
    element = _element(field)
    if field.kind == 'array':
        return Array(element, field.size or 0)
    if field.kind == 'sequence':
        return (UnboundedSequence(element) if field.size is None
                else BoundedSequence(element, field.size))
    return element


def _element(field: FieldType) -> AbstractNestableType:
    if field.is_message:
        *namespaces, name = field.base.split('/')
        return NamespacedType(namespaces, name)
    if field.base == 'string':
        return (UnboundedString() if field.string_bound is None
                else BoundedString(field.string_bound))
    if field.base == 'wstring':
        return (UnboundedWString() if field.string_bound is None
                else BoundedWString(field.string_bound))
    return BasicType(FieldType(field.base).text)
