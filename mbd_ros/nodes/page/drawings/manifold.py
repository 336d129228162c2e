"""Surfaces that hold a point of the robot, and how far its nominal model is off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import viser

from mbd_ros.description.urdf.visuals import Shape
from mbd_ros.nodes.page import colors
from mbd_ros.nodes.page.drawings.drawing import Drawing, Matrix
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


class Violation(Drawing):
    """From the tools of the nominal model to where the constraints want them."""

    label = 'violation'
    color = colors.VIOLATION

    def __init__(self, scene: viser.SceneApi) -> None:
        super().__init__(scene)
        self._lines: viser.LineSegmentsHandle | None = None

    @property
    def active(self) -> bool:
        """Whether there are any."""
        return self._lines is not None

    def show(self, lines: Matrix) -> None:
        """Show lines (n, 2, 3) [m]."""
        if self._lines is None:
            self._lines = self.scene.add_line_segments(
                f'{self.root}/lines', lines.astype(np.float32), self.color, thickness=4.0,
                thickness_units='screen')
        else:
            self._lines.points = lines.astype(np.float32)

    def clear(self) -> None:
        """Take the lines away."""
        if self._lines is not None:
            self._lines.remove()
            self._lines = None


def _alike(some: Sequence[Shape], others: Sequence[Shape]) -> bool:
    """Tell whether shapes are the same ones in the same places."""
    return len(some) == len(others) and all(
        one.kind == other.kind and one.size == other.size and np.array_equal(one.pose, other.pose)
        for one, other in zip(some, others))
