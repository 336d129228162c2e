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

"""Give the nodes that follow a parameter."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.some_substitutions_type import SomeSubstitutionsType
from launch_ros.parameter_descriptions import Parameter

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

GLOBAL_PARAMETERS = 'global_params'


class SetParameter(Action):
    """
    Set a parameter for the nodes that follow, within the same group.

    Parameters
    ----------
    name : text with substitutions
        Name of the parameter.
    value : object
        Plain value, or text with substitutions.

    """

    def __init__(self, name: SomeSubstitutionsType, value: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__parameter = Parameter(name, value)

    def execute(self, context: LaunchContext) -> None:
        """Set the parameter."""
        before = context.launch_configurations.get(GLOBAL_PARAMETERS, [])
        context.launch_configurations[GLOBAL_PARAMETERS] = [
            *before, self.__parameter.evaluate(context)]
