"""A launch description from a file written in Python."""

from launch.launch_description import LaunchDescription
from launch.launch_description_source import LaunchDescriptionSource
from launch.launch_description_sources.python_launch_file_utilities import \
    get_launch_description_from_python_launch_file
from launch.some_substitutions_type import SomeSubstitutionsType


class PythonLaunchDescriptionSource(LaunchDescriptionSource):
    """
    A launch description from a file written in Python.

    Parameters
    ----------
    launch_file_path : text with substitutions
        Path of the file.

    """

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(None, launch_file_path, 'interpreted python launch file')

    def _get_launch_description(self, location: str) -> LaunchDescription:
        return get_launch_description_from_python_launch_file(location)
