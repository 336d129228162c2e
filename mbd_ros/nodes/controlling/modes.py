"""What a controller does, as it says it."""

from __future__ import annotations

from mbd_msgs.msg import ControllerState

from mbd_ros.control.tasks.tracker import Mode
from mbd_ros.nodes.parts.controller_goals import ON_PURPOSE

MODES = {
    Mode.WEIGHTLESS: ControllerState.MODE_WEIGHTLESS,
    Mode.FOLLOWING: ControllerState.MODE_TRACKING,
    Mode.HOLDING: ControllerState.MODE_HOLDING,
}
SENDING = frozenset((*MODES.values(), ControllerState.MODE_NOT_FOLLOWING))
"""Modes in which efforts are sent."""
FINE = {ControllerState.MODE_TRACKING: 'tracking', ControllerState.MODE_WEIGHTLESS: 'weightless'}


def usual(mode: int, why: str) -> str | None:
    """Return a mode and the reason for it in words, None where it is worth a warning."""
    if mode == ControllerState.MODE_WEIGHTLESS:
        return 'weightless: nothing to follow, the weight is carried'
    if mode == ControllerState.MODE_WAITING:
        return f'waiting: {why}'
    return FINE.get(mode) or (f'holding: {why}' if why in ON_PURPOSE else None)
