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

"""Time of the simulator: pause, step, reset, slower, faster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from std_srvs.srv import SetBool, Trigger

from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.page.numbers_in import number
from mbd_ros.nodes.viewing.view import Seen, Shared, View

SLOWEST, FASTEST = 1.0 / 64.0, 64.0
"""Simulated seconds per second that the buttons reach."""

PAUSED = 'paused'
"""Message of the simulator's diagnostics while its time stands still."""

LARGEST = 1e6
"""Largest real time factor that is believed."""

STEPS = (0.002, 10.0)
"""Shortest and longest step [s]."""


class Simulation(View):
    """Buttons for the simulator's services and parameters."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._factor: float | None = None
        self._asked = self._paused = False
        self.calls.expect([(SetBool, 'simulator/pause'), (Trigger, 'simulator/step'),
                           (Trigger, 'simulator/reset')], nodes=['simulator'])
        gui = self.page.server.gui
        with self.page.panel.control, gui.add_folder('Simulation'):
            time = gui.add_button_group('time', ('Pause', 'Go on', 'Step', 'Reset'))
            speed = gui.add_button_group('speed', ('Slower', 'Real time', 'Faster'))
            self._step = gui.add_slider('length of a step [s]', *STEPS, 0.001, 0.05)
        actions: dict[str, Callable[[], None]] = {
            'Pause': lambda: self._pause(True), 'Go on': lambda: self._pause(False),
            'Step': lambda: self.calls.service(
                Trigger, 'simulator/step', Trigger.Request(), lambda _: self._note(True)),
            'Reset': lambda: self.calls.service(
                Trigger, 'simulator/reset', Trigger.Request(), self._begin_anew),
            'Slower': lambda: self._change_pace(0.5), 'Faster': lambda: self._change_pace(2.0),
            'Real time': lambda: self._change_pace(None)}

        self._simulator = self.node.resolve_service_name('simulator')
        self.node.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics,
                                      qos.RELIABLE)
        self.on_button(time, actions)
        self.on_button(speed, actions)
        self.on_number(self._step, *STEPS, lambda value: self.calls.set_parameter(
            'simulator', 'step_time', value))

    def _begin_anew(self, _: object) -> None:
        """Let traces and plots begin where the robot begins."""
        self.page.clear()

    def _pause(self, paused: bool) -> None:
        self.calls.service(SetBool, 'simulator/pause', SetBool.Request(data=paused),
                           lambda _: self._note(paused))

    def _note(self, paused: bool) -> None:
        self._paused = paused

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        """Hear whether the simulator is paused, whoever has asked for it."""
        for status in message.status:
            if status.name == self._simulator:
                self._note(status.message == PAUSED)

    def _change_pace(self, by: float | None) -> None:
        """Multiply the simulated seconds per second, or let them be one."""
        factor = self._factor or 1.0
        self._factor = 1.0 if by is None else min(max(by * factor, SLOWEST), FASTEST)
        self.calls.set_parameter('simulator', 'real_time_factor', self._factor)

    def redraw(self, seen: Seen | None) -> None:
        """Ask once for the pace."""
        if not self._asked:
            self._asked = self.calls.get_parameters(
                'simulator', ['real_time_factor'], self._take)

    def _take(self, values: Mapping[str, Any]) -> None:
        if self._factor is None:
            self._factor = number(values['real_time_factor'], 0.0, LARGEST)

    @property
    def status(self) -> str:
        """Return that time stands still, if it does."""
        return PAUSED.upper() if self._paused else ''

    @property
    def readouts(self) -> Mapping[str, str]:
        """Return the pace, where it is not that of the wall clock."""
        return {} if self._factor in (None, 1.0) else {'simulated s per s': f'{self._factor:g}'}
