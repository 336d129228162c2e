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

"""Python classes of messages, made to behave like those ROS 2 generates."""

from __future__ import annotations

import array
from operator import attrgetter
from typing import Any

from . import checks
from .definition import FieldType, MessageDefinition, NUMBERS
from .resolve import message_class


class MessageMeta(type):
    """Type of message classes: default values are readable as `Class.FIELD__DEFAULT`."""

    _defaults: dict[str, Any]
    _definition: MessageDefinition

    def __getattr__(cls, name: str) -> Any:
        make = cls.__dict__.get('_defaults', {}).get(name)
        if make is not None:
            return make()
        raise AttributeError(f'type object {cls.__name__!r} has no attribute {name!r}')

    def __setattr__(cls, name: str, value: Any) -> None:
        if name in cls._defaults or any(name == one.name for one in cls._definition.constants):
            raise AttributeError(f"can't set attribute {name!r}")
        super().__setattr__(name, value)


class SlotTypes:
    """Types of the fields, made when they are asked for, which few programs do."""

    def __get__(self, _: Any, owner: type[Message]) -> tuple[Any, ...]:
        from rosidl_parser.definition import type_of

        return tuple(type_of(field.type) for field in owner._definition.fields)


class Message(metaclass=MessageMeta):
    """
    Base of all message classes.

    Fields are properties over slots; a value is checked when it is assigned, and a wrong one
    raises AssertionError, as in the classes that ROS 2 generates.

    """

    __slots__ = ()
    _definition: MessageDefinition
    _fields_and_field_types: dict[str, str] = {}
    _makers: tuple[tuple[str, str, Any, Any], ...] = ()
    SLOT_TYPES = SlotTypes()

    def __init__(self, **kwargs: Any) -> None:
        if kwargs:
            unknown = kwargs.keys() - self._fields_and_field_types.keys()
            assert not unknown, (
                f'Invalid arguments passed to constructor: {", ".join(sorted(unknown))}'
            )
            for name, slot, make, convert in self._makers:
                if name in kwargs:
                    value = kwargs[name]
                    setattr(self, name, value if convert is None else convert(value))
                else:
                    setattr(self, slot, make())
        else:
            for _, slot, make, _ in self._makers:
                setattr(self, slot, make())

    def __repr__(self) -> str:
        package = type(self).__module__
        fields = ', '.join(
            f'{field.name}={_text(getattr(self, field.name), field.type)}'
            for field in self._definition.fields
        )
        return f'{package}.{type(self).__name__}({fields})'

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, self.__class__):
            return False
        slot: str
        for slot in self.__slots__:
            mine, theirs = getattr(self, slot), getattr(other, slot)
            equal = mine == theirs
            if not (equal if isinstance(equal, bool) else equal.all()):
                return False
        return True

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]:
        """Return the names of the fields and their types, for example ``{'data': 'double'}``."""
        return dict(cls._fields_and_field_types)


def make_message_class(definition: MessageDefinition) -> type[Message]:
    """
    Return a new Python class for a message definition.

    Parameters
    ----------
    definition : MessageDefinition
        Its `name`, ``'pkg/msg/Name'``, becomes module ``pkg.msg`` and class ``Name``.

    """
    package, kind, class_name = definition.name.split('/')
    makers = []
    defaults: dict[str, Any] = {}
    namespace: dict[str, Any] = {
        '__module__': f'{package}.{kind}',
        '__qualname__': class_name,
        '__doc__': f"Message class '{class_name}'.",
        '__slots__': tuple('_' + field.name for field in definition.fields),
        '_definition': definition,
        '_fields_and_field_types': {f.name: f.type.text for f in definition.fields},
        '_defaults': defaults,
    }
    for field in definition.fields:
        slot = '_' + field.name
        check = checks.checker(field.name, field.type)
        namespace[field.name] = property(
            attrgetter(slot), _setter(slot, check), doc=f"Message field '{field.name}'."
        )
        make = _maker(field.type, field.default)
        makers.append((field.name, slot, make, _converter(field.type)))
        if field.default is not None:
            defaults[field.name.upper() + '__DEFAULT'] = make
    namespace['_makers'] = tuple(makers)
    for constant in definition.constants:
        namespace[constant.name] = constant.value
    cls: type[Message] = MessageMeta(class_name, (Message,), namespace)  # type: ignore[assignment]
    return cls


def _setter(slot: str, check: Any) -> Any:
    def assign(self: Message, value: Any) -> None:
        setattr(self, slot, check(value))

    return assign


def _maker(kind: FieldType, default: Any) -> Any:
    """Return a function that makes the initial value of a field."""
    if kind.is_message:
        cls: type[Message] | None = None

        def make_message() -> Message:
            nonlocal cls
            if cls is None:
                cls = message_class(kind.base)
            return cls()

        if kind.kind == 'scalar':
            return make_message
        return lambda: (
            [make_message() for _ in range(kind.size or 0)] if kind.kind == 'array' else []
        )
    zero = _zero(kind.base)
    if kind.kind == 'scalar':
        value = zero if default is None else default
        return lambda: value
    if default is not None:
        values = list(default)
    else:
        values = [zero] * (kind.size or 0) if kind.kind == 'array' else []
    if not kind.is_number:
        return lambda: list(values)
    if kind.kind == 'array':
        return _array_maker(kind, values)
    code = NUMBERS[kind.base][2]
    return lambda: array.array(code, values)


def _array_maker(kind: FieldType, values: list[Any]) -> Any:
    template = None

    def make() -> Any:
        nonlocal template
        if template is None:
            template = checks.numpy().array(values, dtype=checks.dtype(kind))
        return template.copy()

    return make


def _converter(kind: FieldType) -> Any:
    """Return what the constructor does to an argument before it is checked."""
    if not kind.is_number or kind.kind == 'scalar':
        return None
    if kind.kind == 'sequence':
        code = NUMBERS[kind.base][2]
        return lambda value: array.array(code, value)

    def convert(value: Any) -> Any:
        result = checks.numpy().array(value, dtype=checks.dtype(kind))
        assert result.shape == (kind.size,), f'{result.shape} is not ({kind.size},)'
        return result

    return convert


def _zero(base: str) -> Any:
    return {
        'bool': False,
        'byte': b'\x00',
        'string': '',
        'wstring': '',
        'float32': 0.0,
        'float64': 0.0,
    }.get(base, 0)


def _text(value: Any, kind: FieldType) -> str:
    if isinstance(value, array.array) and kind.is_number:
        return repr(value.tolist())
    return repr(value)
