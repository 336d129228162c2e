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

"""Show a launch description as a tree."""

from __future__ import annotations

from collections.abc import Iterable

from launch.action import Action
from launch.launch_description import LaunchDescription
from launch.launch_description_entity import LaunchDescriptionEntity

BRANCH, LAST, BAR, BLANK = '├── ', '└── ', '│   ', '    '


class LaunchIntrospector:
    """Shows what launch descriptions hold, without executing them."""

    def format_launch_description(self, launch_description: LaunchDescription) -> str:
        """Return a text for people: the entities as a tree."""
        return '\n'.join([repr(launch_description),
                          *_tree(_entities(launch_description.entities))])


def _entities(entities: Iterable[LaunchDescriptionEntity]) -> list[list[str]]:
    return [_entity(entity) for entity in entities]


def _entity(entity: LaunchDescriptionEntity) -> list[str]:
    """Return the lines of one entity."""
    if isinstance(entity, LaunchDescription):
        return [repr(entity), *_tree(_entities(entity.entities))]
    title = entity.describe() if isinstance(entity, Action) else repr(entity)
    blocks = _entities(entity.describe_sub_entities())
    for condition, inner in entity.describe_conditional_sub_entities():
        if inner:
            blocks.append([condition, *_tree(_entities(inner))])
    return [title, *_tree(blocks)]


def _tree(blocks: list[list[str]]) -> list[str]:
    lines = []
    for index, (first, *rest) in enumerate(blocks):
        is_last = index == len(blocks) - 1
        lines.append((LAST if is_last else BRANCH) + first)
        lines += [(BLANK if is_last else BAR) + line for line in rest]
    return lines
