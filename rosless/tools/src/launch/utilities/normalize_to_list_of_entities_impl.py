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
