"""Unset an environment variable."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class UnsetEnvironmentVariable(Action):
    """
    Unset an environment variable; one that is not set is left alone.

    Parameters
    ----------
    name : text with substitutions
        Variable.

    """

    def __init__(self, name: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.name = normalize_to_list_of_substitutions(name)

    def execute(self, context: LaunchContext) -> None:
        """Unset the variable."""
        context.environment.pop(perform_substitutions(context, self.name), None)
