"""A tool on the page: its traced path, and the constraint force at it."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray
import viser

from mbd_ros.nodes.page import colors

Matrix = NDArray[np.float64]

TRACE_SPACING = 0.002
"""Points of the traced path closer than this to the last are left out [m]."""


class ToolView:
    """
    One tool.

    Parameters
    ----------
    scene : viser.SceneApi
        Where it is drawn.
    number : int
        Its number among the tools.
    size : float
        Radius of the robot [m].
    trace_points : int
        Length of the traced path, in points.

    """

    def __init__(self, scene: viser.SceneApi, number: int, size: float, trace_points: int) -> None:
        self._scene = scene
        self._number = number
        self._size = size
        self._trace: deque[Matrix] = deque(maxlen=trace_points)
        self._trace_grew = False
        self._force_length = 0.0
        self.traced: viser.LineSegmentsHandle | None = None
        self.force: viser.ArrowsHandle | None = None

    def add_trace(self, point: Matrix) -> None:
        """Lengthen the traced path to a point (3,) [m]."""
        if not self._trace or np.linalg.norm(point - self._trace[-1]) >= TRACE_SPACING:
            self._trace.append(np.array(point))
            self._trace_grew = True

    def show_force(self, tail: Matrix, arrow: Matrix) -> None:
        """
        Show an arrow.

        Its place and direction follow at once, its length with the next ``redraw``.

        Parameters
        ----------
        tail : (3,) array
            Where it begins [m].
        arrow : (3,) array
            From there to its tip [m].

        """
        self._force_length = float(np.linalg.norm(arrow))
        if self._force_length == 0.0:
            self._hide_force()
            return
        if self.force is None:
            self.force = self._scene.add_arrows(
                f'/constraint_force/{self._number}', self._arrow(), colors.FORCE,
                shaft_radius=0.008 * self._size, head_radius=0.022 * self._size,
                head_length=0.055 * self._size)
        self.force.position = tail
        self.force.wxyz = _from_z(arrow / self._force_length)

    def _hide_force(self) -> None:
        """Take the arrow away: one without length would stay in the browser as it was."""
        if self.force is not None:
            self.force.remove()
            self.force = None

    def redraw(self) -> None:
        """Send the traced path and the length of the force to the browsers."""
        if self._trace_grew and len(self._trace) > 1:
            self._trace_grew = False
            segments = _segments(np.array(self._trace))
            if self.traced is None:
                self.traced = self._scene.add_line_segments(
                    f'/traced_path/{self._number}', segments, colors.TRACED, thickness=3.0,
                    thickness_units='screen')
            else:
                self.traced.points = segments
        if self.force is not None:
            self.force.points = self._arrow()

    def remove(self) -> None:
        """Take it off the page."""
        self._hide_force()
        if self.traced is not None:
            self.traced.remove()

    def _arrow(self) -> NDArray[np.float32]:
        """Return the points of the force's arrow along z."""
        return np.array([[[0.0, 0.0, 0.0], [0.0, 0.0, self._force_length]]], dtype=np.float32)


def _segments(points: Matrix) -> NDArray[np.float32]:
    """Return the points (n, 3) of a line as its segments (n - 1, 2, 3)."""
    line = points.astype(np.float32)
    return np.stack((line[:-1], line[1:]), axis=1)


def _from_z(direction: Matrix) -> Matrix:
    """Return a rotation, w x y z, that turns the z axis into a direction (3,)."""
    x, y, z = direction
    if z < -1.0 + 1e-9:
        return np.array([0.0, 1.0, 0.0, 0.0])
    quaternion = np.array([1.0 + z, -y, x, 0.0])
    return np.asarray(quaternion / np.linalg.norm(quaternion))
