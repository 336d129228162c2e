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

"""Straight lines in space."""

from __future__ import annotations

import numpy as np
import viser

from mbd_ros.nodes.page.drawings.drawing import Drawing, Matrix


class Lines(Drawing):
    """
    Lines of one colour, ``thickness`` pixels wide.

    A drawing of lines is a class with a label and a colour.
    """

    thickness = 4.0

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
                f'{self.root}/lines', lines.astype(np.float32), self.color,
                thickness=self.thickness, thickness_units='screen')
        else:
            self._lines.points = lines.astype(np.float32)

    def clear(self) -> None:
        """Take the lines away."""
        if self._lines is not None:
            self._lines.remove()
            self._lines = None
