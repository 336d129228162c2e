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

"""Links that are pushed with the mouse: a spring from where they are grabbed to where it is."""

from __future__ import annotations

from functools import partial
from typing import Any

from mbd_msgs.msg import LinkWrench

from mbd_ros.messages.dynamics.link_wrenches import pull, write_push
from mbd_ros.nodes.every_node.robot_source import Robot
from mbd_ros.nodes.page.drawings.arrows import PushArrow
from mbd_ros.nodes.page.numbers_in import number, numbers
from mbd_ros.nodes.viewing.view import Array, Seen, Shared, View

KEY = 'shift'
"""Held while a link is dragged; without it the mouse turns the camera."""

STIFFNESSES = (1.0, 1e4)
"""Softest and stiffest spring [N/m]."""

FARTHEST = 1e3
"""Distance of the mouse from the origin [m]."""

DURATION = 0.25
"""How long a push acts unless another comes [s]; the mouse sends twenty a second."""


class Pushing(View):
    """Pushes go to the simulator as ``LinkWrench``."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._seen: Seen | None = None
        self._arrow = self.page.add(PushArrow)
        gui = self.page.server.gui
        with self.page.panel.control, gui.add_folder('Push', expand_by_default=False):
            gui.add_markdown(f'Hold {KEY} and drag a link, while no target or path is shown to '
                             'be dragged.')
            self._stiffness = gui.add_slider('spring [N/m]', *STIFFNESSES, 1.0, 200.0)

    def use(self, robot: Robot) -> None:
        """Let the links of another robot be pushed."""
        self.page.on_drag(KEY, self._drag)

    def draw(self, seen: Seen) -> None:
        """Remember where everything is."""
        self._seen = seen

    def _drag(self, link: str, event: Any) -> None:
        """Take a drag from the thread of the server."""
        grabbed = numbers(event.start_position, 3, FARTHEST)
        held = numbers(event.end_position, 3, FARTHEST)
        if grabbed is not None and held is not None:
            self.queue.put('push', partial(self._push, link, grabbed, held, event.phase == 'end'))

    def _push(self, link: str, grabbed: Array, held: Array, over: bool) -> None:
        stiffness = number(self._stiffness.value, *STIFFNESSES)
        if self._seen is None or link not in self._seen.poses or stiffness is None:
            return
        push = pull(link, self._seen.poses[link], grabbed, grabbed if over else held, stiffness,
                    0.0 if over else DURATION)
        self._arrow.show([] if over else [(grabbed, held - grabbed)])
        self.calls.publish(LinkWrench, 'simulator/push', write_push(push))
