"""Actions in the graph."""

from __future__ import annotations

from typing import Any

from rclpy.action import get_action_names_and_types
from ros2cli.graph import NAMED
from ros2cli.graph import wait_until


def types_of_action(node: Any, action: str) -> list[str]:
    """Return the types of an action, waiting for it to be discovered; empty if it is not."""
    return list(wait_until(lambda: dict(get_action_names_and_types(node)).get(action, []), NAMED))
