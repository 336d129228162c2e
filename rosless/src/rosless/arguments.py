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

"""The command line of a ROS program: everything after `--ros-args`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from . import names, parameter_values
from .remap import parse_remap_rule, RemapRule

SEVERITIES = {'unset': 0, 'debug': 10, 'info': 20, 'warn': 30, 'error': 40, 'fatal': 50}


class ArgumentError(ValueError):
    """An argument after `--ros-args` cannot be understood."""


@dataclass
class RosArguments:
    """
    What the command line says.

    Attributes
    ----------
    remappings : list[RemapRule]
        In the order of the command line; the first that fits is applied.
    parameters : list[tuple[str, dict[str, Any]]]
        Node pattern and values, in order; later ones win.
    log_levels : dict[str, int]
        Severity by the name of the logger; ``''`` is the default level.
    rosout, stdout : bool
        Whether logs go to /rosout and to the console.
    files : bool
        Whether logs go to a file.
    log_file_name : str
        First part of that file's name; empty for the name of the program.
    enclave : str
        Security enclave; it is announced, but there is no security.
    others : list[str]
        Arguments that are not for ROS.
    unknown : list[str]
        Arguments after `--ros-args` that ROS does not know.

    """

    remappings: list[RemapRule] = field(default_factory=list)
    parameters: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    log_levels: dict[str, int] = field(default_factory=dict)
    rosout: bool = True
    stdout: bool = True
    files: bool = True
    log_file_name: str = ''
    enclave: str = '/'
    others: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


FLAGS = {
    '--enable-rosout-logs': ('rosout', True),
    '--disable-rosout-logs': ('rosout', False),
    '--enable-stdout-logs': ('stdout', True),
    '--disable-stdout-logs': ('stdout', False),
    '--enable-external-lib-logs': ('files', True),
    '--disable-external-lib-logs': ('files', False),
}


def parse(arguments: Sequence[str]) -> RosArguments:
    """
    Parse a command line (without the program's name, or with it).

    Raises
    ------
    ArgumentError
        If a value is missing or malformed.

    """
    result = RosArguments()
    queue = list(arguments)
    in_ros = False
    while queue:
        item = queue.pop(0)
        if item == '--ros-args':
            in_ros = True
        elif not in_ros:
            result.others.append(item)
        elif item == '--':
            in_ros = False
        else:
            _ros_argument(item, queue, result)
    return result


def without_ros_arguments(arguments: Sequence[str]) -> list[str]:
    """Return the arguments that are not for ROS."""
    others, in_ros = [], False
    for item in arguments:
        if item == '--ros-args':
            in_ros = True
        elif in_ros and item == '--':
            in_ros = False
        elif not in_ros:
            others.append(item)
    return others


def _ros_argument(item: str, queue: list[str], result: RosArguments) -> None:
    if item in FLAGS:
        setattr(result, *FLAGS[item])
        return
    if item in ('-r', '--remap'):
        result.remappings.append(_remap(item, _value(item, queue)))
    elif item in ('-p', '--param'):
        result.parameters.append(_parameter(item, _value(item, queue)))
    elif item == '--params-file':
        path = _value(item, queue)
        try:
            result.parameters += parameter_values.load_file(path)
        except (OSError, ValueError) as error:
            raise ArgumentError(f'--params-file {path}: {error}') from None
    elif item == '--log-level':
        _log_level(_value(item, queue), result)
    elif item == '--log-file-name':
        result.log_file_name = _value(item, queue)
    elif item == '--log-config-file':
        raise ArgumentError(
            f'{item} {_value(item, queue)}: there are no configuration files of the logging here, '
            'nor in the spdlog of ROS 2; use --log-level and the variables RCUTILS_*'
        )
    elif item in ('-e', '--enclave'):
        result.enclave = _enclave(item, _value(item, queue))
    elif ':=' in item and not item.startswith('-'):
        result.remappings.append(_remap('--ros-args', item))
    else:
        result.unknown.append(item)


def _value(flag: str, queue: list[str]) -> str:
    if not queue:
        raise ArgumentError(f'{flag} needs a value')
    return queue.pop(0)


def _remap(flag: str, text: str) -> RemapRule:
    try:
        return parse_remap_rule(text)
    except ValueError as error:
        raise ArgumentError(f'{flag} {text}: {error}') from None


def _parameter(flag: str, text: str) -> tuple[str, dict[str, Any]]:
    name, separator, value = text.partition(':=')
    if not separator or not name:
        raise ArgumentError(f"{flag} {text}: expected 'name:=value' or 'node:name:=value'")
    node, colon, rest = name.partition(':')
    pattern, name = (parameter_values.node_pattern(node), rest) if colon else ('/**', name)
    try:
        return pattern, {name: parameter_values.parse_value(value)}
    except ValueError as error:
        raise ArgumentError(f'{flag} {text}: {error}') from None


def _log_level(text: str, result: RosArguments) -> None:
    name, separator, level = text.rpartition(':=')
    if level.lower() not in SEVERITIES:
        raise ArgumentError(f'--log-level {text}: {level!r} is not one of {", ".join(SEVERITIES)}')
    result.log_levels[name if separator else ''] = SEVERITIES[level.lower()]


def _enclave(flag: str, text: str) -> str:
    if names.namespace_problem(text) is not None:
        raise ArgumentError(f'{flag} {text}: an enclave has the form of a namespace: /some/name')
    return text
