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

"""Downloads of what was seen, and the camera."""

from __future__ import annotations

from functools import partial
from typing import Any

from mbd_ros.model import JointType
from mbd_ros.nodes.every_node.robot_source import Robot
from mbd_ros.nodes.page.camera import FollowingCamera, Photographer
from mbd_ros.nodes.page.table_file import csv_of
from mbd_ros.nodes.viewing.view import Seen, Shared, View


class Recording(View):
    """Buttons for CSV and PNG, and a switch that lets the camera follow the robot."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._camera = FollowingCamera(self.page.server)
        self._photographer = Photographer()
        gui = self.page.server.gui
        with self.page.panel.show:
            self._follow: Any = gui.add_checkbox('camera follows the robot', False)
            table = gui.add_button('Download plots (CSV)')
            picture = gui.add_button('Download picture (PNG)')
        table.on_click(lambda event: self.queue.put(
            'csv', partial(self._send_table, event.client)))
        picture.on_click(self._send_picture)

    def use(self, robot: Robot) -> None:
        """Follow a robot that may go away."""
        self._follow.value = JointType.FLOATING in robot.model.joint_types

    def draw(self, seen: Seen) -> None:
        """Move the camera."""
        self._camera.follow(
            self.page.middle, self._follow.value, self.page.leap)

    def _send_table(self, client: Any) -> None:
        if client is not None:
            client.send_file_download('mbd_ros.csv', csv_of(self.page.panel.plots).encode(),
                                      save_immediately=True)

    def _send_picture(self, event: Any) -> None:
        """Ask the browser for a picture, in a thread of the server, and send it back."""
        picture = None if event.client is None else self._photographer.take(event.client)
        if picture is not None:
            event.client.send_file_download('mbd_ros.png', picture, save_immediately=True)
