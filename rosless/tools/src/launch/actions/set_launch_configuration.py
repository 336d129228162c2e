"""Set a launch configuration."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class SetLaunchConfiguration(Action):
    """
    Set a launch configuration.

    Parameters
    ----------
    name, value : text with substitutions
        Configuration and its value.

    """

    def __init__(
        self, name: SomeSubstitutionsType, value: SomeSubstitutionsType, **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.name = normalize_to_list_of_substitutions(name)
        self.value = normalize_to_list_of_substitutions(value)

    def execute(self, context: LaunchContext) -> None:
        """Set the configuration."""
        name = perform_substitutions(context, self.name)
        context.launch_configurations[name] = perform_substitutions(context, self.value)
