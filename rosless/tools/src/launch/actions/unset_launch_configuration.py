"""Unset a launch configuration."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class UnsetLaunchConfiguration(Action):
    """
    Unset a launch configuration; one that is not set is left alone.

    Parameters
    ----------
    name : text with substitutions
        Configuration.

    """

    def __init__(self, name: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.name = normalize_to_list_of_substitutions(name)

    def execute(self, context: LaunchContext) -> None:
        """Unset the configuration."""
        context.launch_configurations.pop(perform_substitutions(context, self.name), None)
