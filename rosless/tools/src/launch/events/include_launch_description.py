"""A launch description is to be visited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.event import Event

if TYPE_CHECKING:
    from launch.launch_description import LaunchDescription


class IncludeLaunchDescription(Event):
    """
    Asks the launch service to visit a launch description.

    Parameters
    ----------
    launch_description : LaunchDescription
        The description.

    """

    name = 'launch.events.IncludeLaunchDescription'

    def __init__(self, launch_description: LaunchDescription) -> None:
        self.__launch_description = launch_description

    @property
    def launch_description(self) -> LaunchDescription:
        """Return the description."""
        return self.__launch_description
