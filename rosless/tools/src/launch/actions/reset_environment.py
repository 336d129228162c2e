"""Restore the environment of the beginning of the launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.action import Action

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class ResetEnvironment(Action):
    """Restore the environment of the beginning of the launch."""

    def execute(self, context: LaunchContext) -> None:
        """Restore the environment of the beginning of the launch."""
        context._reset_environment()
