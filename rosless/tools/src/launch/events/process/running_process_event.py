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

"""Base of the events that tell of a process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from launch.event import Event

if TYPE_CHECKING:
    from launch.actions.execute_local import ExecuteLocal


class RunningProcessEvent(Event):
    """
    Something about a process.

    Parameters
    ----------
    action : ExecuteLocal
        The action that started the process.
    name : str
        Unique name of the process, such as ``talker-1``.
    cmd : sequence of str
        Program and arguments.
    cwd : str, optional
        Working directory.
    env : mapping
        Environment.
    pid : int
        Process id.

    """

    name = 'launch.events.process.RunningProcessEvent'

    def __init__(
        self,
        *,
        action: ExecuteLocal,
        name: str,
        cmd: Sequence[str],
        cwd: str | None,
        env: Mapping[str, str],
        pid: int,
    ) -> None:
        self.action = action
        self.process_name = name
        self.cmd = list(cmd)
        self.cwd = cwd
        self.env = env
        self.pid = pid

    @property
    def execute_process_action(self) -> ExecuteLocal:
        """Return the action that started the process."""
        return self.action
