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

"""Requests of many clients: turns, order, bounds."""

from __future__ import annotations

from collections import deque
from typing import Any

from example_interfaces.srv import AddTwoInts
from hypothesis import given, strategies as st
import pytest
from rclpy import waiting_requests
from rclpy.waiting_requests import AT_ONCE, WaitingRequests
from rosless.dds.sample import Copied


class Info:
    """What DDS says of a sample."""

    source_timestamp = 0

    def __init__(self, client: int) -> None:
        self.publication_handle = client


def waiting(*clients: int, size: int = 1) -> tuple[WaitingRequests, list[int]]:
    """Return requests of these clients, numbered, and how many were dropped each time."""
    source = deque(
        Copied(bytes([number & 255]) * size, Info(client)) for number, client in enumerate(clients)
    )
    dropped: list[int] = []
    return WaitingRequests(lambda: source.popleft() if source else None, dropped.append), dropped


def rest(requests: WaitingRequests) -> list[Any]:
    """Return clients and numbers of what is handed out."""
    found = []
    while (sample := requests.next()) is not None:
        found.append((sample.publication_handle, sample.octets(1)[0]))
    return found


@given(st.lists(st.integers(0, 4), max_size=64))
def test_clients_take_turns_and_each_keeps_its_order(clients: list[int]) -> None:
    requests, dropped = waiting(*clients)
    found = rest(requests)
    assert sorted(found, key=lambda one: one[1]) == list(zip(clients, range(len(clients))))
    for client in set(clients):
        numbers = [number for one, number in found if one == client]
        assert numbers == sorted(numbers)
        # Its n-th answer comes after at most n of every other client.
        places = [place for place, (one, _) in enumerate(found) if one == client]
        assert all(place < (n + 1) * len(set(clients)) for n, place in enumerate(places))
    assert not dropped and len(requests) == 0


def test_a_thousand_of_one_delay_no_other() -> None:
    requests, _ = waiting(*[1] * (AT_ONCE - 1), 2, *[1] * 100)
    assert [client for client, _ in rest(requests)][:3] == [1, 2, 1]


@pytest.mark.parametrize('size', [1, 1000])
def test_what_is_too_much_is_dropped_of_whom_it_comes_from(monkeypatch: Any, size: int) -> None:
    monkeypatch.setattr(waiting_requests, 'MOST_WAITING', 20 if size == 1 else 10**6)
    monkeypatch.setattr(waiting_requests, 'MOST_OCTETS', 20 * size)
    requests, dropped = waiting(2, 2, *[1] * 40, 3, size=size)
    found = rest(requests)
    assert [one for one in found if one[0] != 1] == [(2, 0), (3, 42), (2, 1)]
    assert len(found) == 20 and dropped[-1] == 23
    assert [number for client, number in found if client == 1] == list(range(2, 19))


def test_requests_of_one_moment_come_as_they_were_sent(monkeypatch: Any) -> None:
    """A look for others costs a call that finds nothing: once in a millisecond at most."""
    now = [10**9]
    monkeypatch.setattr(waiting_requests, 'monotonic_ns', lambda: now[0])
    requests, _ = waiting(1)
    assert len(rest(requests)) == 1
    source = deque(Copied(b'', Info(client)) for client in [*[1] * 50, 2])
    looks: list[int] = []

    def take() -> Any:
        looks.append(1)
        return source.popleft() if source else None

    requests._take = take
    assert [requests.next().publication_handle for _ in range(10)] == [1] * 10  # type: ignore
    assert len(looks) == 10
    now[0] += waiting_requests.LOOK_PERIOD
    assert [requests.next().publication_handle for _ in range(2)] == [1, 2]  # type: ignore


def test_a_single_request_may_have_any_size(monkeypatch: Any) -> None:
    monkeypatch.setattr(waiting_requests, 'MOST_OCTETS', 10)
    requests, dropped = waiting(1, size=100)
    assert rest(requests) == [(1, 0)] and not dropped


def test_requests_that_wait_of_many_clients_push_none_out(
    make_node: Any, spinning: Any, wait_until: Any
) -> None:
    """None of them was taken before all had come; DDS kept a thousand for all clients, once."""
    heard: list[int] = []

    def add(request: Any, response: Any) -> Any:
        heard.append(request.a)
        return response

    server, caller = make_node('server'), make_node('caller')
    server.create_service(AddTwoInts, 'add', add)
    clients = [caller.create_client(AddTwoInts, 'add') for _ in range(4)]
    for number, client in enumerate(clients):
        assert client.wait_for_service(timeout_sec=60.0)
        for _ in range(900):
            client.call_async(AddTwoInts.Request(a=number))
    spinning(server)
    wait_until(lambda: len(heard) == 3600)
    assert set(heard[:20]) == {0, 1, 2, 3}
