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

"""Base of everything a launch description can hold."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class LaunchDescriptionEntity:
    """Something that can be visited while launching."""

    def describe(self) -> str:
        """Return a text for people that shows what this entity is; for subclasses to override."""
        raise NotImplementedError(f'{type(self).__name__} does not implement describe()')

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities that a visit always leads to, as far as known beforehand."""
        return []

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, list[LaunchDescriptionEntity]]]:
        """Return pairs of a reason and the entities a visit leads to for that reason."""
        return []

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Do what this entity stands for and return the entities to visit next."""
        return None

    def get_asyncio_future(self) -> asyncio.Future[None] | None:
        """Return a future that is done when the work begun by a visit is; None if it is."""
        return None
