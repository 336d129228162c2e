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

"""Gains of the controller, changed while it runs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from mbd_ros.nodes.page.numbers_in import number
from mbd_ros.nodes.viewing.view import Seen, Shared, View

GAINS = {'bandwidth': ('bandwidth [rad/s]', 0.1, 500.0),
         'approach_speed': ('approach speed [rad/s, m/s]', 0.001, 100.0),
         'robust_rate': ('robust rate [s⁻¹]', 0.0, 500.0),
         'adaptation_rate': ('adaptation rate [s⁻¹]', 0.0, 50.0)}
"""Parameters of the controller: what the page calls them, and their bounds."""


class Gains(View):
    """A number for each gain; it shows what the controller has once that has answered."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self.calls.expect(nodes=['controller'])
        self._asked = False
        self._inputs: dict[str, Any] = {}
        gui = self.page.server.gui
        with self.page.panel.control, gui.add_folder('Gains', expand_by_default=False):
            for name, (label, low, high) in GAINS.items():
                self._inputs[name] = entry = gui.add_number(label, low, min=low, max=high)
                self.on_number(entry, low, high, partial(
                    self.calls.set_parameter, 'controller', name))

    def redraw(self, seen: Seen | None) -> None:
        """Ask the controller once."""
        if not self._asked:
            self._asked = self.calls.get_parameters('controller', list(GAINS), self._take)

    def _take(self, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            known = number(value, *GAINS[name][1:])
            if known is not None:
                self._inputs[name].value = known
