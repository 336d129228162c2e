"""Condition: a launch configuration does not have a certain value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.conditions.launch_configuration_equals import LaunchConfigurationEquals

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class LaunchConfigurationNotEquals(LaunchConfigurationEquals):
    """Holds where a launch configuration differs from a text."""

    def evaluate(self, context: LaunchContext) -> bool:
        """Return the answer in this context."""
        return not super().evaluate(context)
