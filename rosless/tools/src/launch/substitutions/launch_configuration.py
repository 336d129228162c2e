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

"""The value of a launch configuration, such as a launch argument."""

from __future__ import annotations

from collections.abc import Iterable
import difflib
from typing import Any, TYPE_CHECKING

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.substitutions.substitution_failure import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class LaunchConfiguration(Substitution):
    """
    Stands for the value of a launch configuration.

    Parameters
    ----------
    variable_name : text with substitutions
        Name of the configuration.
    default : text with substitutions, optional
        Value where the configuration is not set.

    """

    def __init__(self, variable_name: SomeSubstitutionsType, *, default: Any = None) -> None:
        self.__variable_name = normalize_to_list_of_substitutions(variable_name)
        if default is None:
            self.__default = None
        else:
            plain = isinstance(default, (Iterable, Substitution))
            self.__default = normalize_to_list_of_substitutions(
                default if plain else str(default))

    @property
    def variable_name(self) -> list[Substitution]:
        """Parts of the name."""
        return self.__variable_name

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        name = ' + '.join(part.describe() for part in self.__variable_name)
        return f'LaunchConfig({name})'

    def perform(self, context: LaunchContext) -> str:
        """Return the value, or raise SubstitutionFailure if there is none."""
        name = perform_substitutions(context, self.__variable_name)
        if name in context.launch_configurations:
            return str(context.launch_configurations[name])
        if self.__default is not None:
            return perform_substitutions(context, self.__default)
        near = difflib.get_close_matches(name, context.launch_configurations, n=1)
        hint = f" (did you mean '{near[0]}'?)" if near else ''
        raise SubstitutionFailure(f"launch configuration '{name}' does not exist{hint}")
