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

"""The value of a parameter set for all nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.substitutions import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class Parameter(Substitution):
    """
    Stands for the value that ``SetParameter`` has given a parameter.

    Parameters
    ----------
    name : text with substitutions
        Name of the parameter.
    default : text with substitutions, optional
        Text where it is not set.

    """

    def __init__(
        self, name: SomeSubstitutionsType, *, default: SomeSubstitutionsType | None = None,
    ) -> None:
        self.__name = normalize_to_list_of_substitutions(name)
        self.__default = (None if default is None
                          else normalize_to_list_of_substitutions(default))

    @property
    def name(self) -> list[Substitution]:
        """Parts of the name."""
        return self.__name

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        return f"Parameter({' + '.join(part.describe() for part in self.__name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the value, or raise SubstitutionFailure if there is none."""
        from launch_ros.actions.set_parameter import GLOBAL_PARAMETERS

        name = perform_substitutions(context, self.__name)
        for item in reversed(context.launch_configurations.get(GLOBAL_PARAMETERS, ())):
            if isinstance(item, tuple) and item[0] == name:
                return str(item[1])
        if self.__default is not None:
            return perform_substitutions(context, self.__default)
        raise SubstitutionFailure(f"parameter '{name}' is not set by a SetParameter before")
