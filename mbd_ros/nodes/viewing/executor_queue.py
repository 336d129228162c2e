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

"""What the page asks for, handed from the threads of its server to the executor of the node."""

from __future__ import annotations

from collections.abc import Callable
import threading

from mbd_ros.nodes.every_node.managed import ManagedNode


class ExecutorQueue:
    """
    One pending request of each control of the page, run in the node's executor.

    A newer request replaces an older one, so that no browser can queue more than is done.

    Parameters
    ----------
    node : ManagedNode
        The viewer.

    """

    def __init__(self, node: ManagedNode) -> None:
        self._node = node
        self._lock = threading.Lock()
        self._waiting: dict[str, Callable[[], object]] = {}
        self._guard = node.create_guard_condition(self._run_next)

    def put(self, control: str, request: Callable[[], object]) -> None:
        """
        Let something be done in the node's executor, soon.

        Parameters
        ----------
        control : str
            Who asks; a request of the same control that still waits is dropped.
        request : callable
            What to do; an error is logged.

        """
        with self._lock:
            self._waiting[control] = request
        self._guard.trigger()

    def _run_next(self) -> None:
        with self._lock:
            if not self._waiting:
                return
            request = self._waiting.pop(next(iter(self._waiting)))
            if self._waiting:
                self._guard.trigger()
        self._node.require_active()
        request()
