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

"""Give the nodes that follow the parameters of a file."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.some_substitutions_type import SomeSubstitutionsType
from launch_ros.actions.set_parameter import GLOBAL_PARAMETERS
from launch_ros.parameter_descriptions import ParameterFile

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class SetParametersFromFile(Action):
    """
    Give the nodes that follow, within the same group, the parameters of a file.

    Parameters
    ----------
    filename : text with substitutions, or ParameterFile
        The file.

    """

    def __init__(self, filename: SomeSubstitutionsType | ParameterFile, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__file = filename if isinstance(filename, ParameterFile) else ParameterFile(filename)

    def execute(self, context: LaunchContext) -> None:
        """Add the file."""
        before = context.launch_configurations.get(GLOBAL_PARAMETERS, [])
        context.launch_configurations[GLOBAL_PARAMETERS] = [
            *before, str(self.__file.evaluate(context))]
