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

"""Run a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from launch.actions.execute_local import ExecuteLocal
from launch.descriptions.executable import Executable
from launch.some_substitutions_type import SomeSubstitutionsType


class ExecuteProcess(ExecuteLocal):
    """
    Run a program.

    Parameters
    ----------
    cmd : iterable of texts with substitutions
        Program and arguments, one entry each.
    prefix : text with substitutions, optional
        Words to put in front, such as ``'gdb --args'``.
    name : text with substitutions, optional
        Name of the process, to which a number is added; that of the program by default.
    cwd : text with substitutions, optional
        Working directory.
    env : mapping, optional
        The whole environment; the inherited one by default.
    additional_env : mapping, optional
        Variables to add to the environment.
    **kwargs
        See ``ExecuteLocal``.

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
        **kwargs: Any,
    ) -> None:
        executable = Executable(cmd=cmd, prefix=prefix, name=name, cwd=cwd, env=env,
                                additional_env=additional_env)
        super().__init__(process_description=executable, **kwargs)

    @classmethod
    def _parse_cmdline(cls, cmd: str, parser: Any) -> list[Any]:
        """Return a command line of a launch file as words, each as its parts."""
        from launch.frontend.actions import words

        return words(parser.parse_substitution(cmd))

    @property
    def name(self) -> str | list[Any] | None:
        """Parts of the name of the process; once it is prepared its name, with its number."""
        return self.process_description.final_name or self.process_description.name

    @property
    def cwd(self) -> str | list[Any] | None:
        """Parts of the working directory; its path once it is prepared."""
        return self.process_description.final_cwd or self.process_description.cwd

    @property
    def env(self) -> Any:
        """Parts of the whole environment; its variables once it is prepared."""
        return self.process_description.final_env or self.process_description.env

    @property
    def additional_env(self) -> list[Any]:
        """Parts of the variables that are added to the environment."""
        return self.process_description.additional_env

    @property
    def cmd(self) -> list[Any]:
        """Program and arguments as parts; as texts once they are known."""
        final = self.process_description.final_cmd
        return self.process_description.cmd if final is None else list(final)
