"""Read launch files of any format that is known."""

from __future__ import annotations

import os

from launch.invalid_launch_file_error import InvalidLaunchFileError
from launch.launch_description import LaunchDescription
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
        If the file cannot be used, or is XML or YAML, which are not available yet.

    """
    extension = os.path.splitext(launch_file_path)[1]
    if extension in ('.xml', '.yaml', '.yml'):
        raise InvalidLaunchFileError(extension, likely_errors=[NotImplementedError(
            f"launch file '{launch_file_path}': launch files in {extension[1:].upper()} are not "
            'available in this version of rosless, only Python launch files (.launch.py)')])
    return get_launch_description_from_python_launch_file(launch_file_path)
