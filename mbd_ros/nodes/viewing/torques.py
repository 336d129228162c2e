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

"""Torques of links that bend beside those of rigid ones, and their spectra."""

from __future__ import annotations

from collections import deque
from typing import Any

from sensor_msgs.msg import JointState

from mbd_ros.dynamics.analysis.bending_torques import rigid_twin
from mbd_ros.messages.states.recorded_torques import torque_lines, TorqueReader
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.fluid_and_ground import gravity_of
from mbd_ros.nodes.every_node.robot_source import Robot
from mbd_ros.nodes.page.scales import amplitudes
from mbd_ros.nodes.viewing.view import Seen, Shared, View

KEPT = 1024
"""Joint states that are kept: 2 s at 500 Hz, more where some are lost."""


class Torques(View):
    """Compares them, of robots whose links bend; others take none of its time."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        panel = self.page.panel
        self._plot = panel.add_plot(
            'Torques beside those of rigid links', 'N m or N', 'effort [N m or N]',
            across='the last seconds [s]', expanded=False)
        self._spectrum = panel.add_plot(
            'Their spectra', 'N m or N', 'amplitude [N m or N]', across='frequency [Hz]',
            scaled=amplitudes, logarithmic=True, expanded=False)
        self._states: deque[JointState] = deque(maxlen=KEPT)
        self._subscription: Any = None
        self._reader: TorqueReader | None = None

    def use(self, robot: Robot) -> None:
        """Compare torques of another robot."""
        self._states.clear()
        twin = rigid_twin(robot.model, gravity_of(self.settings, robot.model))
        self._reader = None if twin is None else TorqueReader(robot.model, twin)
        if self._subscription is not None:
            self.node.destroy_subscription(self._subscription)
        self._subscription = None if twin is None else self.node.create_subscription(
            JointState, 'joint_states', self._on_state, qos.STREAM,
            qos_overriding_options=qos.OVERRIDABLE)

    def _on_state(self, message: JointState) -> None:
        if self.page.watched:
            self._states.append(message)

    def redraw(self, seen: Seen | None) -> None:
        """Show what the last states say."""
        found = None if self._reader is None else self._reader.read(tuple(self._states))
        if found is None:
            return
        for plot, (across, lines) in zip((self._plot, self._spectrum), torque_lines(*found)):
            plot.show(across, lines)
