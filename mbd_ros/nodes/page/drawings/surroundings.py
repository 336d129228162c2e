"""What surrounds a robot: forces of the ground, a current, the surface of water."""

from __future__ import annotations

from mbd_ros.nodes.page import colors
from mbd_ros.nodes.page.drawings.arrows import Arrows
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
