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

"""Look a frame up in another."""

import math

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from tf2_ros import TransformException
from tf2_ros.buffer import Buffer
from tf2_ros.transform_listener import TransformListener


class FrameListener(Node):
    """Says how far a frame is away."""

    def __init__(self):
        super().__init__('turtle_tf2_frame_listener')
        self.target_frame = self.declare_parameter(
            'target_frame', 'carrot1').get_parameter_value().string_value
        self.tf_buffer = Buffer()
        self.tf_listener = TransformListener(self.tf_buffer, self)
        self.timer = self.create_timer(0.2, self.on_timer)

    def on_timer(self):
        """Look, and say what was found."""
        from_frame_rel = self.target_frame
        to_frame_rel = 'world'
        try:
            t = self.tf_buffer.lookup_transform(to_frame_rel, from_frame_rel, rclpy.time.Time())
        except TransformException as ex:
            self.get_logger().info(
                f'Could not transform {to_frame_rel} to {from_frame_rel}: {ex}')
            return
        distance = math.sqrt(t.transform.translation.x ** 2 + t.transform.translation.y ** 2)
        self.get_logger().info(
            f'distance {distance:.3f}, height {t.transform.translation.z:.3f}')


def main():
    """Run the node."""
    rclpy.init()
    node = FrameListener()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
