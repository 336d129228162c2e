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

"""What joints carry, as arrows: the simulator publishes it on request."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from geometry_msgs.msg import WrenchStamped

from mbd_ros.messages.dynamics.link_wrenches import wrench_arrows
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.named_topics import topic_names
from mbd_ros.nodes.every_node.robot_source import Robot
from mbd_ros.nodes.page.drawings.arrows import JointForces, JointMoments
from mbd_ros.nodes.viewing.view import Seen, Shared, View

MOST_JOINTS = 30
"""Joints whose wrenches are asked for."""

LONGEST = 0.35
"""Longest arrow of forces, and of moments, in radii of the robot."""


class Wrenches(View):
    """Forces and moments that parents exert on children, drawn at the joints."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._forces, self._moments = self.page.add(JointForces), self.page.add(JointMoments)
        self._newest: dict[str, WrenchStamped] = {}
        self._subscriptions: list[Any] = []
        self._largest = (0.0, 0.0)
        self.calls.expect(nodes=['simulator'])
        gui = self.page.server.gui
        with self.page.panel.show:
            self._wanted = gui.add_checkbox('ask the simulator for joint wrenches', False)
        self._wanted.on_update(lambda _: self.queue.put('joint wrenches', self._ask))

    def use(self, robot: Robot) -> None:
        """Ask for those of another robot, if any are wanted."""
        if self._wanted.value:
            self._ask()

    def _ask(self) -> None:
        """Begin or end to listen."""
        for subscription in self._subscriptions:
            self.node.destroy_subscription(subscription)
        self._subscriptions.clear()
        self._newest.clear()
        if self.robot is None:
            return
        joints = list(self.robot.model.joint_names[:MOST_JOINTS]) if self._wanted.value else []
        self.calls.set_parameter('simulator', 'wrench_joints', joints)
        for topic in topic_names(joints):
            self._subscriptions.append(self.node.create_subscription(
                WrenchStamped, f'simulator/joint_wrench/{topic}',
                partial(self._newest.__setitem__, topic), qos.NEWEST))

    def draw(self, seen: Seen) -> None:
        """Draw what came last."""
        forces, moments, *largest = wrench_arrows(
            self._newest.values(), seen.poses, LONGEST * self.page.size)
        self._largest = (largest[0], largest[1])
        self._forces.show(forces)
        self._moments.show(moments)

    @property
    def readouts(self) -> Mapping[str, str]:
        """Return the largest ones: the longest arrows."""
        if not self._newest:
            return {}
        force, moment = self._largest
        return {'largest in a joint': f'{force:.4g} N, {moment:.4g} N m'}
