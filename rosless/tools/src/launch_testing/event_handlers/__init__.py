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

"""Reactions to what a process writes."""

from __future__ import annotations

from typing import Any

from launch.event_handlers import OnProcessIO
from launch.events.process import ProcessIO

__all__ = ['StdoutReadyListener']


class StdoutReadyListener(OnProcessIO):
    """
    Do something once a process has written a text to its standard output.

    Parameters
    ----------
    target_action : ExecuteProcess, optional
        The process; any if left out.
    ready_txt : str
        The text.
    actions : list of actions
        What to do then, such as ``ReadyToTest``.

    """

    def __init__(self, *, target_action: Any = None, ready_txt: str, actions: Any) -> None:
        def look(event: ProcessIO) -> Any:
            return actions if ready_txt in event.text.decode(errors='replace') else None

        super().__init__(target_action=target_action, on_stdout=look)
        self._actions = list(actions)

    def describe(self) -> tuple[str, list[Any]]:
        """Return a text for people, and what is done then."""
        return super().describe()[0], self._actions
