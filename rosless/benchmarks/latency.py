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
Latencies and costs: start, encoding, topics and services between two processes.

Run it on an idle machine: ``python rosless/benchmarks/latency.py``. Minimum, median and 95th
percentile are printed; the message is a JointState of seven joints (300 octets).

Between the samples there is a pause of 5 ms, in which caches cool down and cores fall asleep, or
none ("back to back"). With every sample two others are taken after the same pause: the round trip
of 300 octets between a bare writer and reader of Cyclone DDS and their like in another process,
and between two UDP sockets. They show how far a figure is that of the machine. A message through
Cyclone DDS wakes two threads, one after the other (that which receives, that which waits); one
through a socket wakes one. So twice the sockets' time is the least that any client library on it
can reach.

"""

from __future__ import annotations

from collections.abc import Callable
import socket
from statistics import median, quantiles
import subprocess
import sys
import time
from typing import Any

import rosless  # noqa: F401, I100  makes the interfaces importable from the sources, too

from example_interfaces.srv import AddTwoInts  # noqa: I100
import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.serialization import deserialize_message, serialize_message
from rosless.dds.config import domain_id
from rosless.dds.participant import Participant
from rosless.dds.qos import Profile
from rosless.dds.waiter import Waiter
from sensor_msgs.msg import JointState
from std_msgs.msg import Int64

SAMPLES = 600
PAUSE = 0.005  # s: 200 Hz
MONOTONIC = time.CLOCK_MONOTONIC  # one clock for all processes of a machine
BARE_TOPICS = 'bare/there', 'bare/back'


def joint_state() -> Any:
    """Return a message of 300 octets."""
    names = [f'joint{i}' for i in range(7)]
    message = JointState(name=names, position=[0.1] * 7, velocity=[0.2] * 7, effort=[0.3] * 7)
    message.header.frame_id = 'base'
    return message


def echo() -> None:
    """Be the other process: answer messages with the time they took [ns], and calls with sums."""
    rclpy.init(args=[])
    node = rclpy.create_node('echo')
    publisher = node.create_publisher(Int64, 'taken', 100)

    def answer(message: Any) -> None:
        now = time.clock_gettime_ns(MONOTONIC)
        sent = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        publisher.publish(Int64(data=now - sent))

    def add(request: Any, response: Any) -> Any:
        response.sum = request.a + request.b
        return response

    node.create_subscription(JointState, 'joint_states', answer, 10)
    node.create_service(AddTwoInts, 'add', add)
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        rclpy.try_shutdown()


def pong() -> None:
    """Be the other end of the sockets: send back what comes."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.bind(('127.0.0.1', 0))
        print(end.getsockname()[1], flush=True)
        while True:
            data, sender = end.recvfrom(512)
            end.sendto(data, sender)


def bare() -> None:
    """Be the other end of the bare writer and reader: send back what comes."""
    end = Bare(*BARE_TOPICS)
    while True:
        data = end.receive()
        if data is not None:
            end.writer.write(data)


class Bare:
    """A writer and a reader of Cyclone DDS without a client library."""

    def __init__(self, incoming: str, outgoing: str) -> None:
        self._participant = Participant(domain_id())
        self.writer = self._participant.writer(outgoing, 'Bare_', Profile())
        self.reader = self._participant.reader(incoming, 'Bare_', Profile())
        self._waiter = Waiter(self._participant.ref)
        self._waiter.attach(self.reader.ref, 1)

    def receive(self) -> bytes | None:
        """Wait for octets."""
        self._waiter.wait(1.0)
        sample = self.reader.take()
        return None if sample is None else sample[0]


class Others:
    """The round trips that a sample is compared with, and the processes at their other ends."""

    def __init__(self) -> None:
        command = [sys.executable, __file__]
        self._pong = subprocess.Popen([*command, 'pong'], stdout=subprocess.PIPE, text=True)
        self._bare_process = subprocess.Popen([*command, 'bare'])
        assert self._pong.stdout is not None
        port = int(self._pong.stdout.readline())
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.connect(('127.0.0.1', port))
        self._socket.settimeout(1.0)
        self._bare = Bare(*reversed(BARE_TOPICS))
        while not self._bare.writer.matched() or not self._bare.reader.matched():
            time.sleep(0.1)

    def by_socket(self) -> float:
        """Return the time of a round trip of sockets [us]."""
        begin = time.perf_counter()
        self._socket.send(bytes(300))
        self._socket.recv(512)
        return (time.perf_counter() - begin) * 1e6

    def by_bare(self) -> float:
        """Return the time of a round trip of bare writers and readers [us]."""
        data = b'\x00\x01\x00\x00' + bytes(300)
        begin = time.perf_counter()
        self._bare.writer.write(data)
        while self._bare.receive() is None:
            pass
        return (time.perf_counter() - begin) * 1e6

    def close(self) -> None:
        """End the processes."""
        for process in (self._pong, self._bare_process):
            process.kill()
            process.wait(timeout=5.0)


