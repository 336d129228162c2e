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

"""What surrounds a simulated robot: forces of the ground, the current and the surface of water."""

from __future__ import annotations

from visualization_msgs.msg import MarkerArray

from mbd_ros.messages.states.contacts_and_water import CONTACT, CURRENT
from mbd_ros.messages.states.drawings import segments_of, shapes_of
from mbd_ros.messages.states.ground import lines_of_ground
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.page.drawings.contact_forces_and_water import (
    ContactForces, Current, Relief, WaterSurface)
from mbd_ros.nodes.viewing.view import Seen, Shared, View


class Surroundings(View):
    """Draws what the simulator says is around its robot."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._message: MarkerArray | None = None
        self._forces = self.page.add(ContactForces)
        self._current = self.page.add(Current)
        self._surface = self.page.add(WaterSurface)
        self._ground = self.page.add(Relief)
        self.node.create_subscription(
            MarkerArray, 'simulator/surroundings', self._on_markers, qos.RELIABLE,
            qos_overriding_options=qos.OVERRIDABLE)
        self.node.create_subscription(
            MarkerArray, 'simulator/ground', self._on_ground, qos.LATCHED)

    def _on_ground(self, message: MarkerArray) -> None:
        """Draw the ground; it is told once."""
        self._ground.show(lines_of_ground(message))

    def _on_markers(self, message: MarkerArray) -> None:
        self._message = message

    def draw(self, seen: Seen) -> None:
        """Draw what came since the last picture."""
        message, self._message = self._message, None
        if message is None:
            return
        for drawing, space in ((self._forces, CONTACT), (self._current, CURRENT)):
            drawing.show((line[0], line[1] - line[0]) for line in segments_of(message, space))
        self._surface.show(shapes_of(message))
