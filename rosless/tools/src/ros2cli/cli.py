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

"""Entry point of ``ros2``: choose the command, run it, and end as users expect."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
import difflib
import importlib
import os
import signal
import sys
import sysconfig
from types import ModuleType

from ros2cli.commands import ABSENT
from ros2cli.commands import COMMANDS

NOT_AVAILABLE = 'not available in rosless'
REFUSED = ('rclpy', 'cyclonedds')
"""Modules of whose absence or refusal to load the message says all (rosless.guard)."""


def main(argv: Sequence[str] | None = None) -> int:
    """
    Run ``ros2`` and return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process by default.

    """
    _use_programs_of_this_python()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, 'reconfigure'):
            stream.reconfigure(line_buffering=True, errors='backslashreplace')
    try:
        result = _run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        return int(signal.SIGINT)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        kind = type(error)  # looked at by name, as importing rclpy takes time
        if kind.__name__ == 'ExternalShutdownException':
            return 1
        refused = isinstance(error, ImportError) and error.name in REFUSED
        if not refused and not isinstance(error, (RuntimeError, ValueError)) and (
                kind.__module__ != 'rclpy.exceptions'):
            raise
        result = str(error)
    if isinstance(result, str):
        print(result, file=sys.stderr)
        return 1
    return result or 0


def _run(argv: list[str]) -> int | str | None:
    if not argv or argv[0] in ('-h', '--help'):
        print(_overview())
        return None
    name, rest = argv[0], argv[1:]
    if name in ABSENT:
        return f'ros2 {name}: {NOT_AVAILABLE}: {ABSENT[name]}'
    command = COMMANDS.get(name)
    if command is None:
        return ('ros2: error: argument Call `ros2 <command> -h` for more detailed usage.: '
                f"invalid choice: '{name}'{_near(name, COMMANDS)} "
                f"(choose from {', '.join(COMMANDS)})")
    if not command.verbs:
        return _execute(importlib.import_module(f'ros2cli.command.{name}'),
                        f'ros2 {name}', command.help, rest)
    if not rest or rest[0] in ('-h', '--help'):
        print(_command_overview(name))
        return None
    verb, rest = rest[0], rest[1:]
    if verb in command.absent:
        return f'ros2 {name} {verb}: {NOT_AVAILABLE}: {command.absent[verb]}'
    if verb not in command.verbs:
        return (f"ros2 {name}: error: invalid choice: '{verb}'{_near(verb, command.verbs)} "
                f"(choose from {', '.join(command.verbs)})")
    module = importlib.import_module(f'ros2cli.command.{name}.{verb}')
    return _execute(module, f'ros2 {name} {verb}', command.verbs[verb], rest)


def _execute(
    module: ModuleType, prog: str, description: str, argv: list[str],
) -> int | str | None:
    parser = argparse.ArgumentParser(
        prog=prog, description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    module.add_arguments(parser)
    if getattr(module, 'INTERMIXED', False):
        args = parser.parse_intermixed_args(argv)
    else:
        args = parser.parse_args(argv)
    result: int | str | None = module.main(args)
    return result


def _near(name: str, known: Iterable[str]) -> str:
    matches = difflib.get_close_matches(name, known, n=1)
    return f", did you mean '{matches[0]}'?" if matches else ''


def _overview() -> str:
    lines = [f'  {name:<12}{command.help}' for name, command in COMMANDS.items()]
    return '\n'.join([
        'usage: ros2 [-h] Call `ros2 <command> -h` for more detailed usage. ...', '',
        'ros2 is an extensible command-line tool for ROS 2; this one is part of rosless.', '',
        'options:', '  -h, --help  show this help message and exit', '',
        'Commands:', *lines, '', '  Call `ros2 <command> -h` for more detailed usage.', '',
        f'{NOT_AVAILABLE.capitalize()}: {", ".join(ABSENT)}'])


def _command_overview(name: str) -> str:
    command = COMMANDS[name]
    lines = [f'  {verb:<13}{text}' for verb, text in command.verbs.items()]
    text = '\n'.join([
        f'usage: ros2 {name} [-h] Call `ros2 {name} <command> -h` for more detailed usage. ...',
        '', command.help, '',
        'options:', '  -h, --help  show this help message and exit', '',
        'Commands:', *lines, '', f'  Call `ros2 {name} <command> -h` for more detailed usage.'])
    if command.absent:
        text += f'\n\n{NOT_AVAILABLE.capitalize()}: {", ".join(command.absent)}'
    return text


def _use_programs_of_this_python() -> None:
    """Find xacro and the like also where the virtual environment is not activated."""
    scripts = sysconfig.get_path('scripts')
    paths = os.environ.get('PATH', '').split(os.pathsep)
    if scripts not in paths:
        os.environ['PATH'] = os.pathsep.join([scripts, *paths])
