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

"""Markers in RViz that lead a robot: a target for each tool, a handle for each joint, a menu."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, TypeAlias

from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import Inertia
from mbd_msgs.action import FollowPath
from mbd_msgs.srv import SetPayload
from rclpy.task import Future
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import InteractiveMarker, InteractiveMarkerFeedback

import mbd_ros
from mbd_ros.control.tasks.followed_tools import free_link
from mbd_ros.messages.states.drag_targets import drag_target, Matrix, target_size
from mbd_ros.messages.states.interactive import at
from mbd_ros.messages.trajectories.joint_handles import joint_handle, joint_pose, move_goal
from mbd_ros.messages.trajectories.simple_goals import point_goal
from mbd_ros.model import Model
from mbd_ros.nodes.controlling.background_work import run_in_thread
from mbd_ros.nodes.controlling.controller_goals import Controlled, Owner
from mbd_ros.nodes.controlling.dragged_markers import DraggedMarkers
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.guard import GuardedNode
from mbd_ros.nodes.every_node.interactive import LOADS, Menu, Poses, PULLS, set_parameters

Act: TypeAlias = 'Callable[[str], None]'
"""What an entry of a menu does, given a link."""

MOST = 30
"""Joints that have a handle; those after them have none."""
FACTORS = {'softer': 0.8, 'stiffer': 1.25}
"""Of the bandwidth, by the title of its entry."""
SPEEDS = {'slower': 0.5, 'faster': 2.0}
"""Factors of ``approach_speed``."""
ROBUST, ADAPTATION = (0.0, 20.0, 60.0), (0.0, 0.5, 2.0)
"""Values of ``robust_rate`` and ``adaptation_rate`` [1/s]."""


class DragTargets:
    """
    Offers ``~/target`` and ``~/joints``, interactive markers for goals.

    Parameters
    ----------
    node : GuardedNode
        The controller.
    owner : Owner
        The same, for what is controlled.
    settings : SimpleNamespace
        Its parameters: ``drag_speed``, ``approach_speed`` and what the menu changes.
    frame_of : callable
        Returns the frame of paths.

    """

    def __init__(self, node: GuardedNode, owner: Owner, settings: SimpleNamespace,
                 frame_of: Callable[[Model], str]) -> None:
        menu = controller_menu(node, settings)
        DraggedMarkers(node, owner, '~/target', (FollowPath, '~/follow_path'),
                       Tools(settings, menu), frame_of)
        DraggedMarkers(node, owner, '~/joints',
                       (FollowJointTrajectory, '~/follow_joint_trajectory'),
                       Joints(settings, menu), frame_of)


class Tools:
    """Targets at the tools: where one is let go, its tool goes on a line."""

    def __init__(self, settings: SimpleNamespace, menu: Menu) -> None:
        self._settings, self._menu = settings, menu
        self._links: tuple[str, ...] = ()
        self._model: Model | None = None
        self._size = 0.0

    def poses(self, controlled: Controlled) -> Poses:
        """Return where the tools are, those that were tools before included."""
        tracker, q = controlled.tracker, controlled.measured.q
        model = tracker.dyn.model
        if model is not self._model:
            self._model, self._size = model, target_size(model.mechanism)
        tools = tracker.links or (free_link(model, tracker.task.link),)
        self._links = tuple(link for link in dict.fromkeys((*self._links, *tools))
                            if link in model.links)
        return {link: at(tracker.dyn.pose(q, link)[:3, 3]) for link in self._links}

    def make(self, frame: str, link: str, pose: Matrix) -> InteractiveMarker:
        """Return the target of a link."""
        return drag_target(frame, link, pose, self._menu.titles, self._size)

    def goal(self, controlled: Controlled, link: str, pose: Matrix) -> FollowPath.Goal:
        """Return a line from where a tool is to its target."""
        start = controlled.tracker.dyn.pose(controlled.measured.q, link)[:3, 3]
        return point_goal(link, start, pose[:3, 3], self._settings.drag_speed)

    def choose(self, message: InteractiveMarkerFeedback) -> None:
        """Do what was chosen from the menu of a target."""
        self._menu.choose(message, message.marker_name)


class Joints:
    """Handles at the driven joints with one coordinate: where one is let go, the joint goes."""

    def __init__(self, settings: SimpleNamespace, menu: Menu) -> None:
        self._settings, self._menu = settings, menu
        self._model: Model | None = None
        self._size = 0.0
        self._compiled = Future()

    def poses(self, controlled: Controlled) -> Poses:
        """Return where the joints are; none yet while a thread compiles the poses of a robot."""
        model, q = controlled.tracker.dyn.model, controlled.measured.q
        if model is not self._model:
            self._model, self._size = model, target_size(model.mechanism)
            self._compiled = run_in_thread(partial(mbd_ros.link_poses, model, q.copy()))
        if not self._compiled.done():
            return {}
        links = mbd_ros.link_poses(model, q)
        return {name: joint_pose(model, name, links) for name in controlled.drives[:MOST]}

    def make(self, frame: str, joint: str, pose: Matrix) -> InteractiveMarker:
        """Return the handle of a joint."""
        assert self._model is not None
        return joint_handle(self._model, frame, joint, pose, self._menu.titles, self._size)

    def goal(self, controlled: Controlled, joint: str, pose: Matrix
             ) -> FollowJointTrajectory.Goal:
        """Return a motion of one joint, while the others stay."""
        model, q = controlled.tracker.dyn.model, controlled.measured.q
        here = joint_pose(model, joint, mbd_ros.link_poses(model, q))
        return move_goal(model, q, controlled.drives, joint, here, pose,
                         self._settings.approach_speed)

    def choose(self, message: InteractiveMarkerFeedback) -> None:
        """Do what was chosen from the menu of a joint; a payload is on the link that it moves."""
        if self._model is not None:
            joint = self._model.joint_index(message.marker_name)
            self._menu.choose(message, self._model.body_names[joint])


def controller_menu(node: GuardedNode, settings: SimpleNamespace) -> Menu:
    """Return a menu for gains, payload and gravity of the controller, and for a stop."""
    stop = node.create_publisher(JointTrajectory, '~/joint_trajectory', qos.RELIABLE)
    load = node.create_client(SetPayload, '~/set_payload')

    def put(name: str, value: Any) -> Act:
        return lambda link: set_parameters(node, {name: value})

    def scaled(name: str, factor: float) -> Act:
        return lambda link: set_parameters(node, {name: factor * getattr(settings, name)})

    def carry(mass: float) -> Act:
        def ask(link: str) -> None:
            load.call_async(SetPayload.Request(
                link=link, payload=Inertia(m=mass))).add_done_callback(
                    node.guard.wrap('payload', tell))
        return ask

    def tell(future: Future) -> None:
        response = future.result()
        if not response.success:
            node.get_logger().warning(f'payload from RViz: {response.message}')

    return Menu(node.get_name(), {
        'Stop': lambda link: stop.publish(JointTrajectory()),
        **{f'Bandwidth/{name}': scaled('bandwidth', by) for name, by in FACTORS.items()},
        **{f'Approach speed/{name}': scaled('approach_speed', by) for name, by in SPEEDS.items()},
        **{f'Robust rate/{rate:g} per s': put('robust_rate', rate) for rate in ROBUST},
        **{f'Adaptation rate/{rate:g} per s': put('adaptation_rate', rate) for rate in ADAPTATION},
        **{f'Payload here/{mass:g} kg': carry(mass) for mass in LOADS},
        **{f'Gravity/{name}': put('gravity', [0.0, 0.0, along])
           for name, along in PULLS.items()}})
