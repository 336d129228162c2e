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

"""The server of dynamics over DDS: requests of many states, and small ones between large ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import itertools
import signal
import subprocess
import sys
import threading
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from mbd_msgs.srv import InverseDynamics
import numpy as np
import psutil
import rclpy
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.service_channel import HEADER
from rclpy.task import Future
from rosless.idl.codec import serialize
from trajectory_msgs.msg import JointTrajectoryPoint

from benchmarks.robots import Case, cases

SIZES = (1, 1000, 10_000, 100_000, 1_000_000)
LARGE, CALLERS = 100_000, (0, 1, 2, 4, 8)
BEFORE, DURATION, PERIOD = 5.0, 30.0, 0.02   # s
_TIMEOUT = 300.0


def sizes() -> Iterator[str]:
    """Yield a table: one request, from call to answer."""
    yield ('| states of a 7-DoF arm in one request | from call to answer [s] | us/state '
           '| of it machine code and checks [s] | memory of the server at most [MB] |')
    yield '|---|---|---|---|---|'
    with _server() as (process, _, client):
        for count in SIZES:
            request = _request(count)
            begin = time.monotonic()
            answer = _called(client, request)
            taken = time.monotonic() - begin
            assert len(answer.points) == count
            most = process.memory_info().rss / 2**20
            yield (f'| {count} | {taken:.3g} | {taken / count * 1e6:.1f} | '
                   f'{answer.computation_time:.2g} | {most:.0f} |')


def together() -> Iterator[str]:
    """Yield a table: what small requests and the timer wait while large ones are computed."""
    yield (f'| callers of {LARGE} states each | small requests: number, p50, p99, longest [ms] '
           '| between two messages of a 1 s timer: shortest, longest [s] '
           '| large requests answered per second | processors in use | memory [MB] |')
    yield '|---|---|---|---|---|---|'
    with _server() as (process, node, client):
        heard: list[float] = []
        node.create_subscription(DiagnosticArray, '/diagnostics',
                                 lambda message: heard.append(time.monotonic()), 10)
        small = _request(1)
        for callers in CALLERS:
            others = [subprocess.Popen([sys.executable, '-m', 'benchmarks.server'],
                                       stdout=subprocess.PIPE) for _ in range(callers)]
            for other in others:
                assert other.stdout is not None and other.stdout.readline()
            time.sleep(BEFORE)
            heard.clear()
            process.cpu_percent()
            begin = time.monotonic()
            waits = []
            while time.monotonic() - begin < DURATION:
                asked = time.monotonic()
                _called(client, small)
                waits.append(1e3 * (time.monotonic() - asked))
                time.sleep(PERIOD)
            used = process.cpu_percent() / 100.0
            taken = time.monotonic() - begin
            memory = process.memory_info().rss / 2**20
            for other in others:
                other.kill()
            answered = sum(len(other.communicate()[0].split()) for other in others)
            middle, high = np.quantile(waits, (0.5, 0.99))
            ticks = np.diff(heard) if len(heard) > 1 else np.array([np.nan])
            yield (f'| {callers} | {len(waits)}, {middle:.2f}, {high:.1f}, {max(waits):.1f} | '
                   f'{ticks.min():.2f}, {ticks.max():.2f} | {answered / (BEFORE + taken):.2f} | '
                   f'{used:.2f} | {memory:.0f} |')


@contextmanager
def _server() -> Iterator[tuple[psutil.Process, Node, Any]]:
    case: Case = cases()[0]
    process = subprocess.Popen(
        [sys.executable, '-m', 'mbd_ros.nodes.dynamics_server', '--ros-args', '-p',
         f'robot_description:={case.text}'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with _client() as (node, client):
            _called(client, _request(2048))   # compiled in the background
            time.sleep(2.0)
            yield psutil.Process(process.pid), node, client
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30.0)


@contextmanager
def _client() -> Iterator[tuple[Node, Any]]:
    context = rclpy.Context()
    rclpy.init(context=context)
    node = Node('server_benchmark', context=context)
    executor = MultiThreadedExecutor(2, context=context)
    executor.add_node(node)
    threading.Thread(target=executor.spin, daemon=True).start()
    client = node.create_client(InverseDynamics, 'dynamics_server/inverse_dynamics')
    try:
        if not client.wait_for_service(60.0):
            raise SystemExit('dynamics_server does not start')
        yield node, client
    finally:
        executor.shutdown()
        rclpy.try_shutdown(context=context)


def _request(count: int) -> InverseDynamics.Request:
    rows = np.random.default_rng(0).normal(size=(min(count, 1000), 7)).tolist()
    points = [JointTrajectoryPoint(positions=row, velocities=row, accelerations=row)
              for row in rows]
    return InverseDynamics.Request(
        joint_names=[f'joint{k}' for k in range(1, 8)],
        points=[points[k % len(points)] for k in range(count)])


def _called(client: Any, request: InverseDynamics.Request) -> InverseDynamics.Response:
    done = threading.Event()
    future = client.call_async(request)
    future.add_done_callback(lambda _: done.set())
    if not done.wait(_TIMEOUT):
        raise SystemExit(f'no answer to {len(request.points)} states in {_TIMEOUT:g} s')
    answer = future.result()
    if not answer.success:
        raise SystemExit(answer.message)
    return answer


def _call_on() -> None:
    """
    Call with large requests until killed, in a process of its own.

    The same octets again and again, and answers that nobody reads: who calls should not take the
    processors from the server. A line is printed when it begins, and for every answer.

    """
    with _client() as (_, client):
        pending = client.call_async(_request(1))
        data = serialize(_request(LARGE), HEADER.pack(client._guid, 0))
        client._answer = lambda future, number, data, executor: future.set_result(None)
        while not pending.done():
            time.sleep(0.01)
        for number in itertools.count(1000):
            print(number, flush=True)
            HEADER.pack_into(data, 4, client._guid, number)
            client._pending[number] = answer = Future()
            client._writer.write(data)
            while not answer.done():
                time.sleep(0.005)


if __name__ == '__main__':
    _call_on()
