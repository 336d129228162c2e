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

"""
Parameters as data: ``config/<node>_parameters.yaml`` declares, bounds and explains them.

The files are written in the dialect of generate_parameter_library, of which this reads: types,
``default_value``, ``description``, ``read_only``, groups, and the validations of ``CHECKS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
import copy
from pathlib import Path
import sys
from types import SimpleNamespace
from typing import Any, NamedTuple

from ament_index_python.packages import get_package_share_directory, PackageNotFoundError
from rcl_interfaces.msg import (
    FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult)
from rclpy.exceptions import ParameterUninitializedException
from rclpy.node import Node
from rclpy.parameter import Parameter
import yaml

from mbd_ros.errors import InvalidValueError, MbdError, UnknownNameError
from mbd_ros.nodes.every_node.wildcards import for_all, OF_STATE_PUBLISHER

CHECKS: Mapping[str, tuple[Callable[..., bool], str]] = {
    'bounds<>': (lambda value, low, high: low <= value <= high, 'from {0} to {1}'),
    'gt<>': (lambda value, limit: value > limit, 'greater than {0}'),
    'gt_eq<>': (lambda value, limit: value >= limit, 'at least {0}'),
    'lt<>': (lambda value, limit: value < limit, 'less than {0}'),
    'lt_eq<>': (lambda value, limit: value <= limit, 'at most {0}'),
    'one_of<>': (lambda value, choices: value in choices, 'one of {0}'),
    'not_empty<>': (lambda value: len(value) > 0, 'not empty'),
    'unique<>': (lambda value: len(set(value)) == len(value), 'entries that differ'),
    'fixed_size<>': (lambda value, size: len(value) == size, '{0} entries'),
    'fixed_size_or_empty<>': (lambda value, size: len(value) in (0, size),
                              '{0} entries, or none'),
    'size_gt<>': (lambda value, size: len(value) > size, 'more than {0} entries'),
    'size_lt<>': (lambda value, size: len(value) < size, 'fewer than {0} entries'),
    'element_bounds<>': (
        lambda value, low, high: all(low <= entry <= high for entry in value),
        'entries from {0} to {1}'),
    'lower_element_bounds<>': (
        lambda value, low: all(low <= entry for entry in value), 'entries of at least {0}'),
}
"""Validations by name: the test, and what it allows in words."""

BY_THE_CLIENT_LIBRARY = ('use_sim_time', 'start_type_description_service', 'qos_overrides.')
"""Parameters that nodes have without declaring them."""

BY_ROBOT = ('constraints.',)
"""Groups of parameters with names of joints, of a node with a parameter of the group's name."""

NODES = ('dynamics_server', 'simulator', 'controller', 'gait', 'module_manager', 'viewer')

FOR_LIFE = ('autostart', 'num_threads', 'robot_description', 'graph', 'ground.heights', 'host',
            'port')
"""
Parameters that are read when a process begins, and never again: files and addresses are named by
who starts it, not by whoever can send a request.
"""


LONGEST_TEXT = 100_000
"""Characters of a parameter that is no description: longest is a task, which has this limit."""

MOST_ENTRIES = 10_000
"""Entries of a list."""


class Declaration(NamedTuple):
    """
    One parameter as its file declares it.

    Attributes
    ----------
    name : str
        Full name, groups separated by dots.
    type : Parameter.Type
        Its type, fixed.
    default : object
        Value where nobody sets it; None if it must be set.
    description : str
        What it means, with its unit.
    read_only : bool
        Whether it is fixed while the node is configured.
    validation : tuple of (str, tuple)
        Names of ``CHECKS`` with their arguments.

    """

    name: str
    type: Parameter.Type
    default: Any
    description: str
    read_only: bool
    validation: tuple[tuple[str, tuple[Any, ...]], ...]

    @property
    def allowed(self) -> str:
        """Return what the validation allows, in words; empty if anything of the type."""
        return ', '.join(CHECKS[name][1].format(*arguments)
                         for name, arguments in self.validation)

    def check(self, value: Any) -> None:
        """
        Check a value of the right type.

        Raises
        ------
        InvalidValueError
            If the validation does not allow it, or it is longer than anything that is meant.

        """
        entries = () if isinstance(value, bool | int | float) else (
            (value,) if isinstance(value, str) else value)
        length = sum(len(entry) for entry in entries if isinstance(entry, str))
        if self.name not in FOR_LIFE and (length > LONGEST_TEXT or len(entries) > MOST_ENTRIES):
            raise InvalidValueError(
                f"parameter '{self.name}'", f'{length} characters in {len(entries)} entries',
                f'at most {LONGEST_TEXT} characters and {MOST_ENTRIES} entries')
        for name, arguments in self.validation:
            if not CHECKS[name][0](value, *arguments):
                raise InvalidValueError(
                    f"parameter '{self.name}'", value, CHECKS[name][1].format(*arguments))


