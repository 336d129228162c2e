"""Restore the environment that was remembered last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.action import Action

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class PopEnvironment(Action):
    """Restore the environment that was remembered last."""

    def execute(self, context: LaunchContext) -> None:
        """Restore the environment that was remembered last."""
        context._pop_environment()
