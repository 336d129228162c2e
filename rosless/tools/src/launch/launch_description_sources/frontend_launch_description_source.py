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