def parameters_file(node_name: str) -> Path:
    """Return the file that declares a node's parameters, installed or in the source tree."""
    name = f'{node_name}_parameters.yaml'
    try:
        installed = Path(get_package_share_directory('mbd_ros'), 'config', name)
        if installed.is_file():
            return installed
    except PackageNotFoundError:
        pass
    return Path(__file__).parents[3] / 'config' / name


def read_declarations(file: Path) -> tuple[Declaration, ...]:
    """
    Read a file of declarations.

    Parameters
    ----------
    file : Path
        One top-level key, the node's name, with parameters and groups of parameters below.

    Returns
    -------
    tuple of Declaration
        In the order of the file.

    Raises
    ------
    UnknownNameError
        If a type or validation is not known.

    """
    (content,) = yaml.safe_load(file.read_text(encoding='utf-8')).values()
    return tuple(_declarations(content, ''))


def declaration_of(file: str, name: str) -> Declaration:
    """Return what the file of a node says of a parameter, for values that come otherwise."""
    return next(one for one in read_declarations(parameters_file(file)) if one.name == name)


def _declarations(content: Mapping[str, Any], group: str) -> Iterator[Declaration]:
    for key, entry in content.items():
        name = group + key
        if not isinstance(entry.get('type'), str):
            yield from _declarations(entry, name + '.')
            continue
        kind = entry['type'].upper().replace('INT', 'INTEGER', 1)
        if kind not in Parameter.Type.__members__:
            raise UnknownNameError(f"type of parameter '{name}'", entry['type'], (
                'bool', 'int', 'double', 'string', 'bool_array', 'int_array', 'double_array',
                'string_array'))
        checks = []
        for check, arguments in (entry.get('validation') or {}).items():
            if check not in CHECKS:
                raise UnknownNameError(f"validation of parameter '{name}'", check, CHECKS)
            given = [] if arguments is None else arguments
            checks.append((check, tuple(given) if isinstance(given, list) else (given,)))
        yield Declaration(name, Parameter.Type[kind], entry.get('default_value'),
                          entry.get('description', ''), bool(entry.get('read_only', False)),
                          tuple(checks))


def declare_parameters(node: Node, file: str, use: Callable[[], None] | None = None, *,
                       fixed: Callable[[], bool] = lambda: True) -> SimpleNamespace:
    """
    Declare the parameters of a node as its file says, and return their values.

    Values stay up to date: a change is checked and then written into the returned object.

    Parameters
    ----------
    node : Node
        The node.
    file : str
        First part of the file's name: ``simulator`` for ``simulator_parameters.yaml``.
    use : callable, optional
        Called when parameters were changed; an error of this package that it raises takes the
        change back and is the answer.
    fixed : callable, optional
        Tells whether read-only parameters are fixed now, as they are while a node is configured.

    Returns
    -------
    SimpleNamespace
        One attribute for each parameter, a namespace for each group.

    Raises
    ------
    InvalidValueError
        If a value is not allowed or one that must be set is not.

    """
    declarations = read_declarations(parameters_file(file))
    values = SimpleNamespace()
    for declaration in declarations:
        value = _declare(node, declaration)
        declaration.check(value)
        _store(values, declaration.name, value)
    _warn_of_unknown(node, [declaration.name for declaration in declarations])

    by_name = {declaration.name: declaration for declaration in declarations}

    def on_change(changes: list[Parameter]) -> SetParametersResult:
        known = [change for change in changes if change.name in by_name]
        try:
            for change in known:
                by_name[change.name].check(change.value)
                if by_name[change.name].read_only and fixed():
                    raise InvalidValueError(
                        f"parameter '{change.name}'", change.value,
                        f'nothing else than {node.get_parameter(change.name).value!r}: it is '
                        'read-only while the node is configured, see ros2 lifecycle')
        except InvalidValueError as error:
            return SetParametersResult(successful=False, reason=str(error))
        before = copy.deepcopy(values)
        for change in known:
            _store(values, change.name, change.value)
        try:
            if use is not None and known:
                use()
        except MbdError as error:
            _put_back(values, before)
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    node.add_on_set_parameters_callback(on_change)
    return values


