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

"""The list of entities that a launch file hands over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from launch.launch_description_entity import LaunchDescriptionEntity

if TYPE_CHECKING:
    from launch.actions.declare_launch_argument import DeclareLaunchArgument
    from launch.launch_context import LaunchContext


class LaunchDescription(LaunchDescriptionEntity):
    """
    Entities, visited in order.

    Parameters
    ----------
    initial_entities : iterable of LaunchDescriptionEntity, optional
        First entries.
    deprecated_reason : str, optional
        When given, a warning with this reason is shown as the description is visited.

    """

    def __init__(
        self,
        initial_entities: Iterable[LaunchDescriptionEntity] | None = None,
        *,
        deprecated_reason: str | None = None,
    ) -> None:
        self.__entities = list(initial_entities or ())
        self.__deprecated_reason = deprecated_reason

    @property
    def entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities."""
        return self.__entities

    @property
    def deprecated(self) -> bool:
        """Whether the description is deprecated."""
        return self.__deprecated_reason is not None

    @property
    def deprecated_reason(self) -> str | None:
        """Why the description is deprecated."""
        return self.__deprecated_reason

    def add_entity(self, entity: LaunchDescriptionEntity) -> None:
        """Append an entity."""
        self.__entities.append(entity)

    def add_action(self, action: LaunchDescriptionEntity) -> None:
        """Append an action."""
        self.add_entity(action)

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities."""
        return self.__entities

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Return the entities, to be visited next."""
        from launch.logging import get_logger

        if self.deprecated:
            get_logger().warning(
                f'this launch description is deprecated: {self.__deprecated_reason}')
        return self.__entities

    def get_launch_arguments(
        self, conditional_inclusion: bool = False,
    ) -> list[DeclareLaunchArgument]:
        """
        Return the arguments that are declared here and in what is included.

        Arguments that an including file sets itself are left out. Those that are declared only
        under a condition are marked by their attribute ``_conditionally_included``.

        Parameters
        ----------
        conditional_inclusion : bool
            Whether this description as a whole is included under a condition.

        Returns
        -------
        list of DeclareLaunchArgument
            In order of declaration, each name once.

        """
        from launch.utilities.launch_arguments import declared_arguments

        return declared_arguments(self.__entities, conditional_inclusion)
