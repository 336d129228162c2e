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

"""An action server."""

import threading
import time

from example_interfaces.action import Fibonacci
import rclpy
from rclpy.action import ActionServer
from rclpy.action import CancelResponse
from rclpy.action import GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node


class FibonacciActionServer(Node):
    """Computes Fibonacci numbers slowly; a newer goal ends the one before."""

    def __init__(self):
        super().__init__('fibonacci_action_server')
        self._goal_handle = None
        self._goal_lock = threading.Lock()
        self._action_server = ActionServer(
            self,
            Fibonacci,
            'fibonacci',
            execute_callback=self.execute_callback,
            callback_group=ReentrantCallbackGroup(),
            goal_callback=self.goal_callback,
            handle_accepted_callback=self.handle_accepted_callback,
            cancel_callback=self.cancel_callback)

    def goal_callback(self, goal_request):
        """Refuse orders that are not positive."""
        self.get_logger().info('Received goal request')
        return GoalResponse.ACCEPT if goal_request.order > 0 else GoalResponse.REJECT

    def handle_accepted_callback(self, goal_handle):
        """Keep only the latest goal."""
        with self._goal_lock:
            if self._goal_handle is not None and self._goal_handle.is_active:
                self.get_logger().info('Aborting previous goal')
                self._goal_handle.abort()
            self._goal_handle = goal_handle
        goal_handle.execute()

    def cancel_callback(self, goal_handle):
        """Let every goal be cancelled."""
        self.get_logger().info('Received cancel request')
        return CancelResponse.ACCEPT

    def execute_callback(self, goal_handle):
        """Compute, with feedback."""
        self.get_logger().info('Executing goal...')
        feedback_msg = Fibonacci.Feedback()
        feedback_msg.sequence = [0, 1]
        for i in range(1, goal_handle.request.order):
            if not goal_handle.is_active:
                self.get_logger().info('Goal aborted')
                return Fibonacci.Result()
            if goal_handle.is_cancel_requested:
                goal_handle.canceled()
                self.get_logger().info('Goal canceled')
                return Fibonacci.Result()
            feedback_msg.sequence.append(
                feedback_msg.sequence[i] + feedback_msg.sequence[i - 1])
            self.get_logger().info(f'Publishing feedback: {feedback_msg.sequence}')
            goal_handle.publish_feedback(feedback_msg)
            time.sleep(0.1)
        with self._goal_lock:
            if not goal_handle.is_active:
                return Fibonacci.Result()
            goal_handle.succeed()
        result = Fibonacci.Result()
        result.sequence = feedback_msg.sequence
        return result

    def destroy(self):
        """Take the server down."""
        self._action_server.destroy()
        super().destroy_node()


def main(args=None):
    """Run the node on several threads, so that cancellations are heard."""
    rclpy.init(args=args)
    server = FibonacciActionServer()
    executor = MultiThreadedExecutor(num_threads=2)  # with one core, the default is one
    try:
        rclpy.spin(server, executor=executor)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        server.destroy()
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
