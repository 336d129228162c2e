"""Tell processes apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from launch.action import Action


def matches_action(target_action: Action) -> Callable[[Any], bool]:
    """Return a matcher that holds for one action only."""
    return lambda action: action is target_action
