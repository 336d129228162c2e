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
Latencies of rosless beside those of a real ``rclpy``, in one run, on one machine.

``python rosless/benchmarks/beside_rclpy.py PYTHON``, where PYTHON is an interpreter that has a
real rclpy; one from PyPI will do::

    python -m venv real
    real/bin/pip install ros-rclpy ros-rmw-fastrtps-cpp ros-sensor-msgs ros-std-srvs
    python rosless/benchmarks/beside_rclpy.py real/bin/python

This one file is the program of both, in form an ordinary program of rclpy: one process serves
`std_srvs/srv/SetBool` and notes when a JointState of seven joints arrives, the other one calls and
publishes. Samples are taken in turn, calls with a pause of 5 ms before each (200 Hz) and with
none; the two kinds of process are in different domains. Minimum, median and 95th percentile are
printed [us].

"""

from __future__ import annotations

import os
from statistics import median, quantiles
import subprocess
import sys
import time
from typing import Any

try:
    import rosless  # noqa: F401
except ModuleNotFoundError:  # this is the interpreter that has a real one
    pass

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool

SAMPLES = 600
PAUSE = 0.005  # s: 200 Hz
MONOTONIC = time.CLOCK_MONOTONIC  # one clock for all processes of a machine
ROWS = (('service', PAUSE), ('service', 0.0), ('JointState', PAUSE))


def serve() -> None:
    """Answer calls; the answer to one says when the last message was taken."""
    rclpy.init()
    node = rclpy.create_node('serve')
    taken = ['']

    def take(_: Any) -> None:
        taken[0] = str(time.clock_gettime_ns(MONOTONIC))

    def answer(_: Any, response: Any) -> Any:
        response.message = taken[0]
        return response

    node.create_subscription(JointState, 'joint_states', take, 10)
    node.create_service(SetBool, 'answer', answer)
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


class Caller:
    """Takes samples."""

    def __init__(self) -> None:
        rclpy.init()
        self._node = rclpy.create_node('call')
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._client = self._node.create_client(SetBool, 'answer')
        self._publisher = self._node.create_publisher(JointState, 'joint_states', 10)
        names = [f'joint{i}' for i in range(7)]
        ones = [0.1] * 7
        self._message = JointState(name=names, position=ones, velocity=ones, effort=ones)
        if not self._client.wait_for_service(timeout_sec=10.0):
            raise RuntimeError('the other process is not there')
        while self._publisher.get_subscription_count() == 0:
            time.sleep(0.1)

    def _call(self) -> Any:
        future = self._client.call_async(SetBool.Request())
        self._executor.spin_until_future_complete(future, timeout_sec=5.0)
        return future.result()

    def service(self) -> float:
        """Return the time of a call [us]."""
        begin = time.perf_counter_ns()
        self._call()
        return (time.perf_counter_ns() - begin) * 1e-3

    def one_way(self) -> float:
        """Return the time from before publishing to the callback [us]."""
        begin = time.clock_gettime_ns(MONOTONIC)
        self._publisher.publish(self._message)
        time.sleep(PAUSE)  # so that the call does not meet it
        return (int(self._call().message) - begin) * 1e-3


def call() -> None:
    """Take a sample for each line of the input: its kind, and the pause before it [s]."""
    caller = Caller()
    kinds = {'service': caller.service, 'JointState': caller.one_way}
    print('ready', flush=True)
    for line in sys.stdin:
        kind, pause = line.split()
        time.sleep(float(pause))
        print(kinds[kind](), flush=True)


class Pair:
    """The two processes of one kind of rclpy."""

    def __init__(self, python: str, domain: int) -> None:
        environment = {**os.environ, 'ROS_DOMAIN_ID': str(domain)}
        environment['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'  # real ones: shared memory
        command = [python, __file__]
        self._server = subprocess.Popen([*command, 'serve'], env=environment)
        self._caller = subprocess.Popen(
            [*command, 'call'],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._read() == 'ready'

    def _read(self) -> str:
        assert self._caller.stdout is not None
        return self._caller.stdout.readline().strip()

    def sample(self, kind: str, pause: float) -> float:
        """Return a sample [us]."""
        assert self._caller.stdin is not None
        self._caller.stdin.write(f'{kind} {pause}\n')
        self._caller.stdin.flush()
        return float(self._read())

    def close(self) -> None:
        """End the processes."""
        for process in (self._caller, self._server):
            process.kill()
            process.wait(timeout=5.0)


def main() -> None:
    """Measure both."""
    pairs = {'rosless': Pair(sys.executable, 91), 'rclpy': Pair(sys.argv[1], 92)}
    print(f'{"":<36}{"minimum":>8} {"median":>8} {"95 %":>8}')
    try:
        for kind, pause in ROWS:
            times: dict[str, list[float]] = {name: [] for name in pairs}
            for _ in range(SAMPLES):
                for name, pair in pairs.items():
                    times[name].append(pair.sample(kind, pause))
            rate = '200 Hz' if pause else 'back to back'
            for name, values in times.items():
                figures = min(values), median(values), quantiles(values, n=20)[-1]
                text = ' '.join(f'{each:8.1f}' for each in figures)
                print(f'{f"{kind}, {rate}, {name}":<36}{text}', flush=True)
    finally:
        for pair in pairs.values():
            pair.close()


if __name__ == '__main__':
    {'serve': serve, 'call': call}.get(sys.argv[-1], main)()
