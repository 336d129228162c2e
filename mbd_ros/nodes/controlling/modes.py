# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

"""What a controller does, as it says it."""

from __future__ import annotations

from mbd_msgs.msg import ControllerState

from mbd_ros.control.tasks.tracker import Mode
from mbd_ros.nodes.controlling.controller_goals import ON_PURPOSE

MODES = {
    Mode.WEIGHTLESS: ControllerState.MODE_WEIGHTLESS,
    Mode.FOLLOWING: ControllerState.MODE_TRACKING,
    Mode.HOLDING: ControllerState.MODE_HOLDING,
}
SENDING = frozenset((*MODES.values(), ControllerState.MODE_NOT_FOLLOWING))
"""Modes in which efforts are sent."""
FINE = {ControllerState.MODE_TRACKING: 'tracking'}


def mode_text(mode: int, why: str) -> str | None:
    """Return a mode and the reason for it in words, None where it is worth a warning."""
    if mode == ControllerState.MODE_WEIGHTLESS:
        return None if why else 'gravity compensation: no task'
    if mode == ControllerState.MODE_WAITING:
        return f'waiting: {why}'
    return FINE.get(mode) or (f'holding: {why}' if why in ON_PURPOSE else None)
