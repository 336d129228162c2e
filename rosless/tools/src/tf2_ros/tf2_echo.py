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

"""The node ``tf2_echo``: print the transform between two frames again and again."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import math
import sys
import time

from geometry_msgs.msg import TransformStamped
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.time import Time
from rclpy.utilities import remove_ros_args
from rosless_tools.rotations import columns
from rosless_tools.rotations import to_rpy
from tf2_ros.buffer import Buffer
from tf2_ros.exceptions import TransformException
from tf2_ros.transform_listener import TransformListener

SLICE = 0.1  # s: how long Ctrl-C may have to wait at most


def main(args: Sequence[str] | None = None) -> int:
    """Print the transform at a rate until interrupted."""
    argv = list(sys.argv if args is None else args)
    parser = argparse.ArgumentParser(
        prog='tf2_echo', description='This will echo the transform from the coordinate frame of '
        'the source_frame to the coordinate frame of the target_frame. Note: This is the '
        'transform to get data from target_frame into the source_frame.')
    parser.add_argument('source_frame')
    parser.add_argument('target_frame')
    parser.add_argument('rate', nargs='?', type=float, default=1.0, help='[Hz] (default: 1)')
    words = parser.parse_args(remove_ros_args(argv)[1:])
    if words.rate <= 0.0:
        parser.error('the rate must be above zero')
    rclpy.init(args=argv)
    try:
        _echo(words.source_frame, words.target_frame, 1.0 / words.rate)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()
    return 0


def _echo(source: str, target: str, period: float) -> None:
    node = rclpy.create_node('tf2_echo')
    buffer = Buffer()
    listener = TransformListener(buffer, node)
    due = time.monotonic()
    waiting = True
    while rclpy.ok():
        rclpy.spin_once(node, timeout_sec=max(0.0, min(due - time.monotonic(), SLICE)))
        found, reason = buffer.can_transform(source, target, Time(), return_debug_tuple=True)
        if time.monotonic() < due and not (waiting and found):
            continue
        due = time.monotonic() + period
        if waiting and not found:
            node.get_logger().info(f'Waiting for transform {source} ->  {target}: {reason}')
            continue
        waiting = False
        try:
            print(text_of(buffer.lookup_transform(source, target, Time())), flush=True)
        except TransformException as error:
            print(f'Failure at {node.get_clock().now().nanoseconds * 1e-9}\n'
                  f'Exception thrown:{error}\nThe current list of frames is:\n'
                  f'{buffer.all_frames_as_string()}', flush=True)
    listener.unregister()


def text_of(transform: TransformStamped) -> str:
    """Return a transform in the form of ROS."""
    stamp, t, r = transform.header.stamp, transform.transform.translation, \
        transform.transform.rotation
    q = (r.x, r.y, r.z, r.w)
    angles = to_rpy(q)
    axes = [*columns(q), (t.x, t.y, t.z)]
    rows = [[axis[row] for axis in axes] for row in range(3)] + [[0.0, 0.0, 0.0, 1.0]]
    degrees = [math.degrees(angle) for angle in angles]
    return '\n'.join([
        f'At time {stamp.sec}.{stamp.nanosec:0{9 if stamp.nanosec else 1}d}',
        f'- Translation: {_list((t.x, t.y, t.z))}',
        f'- Rotation: in Quaternion (xyzw) {_list(q)}',
        f'- Rotation: in RPY (radian) {_list(angles)}',
        f'- Rotation: in RPY (degree) {_list(degrees)}',
        '- Matrix:',
        *(''.join(f' {value:6.3f}' for value in row) for row in rows)])


def _list(values: Sequence[float]) -> str:
    return f"[{', '.join(f'{value:.3f}' for value in values)}]"


if __name__ == '__main__':
    sys.exit(main())
