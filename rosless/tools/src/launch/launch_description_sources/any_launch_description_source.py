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

"""A launch description from a file of any format that is known."""

from launch.launch_description import LaunchDescription
from launch.launch_description_source import LaunchDescriptionSource
from launch.launch_description_sources.any_launch_file_utilities import \
    get_launch_description_from_any_launch_file
from launch.some_substitutions_type import SomeSubstitutionsType


class AnyLaunchDescriptionSource(LaunchDescriptionSource):
    """
    A launch description from a file of any format that is known.

    Parameters
    ----------
    launch_file_path : text with substitutions
        Path of the file.

    """

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(None, launch_file_path, 'any launch file')

    def _get_launch_description(self, location: str) -> LaunchDescription:
        return get_launch_description_from_any_launch_file(location)
