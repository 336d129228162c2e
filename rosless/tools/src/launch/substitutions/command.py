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

"""The output of a program."""

from __future__ import annotations

import os
import shlex
import subprocess
from typing import TYPE_CHECKING

from launch.logging import get_logger
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.substitutions.substitution_failure import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

ON_STDERR = ('fail', 'ignore', 'warn', 'capture')


class Command(Substitution):
    """
    Stands for what a program writes to its standard output.

    Parameters
    ----------
    command : text with substitutions
        Program and arguments, split like a shell does.
    on_stderr : text with substitutions
        What to do if the program writes to its standard error: ``'fail'``, ``'ignore'``,
        ``'warn'`` or ``'capture'`` (add it to the text).

    """

    def __init__(
        self, command: SomeSubstitutionsType, on_stderr: SomeSubstitutionsType = 'fail',
    ) -> None:
        self.__command = normalize_to_list_of_substitutions(command)
        self.__on_stderr = normalize_to_list_of_substitutions(on_stderr)

    @property
    def command(self) -> list[Substitution]:
        """Parts of the command."""
        return self.__command

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        return f"Command({' + '.join(part.describe() for part in self.__command)})"

    def perform(self, context: LaunchContext) -> str:
        """Run the program; raise SubstitutionFailure if it fails."""
        command = perform_substitutions(context, self.__command)
        on_stderr = perform_substitutions(context, self.__on_stderr)
        if on_stderr not in ON_STDERR:
            raise SubstitutionFailure(
                f"on_stderr of Command is '{on_stderr}', expected one of {list(ON_STDERR)}")
        words = shlex.split(command) if os.name != 'nt' else [command]
        try:
            done = subprocess.run(
                words, stdout=subprocess.PIPE, text=True, check=False,
                stderr=subprocess.STDOUT if on_stderr == 'capture' else subprocess.PIPE)
        except OSError as error:
            name = words[0] if words else ''
            what = 'file not found: ' if isinstance(error, FileNotFoundError) else ''
            raise SubstitutionFailure(f"{what}the program '{name}' of the command '{command}' "
                                      f'cannot be run: {error.strerror}') from error
        if done.returncode != 0:
            raise SubstitutionFailure(f'executed command failed. Command: {command}\n'
                                      f'Captured stderr output: {done.stderr or done.stdout}')
        if done.stderr:
            if on_stderr == 'fail':
                raise SubstitutionFailure(
                    'executed command showed stderr output. '
                    f'Command: {command}\nCaptured stderr output:\n{done.stderr}')
            if on_stderr == 'warn':
                get_logger().warning('executed command showed stderr output. '
                                     f'Command: {command}\nCaptured stderr output:\n'
                                     f'{done.stderr}')
        return done.stdout
