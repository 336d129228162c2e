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

"""Targets at the tools that users drag in RViz: interactive markers, and the goals they make."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

from mbd_msgs.action import FollowPath
from rclpy.action import ActionClient
from rclpy.task import Future
from visualization_msgs.msg import InteractiveMarkerFeedback

from mbd_ros.control.tasks.followed_tools import free_link
from mbd_ros.messages.states.drag_targets import drag_target
from mbd_ros.messages.states.interactive import at, read_drag, Vector
from mbd_ros.messages.trajectories.simple_goals import point_goal
from mbd_ros.model import Model
from mbd_ros.nodes.parts.controller_goals import Owner
from mbd_ros.nodes.parts.guard import GuardedNode
from mbd_ros.nodes.parts.interactive import InteractiveServer, Poses

PERIOD = 0.2
"""Time between two updates [s]."""
HELD = 10
"""Updates for which a target stays where it was dragged, while who drags it says nothing."""


class Target:
    """A target at a place (3,) [m]."""

    def __init__(self, place: Vector) -> None:
        self.place = place
        self.grabbed: Any = None   # the pose in which it was taken
        self.held = 0
        self.goal: FollowPath.Goal | None = None


class DragTargets:
    """
    Offers ``~/target``, interactive markers: a target for each tool.

    One that is let go elsewhere becomes a goal of ``~/follow_path``, a line to that place, and
    stays there until the goal ends. Otherwise it is where its tool is.

    Parameters
    ----------
    node : GuardedNode
        The controller.
    owner : Owner
        The same, for what is controlled.
    settings : SimpleNamespace
        Its parameters: ``drag_speed``.
    frame_of : callable
        Returns the frame of paths.

    """

    def __init__(self, node: GuardedNode, owner: Owner, settings: SimpleNamespace,
                 frame_of: Callable[[Model], str]) -> None:
        self._owner, self._settings, self._frame_of = owner, settings, frame_of
        self._guard, self._logger = node.guard, node.get_logger()
        self._frame = ''
        self._targets: dict[str, Target] = {}
        self._action = ActionClient(node, FollowPath, '~/follow_path')
        InteractiveServer(node, '~/target', PERIOD, look=self._look, make=drag_target,
                          on_feedback=self._on_feedback)

    def _look(self) -> tuple[str, Poses]:
        """Return where the targets are."""
        self._follow()
        return self._frame, {link: at(target.place) for link, target in self._targets.items()}

    def _follow(self) -> None:
        """Put targets to their tools but for those that are dragged or aimed at."""
        controlled = self._owner.controlled()
        if controlled is None:
            return
        tracker, q = controlled.tracker, controlled.measured.q
        model = tracker.dyn.model
        self._frame = self._frame_of(model)
        tools = tracker.links or (free_link(model, tracker.task.link),)
        targets = self._targets
        self._targets = {link: targets.get(link) or Target(tracker.dyn.pose(q, link)[:3, 3])
                         for link in (*targets, *tools) if link in model.links}
        for link, target in self._targets.items():
            if target.goal is None and target.held == 0:
                target.place = tracker.dyn.pose(q, link)[:3, 3]
            target.held = max(0, target.held - 1)

    def _on_feedback(self, message: InteractiveMarkerFeedback) -> None:
        """Keep a target where it is dragged; where it is let go, the tool goes."""
        target, event = self._targets.get(message.marker_name), message.event_type
        if target is None or event not in (message.MOUSE_DOWN, message.POSE_UPDATE,
                                           message.MOUSE_UP):
            return
        target.place, target.held = read_drag(message, self._frame), HELD
        if event == message.MOUSE_DOWN:
            target.grabbed = message.pose
        elif event == message.MOUSE_UP:
            target.held = 0
            if message.pose != target.grabbed:
                self._go(message.marker_name, target)

    def _go(self, link: str, target: Target) -> None:
        """Ask for a line from where a tool is to its target."""
        controlled = self._owner.controlled()
        if controlled is None or not self._action.server_is_ready():
            self._logger.warning(f'{link} does not go to its target: nobody is ready to lead it')
            return
        start = controlled.tracker.dyn.pose(controlled.measured.q, link)[:3, 3]
        target.goal = goal = point_goal(link, start, target.place, self._settings.drag_speed)
        self._then(self._action.send_goal_async(goal), partial(self._on_answer, target, goal))

    def _on_answer(self, target: Target, goal: FollowPath.Goal, future: Future) -> None:
        """Wait for the end of a goal; why one is rejected is in the log."""
        if future.exception() is None and future.result().accepted:
            self._then(future.result().get_result_async(), partial(self._end, target, goal))
            return
        self._end(target, goal, future)
        future.result()   # raises what it failed by, for the log

    def _end(self, target: Target, goal: FollowPath.Goal, future: Future) -> None:
        if target.goal is goal:
            target.goal = None

    def _then(self, future: Future, done: Callable[[Future], None]) -> None:
        future.add_done_callback(self._guard.wrap('goal of a target', done))
