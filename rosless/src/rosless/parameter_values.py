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

"""Values of parameters in YAML: on the command line and in parameter files."""

from __future__ import annotations

from pathlib import Path
import re
from typing import Any

BOOLEANS = {
    text: value
    for value, words in {
        True: ('y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'),
        False: ('n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'),
    }.items()
    for text in words
}
INTEGER = re.compile(r'[-+]?(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)$')
REAL = re.compile(r'[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$')
SPECIAL = {'.nan': 'nan', '.inf': 'inf', '+.inf': 'inf', '-.inf': '-inf'}
PARAMETERS = 'ros__parameters'


class ParameterFileError(ValueError):
    """A parameter file or value is not what ROS 2 accepts; the message has the line."""


def parse_value(text: str) -> Any:
    """
    Return the value of a parameter given as YAML text.

    Raises
    ------
    ParameterFileError
        If it is not a scalar or a list of scalars of one type.

    """
    node = _composed(text, f'{text!r} is not YAML')
    return '' if node is None else _value(node, 'value')


def load_file(path: str | Path) -> list[tuple[str, dict[str, Any]]]:
    """
    Return the content of a parameter file: node patterns and their parameters, in order.

    Nested names are joined with dots. A pattern is a full node name in which ``*`` stands for one
    part and ``**`` for any number of parts.

    Raises
    ------
    ParameterFileError
        If the file is not a parameter file.
    OSError
        If it cannot be read.

    """
    root = _composed(Path(path).read_text(encoding='utf-8'), 'not YAML')
    if root is None:
        return []
    found: list[tuple[str, dict[str, Any]]] = []
    _walk_nodes(root, '', found)
    return found


def node_pattern(name: str) -> str:
    """Return a node name of a file or command line as a pattern for full names."""
    return name if name.startswith('/') else f'/{name}'


def matches(pattern: str, full_name: str) -> bool:
    """Tell whether a full node name fits a pattern."""
    parts = [p for p in pattern.split('/') if p]
    expression = ''.join(
        '(/[^/]+)*' if part == '**' else '/' + re.escape(part).replace(r'\*', '[^/]+')
        for part in parts
    )
    return re.fullmatch(expression, full_name) is not None


def for_node(parameters: list[tuple[str, dict[str, Any]]], full_name: str) -> dict[str, Any]:
    """Return the values that apply to a node; later ones replace earlier ones."""
    result: dict[str, Any] = {}
    for pattern, values in parameters:
        if matches(pattern, full_name):
            result.update(values)
    return result


def flatten(values: dict[str, Any], prefix: str = '') -> dict[str, Any]:
    """Return nested parameters with names joined by dots."""
    result: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            result.update(flatten(value, f'{prefix}{key}.'))
        else:
            result[f'{prefix}{key}'] = value
    return result


def _composed(text: str, problem: str) -> Any:
    import yaml

    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line + 1
                raise ParameterFileError(f'line {line}: aliases (*{event.anchor}) are not allowed')
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise ParameterFileError(f'{problem}: {error}') from None


def _walk_nodes(node: Any, prefix: str, found: list[tuple[str, dict[str, Any]]]) -> None:
    if node.id != 'mapping':
        raise ParameterFileError(
            f'{_line(node)}: expected node names with {PARAMETERS!r} below them'
        )
    for key, value in node.value:
        if key.value == PARAMETERS:
            if not prefix:
                raise ParameterFileError(f'{_line(key)}: {PARAMETERS!r} without a node name')
            values = {} if _is_null(value) else _mapping(value, '')
            found.append((prefix, values))
        else:
            name = key.value.strip('/')
            _walk_nodes(value, f'{prefix}/{name}' if name else prefix or '/', found)


def _mapping(node: Any, prefix: str) -> dict[str, Any]:
    if node.id != 'mapping':
        raise ParameterFileError(f'{_line(node)}: expected parameter names')
    result: dict[str, Any] = {}
    for key, value in node.value:
        name = f'{prefix}{key.value}'
        if value.id == 'mapping':
            result.update(_mapping(value, f'{name}.'))
        else:
            result[name] = _value(value, name)
    return result


def _value(node: Any, name: str) -> Any:
    if node.id == 'scalar':
        return _scalar(node)
    if node.id == 'sequence':
        if not all(item.id == 'scalar' for item in node.value):
            raise ParameterFileError(
                f'{_line(node)}: {name!r}: only lists of scalars are parameters'
            )
        values = [_scalar(item) for item in node.value]
        kinds = {type(value) for value in values}
        if len(kinds) > 1:
            raise ParameterFileError(
                f'{_line(node)}: {name!r}: a list must have elements of one type, found '
                + ', '.join(sorted(kind.__name__ for kind in kinds))
            )
        return values
    raise ParameterFileError(f'{_line(node)}: {name!r} must be a scalar or a list of scalars')


def _scalar(node: Any) -> Any:
    text = node.value
    if node.style is not None or _is_tagged(node):
        return text
    if text in BOOLEANS:
        return BOOLEANS[text]
    if INTEGER.match(text):
        return int(text, 8) if re.match(r'[-+]?0[0-7]+$', text) else int(text, 0)
    if REAL.match(text):
        return float(text)
    if text.lower() in SPECIAL:
        return float(SPECIAL[text.lower()])
    return text


def _is_tagged(node: Any) -> bool:
    """Tell whether the type was written down, as in ``!!str 1``."""
    import yaml

    loader: Any = yaml.SafeLoader('')
    return node.tag != loader.resolve(yaml.ScalarNode, node.value, (True, False))


def _is_null(node: Any) -> bool:
    return node.id == 'scalar' and node.value in ('', '~', 'null')


def _line(node: Any) -> str:
    return f'line {node.start_mark.line + 1}'
