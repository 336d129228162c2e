"""Restore the launch configurations that were remembered last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.action import Action

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class PopLaunchConfigurations(Action):
    """Restore the launch configurations that were remembered last."""

    def execute(self, context: LaunchContext) -> None:
        """Restore the launch configurations that were remembered last."""
        context._pop_launch_configurations()
