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

"""Base of the entities that do something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.condition import Condition
from launch.launch_description_entity import LaunchDescriptionEntity

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class Action(LaunchDescriptionEntity):
    """
    An intention of the author of a launch file.

    Parameters
    ----------
    condition : Condition, optional
        The action is executed only where this condition holds.

    """

    scopes_locals = False
    """Whether values added to the context's locals are forgotten after what is visited next."""

    def __init__(self, *, condition: Condition | None = None) -> None:
        self.__condition = condition

    @property
    def condition(self) -> Condition | None:
        """Return the condition of this action."""
        return self.__condition

    def describe(self) -> str:
        """Return a text for people that shows what this action is."""
        return f"{type(self).__name__}('{id(self)}')"

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities this action may lead to; for subclasses to override."""
        return []

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities that executing this action always leads to."""
        return self.get_sub_entities() if self.condition is None else []

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, list[LaunchDescriptionEntity]]]:
        """Return the entities that this action leads to where its condition holds."""
        if self.condition is None:
            return []
        return [(f'Conditionally included by {self.describe()}', self.get_sub_entities())]

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Execute the action where its condition holds."""
        if self.condition is None or self.condition.evaluate(context):
            return self.execute(context)
        return None

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Do what the action stands for and return the entities to visit next."""
        return None
