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

"""The path of a program."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.substitutions.substitution_failure import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class FindExecutable(Substitution):
    """
    Stands for the absolute path of a program on the PATH.

    Parameters
    ----------
    name : text with substitutions
        Name of the program.

    """

    def __init__(self, *, name: SomeSubstitutionsType) -> None:
        self.__name = normalize_to_list_of_substitutions(name)

    @property
    def name(self) -> list[Substitution]:
        """Parts of the name."""
        return self.__name

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        return f"FindExec({' + '.join(part.describe() for part in self.__name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the path, or raise SubstitutionFailure if there is none."""
        name = perform_substitutions(context, self.__name)
        path = shutil.which(name)
        if path is None:
            raise SubstitutionFailure(f"executable '{name}' not found on the PATH")
        return path
