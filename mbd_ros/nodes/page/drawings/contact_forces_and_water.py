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
