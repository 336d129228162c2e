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

"""
The node ``robot_state_publisher``.

It publishes the robot description, latched, on ``robot_description``; the frames of links at
fixed joints on ``/tf_static``; and, from ``joint_states``, those at moving joints on ``/tf``.
Floating and planar joints are left to whoever knows where the robot is.

"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import math
import os
from pathlib import Path
import signal
import sys
import threading
from types import FrameType
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from rcl_interfaces.msg import FloatingPointRange
from rcl_interfaces.msg import ParameterDescriptor
from rcl_interfaces.msg import SetParametersResult
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy
from rclpy.qos import qos_profile_sensor_data
from rclpy.qos import QoSProfile
from rclpy.utilities import remove_ros_args
from robot_state_publisher.kinematics import displacement
from robot_state_publisher.kinematics import MOVING
from robot_state_publisher.kinematics import with_mimics
from robot_state_publisher.urdf import Joint
from robot_state_publisher.urdf import parse_urdf
from robot_state_publisher.urdf import Robot
from robot_state_publisher.urdf import UrdfError
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_ros import StaticTransformBroadcaster
from tf2_ros import TransformBroadcaster

LONGEST = 1e18   # ns: thirty years between two messages
LONGEST_NAME = 200   # characters of a joint's name that are logged

PARAMETERS = {
    'robot_description': ('', 'The URDF of the robot, as text'),
    'publish_frequency': (20.0, 'How often frames are published at most [Hz]'),
    'ignore_timestamp': (False, 'Whether joint states that are not newer than the last ones are '
                         'used too'),
    'frame_prefix': ('', 'Text in front of the names of all frames'),
}


def wrong_in(state: JointState) -> str:
    """Return what no frame can be made of; empty if nothing is wrong."""
    if state.header.stamp.nanosec >= 10**9:
        return (f'its stamp has {state.header.stamp.nanosec} ns in the second; allowed: up to '
                '999999999')
    for name, position in zip(state.name, state.position):
        if not math.isfinite(position):
            return f'position of joint "{name[:LONGEST_NAME]}" is {position}; allowed: a number'
    return ''


class RobotStatePublisher(Node):
    """
    Publish a robot description and the frames of the links.

    Parameters
    ----------
    parameter_overrides : sequence of Parameter
        Values of parameters, which have precedence over those of the command line.

    Raises
    ------
    UrdfError
        If the robot description cannot be used.

    """

    def __init__(self, parameter_overrides: Sequence[Parameter] = ()) -> None:
        super().__init__('robot_state_publisher', parameter_overrides=list(parameter_overrides))
        for name, (default, description) in PARAMETERS.items():
            descriptor = ParameterDescriptor(description=description)
            if name == 'publish_frequency':
                descriptor.floating_point_range = [
                    FloatingPointRange(from_value=0.0, to_value=1000.0)]
            self.declare_parameter(name, default, descriptor)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._robot: Robot = parse_urdf(self._value('robot_description'))
        self._published: dict[str, int] = {}
        self._last_callback = 0
        self._description = self.create_publisher(String, 'robot_description', latched)
        self._frames = TransformBroadcaster(self)
        self._fixed_frames: StaticTransformBroadcaster | None = None
        self._announce()
        self.add_on_set_parameters_callback(self._on_set_parameters)
        self.create_subscription(
            JointState, 'joint_states', self._on_joint_states, qos_profile_sensor_data)

    def _value(self, name: str) -> Any:
        return self.get_parameter(name).value

    def _announce(self, description: str | None = None, prefix: str | None = None) -> None:
        """Publish what holds until the description changes."""
        for remark in self._robot.remarks:
            self.get_logger().warning(remark)
        fixed = []
        for joint in self._robot.joints.values():
            if joint.type == 'fixed':
                fixed.append(self._transform(joint, 0.0, 0, prefix))
            elif joint.type not in MOVING:
                self.get_logger().info(f'{joint.type.capitalize()} joint. Not adding segment '
                                       f'from {joint.parent} to {joint.child}.')
        if self._fixed_frames is not None:
            # A new publisher: late subscribers do not get frames of the earlier description.
            self.destroy_publisher(self._fixed_frames.pub_tf)
        self._fixed_frames = StaticTransformBroadcaster(self)
        now = self.get_clock().now().to_msg()
        for transform in fixed:
            transform.header.stamp = now
        self._fixed_frames.sendTransform(fixed)
        text = self._value('robot_description') if description is None else description
        self._description.publish(String(data=text))
        self._published.clear()
        self.get_logger().info(f"Robot initialized: '{self._robot.name}', root link "
                               f"'{self._robot.root}', {len(self._robot.joints)} joints")

    def _transform(
        self, joint: Joint, position: float, stamp: int, prefix: str | None = None,
    ) -> TransformStamped:
        if prefix is None:
            prefix = self._value('frame_prefix')
        message = TransformStamped(child_frame_id=prefix + joint.child)
        message.header.frame_id = prefix + joint.parent
        message.header.stamp = Time(sec=stamp // 10**9, nanosec=stamp % 10**9)
        t, q = message.transform.translation, message.transform.rotation
        (t.x, t.y, t.z), (q.x, q.y, q.z, q.w) = displacement(joint, position)
        return message

    def _on_joint_states(self, state: JointState) -> None:
        if len(state.name) != len(state.position):
            self._complain(state)
            return
        problem = wrong_in(state)
        if problem:
            self.get_logger().error(
                f'Robot state publisher ignored a JointState message: {problem}',
                throttle_duration_sec=1.0)
            return
        now = self.get_clock().now().nanoseconds
        if now < self._last_callback:
            self.get_logger().warning(
                'Moved backwards in time, re-publishing joint transforms!')
            self._published.clear()
        self._last_callback = now
        positions = with_mimics(self._robot, dict(zip(state.name, state.position)))
        if not positions:
            return
        stamp = state.header.stamp.sec * 10**9 + state.header.stamp.nanosec
        frequency = self._value('publish_frequency')
        interval = int(min(1e9 / frequency, LONGEST)) if frequency > 0.0 else 0
        last = min(self._published.get(name, 0) for name in positions)
        if not self._value('ignore_timestamp') and last and stamp < last + interval:
            return
        self._frames.sendTransform([
            self._transform(self._robot.joints[name], position, stamp)
            for name, position in positions.items()])
        self._published.update(dict.fromkeys(positions, stamp))

    def _complain(self, state: JointState) -> None:
        if state.position:
            self.get_logger().error(
                'Robot state publisher ignored an invalid JointState message: '
                f'{len(state.name)} names, {len(state.position)} positions',
                throttle_duration_sec=1.0)
        else:
            self.get_logger().warning(
                'Robot state publisher ignored a JointState message about joint(s) '
                f'"{state.name[0][:LONGEST_NAME]}"(,...) whose position member was empty.',
                throttle_duration_sec=1.0)

    def _on_set_parameters(self, parameters: Iterable[Parameter]) -> SetParametersResult:
        new = {parameter.name: parameter.value for parameter in parameters}
        if 'robot_description' not in new and 'frame_prefix' not in new:
            return SetParametersResult(successful=True)
        description = new.get('robot_description', self._value('robot_description'))
        try:
            self._robot = parse_urdf(description)
        except UrdfError as error:
            return SetParametersResult(successful=False, reason=str(error))
        self._announce(description, new.get('frame_prefix', self._value('frame_prefix')))
        return SetParametersResult(successful=True)


def main(args: Sequence[str] | None = None) -> int:
    """
    Run the node until it is interrupted.

    Parameters
    ----------
    args : sequence of str, optional
        Arguments; those of the process by default. One that is no ROS argument is the path of a
        URDF.

    Returns
    -------
    int
        Exit status: 1 if the robot description cannot be used.

    """
    argv = list(sys.argv if args is None else args)
    spinning = threading.Event()

    def leave(number: int, frame: FrameType | None) -> None:
        if not spinning.is_set():   # the rest of a start takes seconds on a busy machine
            os._exit(0)
    if threading.current_thread() is threading.main_thread():
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, leave)
    rclpy.init(args=argv)   # from here on signals shut its context down as well
    try:
        node = RobotStatePublisher(_from_file(remove_ros_args(argv)[1:]))
        spinning.set()
        try:
            rclpy.spin(node)
        finally:
            node.destroy_node()
    except ExternalShutdownException:
        pass
    except (UrdfError, OSError) as error:
        print(f'robot_state_publisher: {error}', file=sys.stderr)
        return 1
    finally:
        rclpy.try_shutdown()
    return 0


def _from_file(words: Sequence[str]) -> list[Parameter]:
    if not words:
        return []
    return [Parameter('robot_description', value=Path(words[0]).read_text(encoding='utf-8'))]
