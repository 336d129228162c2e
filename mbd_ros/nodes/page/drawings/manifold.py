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

"""Surfaces that hold a point of the robot, and how far its nominal model is off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import viser

from mbd_ros.description.urdf.visuals import Shape
from mbd_ros.nodes.page import colors
from mbd_ros.nodes.page.drawings.drawing import Drawing
from mbd_ros.nodes.page.drawings.lines import Lines
from mbd_ros.nodes.page.robot_view import RobotView


class Surfaces(Drawing):
    """Planes, spheres and cylinders, fixed to the world."""

    label = 'surface'
    color = colors.MANIFOLD

    def __init__(self, scene: viser.SceneApi) -> None:
        super().__init__(scene)
        self._shapes: tuple[Shape, ...] = ()
        self._view: RobotView | None = None

    @property
    def active(self) -> bool:
        """Whether there are any."""
        return self._view is not None

    def show(self, surfaces: Sequence[Shape]) -> None:
        """Show surfaces; those that are shown already are left alone."""
        if _alike(surfaces, self._shapes):
            return
        self.clear()
        if surfaces:
            self._shapes = tuple(surfaces)
            self._view = RobotView(self.scene, surfaces, root=f'{self.root}/all')

    def clear(self) -> None:
        """Take the surfaces away."""
        if self._view is not None:
            self._view.remove()
        self._view, self._shapes = None, ()


class Violation(Lines):
    """From the tools of the nominal model to where the constraints want them."""

    label = 'violation'
    color = colors.VIOLATION


def _alike(some: Sequence[Shape], others: Sequence[Shape]) -> bool:
    """Tell whether shapes are the same ones in the same places."""
    return len(some) == len(others) and all(
        one.kind == other.kind and one.size == other.size and np.array_equal(one.pose, other.pose)
        for one, other in zip(some, others))
