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

"""Condition: a launch configuration has a certain value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.condition import Condition
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class LaunchConfigurationEquals(Condition):
    """
    Holds where a launch configuration equals a text.

    Parameters
    ----------
    launch_configuration_name : str
        Name of the configuration.
    expected_value : text with substitutions, or None
        The text; None holds where the configuration is not set.

    """

    def __init__(
        self, launch_configuration_name: str, expected_value: SomeSubstitutionsType | None,
    ) -> None:
        self._name = launch_configuration_name
        self._expected = (None if expected_value is None
                          else normalize_to_list_of_substitutions(expected_value))
        super().__init__(predicate=self._equals)

    def _equals(self, context: LaunchContext) -> bool:
        expected = (None if self._expected is None
                    else perform_substitutions(context, self._expected))
        return bool(context.launch_configurations.get(self._name) == expected)

    def describe(self) -> str:
        """Return a text for people that shows what this condition is."""
        return f"{type(self).__name__}('{self._name}')"
