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

"""A launch description from a file in XML or YAML."""

from __future__ import annotations

import os

from launch.invalid_launch_file_error import InvalidLaunchFileError
from launch.launch_description import LaunchDescription
from launch.launch_description_source import LaunchDescriptionSource
from launch.some_substitutions_type import SomeSubstitutionsType

EXTENSIONS = ('.xml', '.yaml', '.yml')


def get_launch_description_from_frontend_launch_file(
    frontend_launch_file_path: str,
) -> LaunchDescription:
    """
    Return the description in a launch file in XML or YAML.

    Parameters
    ----------
    frontend_launch_file_path : str
        Path of the file; its extension tells the format.

    Raises
    ------
    InvalidLaunchFileError
        If the file cannot be read or used; the message says where.

    """
    from launch.frontend.parser import Parser

    path = os.path.abspath(frontend_launch_file_path)
    extension = os.path.splitext(path)[1]
    if extension not in EXTENSIONS:
        raise InvalidLaunchFileError(extension, likely_errors=[ValueError(
            f"launch file '{path}': expected one of {', '.join(EXTENSIONS)}")])
    try:
        root, parser = Parser.load(path)
        return parser.parse_description(root)
    except OSError as error:
        problem: Exception = ValueError(f"launch file '{path}' cannot be read: {error.strerror}")
    except ValueError as error:
        problem = error
    raise InvalidLaunchFileError(extension, likely_errors=[problem]) from problem


class FrontendLaunchDescriptionSource(LaunchDescriptionSource):
    """
    A launch description from a file in XML or YAML.

    Parameters
    ----------
    launch_file_path : text with substitutions
        Path of the file.

    """

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(None, launch_file_path, 'interpreted frontend launch file')

    def _get_launch_description(self, location: str) -> LaunchDescription:
        return get_launch_description_from_frontend_launch_file(location)
