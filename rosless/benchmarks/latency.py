"""
Latencies and costs: start, encoding, topics and services between two processes.

Run it on an idle machine: ``python rosless/benchmarks/latency.py``. Minimum, median and 95th
percentile are printed; the message is a JointState of seven joints (300 octets), sent at 200 Hz.

Each sample is followed by a ping-pong of 300 octets between two UDP sockets and processes without
DDS. What that takes on the same machine at the same time shows how far the figures are those of
the machine: compare the ratios, not the times, of runs on machines that are busy.

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
from sensor_msgs.msg import JointState
from std_msgs.msg import Int64

SAMPLES = 1000
RATE = 200.0  # Hz
MONOTONIC = time.CLOCK_MONOTONIC  # one clock for all processes of a machine


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
    """Be the other end of the sockets: send back what comes, until nothing does."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.bind(('127.0.0.1', 0))
        print(end.getsockname()[1], flush=True)
        while True:
            data, sender = end.recvfrom(512)
            end.sendto(data, sender)


class Ping:
    """The ping-pong of sockets, with its process."""

    def __init__(self) -> None:
        command = [sys.executable, __file__, 'pong']
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        port = int(self._process.stdout.readline())
        self._end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._end.connect(('127.0.0.1', port))
        self._end.settimeout(1.0)
        self.times: list[float] = []

    def __call__(self) -> None:
        """Take the time of one round trip [us]."""
        begin = time.perf_counter()
        self._end.send(bytes(300))
        self._end.recv(512)
        self.times.append((time.perf_counter() - begin) * 1e6)

    def taken(self) -> list[float]:
        """Return the times since the last call."""
        times, self.times = self.times, []
        return times

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.wait(timeout=5.0)


def report(name: str, values: list[float], unit: str, beside: list[float] | None = None) -> None:
    """Print minimum, median and 95th percentile, and the ratio to the sockets' round trip."""
    figures = f'{min(values):8.1f} {median(values):8.1f} {quantiles(values, n=20)[-1]:8.1f} {unit}'
    ratio = '' if not beside else f'   {median(values) / median(beside):5.2f} x sockets'
    print(f'{name:<32}{figures}{ratio}')


def one_way(node: Any, executor: Any, ping: Ping) -> list[float]:
    """Return the times from `publish` to the callback in the other process [us]."""
    taken: list[float] = []
    node.create_subscription(Int64, 'taken', lambda m: taken.append(m.data * 1e-3), 100)
    publisher = node.create_publisher(JointState, 'joint_states', 10)
    time.sleep(2.0)
    assert publisher.get_subscription_count() == 1, 'the other process is not there'
    message = joint_state()
    for count in range(SAMPLES):
        stamp = message.header.stamp
        stamp.sec, stamp.nanosec = divmod(time.clock_gettime_ns(MONOTONIC), 10**9)
        publisher.publish(message)
        limit = time.monotonic() + 1.0
        while len(taken) <= count and time.monotonic() < limit:
            executor.spin_once(timeout_sec=0.1)
        ping()
        time.sleep(1.0 / RATE)
    return taken


def calls(node: Any, executor: Any, ping: Ping) -> list[float]:
    """Return the times of service calls [us]."""
    client = node.create_client(AddTwoInts, 'add')
    assert client.wait_for_service(timeout_sec=5.0)
    times = []
    for count in range(SAMPLES):
        begin = time.perf_counter()
        future = client.call_async(AddTwoInts.Request(a=count, b=1))
        executor.spin_until_future_complete(future, timeout_sec=1.0)
        times.append((time.perf_counter() - begin) * 1e6)
        ping()
        time.sleep(1.0 / RATE)
    return times


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
    print(f'{"":<32}{"minimum":>8} {"median":>8} {"95 %":>8}')
    report('import rclpy', start('import rclpy'), 'ms')
    first = 'import rclpy; rclpy.init(args=[]); rclpy.create_node("n")'
    report('import, init and first node', start(first), 'ms')
    message = joint_state()
    octets = serialize_message(message)
    report('serialise JointState', repeat(lambda: serialize_message(message)), 'us')
    report('deserialise', repeat(lambda: deserialize_message(octets, type(message))), 'us')
    other = subprocess.Popen([sys.executable, __file__, 'echo'])
    ping = Ping()
    try:
        rclpy.init(args=[])
        node = rclpy.create_node('measure')
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        for name, measure in (('JointState one way', one_way), ('service round trip', calls)):
            values = measure(node, executor, ping)
            beside = ping.taken()
            report(name, values, 'us', beside)
            report('  sockets at the same time', beside, 'us')
        rclpy.shutdown()
    finally:
        other.terminate()
        other.wait(timeout=5.0)
        ping.close()


if __name__ == '__main__':
    {'echo': echo, 'pong': pong}.get(sys.argv[-1], main)()
