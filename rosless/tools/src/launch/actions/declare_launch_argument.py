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

"""An argument of a launch file."""

from __future__ import annotations

from collections.abc import Iterable
import difflib
from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class DeclareLaunchArgument(Action):
    """
    Declare an argument, whose value becomes the launch configuration of the same name.

    Parameters
    ----------
    name : str
        Name of the argument.
    default_value : text with substitutions, optional
        Value where none is given; without it the argument is required.
    description : str, optional
        Text for people.
    choices : iterable of str, optional
        The values that are allowed.

    Raises
    ------
    RuntimeError
        If there are no choices, or if a default that is a plain text is not among them.

    """

    def __init__(
        self,
        name: str,
        *,
        default_value: SomeSubstitutionsType | None = None,
        description: str | None = None,
        choices: Iterable[str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.__name = name
        self.__default = (None if default_value is None
                          else normalize_to_list_of_substitutions(default_value))
        self.__choices = None if choices is None else list(choices)
        if self.__choices is not None:
            if not self.__choices:
                raise RuntimeError(
                    'Provided choices arg is empty. Use None to ignore the choice list.')
            if isinstance(default_value, str) and default_value not in self.__choices:
                raise RuntimeError(f'Provided default_value "{default_value}" is not in '
                                   f'provided choices "{self.__choices}".')
        self.__description = self.__describe(description)
        self._conditionally_included = False

    def __describe(self, description: str | None) -> str:
        if description is None:
            return 'no description given' if self.__choices is None else \
                f'One of: {self.__choices}'
        if self.__choices is None:
            return description
        stop = '' if description.endswith('.') else '.'
        return f'{description}{stop} Valid choices are: {self.__choices}'

    @property
    def name(self) -> str:
        """Name of the argument."""
        return self.__name

    @property
    def default_value(self) -> list[Substitution] | None:
        """Parts of the default value."""
        return self.__default

    @property
    def description(self) -> str:
        """Text for people, with the choices."""
        return self.__description

    @property
    def choices(self) -> list[str] | None:
        """Return the values that are allowed."""
        return self.__choices

    def execute(self, context: LaunchContext) -> None:
        """Set the configuration from the default if it is not set; check its value."""
        configurations = context.launch_configurations
        if self.__name not in configurations:
            if self.__default is None:
                raise RuntimeError(
                    f'Required launch argument "{self.__name}" (description: '
                    f'"{self.__description}") was not provided.')
            configurations[self.__name] = perform_substitutions(context, self.__default)
        value = configurations[self.__name]
        if self.__choices is not None and value not in self.__choices:
            near = difflib.get_close_matches(value, self.__choices, n=1)
            hint = f' Did you mean "{near[0]}"?' if near else ''
            raise RuntimeError(f'Argument "{self.__name}" provided value "{value}" is not valid. '
                               f'Valid options are: {self.__choices}.{hint}')
