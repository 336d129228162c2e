"""What the callbacks of an action server answer."""

from __future__ import annotations

from enum import Enum


class GoalResponse(Enum):
    """Whether a goal is taken on."""

    REJECT = 1
    ACCEPT = 2


class CancelResponse(Enum):
    """Whether a goal may be cancelled."""

    REJECT = 1
    ACCEPT = 2
