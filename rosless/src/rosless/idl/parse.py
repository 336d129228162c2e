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

"""Parsing of `.msg`, `.srv` and `.action` text into definitions."""

from __future__ import annotations

import re
from typing import Any

from .definition import (
    ActionDefinition,
    Constant,
    Field,
    FieldType,
    FLOATS,
    INTEGER_LIMITS,
    MessageDefinition,
    PRIMITIVES,
    ServiceDefinition,
)
from .errors import InterfaceError

TYPE = re.compile(
    r'(?P<base>[A-Za-z][\w/]*)(?:<=(?P<bound>\d+))?'
    r'(?P<array>\[(?:(?P<upto><=)?(?P<size>\d+))?\])?$'
)
FIELD_NAME = re.compile(r'[a-z](?:_?[a-z0-9]+)*$')
CONSTANT_NAME = re.compile(r'[A-Z](?:_?[A-Z0-9]+)*$')
COMMENT = re.compile(r"""((?:[^#'"]|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|['"])*?)(?:#.*)?$""")
ELEMENT = re.compile(r"""\s*('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^,]*?)\s*(?:,|$)""")
BUILTIN_TYPES = {
    'time': 'builtin_interfaces/msg/Time',
    'duration': 'builtin_interfaces/msg/Duration',
}


def parse_message(name: str, text: str, *, first_line: int = 1) -> MessageDefinition:
    """
    Parse the text of a message.

    Parameters
    ----------
    name : str
        Full name such as ``'std_msgs/msg/Header'``; it locates errors and resolves relative types.
    text : str
        Content of the `.msg` file.
    first_line : int
        Line of the file on which `text` starts.

    Raises
    ------
    InterfaceError
        If a line is not a comment, a field or a constant.

    """
    fields: list[Field] = []
    constants: list[Constant] = []
    for number, raw in enumerate(text.splitlines(), first_line):
        match = COMMENT.match(raw.replace('\t', ' '))
        line = (match.group(1) if match else raw).strip()
        if not line:
            continue
        where = f'{name}:{number}'
        type_text, _, rest = line.partition(' ')
        rest = rest.strip()
        field_type = parse_type(type_text, package=name.split('/')[0], where=where)
        label, equals, value = rest.partition('=')
        label = label.strip()
        if equals and ' ' not in label:
            constants.append(_constant(label, field_type, value.strip(), where))
        else:
            fields.append(_field(rest, field_type, where))
    names = [field.name for field in fields] + [constant.name for constant in constants]
    for repeated in sorted({item for item in names if names.count(item) > 1}):
        raise InterfaceError(f'{name}: {repeated!r} is defined twice')
    return MessageDefinition(name, tuple(fields), tuple(constants))


def parse_service(name: str, text: str) -> ServiceDefinition:
    """Parse the text of a service: request and response, separated by a line `---`."""
    request, response = _sections(name, text, ('Request', 'Response'))
    return ServiceDefinition(name, request, response)


def parse_action(name: str, text: str) -> ActionDefinition:
    """Parse the text of an action: goal, result and feedback, separated by lines `---`."""
    goal, result, feedback = _sections(name, text, ('Goal', 'Result', 'Feedback'))
    return ActionDefinition(name, goal, result, feedback)


def parse_type(text: str, *, package: str, where: str) -> FieldType:
    """
    Parse a field's type, for example ``'float64[<=3]'`` or ``'geometry_msgs/Point[]'``.

    Raises
    ------
    InterfaceError
        If the text is not a type.

    """
    match = TYPE.match(text)
    if match is None:
        raise InterfaceError(f'{where}: {text!r} is not a type')
    base, bound = match['base'], match['bound']
    if base in BUILTIN_TYPES:
        base = BUILTIN_TYPES[base]
    elif base not in PRIMITIVES:
        parts = base.split('/')
        if len(parts) == 1:
            parts.insert(0, package)
        if len(parts) == 2:
            parts.insert(1, 'msg')
        if len(parts) != 3 or not parts[2][:1].isupper():
            raise InterfaceError(
                f'{where}: {text!r} is neither a primitive ({", ".join(sorted(PRIMITIVES))}) '
                "nor a message ('package/Name')"
            )
        base = '/'.join(parts)
    if bound is not None and base not in ('string', 'wstring'):
        raise InterfaceError(f'{where}: {text!r}: only strings have a bound before the brackets')
    string_bound = None if bound is None else int(bound)
    size = None if match['size'] is None else int(match['size'])
    if match['array'] is None:
        return FieldType(base, string_bound=string_bound)
    if size is not None and match['upto'] is None:
        return FieldType(base, 'array', size, string_bound)
    return FieldType(base, 'sequence', size, string_bound)


