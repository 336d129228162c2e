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

"""Where a launch description comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.launch_description import LaunchDescription
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class LaunchDescriptionSource:
    """
    A launch description, at hand or in a file.

    Parameters
    ----------
    launch_description : LaunchDescription, optional
        The description itself.
    location : text with substitutions
        Path of the file, read when it is needed first.
    method : str
        Text for people: how the description is obtained.

    """

    def __init__(
        self,
        launch_description: LaunchDescription | None = None,
        location: SomeSubstitutionsType = '<script>',
        method: str = 'unspecified mechanism from a script',
    ) -> None:
        self.__description = launch_description
        self.__location = normalize_to_list_of_substitutions(location)
        self.__expanded: str | None = None
        self.__method = method

    @property
    def method(self) -> str:
        """Text for people: how the description is obtained."""
        return self.__method

    @property
    def location(self) -> str:
        """Path of the file, or a text that describes the unexpanded path."""
        if self.__expanded is None:
            return ' + '.join(part.describe() for part in self.__location)
        return self.__expanded

    def get_launch_description(self, context: LaunchContext) -> LaunchDescription:
        """Return the description; read the file if that was not done yet."""
        if self.__expanded is None:
            self.__expanded = perform_substitutions(context, self.__location)
        if self.__description is None:
            self.__description = self._get_launch_description(self.__expanded)
        return self.__description

    def try_get_launch_description_without_context(self) -> LaunchDescription | None:
        """Return the description if its path does not depend on the state of the launch."""
        from launch.launch_context import LaunchContext

        try:
            return self.get_launch_description(LaunchContext())
        except Exception:
            self.__expanded = None
            return None

    def _get_launch_description(self, location: str) -> LaunchDescription:
        raise NotImplementedError(
            f'{type(self).__name__} does not know how to read a launch file')
