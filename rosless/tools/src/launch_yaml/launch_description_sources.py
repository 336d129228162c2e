"""A launch description from a file in YAML."""

from launch.launch_description_sources import FrontendLaunchDescriptionSource


class YAMLLaunchDescriptionSource(FrontendLaunchDescriptionSource):
    """
    A launch description from a file in YAML.

    Parameters
    ----------
    launch_file_path : text with substitutions
        Path of the file.

    """
