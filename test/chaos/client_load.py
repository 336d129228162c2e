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

"""Many clients in one process: each asks again and again; ``client_load.py CLIENTS CALLS``."""

import sys
import threading

from mbd_msgs.srv import ForwardDynamics, MassMatrix
import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from sound import JOINTS, question
from trajectory_msgs.msg import JointTrajectoryPoint

LARGE = 5000   # points: the server takes turns with these


def main(clients: int, calls: int) -> None:
    """Print what is ready, and at the end how many answers came and how many were refused."""
    rclpy.init()
    node = rclpy.create_node('load')
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    threading.Thread(target=spin, args=(executor,), daemon=True).start()
    small = [node.create_client(MassMatrix, 'dynamics_server/mass_matrix')
             for _ in range(clients)]
    large = node.create_client(ForwardDynamics, 'dynamics_server/forward_dynamics')
    for one in (*small, large):
        assert one.wait_for_service(120.0)
    print('ready', flush=True)
    points = [JointTrajectoryPoint(positions=[0.1] * 3)] * LARGE
    answered = refused = 0
    for _ in range(calls):
        futures = [one.call_async(question()) for one in small]
        futures.append(large.call_async(ForwardDynamics.Request(
            joint_names=JOINTS, points=points)))
        done = threading.Semaphore(0)
        for future in futures:
            future.add_done_callback(lambda _, done=done: done.release())
        for _ in futures:
            if done.acquire(timeout=120.0):
                answered += 1
        refused += sum(future.done() and not future.result().success for future in futures)
    print(f'answered {answered} of {calls * (clients + 1)}, refused {refused}', flush=True)
    rclpy.shutdown()


def spin(executor: SingleThreadedExecutor) -> None:
    """Take answers until the end."""
    try:
        executor.spin()
    except ExternalShutdownException:
        pass


if __name__ == '__main__':
    main(int(sys.argv[1]), int(sys.argv[2]))
