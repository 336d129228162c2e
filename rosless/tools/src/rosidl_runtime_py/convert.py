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

"""Turn messages into dictionaries, YAML and comma-separated values."""

from __future__ import annotations

import array
from collections import OrderedDict
import sys
from typing import Any

from rosidl_runtime_py.field_types import FieldType
from rosidl_runtime_py.field_types import parse_field_type
import yaml


class _Dumper(yaml.SafeDumper):
    """Writes an OrderedDict as an ordinary mapping, in its order, and tuples as lists."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.add_representer(
    OrderedDict, lambda dumper, data: dumper.represent_mapping(
        'tag:yaml.org,2002:map', data.items()))


def message_to_yaml(
    msg: Any,
    *,
    truncate_length: int | None = None,
    no_arr: bool = False,
    no_str: bool = False,
    flow_style: bool = False,
) -> str:
    """
    Return a message as YAML, in the form of ``ros2 topic echo``.

    Parameters
    ----------
    msg : message
        The message.
    truncate_length : int, optional
        Longer arrays, sequences and strings are cut and end with ``...``.
    no_arr, no_str : bool
        Whether only the lengths of arrays, of strings are shown.
    flow_style : bool
        Whether everything stands on one line.

    """
    content = message_to_ordereddict(
        msg, truncate_length=truncate_length, no_arr=no_arr, no_str=no_str)
    return value_to_yaml(content, flow_style=flow_style)


def value_to_yaml(value: Any, *, flow_style: bool = False) -> str:
    """Return what ``message_to_ordereddict`` or ``to_plain`` made as YAML."""
    return yaml.dump(value, Dumper=_Dumper, allow_unicode=True, width=sys.maxsize,
                     default_flow_style=flow_style, sort_keys=False)


def message_to_ordereddict(
    msg: Any,
    *,
    truncate_length: int | None = None,
    no_arr: bool = False,
    no_str: bool = False,
) -> OrderedDict[str, Any]:
    """Return the fields of a message and their values; see ``message_to_yaml``."""
    return OrderedDict(
        (name, to_plain(getattr(msg, name), parse_field_type(text),
                        truncate_length=truncate_length, no_arr=no_arr, no_str=no_str))
        for name, text in msg.get_fields_and_field_types().items())


def to_plain(
    value: Any,
    field_type: FieldType | None = None,
    *,
    truncate_length: int | None = None,
    no_arr: bool = False,
    no_str: bool = False,
) -> Any:
    """
    Return the value of a field as Python numbers, texts, lists and dictionaries.

    Parameters
    ----------
    value : object
        The value.
    field_type : FieldType, optional
        Its type, for the text that ``no_arr`` puts in its place.
    truncate_length, no_arr, no_str
        See ``message_to_yaml``.

    """
    options: dict[str, Any] = {
        'truncate_length': truncate_length, 'no_arr': no_arr, 'no_str': no_str}
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, bytes):
        value = value.decode('latin-1')
    if isinstance(value, str):
        if no_str:
            return f'<string length: <{len(value)}>>'
        return value if _fits(value, truncate_length) else value[:truncate_length] + '...'
    if isinstance(value, (list, tuple, array.array)) or hasattr(value, 'tolist'):
        if no_arr and field_type is not None:
            return _summary(value, field_type)
        items = value.tolist() if hasattr(value, 'tolist') else list(value)
        if not isinstance(items, list):
            return items  # a NumPy scalar
        cut = items if _fits(items, truncate_length) else items[:truncate_length]
        plain = [to_plain(item, **options) for item in cut]
        return plain if cut is items else [*plain, '...']
    return message_to_ordereddict(value, **options)


def get_message_slot_types(msg: Any) -> OrderedDict[str, Any]:
    """Return the fields of a message and their types, records of ``rosidl_parser.definition``."""
    return OrderedDict(zip(msg.get_fields_and_field_types(), msg.SLOT_TYPES))


def message_to_csv(
    msg: Any,
    *,
    truncate_length: int | None = None,
    no_arr: bool = False,
    no_str: bool = False,
) -> str:
    """Return the values of all fields, nested ones too, separated by commas."""
    content = message_to_ordereddict(
        msg, truncate_length=truncate_length, no_arr=no_arr, no_str=no_str)
    return ','.join(_flat(content))


def _flat(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _flat(item)]
    if isinstance(value, list):
        return [text for item in value for text in _flat(item)]
    return [str(value)]


def _fits(value: Any, length: int | None) -> bool:
    return length is None or len(value) <= length


def _summary(value: Any, field_type: FieldType) -> str:
    element = field_type.message_name if field_type.is_message else field_type.element
    if field_type.kind == 'array':
        return f'<array type: {element}[{field_type.size}]>'
    bound = '' if field_type.size is None else f'[{field_type.size}]'
    return f'<sequence type: {element}{bound}, length: {len(value)}>'
