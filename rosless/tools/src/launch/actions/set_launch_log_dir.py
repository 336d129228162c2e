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

"""Choose where the log files of the launch go."""

from __future__ import annotations

import os
from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.logging import launch_config
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class SetLaunchLogDir(Action):
    """
    Have log files that are not open yet written to another directory.

    Parameters
    ----------
    new_log_dir : text with substitutions
        The directory; made if need be.

    """

    def __init__(self, new_log_dir: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__new_log_dir = normalize_to_list_of_substitutions(new_log_dir)

    def execute(self, context: LaunchContext) -> None:
        """Change the directory."""
        path = perform_substitutions(context, self.__new_log_dir)
        os.makedirs(path, exist_ok=True)
        launch_config.log_dir = path
