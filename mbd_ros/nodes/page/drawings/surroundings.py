"""What surrounds a robot: forces of the ground, a current, the surface of water."""

from __future__ import annotations

from mbd_ros.nodes.page import colors
from mbd_ros.nodes.page.drawings.arrows import Arrows
from mbd_ros.nodes.page.drawings.drawing import Matrix
from mbd_ros.nodes.page.drawings.lines import Lines
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


class Relief(Lines):
    """The ground that feet touch, as lines."""

    label = 'terrain'
    color = colors.SAND
    thickness = 2.0

    def show(self, lines: Matrix) -> None:
        """Show lines (n, 2, 3) [m] in place of those before; there may be none."""
        super().clear()
        if len(lines):
            super().show(lines)

    def clear(self) -> None:
        """Keep it: it is no trace, and is told once."""
