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

"""Makes and removes nodes with all that they can have: ``cycles.py COUNT``; 1 if any is left."""

from __future__ import annotations

import gc
import os
import sys

from area_churn import FILES, left, MEGABYTES, THREADS
from mbd_msgs.action import FollowPath
from mbd_msgs.srv import MassMatrix
import rclpy
from rclpy.action import ActionClient, ActionServer
from rclpy.executors import SingleThreadedExecutor
from std_msgs.msg import String


def main(count: int) -> int:
    """Print what is left four times on the way."""
    curve = []
    rclpy.init()
    for turn in range(count):
        node = rclpy.create_node('one')
        node.create_publisher(String, 'a', 10)
        node.create_subscription(String, 'a', print, 10)
        node.create_service(MassMatrix, 'b', lambda request, response: response)
        node.create_client(MassMatrix, 'b')
        node.create_timer(1.0, lambda: None)
        server = ActionServer(node, FollowPath, 'c', lambda handle: FollowPath.Result())
        client = ActionClient(node, FollowPath, 'c')
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        executor.spin_once(timeout_sec=0.0)
        executor.shutdown()
        client.destroy()
        server.destroy()
        node.destroy_node()
        if turn % max(count // 4, 1) == count // 4 - 1:
            gc.collect()
            curve.append(left(os.getpid()))
    print(count, 'nodes:', curve)
    middle, end = curve[1], curve[-1]
    rclpy.shutdown()
    return int(end[0] - middle[0] > MEGABYTES or end[1] - middle[1] > THREADS
               or end[2] - middle[2] > FILES)


if __name__ == '__main__':
    sys.exit(main(int(sys.argv[1])))
