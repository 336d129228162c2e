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

"""The log of all nodes and their diagnostics."""

from __future__ import annotations

from collections.abc import Collection, Mapping
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import Log as LogMessage

from mbd_ros.messages.states.reports import LEVELS, Reports
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.page.log_list import LogList
from mbd_ros.nodes.viewing.view import Seen, Shared, View

RECENT = 20.0
"""Time for which a warning stands above the tabs [s]."""
WARNINGS = frozenset(('warning', 'error'))
SHOWN = tuple(level for level in LEVELS if level != 'debug')


class LogView(View):
    """What any node in the ROS graph complains of, without a terminal."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._reports = Reports()
        self._fresh = False
        self._warned = -RECENT
        gui = self.page.server.gui
        with self.page.panel.log:
            self._level: Any = gui.add_dropdown('from level', SHOWN, initial_value='info')
            clear = gui.add_button('Clear')
            self._list = LogList(gui)
        self._level.on_update(lambda _: self.queue.put('log level', self._show))
        clear.on_click(lambda _: self.queue.put('clear log', self._clear))
        self.node.create_subscription(LogMessage, '/rosout', self._on_log, qos.RELIABLE)
        self.node.create_subscription(
            DiagnosticArray, '/diagnostics', self._on_diagnostics, qos.RELIABLE)

    def _on_log(self, message: LogMessage) -> None:
        self._note(self._reports.take_log(message))

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        self._note(self._reports.take_diagnostics(message))

    def _note(self, levels: Collection[str]) -> None:
        """Note that something was said, at these levels."""
        self._fresh = self._fresh or bool(levels)
        if WARNINGS.intersection(levels):
            self._warned = time.monotonic()

    def redraw(self, seen: Seen | None) -> None:
        """Show what was said since."""
        if self._fresh:
            self._show()

    def _show(self) -> None:
        self._fresh = False
        self._list.show(self._reports.newest(self._level.value))

    def _clear(self) -> None:
        self._reports.clear()
        self._show()

    @property
    def readouts(self) -> Mapping[str, str]:
        """Return the newest warning or error, while it is new."""
        recent = time.monotonic() - self._warned < RECENT
        for one in self._reports.newest('warning')[:1] if recent else ():
            return {one.level: f'{one.node}: {one.text}'}
        return {}
