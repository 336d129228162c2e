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

"""What all drawings of the scene have: a place in the scene tree, a colour and a switch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
import viser

from mbd_ros.nodes.page.colors import Rgb

Matrix = NDArray[np.float64]


class Drawing:
    """
    One thing that is drawn in the scene; ``Page.add`` makes it, with a switch on the panel.

    A drawing of one's own is a class like this one in a file of its own: it adds to ``scene``
    under names that begin with ``root``, and the page shows, hides, redraws and clears it.

    Parameters
    ----------
    scene : viser.SceneApi
        Where it is drawn.

    Attributes
    ----------
    label : str
        Name of its switch and in the legend.
    color : Rgb
        Its colour in the legend.
    shown : bool
        Whether it is shown at first.
    size : float
        Radius of the robot [m], to scale by.

    """

    label = ''
    color: Rgb = (0, 0, 0)
    shown = True

    def __init__(self, scene: viser.SceneApi) -> None:
        self.scene = scene
        self.size = 1.0
        self._frame = scene.add_frame(
            f'/{self.label.replace(" ", "_")}', show_axes=False, visible=self.shown)

    @property
    def root(self) -> str:
        """Name in the scene tree below which everything of it is."""
        return self._frame.name

    @property
    def visible(self) -> bool:
        """Whether it is shown."""
        return bool(self._frame.visible)

    @visible.setter
    def visible(self, shown: bool) -> None:
        self._frame.visible = shown

    @property
    def points(self) -> Matrix:
        """Points (n, 3) that are to be seen when the page looks at the robot [m]."""
        return np.empty((0, 3))

    @property
    def active(self) -> bool:
        """Whether there is anything of it in the scene; the legend names what is."""
        return True

    def redraw(self) -> None:
        """Send what need not be sent with every picture; called a few times a second."""

    def clear(self) -> None:
        """Forget what was drawn."""
