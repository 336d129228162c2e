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

"""Forces and other vectors as arrows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
import viser

from mbd_ros.nodes.page import colors
from mbd_ros.nodes.page.drawings.drawing import Drawing, Matrix

LONGEST = 100.0
"""Arrows are drawn at most this long [m]; a force may be of any size."""


class Arrows(Drawing):
    """
    Arrows whose places and directions follow at once, their lengths with the next ``redraw``.

    A browser is slow to draw another arrow, but quick to move one. It would go on showing one
    whose length becomes zero; that is left out.
    """

    def __init__(self, scene: viser.SceneApi) -> None:
        super().__init__(scene)
        self._arrows: list[viser.ArrowsHandle] = []
        self._lengths: list[float] = []

    @property
    def active(self) -> bool:
        """Whether there are any."""
        return bool(self._arrows)

    def show(self, arrows: Iterable[tuple[Matrix, Matrix]]) -> None:
        """Show arrows: where each begins, and from there to its tip, (3,) [m]."""
        shown = [(tail, _bounded(way)) for tail, way in arrows
                 if way.any() and np.isfinite((tail, way)).all()]
        self._lengths = [float(np.linalg.norm(way)) for _, way in shown]
        if len(shown) != len(self._arrows):
            self.clear()
            self._arrows = [self.scene.add_arrows(
                f'{self.root}/{number}', _upright(length), self.color,
                shaft_radius=0.008 * self.size, head_radius=0.022 * self.size,
                head_length=0.055 * self.size, position=tail, wxyz=_from_z(way / length))
                for number, ((tail, way), length) in enumerate(zip(shown, self._lengths))]
        for handle, (tail, way), length in zip(self._arrows, shown, self._lengths):
            handle.position = tail
            handle.wxyz = _from_z(way / length)

    def redraw(self) -> None:
        """Send the lengths."""
        for handle, length in zip(self._arrows, self._lengths):
            points = _upright(length)
            if not np.array_equal(handle.points, points):
                handle.points = points

    def clear(self) -> None:
        """Take all arrows away."""
        for handle in self._arrows:
            handle.remove()
        self._arrows = []


class ConstraintForces(Arrows):
    """What keeps the nominal model on its path, at each tool."""

    label = 'constraint force'
    color = colors.FORCE


class PushArrow(Arrows):
    """From the point that is dragged to where it is dragged."""

    label = 'push'
    color = colors.PUSH


class JointForces(Arrows):
    """What parents exert on children at their joints."""

    label = 'joint force'
    color = colors.JOINT_FORCE


class JointMoments(Arrows):
    """The moments of the same."""

    label = 'joint moment'
    color = colors.JOINT_MOMENT


def _upright(length: float) -> NDArray[np.float32]:
    """Return the points (1, 2, 3) of an arrow along z."""
    return np.array([[[0.0, 0.0, 0.0], [0.0, 0.0, length]]], dtype=np.float32)


def _from_z(direction: Matrix) -> Matrix:
    """Return a rotation, w x y z, that turns the z axis into a direction (3,)."""
    x, y, z = direction
    if z < -1.0 + 1e-9:
        return np.array([0.0, 1.0, 0.0, 0.0])
    quaternion = np.array([1.0 + z, -y, x, 0.0])
    return np.asarray(quaternion / np.linalg.norm(quaternion))


def _bounded(way: Matrix) -> Matrix:
    """Return a way (3,), shortened so that no coordinate is beyond the longest arrow."""
    return way * min(1.0, LONGEST / float(np.abs(way).max()))
