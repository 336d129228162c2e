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

"""Service introspection: what is told of calls, by whom, and until when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from example_interfaces.action import Fibonacci
from example_interfaces.srv import AddTwoInts
import pytest
from rclpy._rclpy_pybind11 import InvalidHandle
from rclpy.action import ActionClient, ActionServer
from rclpy.qos import qos_profile_system_default
from rclpy.service_introspection import ServiceIntrospectionState as State
from rosless.idl.codec import serialize
from rosless.idl.errors import InterfaceNotFound
from rosless.idl.resolve import interface_class
from service_msgs.msg import ServiceEventInfo

Make = Callable[..., Any]
KINDS = ('REQUEST_SENT', 'REQUEST_RECEIVED', 'RESPONSE_SENT', 'RESPONSE_RECEIVED')


@pytest.fixture
def world(make_node: Make, executor: Any, spin_until: Make) -> Any:
    """Return a client and a service, and a list that gets the events of both."""
    node = make_node('node')
    executor.add_node(node)

    def add(request: Any, response: Any) -> Any:
        response.sum = request.a + request.b
        return response

    service = node.create_service(AddTwoInts, 'add', add)
    client = node.create_client(AddTwoInts, 'add')
    events: list[Any] = []
    node.create_subscription(AddTwoInts.Event, 'add/_service_event', events.append, 10)
    assert client.wait_for_service(timeout_sec=60.0)
    return node, client, service, events


def configure(world: Any, state: State, spin_until: Make, executor: Any) -> None:
    """Set the state of both, and wait until their publishers are matched."""
    node, client, service, _ = world
    for each in (client, service):
        each.configure_introspection(node.get_clock(), qos_profile_system_default, state)
    count = 0 if state == State.OFF else 2
    assert spin_until(executor, lambda: node.count_publishers('add/_service_event') == count)
    subscription = next(iter(node.subscriptions))
    assert spin_until(executor, lambda: subscription.get_publisher_count() == count)


@pytest.mark.parametrize('state', [State.METADATA, State.CONTENTS])
def test_the_four_events_of_a_call(
    world: Any, executor: Any, spin_until: Make, state: State
) -> None:
    node, client, _, events = world
    configure(world, state, spin_until, executor)
    begin = node.get_clock().now().nanoseconds
    future = client.call_async(AddTwoInts.Request(a=2, b=3))
    assert spin_until(executor, lambda: len(events) == 4 and future.done())
    found = {event.info.event_type: event for event in events}
    contents = state == State.CONTENTS
    for name in KINDS:
        event = found[getattr(ServiceEventInfo, name)]
        request = [AddTwoInts.Request(a=2, b=3)] if contents and 'REQUEST' in name else []
        response = [AddTwoInts.Response(sum=5)] if contents and 'RESPONSE' in name else []
        assert (event.request, event.response) == (request, response), name
        assert event.info.sequence_number == 1
        stamp = event.info.stamp
        assert begin <= stamp.sec * 10**9 + stamp.nanosec <= node.get_clock().now().nanoseconds
    gids = {bytes(event.info.client_gid) for event in events}
    assert len(gids) == 1  # one call of one client
    assert any(gids.pop())


def test_off_again_and_the_end(world: Any, executor: Any, spin_until: Make) -> None:
    node, client, service, events = world
    configure(world, State.METADATA, spin_until, executor)
    configure(world, State.OFF, spin_until, executor)
    executor.spin_until_future_complete(client.call_async(AddTwoInts.Request()), 60.0)
    configure(world, State.CONTENTS, spin_until, executor)
    assert events == []
    node.destroy_service(service)
    client.destroy()
    assert spin_until(executor, lambda: node.count_publishers('add/_service_event') == 0)
    with pytest.raises(InvalidHandle):
        client.configure_introspection(node.get_clock(), qos_profile_system_default, State.OFF)


def test_services_of_actions(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node('node')
    executor.add_node(node)
    server = ActionServer(node, Fibonacci, 'fibonacci', lambda goal: Fibonacci.Result())
    client = ActionClient(node, Fibonacci, 'fibonacci')
    events: list[Any] = []
    node.create_subscription(
        Fibonacci.Impl.SendGoalService.Event,
        'fibonacci/_action/send_goal/_service_event',
        events.append,
        10,
    )
    for each in (server, client):
        each.configure_introspection(
            node.get_clock(), qos_profile_system_default, State.CONTENTS
        )
    subscription = list(node.subscriptions)[-1]
    assert spin_until(executor, lambda: subscription.get_publisher_count() == 2)
    assert client.wait_for_server(timeout_sec=60.0)
    client.send_goal_async(Fibonacci.Goal(order=3))
    assert spin_until(executor, lambda: len(events) == 4)
    assert {event.request[0].goal.order for event in events if event.request} == {3}
    client.destroy()
    server.destroy()
    topic = 'fibonacci/_action/send_goal/_service_event'
    assert spin_until(executor, lambda: node.count_publishers(topic) == 0)


def test_the_message_of_events() -> None:
    assert AddTwoInts.Event is interface_class('example_interfaces/srv/AddTwoInts_Event')
    assert AddTwoInts.Event.get_fields_and_field_types() == {
        'info': 'service_msgs/ServiceEventInfo',
        'request': 'sequence<example_interfaces/AddTwoInts_Request, 1>',
        'response': 'sequence<example_interfaces/AddTwoInts_Response, 1>',
    }
    event = AddTwoInts.Event(request=[AddTwoInts.Request(a=1)])
    with pytest.raises(AssertionError):
        event.request = [AddTwoInts.Request(), AddTwoInts.Request()]
    # 1 octet and 3 of padding, 8, 16, (no padding) 8; lengths 1 and 0; two int64
    assert len(serialize(event)) == 4 + 4 + 8 + 16 + 4 + 8 + 4 + 4 + 16 + 4
    with pytest.raises(InterfaceNotFound, match='no interface'):
        interface_class('example_interfaces/srv/Nothing_Event')
    with pytest.raises(AttributeError, match="has no attribute 'Events'"):
        _ = AddTwoInts.Events
