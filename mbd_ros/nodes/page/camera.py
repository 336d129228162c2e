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

"""A camera that follows the robot."""

from __future__ import annotations

import io
import threading
from typing import Any

import imageio.v3
import numpy as np
from numpy.typing import NDArray
import viser

Matrix = NDArray[np.float64]

NEAR = 1e-3
"""Ways shorter than this are not followed [m]."""

TARGET, TURN = 0.2, 0.005
"""
Parts of a camera's distance: further off is a target that it has not heard of yet; nearer is the
same side, as the way of a robot between two pictures.
"""

PATIENCE = 60.0
"""Longest wait for a picture of the browser [s]."""

SIZE = (1080, 1920)
"""Height and width of pictures, in pixels."""


class FollowingCamera:
    """
    Lets the cameras of all browsers look at a point that moves, each from its side.

    Browsers answer late, and amid a change with the new position and the old target. So what is
    between the two is kept here, and taken from a browser only where its user has turned it.

    Parameters
    ----------
    server : viser.ViserServer
        Server of the page.

    """

    def __init__(self, server: viser.ViserServer) -> None:
        self._server = server
        self._point: Matrix = np.zeros(3)
        self._sides: dict[int, Matrix] = {}

    def follow(self, point: Matrix, always: bool, leap: float) -> None:
        """
        Follow a point (3,) from where it was last [m].

        Parameters
        ----------
        point : array
            (3,) the middle of the robot [m].
        always : bool
            Whether each way is followed; else leaps alone, as to another start.
        leap : float
            Ways longer than this are leaps [m].

        """
        before, way = self._point, point - self._point
        if np.abs(way).max() < NEAR:
            return
        self._point = point
        if not always and np.linalg.norm(way) <= leap:
            self._sides.clear()
            return
        clients = {number: client for number, client in self._server.get_clients().items()
                   if client.camera.update_timestamp > 0.0}   # it has said where it looks
        self._sides = {number: self._side(number, client.camera, before)
                       for number, client in clients.items()}
        for number, client in clients.items():
            with client.atomic():   # a browser answers with what it has between two messages
                client.camera.position = point + self._sides[number]
                client.camera.look_at = point

    def _side(self, number: int, camera: Any, point: Matrix) -> Matrix:
        """Return where a camera is from what it looks at (3,), which should be a point [m]."""
        seen = np.asarray(camera.position - camera.look_at)
        kept = self._sides.get(number)
        if kept is None:
            return seen
        size = np.linalg.norm(kept)
        amid = np.linalg.norm(camera.look_at - point) > TARGET * size
        return kept if amid or np.linalg.norm(seen - kept) < TURN * size else seen


class Photographer:
    """Pictures of the scene as a browser shows it, one at a time."""

    def __init__(self) -> None:
        self._busy = threading.Lock()

    def take(self, client: Any) -> bytes | None:
        """Return a PNG of the scene of a browser, None while another is taken."""
        if not self._busy.acquire(blocking=False):
            return None
        try:
            image = client.get_render(*SIZE, timeout=PATIENCE)
            file = io.BytesIO()
            imageio.v3.imwrite(file, image, extension='.png')
            return file.getvalue()
        finally:
            self._busy.release()
