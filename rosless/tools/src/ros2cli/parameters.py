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

"""Parameters of other nodes, by their services."""

from __future__ import annotations

from typing import Any

from rcl_interfaces.msg import ParameterType
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import DescribeParameters
from rcl_interfaces.srv import GetParameters
from rcl_interfaces.srv import ListParameters
from rcl_interfaces.srv import SetParameters
from ros2cli.graph import call
import yaml

# Type -> (label of `param get`, name of `param describe`, field of ParameterValue)
TYPES = {
    ParameterType.PARAMETER_BOOL: ('Boolean value is:', 'boolean', 'bool_value'),
    ParameterType.PARAMETER_INTEGER: ('Integer value is:', 'integer', 'integer_value'),
    ParameterType.PARAMETER_DOUBLE: ('Double value is:', 'double', 'double_value'),
    ParameterType.PARAMETER_STRING: ('String value is:', 'string', 'string_value'),
    ParameterType.PARAMETER_BYTE_ARRAY: ('Byte values are:', 'byte array', 'byte_array_value'),
    ParameterType.PARAMETER_BOOL_ARRAY:
        ('Boolean values are:', 'boolean array', 'bool_array_value'),
    ParameterType.PARAMETER_INTEGER_ARRAY:
        ('Integer values are:', 'integer array', 'integer_array_value'),
    ParameterType.PARAMETER_DOUBLE_ARRAY:
        ('Double values are:', 'double array', 'double_array_value'),
    ParameterType.PARAMETER_STRING_ARRAY:
        ('String values are:', 'string array', 'string_array_value'),
    ParameterType.PARAMETER_NOT_SET: ('Parameter not set.', 'not set', None),
}
ARRAYS = {bool: 'BOOL_ARRAY', int: 'INTEGER_ARRAY', float: 'DOUBLE_ARRAY', str: 'STRING_ARRAY'}
SCALARS = {bool: 'BOOL', int: 'INTEGER', float: 'DOUBLE', str: 'STRING'}


def to_python(value: ParameterValue) -> Any:
    """Return a parameter value as a Python value, lists for arrays; None if it is not set."""
    field = TYPES[value.type][2]
    if field is None:
        return None
    content = getattr(value, field)
    return content if isinstance(content, (bool, int, float, str)) else list(content)


def from_text(text: str) -> ParameterValue:
    """Return the parameter value that a text stands for: YAML, or else a string."""
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        value = text
    kind = SCALARS.get(type(value))
    if isinstance(value, list) and value:
        kinds = {type(item) for item in value}
        if kinds == {int, float}:
            value, kinds = [float(item) for item in value], {float}
        kind = ARRAYS.get(kinds.pop()) if len(kinds) == 1 else None
    if kind is None:
        kind, value = 'STRING', text
    number = getattr(ParameterType, f'PARAMETER_{kind}')
    return ParameterValue(type=number, **{str(TYPES[number][2]): value})


def names_of(node: Any, name: str, prefixes: list[str] | None = None) -> list[str]:
    """Return the names of the parameters of a node, sorted."""
    request = ListParameters.Request(prefixes=prefixes or [])
    return sorted(call(node, ListParameters, f'{name}/list_parameters', request).result.names)


def values_of(node: Any, name: str, parameters: list[str]) -> list[ParameterValue]:
    """Return values of parameters of a node."""
    request = GetParameters.Request(names=parameters)
    return list(call(node, GetParameters, f'{name}/get_parameters', request).values)


def descriptors_of(node: Any, name: str, parameters: list[str]) -> list[Any]:
    """Return descriptors of parameters of a node."""
    request = DescribeParameters.Request(names=parameters)
    return list(call(node, DescribeParameters, f'{name}/describe_parameters',
                     request).descriptors)


def set_on(node: Any, name: str, parameters: list[Any]) -> list[Any]:
    """Set parameters of a node and return the results."""
    request = SetParameters.Request(parameters=parameters)
    return list(call(node, SetParameters, f'{name}/set_parameters', request).results)
