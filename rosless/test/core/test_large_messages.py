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

"""Messages of many datagrams, some of which are lost on the way."""

from __future__ import annotations

from collections.abc import Callable
import signal
import threading
import time
import tracemalloc
from typing import Any

from cyclonedds.core import DDSException
from nav_msgs.msg import OccupancyGrid
from nav_msgs.srv import SetMap
import pytest
from rclpy import service as service_module
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.qos import QoSProfile
from rosless.dds.sample import LARGE, Left
from rosless.idl.codec import deserialize, serialize
from rosless.idl.errors import DeserializationError
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

Make = Callable[..., Any]

SERVER = """
import rclpy
from nav_msgs.srv import SetMap
from sensor_msgs.msg import JointState
rclpy.init(args=[])
node = rclpy.create_node('server')
def set_map(request, response):
    response.success = len(request.map.data) == 8_000_000 and sum(request.map.data[-9:]) == 9
    return response
node.create_subscription(JointState, 'joint_states', lambda _: None, 10)
node.create_service(SetMap, 'set_map', set_map)
rclpy.spin(node)
"""


def test_lost_datagrams_are_soon_sent_again(
    run_program: Make, make_node: Make, executor: Any
) -> None:
    # A stopped process reads nothing: all that its socket has no room for is lost, as on a machine
    # that is too busy. 8 MB are 125 datagrams, of which the largest buffers hold about a half.
    node = make_node('client')
    executor.add_node(node)
    client = node.create_client(SetMap, 'set_map')
    publisher = node.create_publisher(JointState, 'joint_states', 10)
    node.create_timer(0.005, lambda: publisher.publish(JointState(name=['joint'])))
    server = run_program(SERVER)
    assert client.wait_for_service(timeout_sec=60.0)
    request = SetMap.Request(map=OccupancyGrid(data=bytes([1]) * 8_000_000))
    durations = []
    for _ in range(3):
        server.process.send_signal(signal.SIGSTOP)
        future = client.call_async(request)
        executor.spin_until_future_complete(future, timeout_sec=0.2)
        server.process.send_signal(signal.SIGCONT)
        begin = time.monotonic()
        executor.spin_until_future_complete(future, timeout_sec=60.0)
        durations.append(time.monotonic() - begin)
        assert future.done(), 'no answer'
        assert future.result().success
    assert min(durations) < 10.0  # s: far below one of them where nothing is busy
    # a process that is killed stays in the graph for ten seconds, where other tests would meet it
    server.process.terminate()
    server.finish()


@pytest.mark.parametrize('unread_beyond', [None, 1000])
def test_a_callback_may_be_told_who_asks(
    make_node: Make, spinning: Make, outcome: Make, unread_beyond: int | None
) -> None:
    """Requests of one client have one number, large ones and small ones."""
    asked: dict[int, set[int]] = {}

    def set_map(request: Any, response: Any, client: int) -> Any:
        asked.setdefault(request.initial_pose.header.stamp.sec, set()).add(client)
        return response

    node = make_node('server')
    service = node.create_service(SetMap, 'set_map', set_map)
    service.tells_client, service.unread_beyond = True, unread_beyond
    caller = make_node('caller')
    clients = [caller.create_client(SetMap, 'set_map') for _ in range(2)]
    spinning(node, caller)
    for number, client in enumerate(clients):
        assert client.wait_for_service(timeout_sec=60.0)
        for size in (0, 3000, 2 * LARGE):
            request = SetMap.Request(map=OccupancyGrid(data=bytes(size)))
            request.initial_pose.header.stamp.sec = number
            outcome(client.call_async(request))
    assert len(asked[0]) == len(asked[1]) == 1
    assert asked[0] != asked[1]


