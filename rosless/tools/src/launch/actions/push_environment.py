"""Remember the environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.action import Action

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class PushEnvironment(Action):
    """Remember the environment."""

    def execute(self, context: LaunchContext) -> None:
        """Remember the environment."""
        context._push_environment()
