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

"""
Memory over time: topics, services, an action and logs between two processes, for ten minutes.

``python rosless/benchmarks/soak.py [minutes]`` prints the resident memory of both processes every
few seconds, and at the end how fast it grew in the second half [KiB/min]. Nodes, clients and
timers come and go meanwhile, as leaks hide there.

"""

from __future__ import annotations

from pathlib import Path
import subprocess
import sys
import time
from typing import Any

import rosless  # noqa: F401, I100  makes the interfaces importable from the sources, too

from example_interfaces.action import Fibonacci  # noqa: I100
from example_interfaces.srv import AddTwoInts
import numpy as np
import rclpy
from rclpy.action import ActionClient, ActionServer
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from sensor_msgs.msg import JointState

PERIOD = 0.002  # s, between messages
LOOK = 5.0  # s, between looks at the memory


def resident(process: int) -> float:
    """Return the resident memory of a process [KiB]."""
    pages = int(Path(f'/proc/{process}/statm').read_text().split()[1])
    return pages * 4.0


def serve() -> None:
    """Be the other process."""
    rclpy.init(args=['--ros-args', '--disable-stdout-logs', '--disable-external-lib-logs'])
    node = rclpy.create_node('soaked')

    def add(request: Any, response: Any) -> Any:
        response.sum = request.a + request.b
        return response

    def execute(goal_handle: Any) -> Any:
        goal_handle.publish_feedback(Fibonacci.Feedback(sequence=[0, 1]))
        goal_handle.succeed()
        return Fibonacci.Result(sequence=[0, 1, 1])

    node.create_subscription(JointState, 'joint_states', lambda _: None, 10)
    node.create_service(AddTwoInts, 'add', add)
    server = ActionServer(node, Fibonacci, 'fibonacci', execute, result_timeout=1)
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        server.destroy()
        rclpy.try_shutdown()


class Load:
    """What the first process does all the time."""

    def __init__(self) -> None:
        self.node = rclpy.create_node('soaking')
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.publisher = self.node.create_publisher(JointState, 'joint_states', 10)
        self.client = self.node.create_client(AddTwoInts, 'add')
        self.action = ActionClient(self.node, Fibonacci, 'fibonacci')
        assert self.client.wait_for_service(10.0)
        assert self.action.wait_for_server(10.0)
        self.message = JointState(name=['a'] * 7, position=[0.1] * 7)
        self.count = 0

    def step(self) -> None:
        """Publish and call; now and then run an action, and let a node come and go."""
        self.count += 1
        self.publisher.publish(self.message)
        self.wait(self.client.call_async(AddTwoInts.Request(a=self.count)))
        if self.count % 20 == 0:
            accepted = self.wait(self.action.send_goal_async(Fibonacci.Goal(order=3), print_none))
            self.wait(accepted.get_result_async())
            self.node.get_logger().info(f'action {self.count}')
        if self.count % 100 == 0:
            guest = rclpy.create_node('guest')
            guest.create_timer(1.0, lambda: None)
            guest.create_client(AddTwoInts, 'add')
            guest.destroy_node()

    def wait(self, future: Any) -> Any:
        """Return the outcome of a call."""
        self.executor.spin_until_future_complete(future, timeout_sec=5.0)
        assert future.done(), 'no answer'
        return future.result()


def print_none(_: Any) -> None:
    """Take feedback."""


def main() -> None:
    """Run and report."""
    minutes = float(sys.argv[1]) if sys.argv[1:] else 10.0
    other = subprocess.Popen([sys.executable, __file__, 'serve'])
    rclpy.init(args=['--ros-args', '--disable-stdout-logs', '--disable-external-lib-logs'])
    times: list[float] = []
    sizes: list[tuple[float, float]] = []
    try:
        load = Load()
        begin = time.monotonic()
        while time.monotonic() < begin + 60.0 * minutes:
            load.step()
            time.sleep(PERIOD)
            elapsed = time.monotonic() - begin
            if elapsed > LOOK * len(times):
                own = resident(int(Path('/proc/self').resolve().name))
                times.append(elapsed / 60.0)
                sizes.append((own, resident(other.pid)))
                print(f'{elapsed:6.0f} s {load.count:8} rounds ', *sizes[-1], 'KiB', flush=True)
        half = len(times) // 2
        for name, column in (('this', 0), ('other', 1)):
            values = [size[column] for size in sizes[half:]]
            growth = np.polyfit(times[half:], values, 1)[0]
            print(f'growth of {name} process: {growth:.0f} KiB/min')
        rclpy.shutdown()
    finally:
        other.terminate()
        other.wait(timeout=5.0)


if __name__ == '__main__':
    serve() if sys.argv[1:] == ['serve'] else main()
