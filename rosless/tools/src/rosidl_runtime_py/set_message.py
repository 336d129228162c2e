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

"""Fill messages from dictionaries, such as YAML that a user typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import difflib
from functools import partial
from typing import Any

from rosidl_runtime_py.field_types import FieldType
from rosidl_runtime_py.field_types import parse_field_type
from rosidl_runtime_py.utilities import get_message

INTEGERS = frozenset(f'{sign}int{bits}' for sign in ('', 'u') for bits in (8, 16, 32, 64))
HEADER, TIME = 'std_msgs/Header', 'builtin_interfaces/Time'
Setter = Callable[[Any], None]


def set_message_fields(
    msg: Any,
    values: Mapping[str, Any],
    expand_header_auto: bool = False,
    expand_time_now: bool = False,
) -> list[Setter]:
    """
    Set fields of a message.

    Parameters
    ----------
    msg : message
        The message.
    values : mapping
        Names of fields and values; fields that are not named keep theirs.
    expand_header_auto : bool
        Whether a header given as ``auto`` gets a time stamp later, by a returned function.
    expand_time_now : bool
        Whether a time given as ``now`` is set later, by a returned function.

    Returns
    -------
    list of callable
        Each takes a ``builtin_interfaces/Time`` and sets a field that was left open.

    Raises
    ------
    AttributeError
        If the message has no such field; the text lists those it has.
    TypeError
        If a value does not have the type of its field.
    ValueError
        If a value is out of the range of its field.

    """
    setters: list[Setter] = []
    _fill(msg, values, '', setters, expand_header_auto, expand_time_now)
    return setters


def _fill(
    msg: Any, values: Any, where: str, setters: list[Setter], header: bool, time: bool,
) -> None:
    if not isinstance(values, Mapping):
        raise TypeError(f"{where or 'the value'}: expected a dictionary with fields of "
                        f"'{type(msg).__name__}', found '{values}' "
                        f'of type {type(values).__name__}')
    types = msg.get_fields_and_field_types()
    for name, value in values.items():
        path = f'{where}.{name}' if where else str(name)
        if name not in types:
            raise AttributeError(_unknown(msg, name, where, list(types)))
        if header and types[name] == HEADER and value == 'auto':
            setters.append(partial(setattr, getattr(msg, name), 'stamp'))
            continue
        if time and types[name] == TIME and value == 'now':
            setters.append(partial(setattr, msg, name))
            continue
        field_type = parse_field_type(types[name])
        converted = _convert(field_type, value, path, setters, header, time)
        try:
            setattr(msg, name, converted)
        except (AssertionError, OverflowError) as error:
            raise ValueError(f'{path}: {error}') from error


def _unknown(msg: Any, name: str, where: str, known: list[str]) -> str:
    near = difflib.get_close_matches(str(name), known, n=1)
    hint = f", did you mean '{near[0]}'?" if near else ''
    place = f' (field {where})' if where else ''
    return (f"'{type(msg).__name__}'{place} has no field '{name}'{hint} "
            f"(valid fields: {', '.join(known) or 'none'})")


def _convert(
    field_type: FieldType, value: Any, path: str, setters: list[Setter], header: bool, time: bool,
) -> Any:
    if field_type.kind != 'scalar':
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"{path}: expected a list, found '{value}' "
                            f'of type {type(value).__name__}')
        if field_type.kind == 'array' and len(value) != field_type.size:
            raise ValueError(f'{path}: expected {field_type.size} values, found {len(value)}')
        element = field_type._replace(kind='scalar', size=None)
        return [_convert(element, item, f'{path}[{i}]', setters, header, time)
                for i, item in enumerate(value)]
    if field_type.is_message:
        message = get_message(field_type.message_name)()
        _fill(message, value, path, setters, header, time)
        return message
    return _scalar(field_type.element, value, path)


def _scalar(kind: str, value: Any, path: str) -> Any:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind in ('string', 'wstring') and isinstance(value, (str, int, float)):
        return str(value)
    if kind in ('double', 'float') and (number or _reads_as_float(value)):
        return float(value)
    if kind in INTEGERS and number and value == int(value):
        return int(value)
    if kind == 'boolean' and (isinstance(value, bool) or value in (0, 1)):
        return bool(value)
    if kind == 'octet':
        if isinstance(value, int) and 0 <= value < 256:
            return bytes([value])
        if isinstance(value, (str, bytes)) and len(value) == 1:
            return value.encode('latin-1') if isinstance(value, str) else value
    raise TypeError(f"{path}: expected a value of type '{kind}', found '{value}' "
                    f'of type {type(value).__name__}')


def _reads_as_float(value: Any) -> bool:
    """Tell whether YAML 1.1 took a number such as 1e-3, without a point, for a text."""
    if not isinstance(value, str):
        return False
    try:
        float(value)
    except ValueError:
        return False
    return True
