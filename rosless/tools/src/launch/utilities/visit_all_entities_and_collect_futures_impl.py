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

"""Visit an entity and all that it leads to."""

from __future__ import annotations

import asyncio
from typing import Any, TYPE_CHECKING

from launch.launch_description_entity import LaunchDescriptionEntity

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


def visit_all_entities_and_collect_futures(
    entity: LaunchDescriptionEntity, context: LaunchContext
) -> list[tuple[LaunchDescriptionEntity, asyncio.Future[Any]]]:
    """Return all visited entities whose work goes on, each with the future of its end."""
    children = entity.visit(context) or []
    future = entity.get_asyncio_future()
    found = [] if future is None else [(entity, future)]
    for child in children:
        found += visit_all_entities_and_collect_futures(child, context)
    return found