def parse_value(text: str, base: str, where: str) -> Any:
    """
    Return the Python value of a constant or default of a primitive type.

    Raises
    ------
    InterfaceError
        If the text is not a value of that type, or out of its range.

    """
    text = text.strip()
    if base in ('string', 'wstring'):
        for quote in '"\'':
            if len(text) >= 2 and text[0] == quote == text[-1]:
                return text[1:-1].replace('\\' + quote, quote)
        return text
    try:
        if base == 'bool':
            return {'true': True, '1': True, 'false': False, '0': False}[text.lower()]
        if base in FLOATS:
            return float(text)
        if base == 'byte':
            return bytes([int(text, 0)])
        number = int(text, 0)
    except (KeyError, ValueError):
        raise InterfaceError(f'{where}: {text!r} is not a value of type {base}') from None
    low, high = INTEGER_LIMITS[base]
    if not low <= number <= high:
        raise InterfaceError(f'{where}: {number} is outside of {base} ({low} to {high})')
    return number


def _constant(name: str, kind: FieldType, text: str, where: str) -> Constant:
    if kind.is_message or kind.kind != 'scalar':
        raise InterfaceError(f'{where}: the constant {name!r} must have a primitive type')
    if not CONSTANT_NAME.match(name):
        raise InterfaceError(f'{where}: {name!r} is not a name of a constant (UPPER_CASE)')
    return Constant(name, kind.base, parse_value(text, kind.base, where))


def _field(rest: str, kind: FieldType, where: str) -> Field:
    name, _, default_text = rest.partition(' ')
    default_text = default_text.strip()
    if not FIELD_NAME.match(name):
        raise InterfaceError(f'{where}: {name!r} is not a name of a field (lower_case)')
    if not default_text:
        return Field(name, kind)
    if kind.is_message:
        raise InterfaceError(f'{where}: the field {name!r} is a message and cannot have a default')
    if kind.kind == 'scalar':
        return Field(name, kind, parse_value(default_text, kind.base, where))
    if not (default_text.startswith('[') and default_text.endswith(']')):
        raise InterfaceError(f'{where}: the default of {name!r} must look like [1, 2]')
    inner = default_text[1:-1].strip()
    items = [] if not inner else [m.group(1) for m in ELEMENT.finditer(inner) if m.group(0)]
    values = [parse_value(item, kind.base, where) for item in items]
    if kind.size is not None and (
        len(values) > kind.size or (kind.kind == 'array' and len(values) != kind.size)
    ):
        raise InterfaceError(f'{where}: the default of {name!r} has {len(values)} values')
    return Field(name, kind, values)


def _sections(name: str, text: str, suffixes: tuple[str, ...]) -> list[MessageDefinition]:
    parts: list[list[str]] = [[]]
    first_lines = [1]
    for number, line in enumerate(text.splitlines(), 1):
        if line.rstrip() == '---':
            parts.append([])
            first_lines.append(number + 1)
        else:
            parts[-1].append(line)
    if len(parts) != len(suffixes):
        raise InterfaceError(
            f"{name}: {len(parts) - 1} lines '---' found, {len(suffixes) - 1} expected "
            f'({", ".join(suffixes)})'
        )
    return [
        parse_message(f'{name}_{suffix}', '\n'.join(part), first_line=start)
        for suffix, part, start in zip(suffixes, parts, first_lines, strict=True)
    ]
