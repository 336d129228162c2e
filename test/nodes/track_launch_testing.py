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

"""A launch test of the demo as users of ROS 2 write them; it runs on ROS 2 itself, too."""

import unittest

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
import rclpy
from sensor_msgs.msg import JointState


@pytest.mark.launch_test
def generate_test_description():
    share = get_package_share_directory('mbd_ros')
    return LaunchDescription([
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(f'{share}/launch/track.launch.py'),
            launch_arguments={'viewer': 'false', 'rviz': 'false'}.items()),
        launch_testing.actions.ReadyToTest()])


class TestDemo(unittest.TestCase):
    """While it runs."""

    def test_the_arm_tracks(self, proc_output):
        proc_output.assertWaitFor('tracking', process='controller', timeout=100)

    def test_joint_states_come(self):
        rclpy.init()
        try:
            node, heard = rclpy.create_node('test_demo'), []
            node.create_subscription(JointState, 'joint_states', heard.append, 10)
            end = node.get_clock().now().nanoseconds + 100e9
            while len(heard) < 10 and node.get_clock().now().nanoseconds < end:
                rclpy.spin_once(node, timeout_sec=0.1)
            assert list(heard[-1].name) == ['joint1', 'joint2', 'joint3']
        finally:
            rclpy.shutdown()


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    """When it has ended."""

    def test_all_ended_cleanly(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
