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

"""Interactive markers that become goals of an action where RViz lets them go."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from rclpy.action import ActionClient
from rclpy.task import Future
from visualization_msgs.msg import InteractiveMarker, InteractiveMarkerFeedback

from mbd_ros.messages.states.interactive import read_pose
from mbd_ros.model import Model
from mbd_ros.nodes.controlling.controller_goals import Controlled, Owner
from mbd_ros.nodes.every_node.guard import GuardedNode
from mbd_ros.nodes.every_node.interactive import InteractiveServer, Poses

Matrix = NDArray[np.float64]

PERIOD = 0.2
"""Time between two updates [s]."""
HELD = 10
"""Updates for which a marker stays where it was dragged, while who drags it says nothing."""


class Handles(Protocol):
    """The markers of one action: where they are, how they look, and what they ask for."""

    def poses(self, controlled: Controlled) -> Poses:
        """Return where each is, by name, while nobody drags it: (4, 4) in the frame of paths."""

    def make(self, frame: str, name: str, pose: Matrix) -> InteractiveMarker:
        """Return the marker of one."""

    def goal(self, controlled: Controlled, name: str, pose: Matrix) -> Any:
        """Return the goal that leads to where one was let go: (4, 4) in the frame of paths [m]."""

    def choose(self, message: InteractiveMarkerFeedback) -> None:
        """Do what was chosen from the menu of one."""


class DraggedMarker:
    """A marker at a pose (4, 4) [m]."""

    def __init__(self, pose: Matrix) -> None:
        self.pose = pose
        self.grabbed: Any = None   # the pose in which it was taken, as a message
        self.held = 0
        self.goal: Any = None


class DraggedMarkers:
    """
    Offers interactive markers for the goals of an action.

    One that is let go elsewhere becomes a goal, and stays there until the goal ends.

    Parameters
    ----------
    node : GuardedNode
        The controller.
    owner : Owner
        The same, for what is controlled.
    name : str
        Name in the graph, such as ``~/target``.
    action : type, str
        The action, and its name.
    handles : Handles
        The markers.
    frame_of : callable
        Returns the frame of paths.

    """

    def __init__(self, node: GuardedNode, owner: Owner, name: str, action: tuple[type, str],
                 handles: Handles, frame_of: Callable[[Model], str]) -> None:
        self._owner, self._handles, self._frame_of = owner, handles, frame_of
        self._guard, self._logger = node.guard, node.get_logger()
        self._frame = ''
        self._markers: dict[str, DraggedMarker] = {}
        self._action = ActionClient(node, *action)
        InteractiveServer(node, name, PERIOD, look=self._look, make=handles.make,
                          on_feedback=self._on_feedback)

    def _look(self) -> tuple[str, Poses]:
        """Return where the markers are: where they belong but for those dragged or aimed at."""
        controlled = self._owner.controlled()
        if controlled is not None:
            self._frame = self._frame_of(controlled.tracker.dyn.model)
            found, before = self._handles.poses(controlled), self._markers
            self._markers = {name: before.get(name) or DraggedMarker(pose)
                             for name, pose in found.items()}
            for name, marker in self._markers.items():
                if marker.goal is None and marker.held == 0:
                    marker.pose = found[name]
                marker.held = max(0, marker.held - 1)
        return self._frame, {name: marker.pose for name, marker in self._markers.items()}

    def _on_feedback(self, message: InteractiveMarkerFeedback) -> None:
        """Keep a marker where it is dragged; where it is let go, the robot goes."""
        marker, event = self._markers.get(message.marker_name), message.event_type
        if marker is None:
            return
        if event == message.MENU_SELECT:
            self._handles.choose(message)
        elif event in (message.MOUSE_DOWN, message.POSE_UPDATE, message.MOUSE_UP):
            marker.pose, marker.held = read_pose(message, self._frame), HELD
            if event == message.MOUSE_DOWN:
                marker.grabbed = message.pose
            elif event == message.MOUSE_UP:
                marker.held = 0
                if message.pose != marker.grabbed:
                    self._go(message.marker_name, marker)

    def _go(self, name: str, marker: DraggedMarker) -> None:
        """Ask for a motion to where a marker was let go."""
        controlled = self._owner.controlled()
        if controlled is None or not self._action.server_is_ready():
            self._logger.warning(f'{name} does not move to where it was dragged: no action '
                                 'server is ready')
            return
        marker.goal = goal = self._handles.goal(controlled, name, marker.pose)
        self._then(self._action.send_goal_async(goal), partial(self._on_answer, marker, goal))

    def _on_answer(self, marker: DraggedMarker, goal: Any, future: Future) -> None:
        """Wait for the end of a goal; why one is rejected is in the log."""
        if future.exception() is None and future.result().accepted:
            self._then(future.result().get_result_async(), partial(self._end, marker, goal))
            return
        self._end(marker, goal, future)
        future.result()   # raises what it failed by, for the log

    def _end(self, marker: DraggedMarker, goal: Any, future: Future) -> None:
        if marker.goal is goal:
            marker.goal = None

    def _then(self, future: Future, done: Callable[[Future], None]) -> None:
        future.add_done_callback(self._guard.wrap('goal of what was dragged', done))
