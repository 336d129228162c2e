"""Condition: an expression reads false."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.conditions.if_condition import IfCondition

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class UnlessCondition(IfCondition):
    """Holds where the expression reads ``false`` or ``0``."""

    def evaluate(self, context: LaunchContext) -> bool:
        """Return the answer in this context."""
        return not super().evaluate(context)
