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

"""Read launch files of any format that is known."""

from __future__ import annotations

import os

from launch.launch_description import LaunchDescription
from launch.launch_description_sources.frontend_launch_description_source import EXTENSIONS
from launch.launch_description_sources.frontend_launch_description_source import \
    get_launch_description_from_frontend_launch_file
from launch.launch_description_sources.python_launch_file_utilities import \
    get_launch_description_from_python_launch_file


def get_launch_description_from_any_launch_file(launch_file_path: str) -> LaunchDescription:
    """
    Return the description in a launch file.

    Parameters
    ----------
    launch_file_path : str
        Path of the file; its extension tells the format.

    Raises
    ------
    InvalidLaunchFileError
        If the file cannot be used.

    """
    if os.path.splitext(launch_file_path)[1] in EXTENSIONS:
        return get_launch_description_from_frontend_launch_file(launch_file_path)
    return get_launch_description_from_python_launch_file(launch_file_path)