def test_large_requests_leave_the_threads_of_the_pool_free(
    make_node: Make, spinning: Make, outcome: Make, wait_until: Make, monkeypatch: Any
) -> None:
    # Two threads, five large requests; reading the first of them lasts until the test lets it end.
    go_on = threading.Event()
    order: list[int] = []

    def held(data: bytes, cls: type, offset: int = 4, most: int | None = None) -> Any:
        if len(data) > LARGE:
            assert go_on.wait(30.0)
        return deserialize(data, cls, offset, most)

    monkeypatch.setattr(service_module, 'deserialize', held)

    def set_map(request: Any, response: Any) -> Any:
        order.append(request.initial_pose.header.stamp.sec)
        response.success = len(request.map.data) > 0
        return response

    node = make_node('server')
    ticks: list[int] = []
    node.create_service(SetMap, 'set_map', set_map, callback_group=ReentrantCallbackGroup())
    node.create_timer(0.01, lambda: ticks.append(1))
    caller = make_node('caller')
    client = caller.create_client(SetMap, 'set_map')
    spinning(node, num_threads=2)
    spinning(caller, num_threads=2)
    assert client.wait_for_service(timeout_sec=10.0)
    huge = [client.call_async(numbered(number, bytes(LARGE))) for number in range(5)]
    for number in (5, 6, 7):
        assert outcome(client.call_async(numbered(number, b'\1')), 30.0).success
    ticks.clear()
    assert outcome(client.call_async(numbered(8, b'\1')), 30.0).success
    assert wait_until(lambda: len(ticks) > 3, 30.0)
    assert order == [5, 6, 7, 8]
    go_on.set()
    assert all(outcome(future, 30.0).success for future in huge)
    assert sorted(order[4:]) == [0, 1, 2, 3, 4]


def test_large_requests_in_an_exclusive_group_keep_their_order(
    make_node: Make, spinning: Make, outcome: Make
) -> None:
    order: list[int] = []

    async def set_map(request: Any, response: Any) -> Any:
        order.append(request.initial_pose.header.stamp.sec)
        return response

    node = make_node('server')
    node.create_service(SetMap, 'set_map', set_map)
    caller = make_node('caller')
    client = caller.create_client(SetMap, 'set_map')
    spinning(node, num_threads=3)
    spinning(caller, num_threads=2)
    assert client.wait_for_service(timeout_sec=10.0)
    sizes = (LARGE, 1, LARGE, 1, 1)
    calls = [client.call_async(numbered(k, bytes(size))) for k, size in enumerate(sizes)]
    for call in calls:
        outcome(call, 30.0)
    assert order == [0, 1, 2, 3, 4]


@pytest.mark.parametrize('size', [10, 2 * LARGE])
def test_malformed_requests_are_dropped_wherever_they_are_read(
    make_node: Make, spinning: Make, outcome: Make, wait_until: Make, monkeypatch: Any, size: int
) -> None:
    node = make_node('server')
    service = node.create_service(SetMap, 'set_map', lambda request, response: response)
    said: list[str] = []
    monkeypatch.setattr(service, '_log_error', said.append)
    caller = make_node('caller')
    client = caller.create_client(SetMap, 'set_map')
    spinning(node, num_threads=2)
    spinning(caller, num_threads=2)
    assert client.wait_for_service(timeout_sec=10.0)
    client._writer.write(b'\0\1\0\0' + b'\xff' * size)
    assert wait_until(lambda: said, 30.0)
    assert said[0].startswith("dropped a request to service '/set_map': ")
    outcome(client.call_async(numbered(0, b'\1')), 30.0)
    assert len(said) == 1


def test_what_a_callback_of_a_large_request_raises_leaves_spin(
    context: Any, make_node: Make
) -> None:
    node, caller = make_node('server'), make_node('caller')

    def fail(request: Any, response: Any) -> Any:
        raise KeyError('my own')

    node.create_service(SetMap, 'set_map', fail)
    client = caller.create_client(SetMap, 'set_map')
    pool = MultiThreadedExecutor(2, context=context)
    pool.add_node(node)
    assert client.wait_for_service(timeout_sec=10.0)
    client.call_async(numbered(0, bytes(LARGE)))
    with pytest.raises(KeyError, match='my own'):
        pool.spin()
    assert pool.shutdown(timeout_sec=5.0)


