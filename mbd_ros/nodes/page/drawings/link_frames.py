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

"""Frames of the links, each with its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import viser

from mbd_ros.nodes.page.drawings.drawing import Drawing, Matrix
from mbd_ros.nodes.page.plain_text import plain
from mbd_ros.nodes.page.robot_view import quaternion

MOST = 200
"""Links whose frames are shown."""

LENGTH = 0.12
"""Of an axis, in radii of the robot."""


class LinkFrames(Drawing):
    """x red, y green and z blue at the origin of each link, with the link's name."""

    label = 'link frames'
    shown = False

    def __init__(self, scene: viser.SceneApi) -> None:
        super().__init__(scene)
        self._frames: dict[str, viser.FrameHandle] = {}

    @property
    def active(self) -> bool:
        """Tell that the legend does not need them: they say their names."""
        return False

    def use(self, links: Iterable[str]) -> None:
        """Have frames for the links of another robot."""
        for frame in self._frames.values():
            frame.remove()
        length = LENGTH * self.size
        self._frames = {}
        for number, (link, _) in enumerate(zip(links, range(MOST))):
            frame = self.scene.add_frame(f'{self.root}/{number}', axes_length=length,
                                         axes_radius=0.05 * length)
            self.scene.add_label(f'{frame.name}/name', plain(link), anchor='bottom-center',
                                 font_screen_scale=0.8)
            self._frames[link] = frame

    def show(self, poses: Mapping[str, Matrix]) -> None:
        """Put the frames where the links are, (4, 4) in the world."""
        if not self.visible:
            return
        for link, frame in self._frames.items():
            if link in poses:
                frame.wxyz = quaternion(poses[link][:3, :3])
                frame.position = poses[link][:3, 3]
