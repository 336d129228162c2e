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

"""Include another launch description."""

from __future__ import annotations

from collections.abc import Iterable
import os
from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.actions.set_launch_configuration import SetLaunchConfiguration
from launch.launch_description import LaunchDescription
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.launch_description_source import LaunchDescriptionSource
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions
from launch.utilities.launch_arguments import constant_text

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class IncludeLaunchDescription(Action):
    """
    Visit another launch description, usually from a file.

    Parameters
    ----------
    launch_description_source : LaunchDescriptionSource, LaunchDescription, or path
        Where the description comes from; a path of a file may hold substitutions.
    launch_arguments : iterable of pairs, optional
        Names and values of its arguments, texts with substitutions.

    """

    scopes_locals = True  # where the included file is

    def __init__(
        self,
        launch_description_source: (
            LaunchDescriptionSource | LaunchDescription | SomeSubstitutionsType),
        *,
        launch_arguments: (
            Iterable[tuple[SomeSubstitutionsType, SomeSubstitutionsType]] | None) = None,
        **kwargs: Any,
    ) -> None:
        from launch.launch_description_sources.any_launch_description_source import \
            AnyLaunchDescriptionSource

        super().__init__(**kwargs)
        source: Any = launch_description_source
        if isinstance(source, LaunchDescription):
            source = LaunchDescriptionSource(source)
        elif not isinstance(source, LaunchDescriptionSource):
            source = AnyLaunchDescriptionSource(source)
        self.__source: LaunchDescriptionSource = source
        self.__arguments = [
            (normalize_to_list_of_substitutions(name), normalize_to_list_of_substitutions(value))
            for name, value in launch_arguments or ()]

    @property
    def launch_description_source(self) -> LaunchDescriptionSource:
        """Where the description comes from."""
        return self.__source

    @property
    def launch_arguments(self) -> list[Any]:
        """Names and values of the arguments, as parts."""
        return self.__arguments

    def constant_argument_names(self) -> frozenset[str]:
        """Return the names of the arguments that are given here, where they are plain texts."""
        return frozenset(constant_text(name) for name, _ in self.__arguments)

    def describe(self) -> str:
        """Return a text for people that shows what is included."""
        return f'IncludeLaunchDescription({self.__source.location})'

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the description, where its path is known beforehand."""
        description = self.__source.try_get_launch_description_without_context()
        return [] if description is None else [description]

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """
        Return the setting of the arguments and the description.

        Raises
        ------
        RuntimeError
            If a required argument of the description is not given.

        """
        description = self.__source.get_launch_description(context)
        sets = [SetLaunchConfiguration(name, value) for name, value in self.__arguments]
        given = {perform_substitutions(context, name) for name, _ in self.__arguments}
        for argument in description.get_launch_arguments():
            if (argument.default_value is None and not argument._conditionally_included
                    and argument.name not in given
                    and argument.name not in context.launch_configurations):
                raise RuntimeError(
                    f"Included launch description missing required argument '{argument.name}' "
                    f"(description: '{argument.description}'), given: "
                    f"[{', '.join(sorted(given))}], in '{self.__source.location}'")
        path = self.__source.location
        if os.path.exists(path):
            path = os.path.abspath(path)
        context.extend_locals({
            'current_launch_file_path': path,
            'current_launch_file_directory': os.path.dirname(path) or path})
        return [*sets, description]
