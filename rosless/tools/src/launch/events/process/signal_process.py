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

"""A process is to get a signal."""

from __future__ import annotations

from collections.abc import Callable
import signal
from typing import TYPE_CHECKING

from launch.events.process.process_targeted_event import ProcessTargetedEvent

if TYPE_CHECKING:
    from launch.actions.execute_local import ExecuteLocal


class SignalProcess(ProcessTargetedEvent):
    """
    Sends a signal to processes.

    Parameters
    ----------
    signal_number : int, signal.Signals or str
        Signal, or its name such as ``'SIGINT'``.
    process_matcher : callable
        Takes an ExecuteLocal action; tells whether it is meant.

    """

    name = 'launch.events.process.SignalProcess'

    def __init__(
        self,
        *,
        signal_number: int | str | signal.Signals,
        process_matcher: Callable[[ExecuteLocal], bool],
    ) -> None:
        super().__init__(process_matcher=process_matcher)
        self.__signal = (signal.Signals[signal_number] if isinstance(signal_number, str)
                         else signal.Signals(signal_number))

    @property
    def signal(self) -> signal.Signals:
        """Return the signal."""
        return self.__signal

    @property
    def signal_name(self) -> str:
        """Name of the signal."""
        return self.__signal.name