def test_samples_that_are_left_where_they_are(context: Any, wait_until: Make) -> None:
    profile = QoSProfile(depth=10).to_profile()
    names = ('rt/octets', 'std_msgs::msg::dds_::String_')
    reader = context.participant.reader(*names, profile)
    writer = context.participant.writer(*names, profile)
    assert wait_until(lambda: writer.matched() == 1 and reader.matched() == 1)
    large = b'\0\1\0\0' + bytes(range(256)) * (LARGE // 256 + 1)
    for octets in (b'\0\1\0\0abcd', large, b'\0\1\0\0efgh', large[:-4], b'\0\1\0\0ijkl'):
        before = time.time_ns()
        writer.write(octets)
        assert wait_until(reader.has_data)
        sample = reader.take_sample()
        assert sample.size == len(octets)
        assert sample.octets() == octets
        assert sample.octets(6) == octets[:6]
        assert sample.octets(10**9) == octets
        assert before <= sample.source_timestamp <= time.time_ns()
        assert sample.publication_handle == reader.peers()[0]
    assert isinstance(sample, Left)
    assert reader.take_sample() is None
    reader.close()
    with pytest.raises(DDSException, match='Occurred while reading rt/octets'):
        reader.take_sample()
    assert sample.octets() == b'\0\1\0\0ijkl'


def numbered(number: int, data: bytes) -> SetMap.Request:
    """Return a request with a number in a stamp."""
    request = SetMap.Request(map=OccupancyGrid(data=data))
    request.initial_pose.header.stamp.sec = number
    return request


def test_other_callbacks_go_on_while_one_thread_reads_a_large_request(
    make_node: Make, outcome: Make, spinning: Make, monkeypatch: Any
) -> None:
    """Of the same exclusive group, with the executor of a single thread."""
    go_on = threading.Event()

    def held(data: bytes, cls: type, offset: int = 4, most: int | None = None) -> Any:
        if len(data) > LARGE:
            assert go_on.wait(30.0)
        return deserialize(data, cls, offset, most)

    monkeypatch.setattr(service_module, 'deserialize', held)
    node, caller = make_node('server'), make_node('caller')
    ticks: list[int] = []

    def tick() -> None:
        ticks.append(1)
        if len(ticks) == 10:
            go_on.set()

    node.create_timer(0.01, tick)
    node.create_service(SetMap, 'set_map', lambda request, response: response)
    client = caller.create_client(SetMap, 'set_map')
    spinning(node)
    spinning(caller)
    assert client.wait_for_service(timeout_sec=10.0)
    outcome(client.call_async(numbered(0, bytes(LARGE))), 30.0)
    assert len(ticks) >= 10


def test_what_would_be_too_many_objects_is_refused_before_they_are_made() -> None:
    """Strings and messages of all sequences count together; arrays of numbers do not."""
    names = serialize(JointState(name=['a'] * 10, position=[0.0] * 100))
    assert len(deserialize(bytes(names), JointState, 4, 10).name) == 10
    with pytest.raises(DeserializationError, match='too many strings and messages'):
        deserialize(bytes(names), JointState, 4, 9)
    octets = bytearray(b'\0\1\0\0' + bytes(12) + bytes(4) + (2_000_000).to_bytes(4, 'little'))
    tracemalloc.start()
    try:
        with pytest.raises(DeserializationError, match='too many strings and messages'):
            deserialize(bytes(octets + bytes(48_000_000)), JointTrajectory)
        assert tracemalloc.get_traced_memory()[1] < 2.1 * 48e6   # the octets themselves, twice
    finally:
        tracemalloc.stop()
