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

"""An action client that cancels its goal."""

from action_msgs.msg import GoalStatus
from example_interfaces.action import Fibonacci
import rclpy
from rclpy.action import ActionClient
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node


class MinimalActionClient(Node):
    """Asks for many Fibonacci numbers, and changes its mind."""

    def __init__(self):
        super().__init__('minimal_action_client')
        self._action_client = ActionClient(self, Fibonacci, 'fibonacci')

    def send_goal(self):
        """Send a goal that takes long."""
        self.get_logger().info('Waiting for action server...')
        self._action_client.wait_for_server()
        self._send_goal_future = self._action_client.send_goal_async(Fibonacci.Goal(order=40))
        self._send_goal_future.add_done_callback(self.goal_response_callback)

    def goal_response_callback(self, future):
        """Cancel the goal after a while."""
        self._goal_handle = future.result()
        if not self._goal_handle.accepted:
            self.get_logger().info('Goal rejected :(')
            return
        self.get_logger().info('Goal accepted :)')
        self._timer = self.create_timer(0.5, self.timer_callback)

    def timer_callback(self):
        """Cancel the goal."""
        self.get_logger().info('Canceling goal')
        self._timer.cancel()
        future = self._goal_handle.cancel_goal_async()
        future.add_done_callback(self.cancel_done)

    def cancel_done(self, future):
        """Ask for the result, which tells how the goal has ended."""
        if len(future.result().goals_canceling) > 0:
            self.get_logger().info('Goal successfully canceled')
        else:
            self.get_logger().info('Goal failed to cancel')
        self._goal_handle.get_result_async().add_done_callback(self.result_done)

    def result_done(self, future):
        """Say how it has ended."""
        ended = future.result().status == GoalStatus.STATUS_CANCELED
        self.get_logger().info(f'Status is canceled: {ended}')
        rclpy.shutdown()


def main(args=None):
    """Run the node until the goal has ended."""
    rclpy.init(args=args)
    action_client = MinimalActionClient()
    try:
        action_client.send_goal()
        rclpy.spin(action_client)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == '__main__':
    main()
