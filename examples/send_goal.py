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

"""A node that sends a goal too fast for its robot, and logs why it was rejected."""

from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from rcl_interfaces.msg import Log
import rclpy
from rclpy.action import ActionClient
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint


class Sender(Node):
    """Sends one goal."""

    def __init__(self):
        super().__init__('sender')
        self.client = ActionClient(
            self, FollowJointTrajectory, 'controller/follow_joint_trajectory')
        self.create_subscription(Log, '/rosout', self.repeat, 100)

    def repeat(self, message):
        """Log what the controller says of goals that it rejects."""
        if message.name == 'controller' and 'rejected' in message.msg:
            self.get_logger().error(message.msg)

    def send(self, positions):
        """Return whether a goal for positions [rad] by name, in 0.1 s, is accepted."""
        if not self.client.wait_for_server(timeout_sec=30.0):
            raise SystemExit('controller does not run')
        point = JointTrajectoryPoint(
            positions=list(positions.values()), time_from_start=Duration(nanosec=100_000_000))
        goal = FollowJointTrajectory.Goal(
            trajectory=JointTrajectory(joint_names=list(positions), points=[point]))
        future = self.client.send_goal_async(goal)
        rclpy.spin_until_future_complete(self, future, timeout_sec=30.0)
        return future.result().accepted


def main():
    """Send a goal, and hear why not."""
    rclpy.init()
    sender = Sender()
    if not sender.send({'joint1': 3.0, 'joint2': 0.0, 'joint3': 0.0}):
        for _ in range(10):   # the log may come after the answer
            rclpy.spin_once(sender, timeout_sec=0.1)
    sender.destroy_node()
    rclpy.shutdown()


if __name__ == '__main__':
    main()
