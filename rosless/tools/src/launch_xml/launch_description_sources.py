"""A launch description from a file in XML."""

from launch.launch_description_sources import FrontendLaunchDescriptionSource


class XMLLaunchDescriptionSource(FrontendLaunchDescriptionSource):
    """
    A launch description from a file in XML.

    Parameters
    ----------
    launch_file_path : text with substitutions
        Path of the file.

    """
