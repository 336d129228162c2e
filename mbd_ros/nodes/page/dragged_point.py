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

"""A point that a browser drags."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
import viser

from mbd_ros.nodes.page.numbers_in import numbers

if TYPE_CHECKING:
    from mbd_ros.nodes.page.page import Page

Array = NDArray[np.float64]

FARTHEST = 1e3
"""Distance of such a point from the origin along any axis [m]."""


class DraggedPoint:
    """
    Arrows along the axes at a point, by which it is dragged.

    Parameters
    ----------
    page : Page
        The page.
    name : str
        Name in the scene, such as ``'/target'``.
    let_go : callable
        Called in a thread of viser with the point (3,) [m] where it is let go.

    """

    def __init__(self, page: Page, name: str, let_go: Callable[[Array], None]) -> None:
        self._page, self._name, self._let_go = page, name, let_go
        self._handle: viser.TransformControlsHandle | None = None

    def show(self, point: Array | None) -> None:
        """Show it at a point (3,) [m], or take it away."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None
        self._page.show_arrows(self._name, point is not None)
        if point is None:
            return
        self._handle = self._page.server.scene.add_transform_controls(
            self._name, scale=0.25 * self._page.size, disable_rotations=True, depth_test=False,
            position=point)
        self._handle.on_update(self._drag)

    async def _drag(self, event: viser.TransformControlsEvent) -> None:
        """Say where it is let go, if that is a place."""
        end = numbers(event.target.position, 3, FARTHEST)
        if event.phase == 'end' and end is not None:
            self._let_go(end)
