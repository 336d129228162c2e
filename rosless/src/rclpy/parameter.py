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

"""Parameters: a name, a type and a value."""

from __future__ import annotations

import array
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from rosless import parameter_values
from rosless.idl.build import interface_class

PARAMETER_SEPARATOR_STRING = '.'
INT64 = range(-(2**63), 2**63)


class Parameter:
    """
    A parameter.

    Parameters
    ----------
    name : str
        Its name; dots group names.
    type_ : Parameter.Type, optional
        Its type; found from the value if omitted.
    value
        Its value; None only with type `NOT_SET` or no type.

    Raises
    ------
    ValueError
        If the value does not have the type.

    """

    class Type(Enum):
        """Types of parameters, with the numbers of `rcl_interfaces/msg/ParameterType`."""

        NOT_SET = 0
        BOOL = 1
        INTEGER = 2
        DOUBLE = 3
        STRING = 4
        BYTE_ARRAY = 5
        BOOL_ARRAY = 6
        INTEGER_ARRAY = 7
        DOUBLE_ARRAY = 8
        STRING_ARRAY = 9

        @classmethod
        def from_parameter_value(cls, parameter_value: Any) -> Parameter.Type:
            """
            Return the type of a Python value.

            Raises
            ------
            TypeError
                If no type of parameter holds it.

            """
            value = parameter_value
            if isinstance(value, array.array) and not value:
                return cls.BYTE_ARRAY   # as of rclpy, which then finds that it is none
            for kind in cls:
                if kind != cls.NOT_SET and kind.check(value):
                    return kind
            if value is None:
                return cls.NOT_SET
            raise TypeError(
                f"The given value is not one of the allowed types '{value}' "
                f'({type(value).__name__}).'
            )

        def check(self, parameter_value: Any) -> bool:
            """Tell whether a Python value has this type."""
            value = parameter_value
            if self == Parameter.Type.NOT_SET:
                return value is None
            if self == Parameter.Type.BOOL:
                return isinstance(value, bool)
            if self == Parameter.Type.INTEGER:
                return _is_integer(value)
            if self == Parameter.Type.DOUBLE:
                return isinstance(value, float)
            if self == Parameter.Type.STRING:
                return isinstance(value, str)
            if isinstance(value, array.array):
                codes = {
                    Parameter.Type.INTEGER_ARRAY: 'bBhHiIlLqQ',
                    Parameter.Type.DOUBLE_ARRAY: 'fd',
                }
                return value.typecode in codes.get(self, '')
            if not isinstance(value, (list, tuple)):
                return False
            test = _ELEMENT_TESTS[self.name]
            return all(test(item) for item in value)

    @classmethod
    def from_parameter_msg(cls, param_msg: Any) -> Parameter:
        """Return the parameter of an `rcl_interfaces/msg/Parameter`."""
        type_ = Parameter.Type(value=param_msg.value.type)
        return cls(param_msg.name, type_, parameter_value_to_python(param_msg.value))

    def __init__(self, name: str, type_: Parameter.Type | None = None, value: Any = None) -> None:
        if type_ is None:
            type_ = Parameter.Type.from_parameter_value(value)
        if not isinstance(type_, Parameter.Type):
            raise TypeError(f"type must be an instance of '{Parameter.Type!r}'")
        if not type_.check(value):
            raise ValueError(f"Type '{type_}' and value '{value}' do not agree")
        self._type_ = type_
        self._name = name
        self._value = value

    @property
    def name(self) -> str:
        """Return the name."""
        return self._name

    @property
    def type_(self) -> Parameter.Type:
        """Return the type."""
        return self._type_

    @property
    def value(self) -> Any:
        """Return the value."""
        return self._value

    def __repr__(self) -> str:
        return f'Parameter(name={self._name!r}, type_={self._type_}, value={self._value!r})'

    def get_parameter_value(self) -> Any:
        """Return the value as `rcl_interfaces/msg/ParameterValue`."""
        message = interface_class('rcl_interfaces/msg/ParameterValue')(type=self._type_.value)
        field = _FIELDS.get(self._type_)
        if field is not None:
            value = list(self._value) if isinstance(self._value, tuple) else self._value
            if isinstance(value, array.array):
                value = value.tolist()
            setattr(message, field, value)
        return message

    def to_parameter_msg(self) -> Any:
        """Return name and value as `rcl_interfaces/msg/Parameter`."""
        cls = interface_class('rcl_interfaces/msg/Parameter')
        return cls(name=self._name, value=self.get_parameter_value())


_ELEMENT_TESTS: dict[str, Callable[[Any], bool]] = {
    'BYTE_ARRAY': lambda value: isinstance(value, bytes) and len(value) == 1,
    'BOOL_ARRAY': lambda value: isinstance(value, bool),
    'INTEGER_ARRAY': lambda value: _is_integer(value),
    'DOUBLE_ARRAY': lambda value: isinstance(value, float),
    'STRING_ARRAY': lambda value: isinstance(value, str),
}
_FIELDS = {
    Parameter.Type.BOOL: 'bool_value',
    Parameter.Type.INTEGER: 'integer_value',
    Parameter.Type.DOUBLE: 'double_value',
    Parameter.Type.STRING: 'string_value',
    Parameter.Type.BYTE_ARRAY: 'byte_array_value',
    Parameter.Type.BOOL_ARRAY: 'bool_array_value',
    Parameter.Type.INTEGER_ARRAY: 'integer_array_value',
    Parameter.Type.DOUBLE_ARRAY: 'double_array_value',
    Parameter.Type.STRING_ARRAY: 'string_array_value',
}


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value in INT64


def parameter_value_to_python(parameter_value: Any) -> Any:
    """Return the Python value of an `rcl_interfaces/msg/ParameterValue`."""
    try:
        kind = Parameter.Type(parameter_value.type)
    except ValueError:
        raise RuntimeError(f'unexpected parameter type {parameter_value.type}') from None
    field = _FIELDS.get(kind)
    if field is None:
        return None
    value = getattr(parameter_value, field)
    return value.tolist() if isinstance(value, array.array) else value


def get_parameter_value(string_value: str) -> Any:
    """Return the `ParameterValue` message of YAML text; text that is not YAML is a string."""
    if not string_value.strip():
        return Parameter('', value=string_value).get_parameter_value()
    try:
        value = parameter_values.parse_value(string_value)
        return Parameter('', value=value).get_parameter_value()
    except (ValueError, TypeError):
        return Parameter('', value=string_value).get_parameter_value()


def parameter_dict_from_yaml_file(
    parameter_file: str,
    use_wildcard: bool = False,
    target_nodes: Sequence[str] | None = None,
    namespace: str = '',
) -> dict[str, Any]:
    """
    Read a parameter file.

    Parameters
    ----------
    parameter_file : str
        Path.
    use_wildcard : bool
        Whether the entry ``/**`` counts.
    target_nodes : Sequence[str], optional
        Full names of the nodes wanted; all if omitted or empty.
    namespace : str
        Put in front of the parameters' names.

    Returns
    -------
    dict[str, rcl_interfaces.msg.Parameter]
        Messages by name.

    """
    found: dict[str, Any] = {}
    for pattern, values in parameter_values.load_file(parameter_file):
        wanted = not target_nodes or pattern in target_nodes
        if (pattern == '/**' and not use_wildcard) or (pattern != '/**' and not wanted):
            continue
        for name, value in values.items():
            full = f'{namespace}.{name}' if namespace else name
            found[full] = Parameter(full, value=value).to_parameter_msg()
    if not found:
        raise RuntimeError('Param file does not contain any valid parameters')
    return found
