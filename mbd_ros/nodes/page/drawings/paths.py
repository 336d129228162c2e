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

"""The paths that tools are to follow, as tubes: the traces of the tools run inside."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import viser

from mbd_ros.nodes.page import colors
from mbd_ros.nodes.page.drawings.drawing import Drawing, Matrix
from mbd_ros.nodes.page.drawings.tube import tube

RADIUS = 0.012
"""Radius of the tubes, in radii of the robot."""


class DesiredPaths(Drawing):
    """Tubes around paths."""

    label = 'desired path'
    color = colors.DESIRED

    def __init__(self, scene: viser.SceneApi) -> None:
        super().__init__(scene)
        self._paths: list[Matrix] = []
        self._tubes: list[viser.MeshHandle] = []

    @property
    def active(self) -> bool:
        """Whether there are any."""
        return bool(self._tubes)

    @property
    def points(self) -> Matrix:
        """Points (n, 3) of the paths [m]."""
        return np.concatenate((np.empty((0, 3)), *self._paths))

    def show(self, paths: Sequence[Matrix]) -> bool:
        """Show paths, each (n, 3) with n > 1 [m]; tell whether they are others than before."""
        paths = [points for points in paths if len(points) > 1]
        if len(paths) == len(self._paths) and all(map(np.array_equal, paths, self._paths)):
            return False
        for handle in self._tubes:
            handle.remove()
        self._paths, self._tubes = paths, []
        for number, points in enumerate(paths):
            vertices, faces = tube(points, RADIUS * self.size)
            self._tubes.append(self.scene.add_mesh_simple(
                f'{self.root}/{number}', vertices, faces, color=self.color, opacity=0.55,
                cast_shadow=False, receive_shadow=False))
        return True
