"""Links that bend, as thick lines coloured by strain."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import viser

from mbd_ros.dynamics.api.bent_links import BentLink
from mbd_ros.messages.states.bending import COLORS, strain_colors
from mbd_ros.nodes.page.colors import Rgb
from mbd_ros.nodes.page.drawings.drawing import Drawing


class Bending(Drawing):
    """Their shapes follow with every picture."""

    label = 'strain 0.1 %'
    color: Rgb = tuple(np.round(255.0 * COLORS[-1]).astype(int).tolist())

    def __init__(self, scene: viser.SceneApi) -> None:
        super().__init__(scene)
        self._lines: dict[str, viser.LineSegmentsHandle] = {}

    @property
    def active(self) -> bool:
        """Whether there are any."""
        return bool(self._lines)

    def show(self, links: Mapping[str, BentLink]) -> None:
        """Show links that bend, in place of those before."""
        if links.keys() != self._lines.keys():
            self.clear()
        for number, (name, link) in enumerate(links.items()):
            points = _in_pairs(link.points).astype(np.float32)
            colors = _in_pairs(np.round(255.0 * strain_colors(link.strains))).astype(np.uint8)
            if name not in self._lines:
                self._lines[name] = self.scene.add_line_segments(
                    f'{self.root}/{number}', points, colors,
                    thickness=2.0 * float(link.radii[0]), thickness_units='world')
            self._lines[name].points = points
            self._lines[name].colors = colors

    def clear(self) -> None:
        """Take them away."""
        for handle in self._lines.values():
            handle.remove()
        self._lines.clear()


def _in_pairs(values: np.ndarray) -> np.ndarray:
    """Return values (k, 3) of points as those of the ends of lines between them (k - 1, 2, 3)."""
    return np.stack([values[:-1], values[1:]], axis=1)
