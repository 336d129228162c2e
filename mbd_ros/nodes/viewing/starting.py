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

"""What nodes still compile, and about how long."""

from __future__ import annotations

import time

from diagnostic_msgs.msg import DiagnosticArray

from mbd_ros.messages.diagnostics.diagnostics import ready_in
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.viewing.view import Shared, View

NODES = ('simulator', 'controller')
"""Nodes without which a robot does not move."""
SILENCE = 3.0
"""A node that has not said for this time that it compiles does not [s]."""


class Starting(View):
    """Says of simulator and controller that they compile: they say so once a second."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        namespace = self.node.get_namespace().rstrip('/')
        self._names = {f'{namespace}/{name}': name for name in NODES}
        self._left: dict[str, tuple[int, float]] = {}
        self.node.create_subscription(
            DiagnosticArray, '/diagnostics', self._on_diagnostics, qos.RELIABLE)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        left = ready_in(message)
        for status in message.status:
            name = self._names.get(status.name)
            if name is None:
                continue
            if status.name in left:
                self._left[name] = left[status.name], time.monotonic()
            else:
                self._left.pop(name, None)

    @property
    def status(self) -> str:
        """Return which nodes compile, and about how long."""
        now = time.monotonic()
        return ', '.join(f'{name}: compiling, about {seconds} s'
                         for name, (seconds, heard) in self._left.items()
                         if now - heard < SILENCE)
