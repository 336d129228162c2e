"""Write a message."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.logging import get_logger
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class LogInfo(Action):
    """
    Write a message to the log, level INFO.

    Parameters
    ----------
    msg : text with substitutions
        The message.

    """

    def __init__(self, *, msg: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.msg = normalize_to_list_of_substitutions(msg)

    def execute(self, context: LaunchContext) -> None:
        """Write the message."""
        get_logger('launch.user').info(perform_substitutions(context, self.msg))
