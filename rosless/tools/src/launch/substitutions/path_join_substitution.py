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

"""A path put together from parts."""

from __future__ import annotations

from collections.abc import Iterable
import os
from typing import TYPE_CHECKING

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class PathJoinSubstitution(Substitution):
    """
    Stands for its parts with path separators between them.

    Parameters
    ----------
    substitutions : iterable of texts with substitutions
        The parts; a part that is a list is put together without separators.

    """

    def __init__(self, substitutions: Iterable[SomeSubstitutionsType]) -> None:
        self.__parts = [normalize_to_list_of_substitutions(part) for part in substitutions]

    @property
    def substitutions(self) -> list[list[Substitution]]:
        """Return the parts."""
        return self.__parts

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        parts = (' + '.join(sub.describe() for sub in part) for part in self.__parts)
        return f"PathJoin({', '.join(parts)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the path."""
        return os.path.join(*(perform_substitutions(context, part) for part in self.__parts))

    def __truediv__(self, part: SomeSubstitutionsType) -> PathJoinSubstitution:
        """Return the path with a part added."""
        return PathJoinSubstitution([*self.__parts, part])


class PathSubstitution(PathJoinSubstitution):
    """
    Stands for a path, to which parts are added by ``/``.

    Parameters
    ----------
    path : text with substitutions
        The path to begin with.

    """

    def __init__(self, path: SomeSubstitutionsType) -> None:
        super().__init__([path])
