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

"""A node that asks dynamics_server which efforts hold a three-link arm in a posture."""

from mbd_msgs.srv import InverseDynamics
import rclpy
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectoryPoint


class Asker(Node):
    """Asks once, and prints the answer."""

    def __init__(self):
        super().__init__('asker')
        self.client = self.create_client(InverseDynamics, 'dynamics_server/inverse_dynamics')

    def ask(self, positions):
        """Return the efforts [N m] that hold joints at positions [rad], by name."""
        if not self.client.wait_for_service(timeout_sec=30.0):
            raise SystemExit('dynamics_server does not run')
        request = InverseDynamics.Request(
            joint_names=list(positions),
            points=[JointTrajectoryPoint(positions=list(positions.values()))])
        future = self.client.call_async(request)
        rclpy.spin_until_future_complete(self, future, timeout_sec=30.0)
        answer = future.result()
        if answer is None or not answer.success:
            raise SystemExit(answer.message if answer else 'no answer')
        return dict(zip(answer.joint_names, answer.points[0].effort))


def main():
    """Ask and print."""
    rclpy.init()
    asker = Asker()
    print(asker.ask({'joint1': 0.0, 'joint2': -0.5, 'joint3': 1.0}))
    asker.destroy_node()
    rclpy.shutdown()


if __name__ == '__main__':
    main()
