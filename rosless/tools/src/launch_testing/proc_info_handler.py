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

"""Which processes have begun and ended, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import threading
from typing import Any

from launch.events.process import ProcessExited
from launch.events.process import RunningProcessEvent
from launch_testing.util import NoMatchingProcessException
from launch_testing.util import resolveProcesses


class ProcInfoHandler:
    """
    Keeps the last event of each process: ``ProcessStarted`` or ``ProcessExited``.

    Iterate over them, or ask for that of one process by ``[]``.

    """

    def __init__(self) -> None:
        self._events: dict[Any, RunningProcessEvent] = {}

    def append(self, process_info: RunningProcessEvent) -> None:
        """Add an event."""
        self._events[process_info.action] = process_info

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._events.values()))

    def processes(self) -> list[Any]:
        """Return the actions that have started processes."""
        return list(self._events)

    def process_names(self) -> list[str]:
        """Return the names of the processes."""
        return [event.process_name for event in self]

    def __getitem__(self, key: Any) -> Any:
        """Return the event of a process, by action or a part of its name; KeyError if none."""
        if not isinstance(key, str):
            return self._events[key]
        for event in self:
            if key in event.process_name:
                return event
        raise KeyError(key)


class ActiveProcInfoHandler(ProcInfoHandler):
    """The same while they run: one can wait for a process to begin or to end."""

    def __init__(self) -> None:
        super().__init__()
        self.proc_event = threading.Condition()

    def append(self, process_info: RunningProcessEvent) -> None:
        """Add an event."""
        with self.proc_event:
            super().append(process_info)
            self.proc_event.notify_all()

    def assertWaitForStartup(
        self, process: Any, cmd_args: Any = None, *, timeout: float = 10,
    ) -> None:
        """Wait for a process to begin; AssertionError if that takes longer than a time [s]."""
        self._wait(process, cmd_args, timeout, lambda event: True, 'start')

    def assertWaitForShutdown(
        self, process: Any, cmd_args: Any = None, *, timeout: float = 10,
    ) -> None:
        """Wait for a process to end; AssertionError if that takes longer than a time [s]."""
        self._wait(process, cmd_args, timeout,
                   lambda event: isinstance(event, ProcessExited), 'finish')

    def _wait(self, process: Any, cmd_args: Any, timeout: float,
              wanted: Callable[[Any], bool], what: str) -> None:
        def found() -> bool:
            try:
                return wanted(self[resolveProcesses(self, process=process, cmd_args=cmd_args)[0]])
            except NoMatchingProcessException:
                return False

        with self.proc_event:
            came = self.proc_event.wait_for(found, timeout)
        assert came, f"Timed out waiting for process '{process}' to {what}"
