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

"""The ways that points of the robot have taken."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
import viser

from mbd_ros.nodes.page import colors
from mbd_ros.nodes.page.drawings.drawing import Drawing, Matrix

SPACING = 0.002
"""Points closer than this to the last are left out [m]."""

LENGTH = 1500
"""Points of a trace; the oldest are forgotten."""

LEAP = 0.25
"""Radii of the robot that it does not go between two points: it was put there, as by a reset."""


class Traces(Drawing):
    """Lines that grow at their ends."""

    label = 'traced path'
    color = colors.TRACED

    def __init__(self, scene: viser.SceneApi) -> None:
        super().__init__(scene)
        self._traces: list[deque[Matrix]] = []
        self._lines: dict[int, viser.LineSegmentsHandle] = {}
        self._grown: set[int] = set()

    @property
    def active(self) -> bool:
        """Whether there are any."""
        return bool(self._lines)

    def add(self, points: Sequence[Matrix]) -> None:
        """Lengthen each trace to a point (3,) [m]; another number of them begins anew."""
        if len(points) != len(self._traces):
            self.clear()
            self._traces = [deque(maxlen=LENGTH) for _ in points]
        for number, (trace, point) in enumerate(zip(self._traces, points)):
            if not trace or np.linalg.norm(point - trace[-1]) >= SPACING:
                trace.append(np.array(point))
                self._grown.add(number)

    def redraw(self) -> None:
        """Send the traces that have grown."""
        for number in sorted(self._grown):
            segments = _segments(np.array(self._traces[number]), LEAP * self.size)
            if number in self._lines:
                self._lines[number].points = segments
            elif len(segments):
                self._lines[number] = self.scene.add_line_segments(
                    f'{self.root}/{number}', segments, self.color, thickness=3.0,
                    thickness_units='screen')
        self._grown.clear()

    def clear(self) -> None:
        """Forget the traces."""
        for line in self._lines.values():
            line.remove()
        self._traces, self._lines, self._grown = [], {}, set()


def _segments(points: Matrix, longest: float) -> NDArray[np.float32]:
    """Return the points (n, 3) of a line as its segments (m, 2, 3), without longer ones [m]."""
    line = points.astype(np.float32)
    segments = np.stack((line[:-1], line[1:]), axis=1)
    return segments[np.linalg.norm(np.diff(line, axis=0), axis=1) <= longest]
