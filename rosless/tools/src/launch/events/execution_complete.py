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

"""An action has been executed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.event import Event

if TYPE_CHECKING:
    from launch.action import Action


class ExecutionComplete(Event):
    """
    Emitted when an action and what it began are done.

    Parameters
    ----------
    action : Action
        The action.

    """

    name = 'launch.events.ExecutionComplete'

    def __init__(self, *, action: Action) -> None:
        self.__action = action

    @property
    def action(self) -> Action:
        """Return the action."""
        return self.__action
