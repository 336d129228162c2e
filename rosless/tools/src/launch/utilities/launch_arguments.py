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

"""Find the arguments that a launch description declares, without executing it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from launch.launch_description_entity import LaunchDescriptionEntity
from launch.substitution import Substitution

if TYPE_CHECKING:
    from launch.actions.declare_launch_argument import DeclareLaunchArgument

DEEPEST_INCLUDE = 20


def declared_arguments(
    entities: Iterable[LaunchDescriptionEntity], conditional: bool = False, depth: int = 0,
) -> list[DeclareLaunchArgument]:
    """
    Return the arguments declared by these entities and what they lead to.

    Parameters
    ----------
    entities : iterable of LaunchDescriptionEntity
        Where to look.
    conditional : bool
        Whether the entities themselves are visited under a condition only.
    depth : int
        How many descriptions deep the entities are.

    Returns
    -------
    list of DeclareLaunchArgument
        In order of declaration, each name once. Arguments that an including file sets are left
        out.

    """
    found: dict[str, DeclareLaunchArgument] = {}
    _collect(entities, conditional, found, frozenset(), depth)
    return list(found.values())


def constant_text(parts: Iterable[Substitution]) -> str:
    """Return the plain texts among the parts of a text."""
    from launch.substitutions.text_substitution import TextSubstitution

    return ''.join(part.text for part in parts if isinstance(part, TextSubstitution))


def _collect(
    entities: Iterable[LaunchDescriptionEntity],
    conditional: bool,
    found: dict[str, DeclareLaunchArgument],
    given: frozenset[str],
    depth: int,
) -> None:
    from launch.actions.declare_launch_argument import DeclareLaunchArgument
    from launch.actions.include_launch_description import IncludeLaunchDescription

    if depth > DEEPEST_INCLUDE:
        return
    for entity in entities:
        if isinstance(entity, DeclareLaunchArgument):
            if entity.name not in given and entity.name not in found:
                entity._conditionally_included = conditional or entity.condition is not None
                found[entity.name] = entity
            continue
        inner = given
        if isinstance(entity, IncludeLaunchDescription):
            inner = given | entity.constant_argument_names()
        _collect(entity.describe_sub_entities(), conditional, found, inner, depth + 1)
        for _, sub_entities in entity.describe_conditional_sub_entities():
            _collect(sub_entities, True, found, inner, depth + 1)
