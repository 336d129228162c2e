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

"""The directory of the launch file being executed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.substitution import Substitution
from launch.substitutions.substitution_failure import SubstitutionFailure

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class ThisLaunchFileDir(Substitution):
    """Stands for the absolute directory of the launch file being executed."""

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        return 'ThisLaunchFileDir()'

    def perform(self, context: LaunchContext) -> str:
        """Return the directory, or raise SubstitutionFailure outside of a launch file."""
        path = context.get_locals_as_dict().get('current_launch_file_directory')
        if path is None:
            raise SubstitutionFailure(
                'ThisLaunchFileDir used outside of a launch file (in a script)')
        return str(path)
