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

"""Mass centres of the links, and boxes of uniform density with their inertias."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import viser

from mbd_ros.messages.states.link_details import MassBox
from mbd_ros.nodes.page import colors
from mbd_ros.nodes.page.drawings.drawing import Drawing, Matrix
from mbd_ros.nodes.page.robot_view import quaternion

RADIUS = 0.022
"""Of the ball at the mass centre of the heaviest link, in radii of the robot."""


class _OnLinks(Drawing):
    """Things that are fixed to links."""

    shown = False

    def __init__(self, scene: viser.SceneApi) -> None:
        super().__init__(scene)
        self._placed: dict[str, tuple[Any, Matrix]] = {}

    @property
    def active(self) -> bool:
        """Whether there are any."""
        return bool(self._placed)

    def use(self, boxes: Mapping[str, MassBox]) -> None:
        """Draw those of another robot."""
        for handle, _ in self._placed.values():
            handle.remove()
        self._placed = {link: (self._make(f'{self.root}/{number}', box, boxes), box.pose)
                        for number, (link, box) in enumerate(boxes.items())}

    def show(self, poses: Mapping[str, Matrix]) -> None:
        """Put them where the links are, (4, 4) in the world."""
        if not self.visible:
            return
        for link, (handle, place) in self._placed.items():
            if link in poses:
                pose = poses[link] @ place
                handle.wxyz, handle.position = quaternion(pose[:3, :3]), pose[:3, 3]

    def _make(self, name: str, box: MassBox, boxes: Mapping[str, MassBox]) -> Any:
        raise NotImplementedError


class MassCenters(_OnLinks):
    """A ball at each mass centre, its volume by the mass."""

    label = 'mass centres'
    color = colors.MASS

    def _make(self, name: str, box: MassBox, boxes: Mapping[str, MassBox]) -> Any:
        most = max(one.mass for one in boxes.values())
        radius = RADIUS * self.size * np.cbrt(max(box.mass / most, 0.05))
        return self.scene.add_icosphere(name, float(radius), self.color)


class InertiaBoxes(_OnLinks):
    """Boxes of uniform density that have the links' masses and inertias."""

    label = 'inertia boxes'
    color = colors.JOINT_FORCE

    def _make(self, name: str, box: MassBox, boxes: Mapping[str, MassBox]) -> Any:
        edges = np.maximum(box.edges, 1e-3 * self.size)
        return self.scene.add_box(name, self.color, edges, wireframe=True, cast_shadow=False)
