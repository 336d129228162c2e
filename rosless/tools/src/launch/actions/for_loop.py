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

"""Do something several times."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions
import yaml

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

Body = Callable[..., Iterable[LaunchDescriptionEntity] | None]


class ForLoop(Action):
    """
    Visit what a function returns for each index.

    Parameters
    ----------
    length : int, or text with substitutions
        How often.
    function : callable
        Takes the index, from 0, and returns entities.
    name : str, optional
        Accepted for compatibility.

    """

    def __init__(
        self, length: int | SomeSubstitutionsType, *, function: Body, name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.__length = normalize_to_list_of_substitutions(
            str(length) if isinstance(length, int) else length)
        self.__function = function

    @property
    def length(self) -> list[Any]:
        """Parts of the text that says how often."""
        return self.__length

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Return what to visit; raise ValueError if the length is no whole number >= 0."""
        text = perform_substitutions(context, self.__length)
        try:
            length = int(text)
        except ValueError:
            length = -1
        if length < 0:
            raise ValueError(
                f"the length of ForLoop must be a whole number of at least 0, found '{text}'")
        return [entity for index in range(length) for entity in self.__function(index) or ()]


class ForEach(Action):
    """
    Visit what a function returns for each set of values.

    Parameters
    ----------
    input_values : text with substitutions
        The sets: mappings in YAML, separated by semicolons, all with the same keys, such as
        ``"{name: 'a', id: 1}; {name: 'b', id: 2}"``.
    function : callable
        Takes the values as keyword arguments and returns entities.

    """

    def __init__(
        self, input_values: SomeSubstitutionsType, *, function: Body, **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.__input_values = normalize_to_list_of_substitutions(input_values)
        self.__function = function

    @property
    def input_values(self) -> list[Any]:
        """Parts of the text with the values."""
        return self.__input_values

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Return what to visit; raise ValueError if the values are not sets of values."""
        text = perform_substitutions(context, self.__input_values)
        return [entity for values in sets_of_values(text)
                for entity in self.__function(**values) or ()]


def sets_of_values(text: str) -> list[dict[str, Any]]:
    """Return mappings from a text that has them in YAML, separated by semicolons."""
    found: list[dict[str, Any]] = []
    for part in filter(str.strip, text.split(';')):
        try:
            values = yaml.safe_load(part)
        except yaml.YAMLError as error:
            raise ValueError(f"the values of ForEach are no YAML: '{part.strip()}'") from error
        if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
            raise ValueError('the values of ForEach must be mappings, separated by semicolons, '
                             f"found '{part.strip()}'")
        if found and values.keys() != found[0].keys():
            raise ValueError(f"the values of ForEach must have the same keys: '{part.strip()}' "
                             f'does not have {sorted(found[0])}')
        found.append(values)
    return found
