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

"""A program, its arguments and its surroundings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import itertools
import os
import re
import shlex
from typing import Any, TYPE_CHECKING

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.action import Action
    from launch.launch_context import LaunchContext

PREFIX, PREFIX_FILTER = 'launch-prefix', 'launch-prefix-filter'  # launch configurations

_process_numbers = itertools.count(1)


class Executable:
    """
    A program, its arguments, working directory and environment.

    Parameters
    ----------
    cmd : iterable of texts with substitutions
        Program and arguments, one entry each.
    prefix : text with substitutions, optional
        Words to put in front; by default the launch configuration ``launch-prefix``, where the
        name of the program fits ``launch-prefix-filter``.
    name : text with substitutions, optional
        Name of the process, to which a number is added; that of the program by default.
    cwd : text with substitutions, optional
        Working directory.
    env : mapping, optional
        The whole environment.
    additional_env : mapping, optional
        Variables to add to the environment.
    arguments : iterable of texts with substitutions, optional
        Further arguments.

    """

    def __init__(
        self,
        *,
        cmd: Iterable[SomeSubstitutionsType],
        prefix: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        cwd: SomeSubstitutionsType | None = None,
        env: Mapping[Any, Any] | None = None,
        additional_env: Mapping[Any, Any] | None = None,
        arguments: Iterable[SomeSubstitutionsType] | None = None,
    ) -> None:
        self.cmd = [normalize_to_list_of_substitutions(part) for part in cmd]
        self.cmd += [normalize_to_list_of_substitutions(part) for part in arguments or ()]
        self._prefix = _parts(prefix)
        self._name = _parts(name)
        self._cwd = _parts(cwd)
        self._env = _variables(env)
        self._additional_env = _variables(additional_env) or []
        self.final_name: str | None = None
        self.final_cmd: list[str] | None = None
        self.final_cwd: str | None = None
        self.final_env: dict[str, str] | None = None

    @property
    def prefix(self) -> list[Substitution] | None:
        """Parts of the words to put in front."""
        return self._prefix

    @property
    def name(self) -> list[Substitution] | None:
        """Parts of the name."""
        return self._name

    @property
    def cwd(self) -> list[Substitution] | None:
        """Parts of the working directory."""
        return self._cwd

    @property
    def env(self) -> list[tuple[list[Substitution], list[Substitution]]] | None:
        """Parts of the variables of the whole environment."""
        return self._env

    @property
    def additional_env(self) -> list[tuple[list[Substitution], list[Substitution]]]:
        """Parts of the variables to add."""
        return self._additional_env

    @property
    def name_text(self) -> str | None:
        """Text for people: the name, before it is computed."""
        if self._name is None:
            return None
        return ''.join(part.describe().strip("'") for part in self._name)

    def _prefix_for(self, program: str, context: LaunchContext) -> str:
        """Return the words in front: given here, or for all programs by ``ros2 launch``."""
        if self._prefix is not None:
            return perform_substitutions(context, self._prefix)
        settings = context.launch_configurations
        wanted = re.match(settings.get(PREFIX_FILTER, ''), os.path.basename(program))
        return str(settings.get(PREFIX, '')) if wanted else ''

    def prepare(self, context: LaunchContext, action: Action) -> None:
        """Compute the final command, name, working directory and environment."""
        def text(parts: list[Substitution]) -> str:
            return perform_substitutions(context, parts)

        cmd = [text(parts) for parts in self.cmd]
        if not cmd or not cmd[0]:
            raise RuntimeError(f'{action.describe()}: the command to execute is empty')
        name = os.path.basename(cmd[0]) if self._name is None else text(self._name)
        cmd = shlex.split(self._prefix_for(cmd[0], context)) + cmd
        self.final_cmd = cmd
        self.final_name = f'{name}-{next(_process_numbers)}'
        self.final_cwd = None if self._cwd is None else text(self._cwd)
        # The process starts later, when the group it stands in may have its scope closed.
        env = dict(context.environment) if self._env is None else {
            text(key): text(value) for key, value in self._env}
        env.update({text(key): text(value) for key, value in self._additional_env})
        self.final_env = env


def _parts(some: SomeSubstitutionsType | None) -> list[Substitution] | None:
    return None if some is None else normalize_to_list_of_substitutions(some)


def _variables(
    mapping: Mapping[Any, Any] | None,
) -> list[tuple[list[Substitution], list[Substitution]]] | None:
    if mapping is None:
        return None
    return [(normalize_to_list_of_substitutions(key), normalize_to_list_of_substitutions(value))
            for key, value in mapping.items()]
