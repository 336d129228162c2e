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

"""Wait for several things to be ready."""

from __future__ import annotations

from collections.abc import Callable
import threading


class ReadyAggregator:
    """
    Calls a function when its own `ready_fn` has been called some times.

    Parameters
    ----------
    ready_fn : callable
        What to call, once.
    num_to_aggregate : int
        After how many calls.

    """

    def __init__(self, ready_fn: Callable[[], None], num_to_aggregate: int) -> None:
        self._function = ready_fn
        self._left = num_to_aggregate
        self._lock = threading.Lock()

    def ready_fn(self) -> None:
        """Count one."""
        with self._lock:
            self._left -= 1
            last = self._left == 0
        if last:
            self._function()
