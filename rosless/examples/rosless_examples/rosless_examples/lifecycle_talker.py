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

"""A managed publisher."""

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import Node
from rclpy.lifecycle import TransitionCallbackReturn
from std_msgs.msg import String


class LifecycleTalker(Node):
    """Publishes only while it is active."""

    def __init__(self, node_name, **kwargs):
        super().__init__(node_name, **kwargs)
        self._count = 0
        self._pub = None
        self._timer = None

    def publish(self):
        """Publish; nothing leaves while the publisher is not activated."""
        msg = String()
        msg.data = 'Lifecycle HelloWorld #' + str(self._count)
        self._count += 1
        if self._pub is None or not self._pub.is_activated:
            self.get_logger().info('Lifecycle publisher is inactive. Messages are not published.')
        else:
            self.get_logger().info(f'Lifecycle publisher is active. Publishing: [{msg.data}]')
        if self._pub is not None:
            self._pub.publish(msg)

    def on_configure(self, state):
        """Make the publisher and the timer."""
        self._pub = self.create_lifecycle_publisher(String, 'lifecycle_chatter', 10)
        self._timer = self.create_timer(0.2, self.publish)
        self.get_logger().info('on_configure() is called.')
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state):
        """Let messages pass."""
        self.get_logger().info('on_activate() is called.')
        return super().on_activate(state)

    def on_deactivate(self, state):
        """Hold messages back."""
        self.get_logger().info('on_deactivate() is called.')
        return super().on_deactivate(state)

    def on_cleanup(self, state):
        """Take down what was made."""
        self.destroy_timer(self._timer)
        self.destroy_lifecycle_publisher(self._pub)
        self._pub = None
        self.get_logger().info('on_cleanup() is called.')
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state):
        """Take down what is there, from any state."""
        if self._pub is not None:
            self.destroy_timer(self._timer)
            self.destroy_publisher(self._pub)
        self.get_logger().info('on_shutdown() is called.')
        return TransitionCallbackReturn.SUCCESS


def main():
    """Run the node."""
    rclpy.init()
    executor = SingleThreadedExecutor()
    lc_node = LifecycleTalker('lc_talker')
    executor.add_node(lc_node)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        lc_node.destroy_node()


if __name__ == '__main__':
    main()
