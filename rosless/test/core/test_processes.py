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

"""Several processes: messages, calls, signals, and what is left behind."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import signal
import subprocess
import sys
import time
from typing import Any

from example_interfaces.srv import AddTwoInts
import pytest
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

Make = Callable[..., Any]
LEASE = 10.0  # s: a participant that does not say goodbye is missed after that time

TALKER = """
import sys, rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
rclpy.init(args=[])
node = rclpy.create_node('talker')
latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
node.create_publisher(String, 'latched', latched).publish(String(data='kept'))
publisher = node.create_publisher(String, 'chatter', 10_000)
count = 0
def talk():
    global count
    publisher.publish(String(data=f'Hello World: {count}'))
    if count == 0:
        print('ready', flush=True)
    count += 1
node.create_timer(0.01, talk)
try:
    rclpy.spin(node)
    print('shut down')
except KeyboardInterrupt:
    print('interrupted')
except rclpy.executors.ExternalShutdownException:
    print('shut down')
finally:
    node.destroy_node()
    rclpy.try_shutdown()
"""

SERVER = """
import sys, time, rclpy
from example_interfaces.srv import AddTwoInts
rclpy.init(args=[])
node = rclpy.create_node('server')
def add(request, response):
    time.sleep(float(sys.argv[1]))
    response.sum = request.a + request.b
    return response
node.create_service(AddTwoInts, 'add', add)
first = node.create_timer(0.0, lambda: (first.cancel(), print('ready', flush=True)))
rclpy.spin(node)
"""

FLOOD = """
import rclpy
from rclpy.qos import HistoryPolicy, QoSProfile
from std_msgs.msg import Int32
rclpy.init(args=[])
node = rclpy.create_node('flood')
publisher = node.create_publisher(Int32, 'count', QoSProfile(history=HistoryPolicy.KEEP_ALL))
while publisher.get_subscription_count() == 0:
    pass
for value in range(100000):
    publisher.publish(Int32(data=value))
publisher.wait_for_all_acked()
print('sent', flush=True)
"""

MEMBER = """
import os, sys, time, rclpy
parent = os.getppid()
rclpy.init(args=[])
node = rclpy.create_node(sys.argv[1], start_parameter_services=False, enable_rosout=False)
while len(node.get_node_names()) < 17 and os.getppid() == parent:
    time.sleep(0.5)
