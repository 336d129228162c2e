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

"""A client that means no good, of one kind, until it is ended: ``hostile_client.py KIND``."""

from __future__ import annotations

from collections.abc import Callable
import contextlib
import os
from pathlib import Path
import sys
import time
from typing import Any

from large_sender import CALL, EMPTY, JOINTS, xml
from mbd_msgs.action import FollowPath
from mbd_msgs.srv import CheckModel, ForwardDynamics, MassMatrix
import rclpy
from rclpy.action import ActionClient
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import serialize_message
from rosless.dds.qos import Profile
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectoryPoint

POINT = JointTrajectoryPoint(positions=[0.1] * 3)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
SERVER = 'dynamics_server'


class Hostile:
    """Sends as fast as it can, or keeps as many calls open as it wants."""

    def __init__(self) -> None:
        stay_behind()
        rclpy.init()
        self.node = Node('hostile')

    def ask(self, kind: Any, name: str, request: Any, open_calls: int) -> None:
        """Have so many calls open at any time."""
        client = self.node.create_client(kind, name)
        assert client.wait_for_service(60.0)
        ready()
        calls: list[Any] = []
        while True:
            calls = [one for one in calls if not one.done()]
            while len(calls) < open_calls:
                calls.append(client.call_async(request))
            rclpy.spin_once(self.node, timeout_sec=0.01)

    def write(self, kind: Any, name: str, octets: bytes, pause: float) -> None:
        """Write octets as requests, again and again."""
        client = self.node.create_client(kind, name)
        assert client.wait_for_service(60.0)
        self.again(lambda: client._writer.write(octets + bytes(-len(octets) & 3)), pause)

    def without_reader(self, name: str, pause: float) -> None:
        """Ask without an ear for the answer."""
        writer = self.node.context.participant.writer(
            f'rq/{name}Request', 'mbd_msgs::srv::dds_::MassMatrix_Request_',
            Profile(history=2, reliability=1), b'clientid=1;')
        octets = call(MassMatrix.Request(joint_names=JOINTS, points=[POINT]))
        self.again(lambda: writer.write(octets + bytes(-len(octets) & 3)), pause)

    def publish(self, messages: list[Any], topic: str, pause: float) -> None:
        """Publish messages by turns."""
        publisher = self.node.create_publisher(type(messages[0]), topic, LATCHED)
        turn = 0

        def send() -> None:
            nonlocal turn
            turn += 1
            publisher.publish(messages[turn % len(messages)])
        self.again(send, pause)

    def goals(self) -> None:
        """Send goals and never look at what becomes of them."""
        client = ActionClient(self.node, FollowPath, 'controller/follow_path')
        goal = FollowPath.Goal(task='{link: tool, path: {kind: spline, duration: 60, points: ['
                               + ''.join(f'[{1.0 + 1e-4 * k:g}, 0, 1], ' for k in range(2_000))
                               + ']}}')

        def send() -> None:
            client.send_goal_async(goal)
            rclpy.spin_once(self.node, timeout_sec=0.0)
        self.again(send, 0.005)

    def again(self, send: Callable[[], object], pause: float) -> None:
        """Send again and again."""
        ready()
        while True:
            send()
            time.sleep(pause)


def stay_behind() -> None:
    """
    Take what others leave of the processors, as if this ran elsewhere.

    A nice value acts among processes of one session only where the kernel shares time between
    sessions first (autogroup); this one has a session of its own.
    """
    os.nice(10)
    with contextlib.suppress(OSError):   # a kernel without it
        Path('/proc/self/autogroup').write_text('19')


def ready() -> None:
    """Say that it begins."""
    print('ready', flush=True)


def call(request: Any) -> bytes:
    """Return a request as octets on the wire."""
    octets = serialize_message(request)
    return octets[:4] + CALL.pack(1, 1) + octets[4:]


def wide(count: int) -> str:
    """Return a description with many joints whose names are nearly alike."""
    return xml(count).replace('parent link="base"', 'parent link="bsae"')


KINDS: dict[str, Callable[[Hostile], None]] = {
    'four checks of 240 kB at a time': lambda one: one.ask(
        CheckModel, f'{SERVER}/check_model',
        CheckModel.Request(robot_description=wide(2300)), 4),
    'four requests of 50,000 points at a time': lambda one: one.ask(
        ForwardDynamics, f'{SERVER}/forward_dynamics',
        ForwardDynamics.Request(joint_names=JOINTS, points=[POINT] * 50_000), 4),
    '1,000 small requests at a time': lambda one: one.ask(
        MassMatrix, f'{SERVER}/mass_matrix',
        MassMatrix.Request(joint_names=JOINTS, points=[POINT]), 1000),
    'interpreted requests': lambda one: one.ask(
        ForwardDynamics, f'{SERVER}/forward_dynamics', ForwardDynamics.Request(
            joint_names=JOINTS, points=[POINT] * 900, executor='interpreted'), 4),
    'requests without a reader': lambda one: one.without_reader(f'{SERVER}/mass_matrix', 1e-3),
    'requests that are no requests': lambda one: one.write(
        MassMatrix, f'{SERVER}/mass_matrix', b'\0\1\0\0' + b'\xff' * 60, 1e-3),
    'requests of 1,500,000 empty points': lambda one: one.write(
        ForwardDynamics, f'{SERVER}/forward_dynamics', call(ForwardDynamics.Request(
            joint_names=JOINTS, points=[EMPTY] * 1_500_000)), 0.5),
    'descriptions of 1,000 links': lambda one: one.publish(
        [String(data=wide(1000)), String(data=wide(1001))], 'robot_description', 0.1),
    'goals of 2,000 points': lambda one: one.goals(),
}


if __name__ == '__main__':
    try:
        KINDS[sys.argv[1]](Hostile())
    except (ExternalShutdownException, KeyboardInterrupt):
        pass
