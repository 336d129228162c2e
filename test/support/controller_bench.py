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


"""A controller of the three-link arm in the test's own process, without anybody beside it."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import rclpy
from sensor_msgs.msg import JointState

from mbd_ros.nodes.controller import Controller

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / 'config' / 'three_link_arm.yaml'
URDF = ROOT / 'urdf' / 'three_link_arm.urdf'
NAMES = ['joint1', 'joint2', 'joint3']
START = [math.pi / 4.0, -math.pi / 4.0, math.pi / 2.0]
ROBOT, STRANGER, OTHER = b'robot', b'stranger', b'other'
"""Publishers of joint states; the first takes commands."""


class ControllerBench:
    """A controller to which messages are handed, at times of the test; it sends to nobody."""

    def __init__(self, lockstep: bool, *parameters: str) -> None:
        given = [word for one in (f'lockstep:={str(lockstep).lower()}', *parameters)
                 for word in ('-p', one)]
        rclpy.init(args=['--ros-args', '--params-file', str(CONFIG), *given])
        self.lockstep, self.now, self.stamp = lockstep, 0, 10**15
        self.answers: list[int] = []   # since they were looked at last: stamps
        self.node = node = Controller()
        node.start()
        node._hardware._publisher = SimpleNamespace(
            get_subscription_count=lambda: 1, topic_name='commands',
            publish=lambda one: self.answers.append(int(one.layout.dim[0].label)))
        node.get_publishers_info_by_topic = lambda topic: [
            self.endpoint(name) for name in (ROBOT, STRANGER, OTHER)]
        node.get_subscriptions_info_by_topic = lambda topic: [self.endpoint(ROBOT)]
        self.listen = node.guard.wrap('joint_states', node._on_joint_states)

    @staticmethod
    def endpoint(name: bytes) -> SimpleNamespace:
        """Return what a graph tells of an endpoint."""
        return SimpleNamespace(endpoint_gid=list(name), node_name=name.decode(),
                               node_namespace='/')

    def close(self) -> None:
        """End it."""
        self.node.close()
        self.node.destroy_node()
        rclpy.try_shutdown()

    def hear(self, kind: str, stamp: int, sender: bytes | None = None) -> list[int]:
        """
        Hand over a joint state; return the stamps that are answered at once.

        A sender is given where the client library says who it is.
        """
        names = NAMES[1:] if kind == 'a joint missing' else NAMES
        place = {'elsewhere': [1.0] * 3, 'zeros': [0.0] * 3, 'not finite': [0.0, math.nan, 0.0]}
        message = JointState(name=names, position=place.get(kind, START)[:len(names)],
                             velocity=[] if kind == 'no velocities' else [0.0] * len(names))
        stamp = min(max(stamp, 0), 2**31 * 10**9 - 1)
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
        self.answers.clear()
        self.listen(message, sender)
        return list(self.answers)
