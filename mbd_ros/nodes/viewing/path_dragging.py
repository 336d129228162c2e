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

"""The path that the controller follows, dragged in the scene as a whole."""

from __future__ import annotations

from functools import partial

from mbd_msgs.action import FollowPath
from std_msgs.msg import String

from mbd_ros.messages.trajectories.simple_goals import MovablePath, moved_goal, read_path
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.page.dragged_point import DraggedPoint
from mbd_ros.nodes.viewing.view import Array, Shared, View


class PathDragging(View):
    """Arrows at the path; where they are let go, the same path is asked for."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._path: MovablePath | None = None
        self._arrows = DraggedPoint(self.page, '/path_target', lambda place: self.queue.put(
            'drag the path', partial(self._go, place)))
        self.calls.expect(actions=[(FollowPath, 'controller/follow_path')])
        gui = self.page.server.gui
        with self.page.panel.control, gui.add_folder('Path', expand_by_default=False):
            self._shown = gui.add_checkbox(
                'drag the path', False,
                hint='By its centre or its first point; the controller follows it where it is '
                     'let go.')
        self._shown.on_update(lambda _: self.queue.put('path', self._show))
        self.node.create_subscription(String, 'controller/desired_task', self._on_task,
                                      qos.LATCHED, qos_overriding_options=qos.OVERRIDABLE)

    def _on_task(self, message: String) -> None:
        """Take what is followed from now on; without a path, or one that is read, nothing."""
        self._path = None
        try:
            self._path = read_path(message.data)
        finally:
            self._show()

    def _show(self) -> None:
        """Put the arrows to the path, or take them away."""
        path = self._path if self._shown.value else None
        self._arrows.show(None if path is None else path.place)
        if self._shown.value and path is None:
            self.calls.shown.add('path', 'not shown: the controller follows none of its own')

    def _go(self, place: Array) -> None:
        """Ask for the path at another place."""
        if self._path is not None:
            self.calls.goal(FollowPath, 'controller/follow_path', moved_goal(self._path, place))
