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

"""A service that is called from within a timer: client and timer in groups of their own."""

import time

import rclpy
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.executors import ExternalShutdownException
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from std_srvs.srv import Empty


class ServiceNode(Node):
    """Takes its time to answer."""

    def __init__(self):
        super().__init__('mock_service_node')
        self.srv = self.create_service(Empty, 'test_service', callback=self.service_callback)

    def service_callback(self, request, result):
        """Answer late."""
        self.get_logger().info('Server processing request...')
        time.sleep(0.2)
        self.get_logger().info('Server done.')
        return result


class CallbackGroupDemo(Node):
    """Waits in a timer for the answer of a service."""

    def __init__(self):
        super().__init__('callback_group_demo_node')
        client_cb_group = MutuallyExclusiveCallbackGroup()
        timer_cb_group = MutuallyExclusiveCallbackGroup()
        self.client = self.create_client(
            Empty, 'test_service', callback_group=client_cb_group)
        self.call_timer = self.create_timer(
            0.3, self._timer_cb, callback_group=timer_cb_group)

    def _timer_cb(self):
        self.get_logger().info('Sending request')
        _ = self.client.call(Empty.Request())
        self.get_logger().info('Received response')


def main():
    """Run both nodes on several threads."""
    rclpy.init()
    node, service_node = CallbackGroupDemo(), ServiceNode()
    executor = MultiThreadedExecutor(num_threads=2)  # with one core, the default is one
    executor.add_node(node)
    executor.add_node(service_node)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == '__main__':
    main()
