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

"""The node ``static_transform_publisher``: one transform that holds for all time."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import os
import sys

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.utilities import remove_ros_args
from rosless_tools.geometry import Displacement
from rosless_tools.rotations import from_rpy
from tf2_ros.buffer_core import as_message
from tf2_ros.buffer_core import NORM_TOLERANCE
from tf2_ros.static_transform_broadcaster import StaticTransformBroadcaster

OLD_USAGE = ('the old form is: x y z yaw pitch roll frame_id child_frame_id, or '
             'x y z qx qy qz qw frame_id child_frame_id')


def parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments."""
    result = argparse.ArgumentParser(
        prog='static_transform_publisher', usage='%(prog)s [--x X] [--y Y] [--z Z] '
        '[--roll ROLL] [--pitch PITCH] [--yaw YAW] [--qx QX] [--qy QY] [--qz QZ] [--qw QW] '
        '--frame-id FRAME_ID --child-frame-id CHILD_FRAME_ID',
        description='A command line utility for publishing a static transform. Rotation: roll, '
        'pitch and yaw in radian, or a quaternion; not both.')
    for name in ('x', 'y', 'z', 'roll', 'pitch', 'yaw', 'qx', 'qy', 'qz', 'qw'):
        result.add_argument(f'--{name}', type=float)
    result.add_argument('--frame-id', required=True, help='parent frame')
    result.add_argument('--child-frame-id', required=True, help='child frame')
    return result


def parse(words: Sequence[str]) -> tuple[Displacement, str, str]:
    """
    Return the displacement and the frames, parent and child, that arguments ask for.

    Raises
    ------
    ValueError
        If they contradict each other.

    """
    if words and len(words) in (8, 9) and not any(word.startswith('--') for word in words):
        return _parse_old(words)
    args = parser().parse_args(list(words))
    angles, quaternion = (args.roll, args.pitch, args.yaw), (args.qx, args.qy, args.qz, args.qw)
    if any(part is not None for part in angles) and any(part is not None for part in quaternion):
        raise ValueError('cannot mix roll, pitch, yaw with a quaternion')
    if any(part is not None for part in quaternion):
        x, y, z, w = (0.0 if part is None else part for part in quaternion)
        rotation = (x, y, z, 1.0 if args.qw is None else w)
    else:
        rotation = from_rpy(*(part or 0.0 for part in angles))
    return _checked(((args.x or 0.0, args.y or 0.0, args.z or 0.0), rotation),
                    args.frame_id, args.child_frame_id)


def main(args: Sequence[str] | None = None) -> int:
    """Publish the transform until interrupted; return 1 if the arguments are wrong."""
    argv = list(sys.argv if args is None else args)
    try:
        displacement, parent, child = parse(remove_ros_args(argv)[1:])
    except ValueError as error:
        print(f'static_transform_publisher: {error}', file=sys.stderr)
        return 1
    rclpy.init(args=argv)
    try:
        node = rclpy.create_node(f'static_transform_publisher_{os.urandom(8).hex()}')
        message = as_message(parent, child, 0, displacement)
        message.header.stamp = node.get_clock().now().to_msg()
        StaticTransformBroadcaster(node).sendTransform(message)
        t, q = displacement
        node.get_logger().info(
            'Spinning until stopped - publishing transform\n'
            f"translation: ('{t[0]:.6f}', '{t[1]:.6f}', '{t[2]:.6f}')\n"
            f"rotation: ('{q[0]:.6f}', '{q[1]:.6f}', '{q[2]:.6f}', '{q[3]:.6f}')\n"
            f"from '{parent}' to '{child}'")
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()
    return 0


def _parse_old(words: Sequence[str]) -> tuple[Displacement, str, str]:
    try:
        x, y, z, *rest = map(float, words[:-2])
    except ValueError as error:
        raise ValueError(f'{error}; {OLD_USAGE}') from error
    if len(rest) == 3:
        yaw, pitch, roll = rest
        return _checked(((x, y, z), from_rpy(roll, pitch, yaw)), words[-2], words[-1])
    a, b, c, d = rest
    return _checked(((x, y, z), (a, b, c, d)), words[-2], words[-1])


def _checked(
    displacement: Displacement, parent: str, child: str,
) -> tuple[Displacement, str, str]:
    if parent == child:
        raise ValueError(f"cannot publish static transform from '{parent}' to '{child}', exiting")
    norm = sum(part * part for part in displacement[1])
    if abs(norm - 1.0) > NORM_TOLERANCE:
        raise ValueError(f'the quaternion {displacement[1]} is not of length one')
    return displacement, parent, child


if __name__ == '__main__':
    sys.exit(main())
