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

"""Append to an environment variable."""

from __future__ import annotations

import os
from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions
from launch.utilities.type_utils import truth

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class AppendEnvironmentVariable(Action):
    """
    Append to an environment variable, or set it if it is not set.

    Parameters
    ----------
    name, value : text with substitutions
        Variable and what to append.
    prepend : bool, or text with substitutions
        Whether to put the text in front instead.
    separator : text with substitutions
        What to put between.

    """

    def __init__(
        self,
        name: SomeSubstitutionsType,
        value: SomeSubstitutionsType,
        prepend: bool | SomeSubstitutionsType = False,
        separator: SomeSubstitutionsType = os.pathsep,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.name = normalize_to_list_of_substitutions(name)
        self.value = normalize_to_list_of_substitutions(value)
        self.prepend = (prepend if isinstance(prepend, bool)
                        else normalize_to_list_of_substitutions(prepend))
        self.separator = normalize_to_list_of_substitutions(separator)

    def execute(self, context: LaunchContext) -> None:
        """Append the text."""
        name = perform_substitutions(context, self.name)
        parts = [perform_substitutions(context, self.value)]
        if name in context.environment:
            in_front = self.prepend
            if not isinstance(in_front, bool):
                in_front = truth(perform_substitutions(context, in_front))
            parts.insert(1 if in_front else 0, context.environment[name])
        context.environment[name] = perform_substitutions(context, self.separator).join(parts)
