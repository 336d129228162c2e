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

"""The last minute of the robot, to scrub back over."""

from __future__ import annotations

import time
from typing import Any

from mbd_ros.messages.states.past_poses import PastPoses, Picture, picture_at, SPAN
from mbd_ros.nodes.every_node.robot_source import Robot
from mbd_ros.nodes.page.numbers_in import number
from mbd_ros.nodes.viewing.view import Seen, Shared, View


class Past(View):
    """
    A slider into the past; at zero, its right end, the page shows what is.

    The moment that a browser first moves it, what is kept is held: the robot goes on meanwhile,
    and its plots with it, and only what is seen of it stands still, or is played.

    """

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._kept = PastPoses(())
        self._held: list[Picture] = []
        self._shown = 0.0      # time of the picture that is shown, while some are held [s]
        self._played: float | None = None   # when the last picture was played [s]
        gui = self.page.server.gui
        with self.page.panel.watch, gui.add_folder('The last minute', expand_by_default=False):
            self._slider: Any = gui.add_slider('time [s]', -SPAN, 0.0, 0.1, 0.0, hint=(
                'The robot as it was so long ago; the robot itself goes on.'))
            buttons = gui.add_button_group('past', ('Play', 'Now'))
        self._slider.on_update(self._touch)
        self.on_button(buttons, {'Play': self._play, 'Now': self._let_go})

    def use(self, robot: Robot) -> None:
        """Begin anew with another robot."""
        self._kept = PastPoses(tuple(robot.model.links))
        self._let_go()

    async def _touch(self, event: Any) -> None:
        """Show what was, where a browser has moved the slider."""
        if event.client is not None:
            self.queue.put('past', self._hold)

    def _hold(self) -> None:
        value = number(self._slider.value, -SPAN, 0.0)
        if value is None:
            return
        self._held, self._played = self._held or self._kept.pictures(), None
        if value == 0.0 or not self._held:
            self._let_go()
            return
        self._shown = max(self._held[-1].time + value, self._held[0].time)

    def _play(self) -> None:
        """Play from the picture that is shown, or from the oldest."""
        if not self._held:
            self._held = self._kept.pictures()
            self._shown = self._held[0].time if self._held else 0.0
        self._played = time.monotonic() if self._held else None

    def _let_go(self) -> None:
        """Show what is."""
        self._held, self._played = [], None
        self._slider.value = 0.0

    def shown(self, seen: Seen) -> Seen:
        """Keep the robot as it is, and return what is shown of it."""
        self._kept.add(seen.time, seen.poses)
        if self._played is not None:
            now = time.monotonic()
            self._shown, self._played = self._shown + now - self._played, now
            if self._shown >= self._held[-1].time:
                self._let_go()
        if not self._held:
            return seen
        picture = picture_at(self._held, self._shown)
        return seen._replace(time=picture.time, poses=self._kept.poses(picture))

    def redraw(self, seen: Seen | None) -> None:
        """Move the slider while the past is played."""
        if self._played is not None and self._held:
            self._slider.value = max(-SPAN, round(self._shown - self._held[-1].time, 1))

    @property
    def status(self) -> str:
        """Return how old is what is shown."""
        return f'{self._held[-1].time - self._shown:.1f} s ago' if self._held else ''
