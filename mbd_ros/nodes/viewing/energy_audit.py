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

"""Where the energy of the simulated robot goes, as a plot and as figures."""

from __future__ import annotations

from mbd_msgs.msg import EnergyAudit

from mbd_ros.messages.states.energy_audit import energy_parts
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.page.panel import show, table
from mbd_ros.nodes.page.scales import changes
from mbd_ros.nodes.viewing.view import Seen, Shared, View


class Audit(View):
    """What the simulator says of energies and work."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._message: EnergyAudit | None = None
        self._parts: dict[str, float] = {}
        panel = self.page.panel
        self._plot = panel.add_plot(
            'Energy by parts', 'J', 'change on this plot [J]', scaled=changes, expanded=False)
        with panel.watch:
            self._table = self.page.server.gui.add_html('')
        self.node.create_subscription(
            EnergyAudit, 'simulator/energy', self._on_audit, qos.NEWEST,
            qos_overriding_options=qos.OVERRIDABLE)

    def _on_audit(self, message: EnergyAudit) -> None:
        self._message = message

    def draw(self, seen: Seen) -> None:
        """Take a sample for the plot."""
        message, self._message = self._message, None
        if message is not None:
            self._parts = energy_parts(message)
            self._plot.add(self.timeline.seconds(message.header.stamp), self._parts)

    def redraw(self, seen: Seen | None) -> None:
        """Fill the table."""
        rows = ((name, f'{value:.4g} J') for name, value in self._parts.items())
        show(self._table, table(('energy by parts', ''), rows) if self._parts else '')
