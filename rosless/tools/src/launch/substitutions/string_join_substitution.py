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

"""Texts put together with something between them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class StringJoinSubstitution(Substitution):
    """
    Stands for texts with a delimiter between them.

    Parameters
    ----------
    substitutions : iterable of texts with substitutions
        The texts.
    delimiter : text with substitutions
        What comes between.

    """

    def __init__(
        self,
        substitutions: Iterable[SomeSubstitutionsType],
        delimiter: SomeSubstitutionsType = '',
    ) -> None:
        self.__parts = [normalize_to_list_of_substitutions(part) for part in substitutions]
        self.__delimiter = normalize_to_list_of_substitutions(delimiter)

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        parts = (' + '.join(sub.describe() for sub in part) for part in self.__parts)
        return f"StringJoin({', '.join(parts)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the text."""
        return perform_substitutions(context, self.__delimiter).join(
            perform_substitutions(context, part) for part in self.__parts)
