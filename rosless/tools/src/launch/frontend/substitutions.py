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

"""What ``$(...)`` stands for, of launch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from launch import substitutions as known
from launch.frontend.expose import SUBSTITUTIONS
from launch.substitution import Substitution
from launch.utilities.launch_arguments import constant_text

Arguments = list[list[Substitution]]
_loop_values: ContextVar[dict[str, str]] = ContextVar('loop_values')

# Name -> (what makes the substitution, least and largest number of arguments)
TABLE: dict[str, tuple[Callable[..., Substitution], int, float]] = {
    'all': (known.AllSubstitution, 0, float('inf')),
    'and': (known.AndSubstitution, 2, 2),
    'anon': (known.AnonName, 1, 1),
    'any': (known.AnySubstitution, 0, float('inf')),
    'command': (known.Command, 1, 2),
    'dirname': (known.ThisLaunchFileDir, 0, 0),
    'env': (lambda name, *default: known.EnvironmentVariable(
        name, default_value=default[0] if default else None), 1, 2),
    'equals': (known.EqualsSubstitution, 2, 2),
    'eval': (known.PythonExpression, 1, 2),
    'file_content': (known.FileContent, 1, 1),
    'filename': (known.ThisLaunchFile, 0, 0),
    'find_exec': (known.FindExecutable, 1, 1),
    'if': (known.IfElseSubstitution, 2, 3),
    'launch_log_dir': (known.LaunchLogDir, 0, 0),
    'log_dir': (known.LaunchLogDir, 0, 0),
    'not': (known.NotSubstitution, 1, 1),
    'not_equals': (known.NotEqualsSubstitution, 2, 2),
    'optenv': (lambda name, default='': known.EnvironmentVariable(
        name, default_value=default), 1, 2),
    'or': (known.OrSubstitution, 2, 2),
    'path_join': (lambda *parts: known.PathJoinSubstitution(parts), 1, float('inf')),
    'string_join': (lambda delimiter, *parts: known.StringJoinSubstitution(
        parts, delimiter=delimiter), 1, float('inf')),
    'var': (lambda name, *default: known.LaunchConfiguration(
        name, default=default[0] if default else None), 1, 2),
}


def counted(name: str, make: Callable[..., Substitution], least: float, most: float) -> None:
    """Expose a substitution that takes a certain number of arguments."""
    def exposed(arguments: Arguments) -> Substitution:
        if not least <= len(arguments) <= most:
            wanted = f'{least}' if least == most else (
                f'at least {least}' if most == float('inf') else f'{least} to {most}')
            raise TypeError(f'expects {wanted} argument(s), found {len(arguments)}')
        return make(*arguments)

    SUBSTITUTIONS[name] = exposed


@contextmanager
def loop_values(values: dict[str, str]) -> Iterator[None]:
    """Have ``$(index ...)`` and ``$(for-var ...)`` stand for these while entities are read."""
    token = _loop_values.set({**_loop_values.get({}), **values})
    try:
        yield
    finally:
        _loop_values.reset(token)


def _loop_value(name: Any, default: Any = None) -> Substitution:
    text = constant_text(name)
    values = _loop_values.get({})
    if text in values:
        return known.TextSubstitution(text=values[text])
    if default is not None:
        return known.TextSubstitution(text=constant_text(default))
    raise ValueError(f"there is no loop with '{text}' around it "
                     f"(known: {', '.join(values) or 'none'})")


for _name, (_make, _least, _most) in TABLE.items():
    counted(_name, _make, _least, _most)
counted('index', _loop_value, 1, 1)
counted('for_var', _loop_value, 1, 2)