def report(name: str, values: list[float], unit: str, beside: str = '') -> None:
    """Print minimum, median and 95th percentile."""
    figures = f'{min(values):8.1f} {median(values):8.1f} {quantiles(values, n=20)[-1]:8.1f} {unit}'
    print(f'{name:<36}{figures}{beside}', flush=True)


def compare(name: str, measure: Callable[[], float], others: Others, pause: float) -> None:
    """Take samples [us], and of the others in turn; a one-way time is compared with half a way."""
    kinds = (measure, others.by_bare, others.by_socket)
    times: tuple[list[float], ...] = ([], [], [])
    for _ in range(SAMPLES):
        for kind, values in zip(kinds, times, strict=True):
            if pause:
                time.sleep(pause)
            values.append(kind())
    ways = 0.5 if measure.__name__ == 'one_way' else 1.0
    own, *rest = (median(values) for values in times)
    ratios = ', '.join(
        f'{own / (ways * other):.2f} x {kind}'
        for kind, other in zip(('bare', 'sockets'), rest, strict=True)
    )
    report(name, times[0], 'us', f'   {ratios}')
    report('  bare Cyclone DDS, round trip', times[1], 'us')
    report('  UDP sockets, round trip', times[2], 'us')


def measure_latencies(node: Any, executor: Any, others: Others) -> None:
    """Compare messages and calls with their like."""
    taken: list[float] = []
    node.create_subscription(Int64, 'taken', lambda m: taken.append(m.data * 1e-3), 100)
    publisher = node.create_publisher(JointState, 'joint_states', 10)
    client = node.create_client(AddTwoInts, 'add')
    assert client.wait_for_service(timeout_sec=5.0)
    time.sleep(1.0)
    assert publisher.get_subscription_count() == 1, 'the other process is not there'
    message = joint_state()

    def one_way() -> float:
        count = len(taken)
        stamp = message.header.stamp
        stamp.sec, stamp.nanosec = divmod(time.clock_gettime_ns(MONOTONIC), 10**9)
        publisher.publish(message)
        limit = time.monotonic() + 1.0
        while len(taken) == count and time.monotonic() < limit:
            executor.spin_once(timeout_sec=0.1)
        return taken[-1]

    def call() -> float:
        begin = time.perf_counter()
        future = client.call_async(AddTwoInts.Request(a=1, b=1))
        executor.spin_until_future_complete(future, timeout_sec=1.0)
        return (time.perf_counter() - begin) * 1e6

    for pause, text in ((PAUSE, '200 Hz'), (0.0, 'back to back')):
        compare(f'JointState one way, {text}', one_way, others, pause)
        compare(f'service round trip, {text}', call, others, pause)


def repeat(function: Callable[[], Any], times: int = 20000) -> list[float]:
    """Return the mean time of a call [us] in each of ten rounds."""
    rounds = []
    for _ in range(10):
        begin = time.perf_counter()
        for _ in range(times // 10):
            function()
        rounds.append((time.perf_counter() - begin) / (times // 10) * 1e6)
    return rounds


def start(statement: str) -> list[float]:
    """Return the times that a statement takes in fresh interpreters [ms]."""
    source = f'import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)'
    return [1e3 * float(subprocess.check_output([sys.executable, '-c', source])) for _ in range(7)]


def main() -> None:
    """Measure everything."""
    print(f'{"":<36}{"minimum":>8} {"median":>8} {"95 %":>8}')
    report('import rclpy', start('import rclpy'), 'ms')
    first = 'import rclpy; rclpy.init(args=[]); rclpy.create_node("n")'
    report('import, init and first node', start(first), 'ms')
    message = joint_state()
    octets = serialize_message(message)
    report('serialise JointState', repeat(lambda: serialize_message(message)), 'us')
    report('deserialise', repeat(lambda: deserialize_message(octets, type(message))), 'us')
    echoing = subprocess.Popen([sys.executable, __file__, 'echo'])
    others = Others()
    try:
        rclpy.init(args=[])
        node = rclpy.create_node('measure')
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        measure_latencies(node, executor, others)
        rclpy.shutdown()
    finally:
        echoing.terminate()
        echoing.wait(timeout=5.0)
        others.close()


if __name__ == '__main__':
    {'echo': echo, 'pong': pong, 'bare': bare}.get(sys.argv[-1], main)()
