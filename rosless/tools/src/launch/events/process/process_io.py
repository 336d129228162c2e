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

"""A process has written something."""

from __future__ import annotations

from typing import Any

from launch.events.process.running_process_event import RunningProcessEvent


class ProcessIO(RunningProcessEvent):
    """
    Base of the events that carry output.

    Parameters
    ----------
    text : bytes
        The output.
    fd : int
        File descriptor it was written to: 1 or 2.

    """

    name = 'launch.events.process.ProcessIO'

    def __init__(self, *, text: bytes, fd: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.text = text
        self.fd = fd

    @property
    def from_stdout(self) -> bool:
        """Whether the output is standard output."""
        return self.fd == 1

    @property
    def from_stderr(self) -> bool:
        """Whether the output is standard error."""
        return self.fd == 2

    @property
    def from_stdin(self) -> bool:
        """Whether this is input; never."""
        return self.fd == 0
