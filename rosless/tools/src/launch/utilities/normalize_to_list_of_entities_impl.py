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

"""Turn what users write into a list of entities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from launch.launch_description_entity import LaunchDescriptionEntity


def normalize_to_list_of_entities(entities: Any) -> list[LaunchDescriptionEntity]:
    """
    Return the entities, those within lists included.

    Raises
    ------
    TypeError
        If something is no entity.

    """
    if isinstance(entities, LaunchDescriptionEntity):
        return [entities]
    if isinstance(entities, Iterable) and not isinstance(entities, str):
        return [part for entity in entities for part in normalize_to_list_of_entities(entity)]
    raise TypeError(f'expected an entity or a list of these, found '
                    f"'{entities}' of type {type(entities).__name__}")
