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

"""The shapes of links that bend."""

from __future__ import annotations

from collections.abc import Mapping

import mbd_ros
from mbd_ros.messages.states.readouts import largest_strain
from mbd_ros.nodes.page.drawings.bending import Bending as BendingDrawing
from mbd_ros.nodes.viewing.view import Seen, Shared, View


class Bending(View):
    """Draws links that bend, from the elastic coordinates in joint states."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._drawing = self.page.add(BendingDrawing)
        self._readouts: dict[str, str] = {}

    def draw(self, seen: Seen) -> None:
        """Bend them."""
        if self.robot is None or not self.robot.model.elastic_names:
            self._readouts = {}
            return
        links = mbd_ros.bent_links(self.robot.model, seen.q)
        self._drawing.show({name: link for name, link in links.items() if not link.of_points},
                           seen.poses)
        self._readouts = largest_strain(links)

    @property
    def readouts(self) -> Mapping[str, str]:
        """Return the largest strain and where it is."""
        return self._readouts
