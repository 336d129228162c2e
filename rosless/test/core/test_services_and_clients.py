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

"""Services and clients over real DDS."""

from __future__ import annotations

from collections.abc import Callable
import threading
import time
from typing import Any

from example_interfaces.srv import AddTwoInts
import pytest
from rclpy import early_answers
from rclpy._rclpy_pybind11 import RCLError
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.exceptions import InvalidServiceNameException
from rclpy.service_channel import HEADER, OFFSET
from rosless.dds.qos import KEEP_ALL, Profile, RELIABLE
from rosless.idl.codec import deserialize, serialize
from std_srvs.srv import Empty, SetBool

Make = Callable[..., Any]


def add(request: Any, response: Any) -> Any:
    """Answer with the sum."""
    response.sum = request.a + request.b
    return response


def test_call_async(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    node.create_service(AddTwoInts, 'add', add)
    client = node.create_client(AddTwoInts, 'add')
    assert client.wait_for_service(timeout_sec=60.0)
    futures = [client.call_async(AddTwoInts.Request(a=i, b=1)) for i in range(10)]
    for future in futures:
        executor.spin_until_future_complete(future, timeout_sec=60.0)
    assert [future.result().sum for future in futures] == list(range(1, 11))


def test_every_client_gets_its_own_answers(
    make_node: Make, executor: Any, spin_until: Make
) -> None:
    node = make_node()
    executor.add_node(node)
    node.create_service(AddTwoInts, 'add', add)
    clients = [node.create_client(AddTwoInts, 'add') for _ in range(4)]
    assert all(client.wait_for_service(timeout_sec=60.0) for client in clients)
    futures = [
        (i + k, client.call_async(AddTwoInts.Request(a=i, b=k)))
        for i, client in enumerate(clients)
        for k in range(2)
    ]
    assert spin_until(executor, lambda: all(future.done() for _, future in futures))
    assert all(future.result().sum == expected for expected, future in futures)


def test_blocking_call_with_somebody_spinning(make_node: Make, spinning: Make) -> None:
    server, caller = make_node('server'), make_node('caller')
    server.create_service(AddTwoInts, 'add', add)
    client = caller.create_client(AddTwoInts, 'add')
    spinning(server, caller)
    assert client.wait_for_service(timeout_sec=60.0)
    assert client.call(AddTwoInts.Request(a=2, b=3)).sum == 5


@pytest.mark.parametrize('style', ['blocking', 'await'])
def test_a_service_called_from_a_callback_of_a_reentrant_group(
    make_node: Make, spinning: Make, style: str
) -> None:
    node = make_node()
    group = ReentrantCallbackGroup()
    node.create_service(AddTwoInts, 'add', add, callback_group=group)
    inner = node.create_client(AddTwoInts, 'add', callback_group=group)

    def twice(request: Any, response: Any) -> Any:
        response.sum = 2 * inner.call(request).sum
        return response

    async def twice_async(request: Any, response: Any) -> Any:
        response.sum = 2 * (await inner.call_async(request)).sum
        return response

    callback = twice if style == 'blocking' else twice_async
    node.create_service(AddTwoInts, 'twice', callback, callback_group=group)
    outer = node.create_client(AddTwoInts, 'twice', callback_group=group)
    spinning(node, num_threads=2)
    assert inner.wait_for_service(60.0)
    assert outer.wait_for_service(60.0)
    assert outer.call(AddTwoInts.Request(a=2, b=3), timeout_sec=60.0).sum == 10


def test_awaiting_in_one_thread(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    group = ReentrantCallbackGroup()
    node.create_service(AddTwoInts, 'add', add, callback_group=group)
    client = node.create_client(AddTwoInts, 'add', callback_group=group)
    assert client.wait_for_service(60.0)
    sums = []

    async def once() -> None:
        timer.cancel()
        sums.append((await client.call_async(AddTwoInts.Request(a=1, b=1))).sum)

    timer = node.create_timer(0.01, once, callback_group=group)
    assert spin_until(executor, lambda: sums == [2])


def test_a_mutually_exclusive_group_keeps_the_answer_waiting(
    make_node: Make, spinning: Make
) -> None:
    # as with ROS 2: the callback holds the group that would handle the answer
    node = make_node()
    group = MutuallyExclusiveCallbackGroup()
    node.create_service(AddTwoInts, 'add', add, callback_group=ReentrantCallbackGroup())
    client = node.create_client(AddTwoInts, 'add', callback_group=group)
    outcome = []

    def once() -> None:
        timer.cancel()
        try:
            client.call(AddTwoInts.Request(), timeout_sec=0.3)
        except TimeoutError as error:
            outcome.append(str(error))

    assert client.wait_for_service(60.0)
    timer = node.create_timer(0.01, once, callback_group=group)
    pool = spinning(node)
    limit = time.monotonic() + 60.0
    while not outcome and time.monotonic() < limit:
        time.sleep(0.01)
    assert outcome == ["no answer from service '/add' in 0.3 s"]
    assert pool is not None


def test_no_service(make_node: Make) -> None:
    client = make_node().create_client(AddTwoInts, 'nowhere')
    assert not client.service_is_ready()
    begin = time.monotonic()
    assert not client.wait_for_service(timeout_sec=0.1)
    assert 0.1 <= time.monotonic() - begin < 60.0
    with pytest.raises(TimeoutError, match=r"no answer from service '/nowhere' in 0\.05 s"):
        client.call(AddTwoInts.Request(), timeout_sec=0.05)


def test_the_service_goes_away(make_node: Make, wait_until: Make) -> None:
    node = make_node()
    service = node.create_service(Empty, 'work', lambda _, response: response)
    client = node.create_client(Empty, 'work')
    assert client.wait_for_service(60.0)
    node.destroy_service(service)
    assert wait_until(lambda: not client.service_is_ready())


def test_shutdown_ends_a_blocking_call(make_node: Make, context: Any) -> None:
    client = make_node().create_client(AddTwoInts, 'nowhere')
    threading.Timer(0.1, context.try_shutdown).start()
    with pytest.raises(RCLError, match='the context was shut down while waiting'):
        client.call(AddTwoInts.Request(), timeout_sec=60.0)


def test_wrong_types(make_node: Make, executor: Any) -> None:
    node = make_node()
    client = node.create_client(AddTwoInts, 'add')
    with pytest.raises(TypeError, match=r'Expected .*AddTwoInts_Request'):
        client.call_async(SetBool.Request())
    with pytest.raises(InvalidServiceNameException, match='service name: topic name must not'):
        node.create_service(AddTwoInts, 'a-b', add)


def test_a_callback_that_returns_nothing(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    node.create_service(AddTwoInts, 'add', lambda request, response: None)
    client = node.create_client(AddTwoInts, 'add')
    assert client.wait_for_service(60.0)
    client.call_async(AddTwoInts.Request())
    with pytest.raises(TypeError, match=r"callback of service '/add' must return .*Response"):
        spin_until(executor, lambda: False, 60.0)


def test_malformed_requests_do_no_harm(
    make_node: Make, executor: Any, spin_until: Make, context: Any, capsys: Any
) -> None:
    node = make_node()
    executor.add_node(node)
    service = node.create_service(AddTwoInts, 'add', add)
    writer = context.participant.writer(
        'rq/addRequest', 'example_interfaces::srv::dds_::AddTwoInts_Request_', Profile()
    )
    assert spin_until(executor, lambda: service._reader.matched() == 1)
    writer.write(b'\0\1\0\0' + bytes(16))
    writer.write(b'\0\1\0\0' + bytes(4))
    client = node.create_client(AddTwoInts, 'add')
    assert client.wait_for_service(60.0)
    future = client.call_async(AddTwoInts.Request(a=1, b=2))
    executor.spin_until_future_complete(future, timeout_sec=60.0)
    assert future.result().sum == 3
    said = capsys.readouterr().err.count("dropped a request to service '/add'")
    assert said in (1, 2)  # one line a second


def test_removed_requests_are_forgotten(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    node.create_service(AddTwoInts, 'add', add)
    client = node.create_client(AddTwoInts, 'add')
    assert client.wait_for_service(60.0)
    forgotten = client.call_async(AddTwoInts.Request())
    client.remove_pending_request(forgotten)
    wanted = client.call_async(AddTwoInts.Request(a=1))
    executor.spin_until_future_complete(wanted, timeout_sec=60.0)
    assert wanted.done()
    assert not forgotten.done()


def test_the_first_call_of_many_new_clients_is_answered(make_node: Make, spinning: Make) -> None:
    # the service must wait until it has discovered the reader of a client it does not know yet
    server = make_node('server')
    server.create_service(AddTwoInts, 'add', add)
    caller = make_node('caller')
    spinning(server, caller)
    for number in range(10):
        client = caller.create_client(AddTwoInts, 'add')
        assert client.wait_for_service(60.0)
        assert client.call(AddTwoInts.Request(a=number), timeout_sec=60.0).sum == number
        caller.destroy_client(client)


def test_a_service_is_ready_when_both_its_endpoints_are_matched(
    make_node: Make, context: Any, wait_until: Make
) -> None:
    client = make_node().create_client(AddTwoInts, 'add')
    numbers = client.qos_profile.to_profile()
    request, reply = 'rq/addRequest', 'rr/addReply'
    prefix = 'example_interfaces::srv::dds_::AddTwoInts_'
    participant = context.participant
    ends = [participant.reader(request, f'{prefix}Request_', numbers, b'serviceid=1;')]
    assert wait_until(lambda: client._writer.matched() == 1)
    assert not client.service_is_ready()
    ends.append(participant.writer(reply, f'{prefix}Response_', numbers, b'serviceid=2;'))
    assert wait_until(lambda: client._reader.matched() == 1)
    assert not client.service_is_ready()  # the writer of answers is of another service
    ends.append(participant.writer(reply, f'{prefix}Response_', numbers, b'serviceid=1;'))
    assert wait_until(client.service_is_ready)


def test_a_client_whose_reader_is_discovered_late_gets_its_answer(
    make_node: Make, context: Any, executor: Any, spin_until: Make
) -> None:
    node = make_node()
    executor.add_node(node)
    service = node.create_service(AddTwoInts, 'add', add)
    numbers = service.qos_profile.to_profile()
    prefix = 'example_interfaces::srv::dds_::AddTwoInts_'
    participant = context.participant
    writer = participant.writer('rq/addRequest', f'{prefix}Request_', numbers, b'clientid=1;')
    assert spin_until(executor, lambda: writer.matched() == 1)
    writer.write(serialize(AddTwoInts.Request(a=1, b=2), HEADER.pack(5, 6)))
    readers = []
    late = threading.Timer(
        0.3,
        lambda: readers.append(
            participant.reader('rr/addReply', f'{prefix}Response_', numbers, b'clientid=1;')
        ),
    )
    late.start()
    answers: list[Any] = []

    def answered() -> bool:
        answers.extend(filter(None, (reader.take() for reader in readers)))
        return bool(answers)

    assert spin_until(executor, answered)
    assert HEADER.unpack_from(answers[0][0], 4) == (5, 6)
    assert deserialize(answers[0][0], AddTwoInts.Response, OFFSET).sum == 3


def test_calls_without_a_reader_delay_nobody(
    make_node: Make, context: Any, executor: Any, spin_until: Make, wait_until: Make
) -> None:
    # a wait in the executor's thread would have been MATCH_TIMEOUT for each call: 40 s here
    calls, many = 20, 2 * early_answers.MOST_ANSWERS
    node = make_node()
    executor.add_node(node)
    service = node.create_service(AddTwoInts, 'add', add)
    client = node.create_client(AddTwoInts, 'add')
    numbers = Profile(history=KEEP_ALL, depth=0, reliability=RELIABLE)
    type_name = 'example_interfaces::srv::dds_::AddTwoInts_Request_'
    writer = context.participant.writer('rq/addRequest', type_name, numbers, b'clientid=1;')
    assert spin_until(executor, lambda: writer.matched() == 1 and client.service_is_ready())
    for sent in (calls, many):
        for number in range(sent):
            request = AddTwoInts.Request(a=number)
            writer.write(serialize(request, HEADER.pack(5, number)))
        future = client.call_async(AddTwoInts.Request(a=1, b=2))
        begin = time.monotonic()
        executor.spin_until_future_complete(future, timeout_sec=60.0)
        assert future.result().sum == 3
        # reading 2,000 requests takes a busy machine some seconds, 2,000 waits an hour
        assert time.monotonic() - begin < 10.0
        assert len(service._early) <= early_answers.MOST_ANSWERS
    # its turn came before those of the others
    assert spin_until(executor, lambda: service._early.dropped > calls, 60.0)
    assert wait_until(lambda: not len(service._early), timeout=60.0)


def test_a_client_of_another_type_is_not_heard(
    make_node: Make, executor: Any, spin_until: Make
) -> None:
    node = make_node()
    executor.add_node(node)
    node.create_service(AddTwoInts, 'add', add)
    stranger = node.create_client(SetBool, 'add')
    unheard = stranger.call_async(SetBool.Request(data=True))
    client = node.create_client(AddTwoInts, 'add')
    assert client.wait_for_service(60.0)
    assert not stranger.wait_for_service(0.1)
    future = client.call_async(AddTwoInts.Request(a=1, b=2))
    executor.spin_until_future_complete(future, timeout_sec=60.0)
    assert future.result().sum == 3
    assert not unheard.done()


def test_calls_beyond_the_depth_of_a_profile_are_all_answered(
    make_node: Make, executor: Any, spin_until: Make
) -> None:
    """They wait at the service, and their answers at the clients, while nobody reads."""
    node = make_node()
    executor.add_node(node)
    node.create_service(AddTwoInts, 'add', add)
    client = node.create_client(AddTwoInts, 'add')
    assert client.wait_for_service(60.0)
    futures = [client.call_async(AddTwoInts.Request(a=i, b=1)) for i in range(200)]
    time.sleep(0.2)  # all calls are there before the first is read
    assert spin_until(executor, lambda: all(future.done() for future in futures))
    assert [future.result().sum for future in futures] == list(range(1, 201))