print('all here', flush=True)
node.create_timer(1.0, lambda: os.getppid() == parent or sys.exit())  # nobody else would end it
rclpy.spin(node)
"""


def test_messages_of_another_process(
    run_program: Make, make_node: Make, executor: Any, spin_until: Make
) -> None:
    node = make_node('listener')
    executor.add_node(node)
    got: list[str] = []
    kept: list[str] = []
    # deep enough for what comes while this process does not get the processor
    node.create_subscription(String, 'chatter', lambda m: got.append(m.data), 10_000)
    talker = run_program(TALKER)
    assert talker.wait_for_line() == 'ready'
    assert spin_until(executor, lambda: len(got) >= 20)
    numbers = [int(text.split()[-1]) for text in got]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    node.create_subscription(String, 'latched', lambda m: kept.append(m.data), latched)
    assert spin_until(executor, lambda: kept == ['kept'])
    assert spin_until(executor, lambda: 'talker' in node.get_node_names())


@pytest.mark.parametrize(
    ('number', 'farewell'), [(signal.SIGINT, 'interrupted'), (signal.SIGTERM, 'shut down')]
)
def test_signals_end_a_program_at_once(
    run_program: Make, make_node: Make, wait_until: Make, number: int, farewell: str
) -> None:
    node = make_node('observer')

    def ends_at_once() -> bool:
        talker = run_program(TALKER)
        assert talker.wait_for_line() == 'ready'
        assert wait_until(lambda: 'talker' in node.get_node_names())
        begin = time.monotonic()
        subprocess.run([sys.executable, '-c', ''], check=True)
        start = time.monotonic()
        talker.process.send_signal(number)
        code, output, errors = talker.finish()
        end = time.monotonic()
        assert (code, output.strip()) == (0, farewell), errors
        assert wait_until(lambda: 'talker' not in node.get_node_names(), LEASE / 2)
        # the promise is 0.3 s; on a busy machine an interpreter takes as many times longer to
        # start, which is 0.02 s otherwise
        return end - start < 1.0 + 10 * (start - begin)

    assert any(ends_at_once() for _ in range(5))  # something else may hold the machine for once


def test_an_uncaught_interrupt_leaves_no_node_behind(
    run_program: Make, make_node: Make, wait_until: Make
) -> None:
    node = make_node('observer')
    server = run_program(SERVER, '0')
    assert server.wait_for_line() == 'ready'
    assert wait_until(lambda: 'server' in node.get_node_names())
    server.process.send_signal(signal.SIGINT)
    code, _, errors = server.finish()
    assert code != 0
    assert 'KeyboardInterrupt' in errors
    assert wait_until(lambda: 'server' not in node.get_node_names(), LEASE / 2)


def test_calls_to_another_process(run_program: Make, make_node: Make, executor: Any) -> None:
    node = make_node('client')
    executor.add_node(node)
    client = node.create_client(AddTwoInts, 'add')
    run_program(SERVER, '0')
    assert client.wait_for_service(timeout_sec=60.0)
    for number in range(200):
        future = client.call_async(AddTwoInts.Request(a=number, b=1))
        executor.spin_until_future_complete(future, timeout_sec=60.0)
        assert future.result().sum == number + 1


def test_a_server_killed_in_mid_call(run_program: Make, make_node: Make, executor: Any) -> None:
    node = make_node('client')
    executor.add_node(node)
    client = node.create_client(AddTwoInts, 'add')
    server = run_program(SERVER, '5')
    assert client.wait_for_service(timeout_sec=60.0)
    future = client.call_async(AddTwoInts.Request())
    executor.spin_until_future_complete(future, timeout_sec=0.2)
    server.process.kill()
    begin = time.monotonic()
    executor.spin_until_future_complete(future, timeout_sec=0.5)
    assert not future.done()
    assert 0.5 <= time.monotonic() - begin < 60.0


def test_no_reliable_message_is_lost(run_program: Make, context: Any, make_node: Make) -> None:
    from rclpy.qos import HistoryPolicy
    from std_msgs.msg import Int32

    node = make_node('listener')
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    got: list[int] = []
    everything = QoSProfile(history=HistoryPolicy.KEEP_ALL)
    node.create_subscription(Int32, 'count', lambda m: got.append(m.data), everything)
    run_program(FLOOD)
    limit = time.monotonic() + 300.0  # it takes 3 s
    while len(got) < 100_000 and time.monotonic() < limit:
        executor.spin_once(timeout_sec=0.1)
    assert got == list(range(100_000))
    executor.shutdown()


def test_sixteen_processes_at_once(run_program: Make, make_node: Make, wait_until: Make) -> None:
    # Twelve exhaust the bound that Cyclone DDS has by itself. All see each other's nodes, which
    # have no services: 16 x 16 x 20 endpoints; thirty take minutes where other programs run.
    node = make_node('observer')
    programs = [run_program(MEMBER, f'member{i}') for i in range(16)]
    members = {f'member{i}' for i in range(16)}
    assert wait_until(lambda: members <= set(node.get_node_names()), 600.0)
    for program in programs:
        assert program.wait_for_line(600.0) == 'all here'
    for program in programs:
        program.process.terminate()
    assert wait_until(lambda: node.get_node_names() == ['observer'])


def test_an_idle_node_takes_no_processor_time(run_program: Make) -> None:
    program = run_program(SERVER, '0')
    assert program.wait_for_line() == 'ready'
    time.sleep(0.5)

    own = Path(f'/proc/{program.process.pid}/comm').read_text()

    def wakes_and_seconds() -> tuple[int, float]:
        # Threads of the DDS library, which it names, answer whoever else is in the domain, and
        # whoever was there before and was killed.
        tasks = [task for task in Path(f'/proc/{program.process.pid}/task').iterdir()
                 if (task / 'comm').read_text() == own]
        wakes = sum(int(line.split()[1]) for task in tasks
                    for line in (task / 'status').read_text().splitlines()
                    if line.startswith('voluntary'))
        return wakes, sum(int((task / 'schedstat').read_text().split()[0]) for task in tasks) / 1e9

    def spent() -> tuple[int, float]:
        wakes, seconds = wakes_and_seconds()
        time.sleep(1.0)
        after = wakes_and_seconds()
        return after[0] - wakes, after[1] - seconds

    # It does not wake at all but for what is discovered; one that polls every 5 ms wakes 200
    # times. Processor time tells one that spins from one that waits, and no more: on a shared
    # machine it has what others took meanwhile.
    found = []
    for _ in range(10):
        found.append(spent())
        if found[-1][0] < 50 and found[-1][1] < 0.5:
            return
    raise AssertionError(f'wakes and processor time [s], second by second: {found}')


def test_domains_are_apart(run_program: Make, make_node: Make, wait_until: Make) -> None:
    node = make_node('observer')
    other = str(1 + int(os.environ['ROS_DOMAIN_ID']) % 100)
    talker = run_program(TALKER, ROS_DOMAIN_ID=other)
    assert talker.wait_for_line() == 'ready'
    assert not wait_until(lambda: 'talker' in node.get_node_names(), 0.5)


def test_the_default_context() -> None:
    import rclpy
    from rclpy._rclpy_pybind11 import RCLError
    from rclpy.exceptions import NotInitializedException

    with pytest.raises(NotInitializedException, match='has not been called'):
        rclpy.create_node('early')
    with rclpy.init(args=[]):
        assert rclpy.ok()
        with pytest.raises(RuntimeError, match='must only be called once'):
            rclpy.init(args=[])
        node = rclpy.create_node('node')
        future = rclpy.Future()
        node.create_timer(0.01, lambda: future.done() or future.set_result(1))
        rclpy.spin_until_future_complete(node, future, timeout_sec=60.0)
        assert future.result() == 1
        rclpy.spin_once(node, timeout_sec=0)
        rclpy.get_default_context().invalidate()
        with pytest.raises(RCLError, match='already called'):
            rclpy.shutdown()
    assert not rclpy.ok()
    rclpy.init(args=[])
    rclpy.shutdown()
