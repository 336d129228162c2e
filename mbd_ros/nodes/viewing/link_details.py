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

"""The links of the robot: frames, masses, inertias, what a click on one says, see-through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbd_ros.messages.states.link_details import link_line, mass_boxes, MassBox
from mbd_ros.nodes.every_node.robot_source import Robot
from mbd_ros.nodes.page.drawings.link_frames import LinkFrames
from mbd_ros.nodes.page.drawings.mass_boxes import InertiaBoxes, MassCenters
from mbd_ros.nodes.page.numbers_in import number
from mbd_ros.nodes.page.page import SIDES
from mbd_ros.nodes.viewing.view import Seen, Shared, View


class LinkDetails(View):
    """Switches for what is drawn at links, and where to look from."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._boxes: Mapping[str, MassBox] = {}
        self._clicked = ''
        page, gui = self.page, self.page.server.gui
        self._frames, self._centers = page.add(LinkFrames), page.add(MassCenters)
        self._inertias = page.add(InertiaBoxes)
        with page.panel.show:
            self._opacity: Any = gui.add_slider('opacity of the robot', 0.0, 1.0, 0.05, 1.0)
            sides: Any = gui.add_button_group('look from', tuple(SIDES))
        self._opacity.on_update(lambda _: self.queue.put('opacity', self._make_see_through))
        sides.on_click(lambda event: self.queue.put(
            'look from', lambda: self._look_from(event.client, sides.value)))
        page.on_click(lambda link: self.queue.put('click', lambda: self._note(link)))

    def use(self, robot: Robot) -> None:
        """Draw those of another robot."""
        self._clicked = ''
        self._boxes = mass_boxes(robot.model)
        self._frames.use(robot.model.links)
        for drawing in (self._centers, self._inertias):
            drawing.use(self._boxes)

    def draw(self, seen: Seen) -> None:
        """Move what is shown."""
        for drawing in (self._frames, self._centers, self._inertias):
            drawing.show(self.page.poses)

    def _make_see_through(self) -> None:
        opacity = number(self._opacity.value, 0.0, 1.0)
        if opacity is not None:
            self.page.set_opacity(opacity)

    def _look_from(self, client: Any, side: str) -> None:
        if client is not None and side in SIDES:
            self.page.look_from(client, side)

    def _note(self, link: str) -> None:
        self._clicked = link

    @property
    def readouts(self) -> Mapping[str, str]:
        """Return the link that was clicked last."""
        return {'link': link_line(self._boxes, self._clicked)} if self._clicked else {}
