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

"""The value of an environment variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.substitutions.substitution_failure import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class EnvironmentVariable(Substitution):
    """
    Stands for the value of an environment variable at the time of launching.

    Parameters
    ----------
    name : text with substitutions
        Name of the variable.
    default_value : text with substitutions, optional
        Value where the variable is not set.

    """

    def __init__(
        self,
        name: SomeSubstitutionsType,
        *,
        default_value: SomeSubstitutionsType | None = None,
    ) -> None:
        self.__name = normalize_to_list_of_substitutions(name)
        self.__default = (None if default_value is None
                          else normalize_to_list_of_substitutions(default_value))

    @property
    def name(self) -> list[Substitution]:
        """Parts of the name."""
        return self.__name

    @property
    def default_value(self) -> list[Substitution] | None:
        """Parts of the default."""
        return self.__default

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        return f"EnvVar({' + '.join(part.describe() for part in self.__name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the value, or raise SubstitutionFailure if there is none."""
        name = perform_substitutions(context, self.__name)
        if name in context.environment:
            return context.environment[name]
        if self.__default is not None:
            return perform_substitutions(context, self.__default)
        raise SubstitutionFailure(f"environment variable '{name}' does not exist")
