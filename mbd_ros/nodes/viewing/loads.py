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

"""Payload and gravity: of the simulated robot, and as the controller knows them."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import Inertia
from mbd_msgs.srv import SetPayload

from mbd_ros.description.records.mechanism import STANDARD_GRAVITY
from mbd_ros.nodes.every_node.fluid_and_ground import gravity_of
from mbd_ros.nodes.every_node.robot_source import Robot
from mbd_ros.nodes.page.numbers_in import number, numbers
from mbd_ros.nodes.viewing.view import Shared, View

HEAVIEST = 1000.0
"""Largest mass of a payload [kg]."""

STRONGEST = 100.0
"""Largest gravity along an axis [m/s^2]."""


class Loads(View):
    """Inputs, and a button for each node that is told."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._names: dict[str, str] = {}
        self.calls.expect([(SetPayload, 'controller/set_payload')],
                          nodes=['simulator', 'controller'])
        gui = self.page.server.gui
        with self.page.panel.control, gui.add_folder('Payload and gravity',
                                                     expand_by_default=False):
            self._link: Any = gui.add_dropdown('link', ('tool',))
            self._mass = gui.add_number('payload [kg]', 0.0, min=0.0, max=HEAVIEST, step=0.1)
            payload = gui.add_button_group('payload to', ('Simulator', 'Controller'))
            self._gravity: Any = gui.add_vector3('gravity [m/s²]', tuple(
                self.settings.gravity or STANDARD_GRAVITY), step=0.1)
            gravity = gui.add_button_group('gravity to', ('Simulator', 'Controller'))
        self.on_button(payload, {'Simulator': self._load_robot,
                                 'Controller': self._tell_payload})
        self.on_button(gravity, {'Simulator': lambda: self._pull('simulator'),
                                 'Controller': lambda: self._pull('controller')})

    def use(self, robot: Robot) -> None:
        """Offer the links of another robot."""
        links = [name for name, frame in robot.model.links.items()
                 if frame.body >= 0] or list(robot.model.links)
        label = self.page.panel.label
        self._names = {label(name): name for name in links}
        self._link.options = tuple(self._names)
        self._link.value = label('tool' if 'tool' in links else links[-1])
        self._gravity.value = tuple(gravity_of(self.settings, robot.model))

    def _load_robot(self) -> None:
        payload = self._payload()
        if payload is not None:
            self.calls.set_parameter('simulator', 'payload.link', payload[0])
            self.calls.set_parameter('simulator', 'payload.mass', payload[1])

    def _tell_payload(self) -> None:
        payload = self._payload()
        if payload is not None:
            self.calls.service(SetPayload, 'controller/set_payload', SetPayload.Request(
                link=payload[0], payload=Inertia(m=payload[1])))

    def _payload(self) -> tuple[str, float] | None:
        """Return link and mass; None where they are not allowed, which is said."""
        mass, link = number(self._mass.value, 0.0, HEAVIEST), self._names.get(self._link.value)
        if mass is None or link is None:
            self.calls.shown.add('payload', f'not sent: allowed are 0 to {HEAVIEST:g} kg')
            return None
        return link, mass

    def _pull(self, node: str) -> None:
        gravity = numbers(self._gravity.value, 3, STRONGEST)
        if gravity is None:
            self.calls.shown.add('gravity', f'not sent: from {-STRONGEST:g} to {STRONGEST:g}')
            return
        self.calls.set_parameter(node, 'gravity', gravity.tolist())
        if node == 'simulator':
            self.settings.gravity = gravity.tolist()   # for the energies
