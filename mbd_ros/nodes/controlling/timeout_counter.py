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

"""Detect that messages have stopped arriving."""

from __future__ import annotations

CHECK_PERIOD = 0.1
"""Time between two checks [s]."""


class TimeoutCounter:
    """
    Counts checks in a row before which no message was read.

    Not the time since the last message: a node that was kept busy, or out of the processor, for
    long finds messages that wait for it, and may check before it reads them.
    """

    def __init__(self) -> None:
        self._checks = 0

    def heard(self) -> None:
        """Note that a message was read."""
        self._checks = 0

    def is_over(self, timeout: float) -> bool:
        """Return whether no message came for a time [s]; call it every ``CHECK_PERIOD``."""
        self._checks += 1
        return self._checks * CHECK_PERIOD > timeout
