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

"""Choose where the nodes that follow write their log files."""

from __future__ import annotations

from typing import Any

from launch.actions import SetEnvironmentVariable
from launch.some_substitutions_type import SomeSubstitutionsType


class SetROSLogDir(SetEnvironmentVariable):
    """
    Set ``ROS_LOG_DIR`` for the nodes that follow, within the same group.

    Parameters
    ----------
    new_log_dir : text with substitutions
        The directory.

    """

    def __init__(self, new_log_dir: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__('ROS_LOG_DIR', new_log_dir, **kwargs)
