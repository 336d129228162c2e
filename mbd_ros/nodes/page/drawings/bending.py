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

"""Links that bend, as thick lines coloured by strain."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
import viser

from mbd_ros.dynamics.functions.bent_links import BentLink
from mbd_ros.messages.states.bending import COLORS, strain_colors
from mbd_ros.nodes.page.drawings.drawing import Drawing, Matrix
from mbd_ros.nodes.page.robot_view import quaternion

SEEN = 1e-4
"""Change of a shape that is sent, against the radius of the robot: a tenth of a pixel."""


class Bending(Drawing):
    """
    Lines that move with the frames of their links at once.

    A browser is slow to take another line, but quick to move one: what it may show late is but the
    bending, so that no link seems to part from what it carries.
    """

    label = 'strain 0.1 %'
    color = tuple(np.round(255.0 * COLORS[-1]).astype(int).tolist())

    def __init__(self, scene: viser.SceneApi) -> None:
        super().__init__(scene)
        self._lines: dict[str, viser.LineSegmentsHandle] = {}
        self._colors: dict[str, NDArray[np.uint8]] = {}

    @property
    def active(self) -> bool:
        """Whether there are any."""
        return bool(self._lines)

    def show(self, links: Mapping[str, BentLink], poses: Mapping[str, Matrix]) -> None:
        """Show links that bend at the poses (4, 4) of their frames, in place of those before."""
        if links.keys() != self._lines.keys():
            self.clear()
        for number, (name, link) in enumerate(links.items()):
            points = _in_pairs((link.points - link.pose[:3, 3]) @ link.pose[:3, :3])
            self._colors[name] = _in_pairs(
                np.round(255.0 * strain_colors(link.strains))).astype(np.uint8)
            if name not in self._lines:
                self._lines[name] = self.scene.add_line_segments(
                    f'{self.root}/{number}', points, colors=self._colors[name],
                    thickness=2.0 * float(link.radii[0]), thickness_units='world')
            line = self._lines[name]
            line.wxyz, line.position = quaternion(poses[name][:3, :3]), poses[name][:3, 3]
            if np.abs(points - line.points).max() > SEEN * self.size:
                line.points = points

    def redraw(self) -> None:
        """Send the colours."""
        for name, line in self._lines.items():
            if not np.array_equal(line.colors, self._colors[name]):
                line.colors = self._colors[name]

    def clear(self) -> None:
        """Take them away."""
        for handle in self._lines.values():
            handle.remove()
        self._lines.clear()


def _in_pairs(values: Matrix) -> NDArray[np.float32]:
    """Return values (k, 3) of points as those of the ends of lines between them (k - 1, 2, 3)."""
    return np.stack([values[:-1], values[1:]], axis=1).astype(np.float32)
