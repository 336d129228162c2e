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

"""Octets that are no messages, or damaged ones, on topics, services and actions of nodes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
import random
import struct
import time
from typing import Any

from action_msgs.srv import CancelGoal
from control_msgs.action import FollowJointTrajectory
from control_msgs.srv import QueryTrajectoryState
from cyclonedds.core import DDSException
from demo import Demo, ROOT, stage
from geometry_msgs.msg import Vector3, Vector3Stamped
from mbd_msgs.action import FollowPath
from mbd_msgs.srv import CheckModel, MassMatrix, SetModel, SetPayload
from nav_msgs.msg import Path
from rcl_interfaces.srv import SetParameters
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import serialize_message
from score import Score
from sensor_msgs.msg import JointState
from sound import answers, ask, JOINTS, question
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

TRUE = (ROOT / 'urdf' / 'three_link_arm.urdf').read_text()
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
RELIABLE = QoSProfile(depth=10)
LASTING = ('controller/gravity', 'robot_description')
WAY_BACK = 60.0   # s of simulated time, as after wild efforts

TOPICS: dict[str, tuple[QoSProfile, Callable[[], Any]]] = {
    'joint_states': (RELIABLE, lambda: JointState(
        name=JOINTS, position=[0.0] * 3, velocity=[0.0] * 3)),
    'effort_controller/commands': (RELIABLE, lambda: Float64MultiArray(data=[0.0] * 3)),
    'controller/joint_trajectory': (RELIABLE, lambda: JointTrajectory(
        joint_names=JOINTS, points=[JointTrajectoryPoint(positions=[0.0] * 3)])),
    'controller/path': (RELIABLE, Path),
    'controller/gravity': (RELIABLE, lambda: Vector3Stamped(vector=Vector3(z=-9.81))),
    'robot_description': (LATCHED, lambda: String(data=TRUE)),
}
TRAJECTORY = FollowJointTrajectory.Goal(trajectory=JointTrajectory(
    joint_names=['nobody'], points=[JointTrajectoryPoint(positions=[0.0])]))   # never accepted
SERVICES: dict[str, tuple[Any, Callable[[], Any]]] = {
    'dynamics_server/mass_matrix': (MassMatrix, question),
    'dynamics_server/check_model': (
        CheckModel, lambda: CheckModel.Request(robot_description=TRUE)),
    'dynamics_server/set_parameters': (SetParameters, SetParameters.Request),
    'simulator/set_model': (SetModel, lambda: SetModel.Request(robot_description=TRUE)),
    'controller/set_payload': (SetPayload, lambda: SetPayload.Request(link='tool')),
    'controller/query_state': (QueryTrajectoryState, QueryTrajectoryState.Request),
    **{f'controller/{action}/_action/{part}': (service, service.Request)
       for action, kind in (('follow_joint_trajectory', FollowJointTrajectory),
                            ('follow_path', FollowPath))
       for part, service in (('get_result', kind.Impl.GetResultService),
                             ('cancel_goal', CancelGoal))},
    'controller/follow_path/_action/send_goal': (
        FollowPath.Impl.SendGoalService, FollowPath.Impl.SendGoalService.Request),
    'controller/follow_joint_trajectory/_action/send_goal': (
        FollowJointTrajectory.Impl.SendGoalService,
        lambda: FollowJointTrajectory.Impl.SendGoalService.Request(goal=TRAJECTORY)),
}
CALL = struct.Struct('<Qq')   # the client and the number of the call, before the request
LASTING_CALLS = ('simulator/set_model', 'controller/set_payload')


def run(score: Score) -> None:
    """Send octets to the demo; it goes on tracking."""
    with stage(score) as (start, graph):
        demo = Demo(start, graph, score)
        with score.trial('the demo tracks', first=True):
            demo.tracks_again()
            demo.sound()
        for topic, (profile, make) in TOPICS.items():
            with score.trial(f'octets on {topic}'):
                message = make()
                publisher = graph.node.create_publisher(type(message), topic, profile)
                valid = serialize_message(message)
                for _ in range(score.cases(40, 1000)):
                    with suppress(RuntimeError):   # DDS itself refuses unknown representations
                        publisher.publish(damaged(valid, score.rng))
                    time.sleep(0.002)
                if topic in LASTING:   # another robot, or its weight, may have come of it
                    publisher.publish(message)
                demo.efforts.wrong.clear()   # these were ours
                demo.tracks_again(WAY_BACK)
                demo.sound()
                graph.node.destroy_publisher(publisher)
        for name, (kind, make) in SERVICES.items():
            with score.trial(f'octets to {name}'):
                client = graph.node.create_client(kind, name)
                graph.wait_until(client.service_is_ready, f'{name} is there')
                valid = serialize_message(make())
                for number in range(score.cases(40, 1000)):
                    octets = damaged(valid[:4] + CALL.pack(1, number) + valid[4:], score.rng)
                    with suppress(DDSException):   # as rosless writes a call: rclpy has no way to
                        client._writer.write(octets + bytes(-len(octets) & 3))
                    time.sleep(0.002)
                if name in LASTING_CALLS:
                    answer = ask(graph, kind, name, make())
                    assert answer.success, answer.message
                answers(graph)
                demo.tracks_again(WAY_BACK)
                demo.sound()
                graph.node.destroy_client(client)


def damaged(valid: bytes, rng: random.Random) -> bytes:
    """Return octets of a message cut, with wrong lengths, or any."""
    octets = bytearray(valid)
    kind = rng.randrange(5)
    if kind == 0:
        return bytes(octets[:rng.randrange(len(octets))])
    if kind == 1:   # a length, or a number, of any size
        place = 4 + 4 * rng.randrange(max(1, min(len(octets) // 4 - 1, 12)))
        octets[place:place + 4] = rng.choice([
            2**32 - 1, 2**31, 2**31 - 1, 10**6, 1, 0]).to_bytes(4, 'little')
        return bytes(octets)
    if kind == 2:   # the representation: big-endian, parameter lists, XCDR2, none
        octets[:4] = bytes(rng.choice([(0, 0), (0, 2), (0, 3), (0, 7), (0, 11), (9, 9)])) + b'\0\0'
        return bytes(octets)
    if kind == 3:
        for _ in range(rng.randint(1, 8)):
            octets[rng.randrange(len(octets))] = rng.randrange(256)
        return bytes(octets)
    return rng.randbytes(rng.choice([0, 1, 4, 5, 64, 4096]))
