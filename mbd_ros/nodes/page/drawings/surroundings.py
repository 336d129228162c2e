"""What surrounds a robot: forces of the ground, a current, the surface of water."""

from __future__ import annotations

import numpy as np
import viser

from mbd_ros.nodes.page import colors
from mbd_ros.nodes.page.drawings.arrows import Arrows
from mbd_ros.nodes.page.drawings.drawing import Drawing, Matrix
from mbd_ros.nodes.page.drawings.manifold import Surfaces


class ContactForces(Arrows):
    """What the ground does to feet."""

    label = 'contact force'
    color = colors.TRACED


class Current(Arrows):
    """Where the water flows."""

    label = 'current'
    color = colors.BRAND


class WaterSurface(Surfaces):
    """Where the water ends."""

    label = 'water surface'
    color = colors.MANIFOLD


class Relief(Drawing):
    """The ground that feet touch, as lines."""

    label = 'terrain'
    color = colors.SAND

    def __init__(self, scene: viser.SceneApi) -> None:
        super().__init__(scene)
        self._lines: viser.LineSegmentsHandle | None = None

    @property
    def active(self) -> bool:
        """Whether there is any."""
        return self._lines is not None

    def show(self, lines: Matrix) -> None:
        """Show lines (n, 2, 3) [m]."""
        if self._lines is not None:
            self._lines.remove()
        self._lines = self.scene.add_line_segments(
            f'{self.root}/lines', lines.astype(np.float32), self.color, thickness=2.0,
            thickness_units='screen') if len(lines) else None

    def clear(self) -> None:
        """Keep it: it is no trace, and is told once."""
