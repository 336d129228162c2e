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

"""Sends a large message, or request, as often as a file says: ``large_sender.py NAME FILE``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import struct
import sys
import time
from typing import Any

from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from mbd_msgs.action import FollowPath
from mbd_msgs.srv import CheckModel, ForwardDynamics
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

JOINTS = ['joint1', 'joint2', 'joint3']
POSE = [0.785, -0.785, 1.571]
CALL = struct.Struct('<Qq')
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
FOLLOW, PATH = FollowJointTrajectory.Impl.SendGoalService, FollowPath.Impl.SendGoalService
EMPTY = JointTrajectoryPoint()


def still(count: int) -> JointTrajectory:
    """Return a right trajectory of many points that stays where the robot begins."""
    return JointTrajectory(joint_names=JOINTS, points=[JointTrajectoryPoint(
        positions=POSE, velocities=[0.0] * 3, time_from_start=Duration(
            sec=3 + k // 100, nanosec=k % 100 * 10_000_000)) for k in range(count)])


def xml(count: int) -> str:
    """Return a long robot description with a mistake at its end."""
    links = ''.join(f'<link name="l{k}"/><joint name="j{k}" type="fixed"><parent link="base"/>'
                    f'<child link="l{k}"/></joint>' for k in range(count))
    return f'<robot name="r"><link name="base"/>{links}<joint name="wrong" type="fixed"/></robot>'


TOPICS: dict[str, tuple[str, Callable[[], Any]]] = {
    'trajectory of 2,000,000 empty points': (
        'controller/joint_trajectory', lambda: JointTrajectory(points=[EMPTY] * 2_000_000)),
    'trajectory of 200,000 empty points': (
        'controller/joint_trajectory', lambda: JointTrajectory(points=[EMPTY] * 200_000)),
    'trajectory of 20,000 empty points': (
        'controller/joint_trajectory', lambda: JointTrajectory(
            joint_names=JOINTS, points=[EMPTY] * 19_000)),
    'trajectory of 15,000 points': ('controller/joint_trajectory', lambda: still(15_000)),
    'trajectory of 1,000,000 names': (
        'controller/joint_trajectory', lambda: JointTrajectory(joint_names=['a'] * 1_000_000)),
    'joint state of 1,000,000 names': (
        'joint_states', lambda: JointState(name=['a'] * 1_000_000)),
    'joint state of 4,000,000 positions': (
        'joint_states', lambda: JointState(name=JOINTS, velocity=[0.0] * 4_000_000)),
    'command of 4,000,000 efforts': (
        'effort_controller/commands', lambda: Float64MultiArray(data=[0.0] * 4_000_000)),
    'description of 30,000 links': ('robot_description', lambda: String(data=xml(30_000))),
    'description of 40 MB': ('robot_description', lambda: String(data='<robot> ' * 5_000_000)),
}
SERVICES: dict[str, tuple[str, Any, Callable[[], Any]]] = {
    'goal of 2,000,000 empty points': (
        'controller/follow_joint_trajectory/_action/send_goal', FOLLOW, lambda: FOLLOW.Request(
            goal=FollowJointTrajectory.Goal(trajectory=JointTrajectory(
                points=[EMPTY] * 2_000_000)))),
    'goal of 200,000 empty points': (
        'controller/follow_joint_trajectory/_action/send_goal', FOLLOW, lambda: FOLLOW.Request(
            goal=FollowJointTrajectory.Goal(trajectory=JointTrajectory(
                joint_names=JOINTS, points=[EMPTY] * 200_000)))),
    'goal of 15,000 points': (
        'controller/follow_joint_trajectory/_action/send_goal', FOLLOW, lambda: FOLLOW.Request(
            goal=FollowJointTrajectory.Goal(trajectory=still(15_000)))),
    'task of 99,000 characters': (
        'controller/follow_path/_action/send_goal', PATH, lambda: PATH.Request(
            goal=FollowPath.Goal(task='{link: tool, path: {kind: points, points: ['
                                 + '[1, 0, 1], ' * 8_900 + ']}}'))),
    '15,000 parameters': (
        'controller/set_parameters', SetParameters, lambda: SetParameters.Request(
            parameters=[Parameter(name='a')] * 15_000)),
    '1,000,000 parameters': (
        'controller/set_parameters', SetParameters, lambda: SetParameters.Request(
            parameters=[Parameter(name='a')] * 1_000_000)),
    'parameter of 30 MB': (
        'controller/set_parameters', SetParameters, lambda: SetParameters.Request(
            parameters=[Parameter(name='link', value=ParameterValue(
                type=4, string_value='x' * 30_000_000))])),
    'model of 40 MB to check': (
        'dynamics_server/check_model', CheckModel, lambda: CheckModel.Request(
            robot_description='<robot> ' * 5_000_000)),
    'request of 2,000,000 points': (
        'dynamics_server/forward_dynamics', ForwardDynamics, lambda: ForwardDynamics.Request(
            joint_names=JOINTS, points=[EMPTY] * 2_000_000)),
}


def main(name: str, go: Path) -> None:
    """Make the message; send it for each letter in the file, and end at the letter e."""
    rclpy.init()
    node = rclpy.create_node('large_sender')
    if name in TOPICS:
        topic, make = TOPICS[name]
        message = make()
        octets = serialize_message(message)
        publisher = node.create_publisher(
            type(message), topic, LATCHED if topic == 'robot_description' else 10)
        while not publisher.get_subscription_count():
            time.sleep(0.02)

        def send() -> None:
            publisher.publish(octets)
    else:
        service, kind, make = SERVICES[name]
        client = node.create_client(kind, service)
        octets = serialize_message(make())
        octets = octets[:4] + CALL.pack(1, 1) + octets[4:]
        assert client.wait_for_service(60.0)

        def send() -> None:
            client._writer.write(octets + bytes(-len(octets) & 3))
    print('ready', flush=True)
    sent = 0
    while True:
        said = go.read_text() if go.exists() else ''
        if 'e' in said:
            return
        if len(said) > sent:
            sent += 1
            send()
            print(f'sent {sent} of {len(octets)}', flush=True)
        time.sleep(0.01)


if __name__ == '__main__':
    main(sys.argv[1], Path(sys.argv[2]))