def read_again(node: Node, file: str, values: SimpleNamespace) -> None:
    """Put what the parameters are into what ``declare_parameters`` has returned."""
    for declaration in read_declarations(parameters_file(file)):
        _store(values, declaration.name, node.get_parameter(declaration.name).value)


def _declare(node: Node, declaration: Declaration) -> Any:
    """Declare one parameter and return its value."""
    descriptor = ParameterDescriptor(
        name=declaration.name, type=declaration.type.value, description=declaration.description,
        read_only=declaration.name in FOR_LIFE, additional_constraints=', '.join(filter(None, (
            declaration.allowed, 'fixed while configured' if declaration.read_only else ''))))
    for check, arguments in declaration.validation:
        if check == 'bounds<>' and declaration.type is Parameter.Type.DOUBLE:
            low, high = (float(limit) for limit in arguments)
            descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]
        elif check == 'bounds<>':
            low, high = (int(limit) for limit in arguments)
            descriptor.integer_range = [IntegerRange(from_value=low, to_value=high, step=1)]
    if declaration.default in (None, []):
        # rclpy cannot infer the type of an empty list: it is declared by type, then set. A
        # parameter without a value would empty every answer about several parameters.
        node.declare_parameter(declaration.name, declaration.type, descriptor)
        try:
            value = node.get_parameter(declaration.name).value
        except ParameterUninitializedException:
            if declaration.default is None:
                raise InvalidValueError(
                    f"parameter '{declaration.name}'", None,
                    f'a value of type {declaration.type.name.lower()}; it must be set') from None
            value = []
            node.set_parameters([Parameter(declaration.name, declaration.type, value)])
        return value
    return node.declare_parameter(declaration.name, declaration.default, descriptor).value


def _store(values: SimpleNamespace, name: str, value: Any) -> None:
    *groups, last = name.split('.')
    for group in groups:
        values = vars(values).setdefault(group, SimpleNamespace())
    setattr(values, last, list(value) if hasattr(value, '__len__') and not isinstance(value, str)
            else value)


def _put_back(values: SimpleNamespace, before: SimpleNamespace) -> None:
    """Give values what they were; groups stay the objects that others may hold."""
    for name, value in vars(before).items():
        if isinstance(value, SimpleNamespace):
            _put_back(getattr(values, name), value)
        else:
            setattr(values, name, value)


def _warn_of_unknown(node: Node, known: list[str]) -> None:
    """Say which parameters were set from outside that the node, or with ``/**`` no node, has."""
    by_others = (*BY_THE_CLIENT_LIBRARY, *(group for group in BY_ROBOT if group[:-1] in known))
    unknown = [name for name in getattr(node, '_parameter_overrides', {})
               if name not in known and not name.startswith(by_others)]
    elsewhere = for_all(sys.argv) & known_elsewhere() if unknown else ()
    for name in unknown:
        if name not in elsewhere:
            node.get_logger().warning(f'ignored: {UnknownNameError("parameter", name, known)}')


def known_elsewhere() -> frozenset[str]:
    """Return the parameters of all nodes that run beside one another."""
    return OF_STATE_PUBLISHER.union(
        one.name for name in NODES for one in read_declarations(parameters_file(name)))


def table(declarations: tuple[Declaration, ...]) -> str:
    """Return the declarations as a table in Markdown, as ``docs/interfaces.md`` holds them."""
    rows = ['| parameter | type | default | allowed | meaning |', '|---|---|---|---|---|']
    for one in declarations:
        default = '(must be set)' if one.default is None else f'`{one.default!r}`'
        fixed = ' *Read-only.*' if one.read_only else ''
        rows.append(f'| `{one.name}` | {one.type.name.lower()} | {default} | {one.allowed} | '
                    f'{" ".join(one.description.split())}{fixed} |')
    return '\n'.join(rows)


def main() -> None:
    """Print the tables of parameters of all nodes, for ``docs/interfaces.md``."""
    for node_name in NODES:
        print(f'### {node_name}\n\n{table(read_declarations(parameters_file(node_name)))}\n')


if __name__ == '__main__':
    main()
