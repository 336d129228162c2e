"""Remember the launch configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.action import Action

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class PushLaunchConfigurations(Action):
    """Remember the launch configurations."""

    def execute(self, context: LaunchContext) -> None:
        """Remember the launch configurations."""
        context._push_launch_configurations()
