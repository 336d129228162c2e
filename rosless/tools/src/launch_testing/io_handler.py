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

"""What processes have written."""

from __future__ import annotations

from collections.abc import Iterator
import threading
from typing import Any

from launch.events.process import ProcessIO
from launch_testing.asserts import assertInStream
from launch_testing.util import NoMatchingProcessException
from launch_testing.util import resolveProcesses


class IoHandler:
    """Keeps the output of processes: iterate over it, or ask for that of one by ``[]``."""

    def __init__(self) -> None:
        self._events: list[ProcessIO] = []
        self._tracked: dict[str, None] = {}

    def track(self, process_name: str) -> None:
        """Know a process that has not written anything yet."""
        self._tracked.setdefault(process_name)

    def append(self, process_io: ProcessIO) -> None:
        """Add some output."""
        self._events.append(process_io)

    def __iter__(self) -> Iterator[ProcessIO]:
        return iter(list(self._events))

    def processes(self) -> list[Any]:
        """Return the actions that have started processes with output."""
        return list({event.process_name: event.action for event in self}.values())

    def process_names(self) -> list[str]:
        """Return the names of processes with output."""
        return list({**self._tracked, **dict.fromkeys(event.process_name for event in self)})

    def __getitem__(self, key: Any) -> list[ProcessIO]:
        """Return the output of a process, by name or action; KeyError if there is none."""
        name = key if isinstance(key, str) else key.process_details['name']
        found = [event for event in self if event.process_name == name]
        if not found and name not in self._tracked:
            raise KeyError(name)
        return found


class ActiveIoHandler(IoHandler):
    """The same while they run: one can wait for output."""

    def __init__(self) -> None:
        super().__init__()
        self.io_event = threading.Condition()

    def append(self, process_io: ProcessIO) -> None:
        """Add some output."""
        with self.io_event:
            super().append(process_io)
            self.io_event.notify_all()

    def waitFor(
        self, expected_output: Any, process: Any = None, cmd_args: Any = None, *,
        timeout: float = 10, **kwargs: Any,
    ) -> bool:
        """
        Wait until a process has written something.

        Parameters
        ----------
        timeout : float
            How long at most [s].
        expected_output, process, cmd_args, **kwargs
            As for ``launch_testing.asserts.assertInStream``; any process if left out.

        Returns
        -------
        bool
            Whether it came.

        Raises
        ------
        NoMatchingProcessException
            If no such process has written anything.

        """
        def found() -> bool:
            try:
                assertInStream(self, expected_output, process, cmd_args, **kwargs)
            except (AssertionError, NoMatchingProcessException):
                return False
            return True

        with self.io_event:
            came = self.io_event.wait_for(found, timeout)
        if not came:
            resolveProcesses(self, process=process, cmd_args=cmd_args, strict_proc_matching=False)
        return came

    def assertWaitFor(self, *args: Any, **kwargs: Any) -> None:
        """Wait as ``waitFor`` does; AssertionError if it does not come."""
        assert self.waitFor(*args, **kwargs), 'Waiting for output timed out'
