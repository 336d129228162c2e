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

"""Handles: what keeps entities alive, and what waitables of one's own take data through."""

from __future__ import annotations

from collections.abc import Callable
import threading
import time
from typing import Any

from example_interfaces.srv import AddTwoInts
import pytest
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import InvalidHandle
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.qos import QoSProfile
from rclpy.waitable import NumberOfEntities, Waitable
from std_msgs.msg import Int64

Make = Callable[..., Any]
KINDS = ('publisher', 'subscription', 'client', 'service', 'timer', 'guard_condition')


def entity_of(node: Any, kind: str) -> Any:
    """Make an entity of a kind."""
    return {
        'publisher': lambda: node.create_publisher(Int64, 'x', 10),
        'subscription': lambda: node.create_subscription(Int64, 'x', print, 10),
        'client': lambda: node.create_client(AddTwoInts, 'add'),
        'service': lambda: node.create_service(AddTwoInts, 'add', print),
        'timer': lambda: node.create_timer(10.0, print),
        'guard_condition': lambda: node.create_guard_condition(print),
    }[kind]()


@pytest.mark.parametrize('kind', KINDS)
def test_entities_live_while_their_handle_is_used(make_node: Make, kind: str) -> None:
    node = make_node()
    entity = entity_of(node, kind)
    open_before = [endpoint._entity is not None for endpoint in entity.endpoints]
    with entity.handle, entity.handle:
        entity.destroy()
        assert [endpoint._entity is not None for endpoint in entity.endpoints] == open_before
        with pytest.raises(InvalidHandle), entity.handle:
            pass
    assert not any(endpoint._entity is not None for endpoint in entity.endpoints)
    with pytest.raises(InvalidHandle):
        entity.handle.__enter__()


def test_nodes_contexts_and_clocks_have_handles(make_node: Make) -> None:
    node = make_node()
    with node.handle, node.context.handle, node.get_clock().handle:
        pass
    node.handle.note = 1  # as programs keep things beside it
    with pytest.raises(AttributeError):
        node.handle = None
    node.destroy_node()
    with pytest.raises(InvalidHandle), node.handle:
        pass


class Hand(Waitable[Any]):
    """Takes what came for an entity made by hand."""

    def __init__(self, add: str, kind: str, handle: Any, take: Callable[[], Any]) -> None:
        super().__init__(ReentrantCallbackGroup())
        self.add, self.kind, self.handle, self.take = add, kind, handle, take
        self.got: list[Any] = []

    def add_to_wait_set(self, wait_set: Any) -> None:
        """Add the handle."""
        self.index = getattr(wait_set, self.add)(self.handle)

    def is_ready(self, wait_set: Any) -> bool:
        """Tell whether something came."""
        return wait_set.is_ready(self.kind, self.index)

    def take_data(self) -> Any:
        """Take it."""
        return self.take()

    async def execute(self, taken_data: Any) -> None:
        """Note it."""
        self.got.append(taken_data)

    def get_num_entities(self) -> NumberOfEntities:
        """Return none; nobody asks."""
        return NumberOfEntities()


def test_waitables_on_handles(make_node: Make, executor: Any, spin_until: Make) -> None:
    node, other = make_node('node'), make_node('other')
    executor.add_node(node)
    executor.add_node(other)
    profile = QoSProfile(depth=10).get_c_qos_profile()
    heard = _rclpy.Subscription(node.handle, Int64, 'x', profile)
    served = _rclpy.Service(node.handle, AddTwoInts, 'here', profile)
    asked = _rclpy.Client(node.handle, AddTwoInts, 'there', profile)
    timer = _rclpy.Timer(Clock(clock_type=ClockType.STEADY_TIME).handle, node.context.handle,
                         1_000_000)
    guard = _rclpy.GuardCondition(node.context.handle)

    def answer() -> int:
        request, header = served.service_take_request(AddTwoInts.Request)
        assert header.source_timestamp > 0
        served.service_send_response(AddTwoInts.Response(sum=request.a + request.b), header)
        return request.a

    hands = [
        Hand('add_subscription', 'subscription', heard, lambda: heard.take_message(Int64, False)),
        Hand('add_service', 'service', served, answer),
        Hand('add_client', 'client', asked, lambda: asked.take_response(AddTwoInts.Response)),
        Hand('add_timer', 'timer', timer, lambda: timer.call_timer()),
        Hand('add_guard_condition', 'guard_condition', guard, lambda: 'guard'),
    ]
    for hand in hands:
        node.add_waitable(hand)
    other.create_service(AddTwoInts, 'there', lambda request, response: response)
    client = other.create_client(AddTwoInts, 'here')
    publisher = other.create_publisher(Int64, 'x', 10)
    assert spin_until(executor, lambda: asked.service_server_is_available()
                      and client.service_is_ready() and publisher.get_subscription_count())
    publisher.publish(Int64(data=3))
    future = client.call_async(AddTwoInts.Request(a=1, b=2))
    number = asked.send_request(AddTwoInts.Request())
    threading.Timer(0.05, guard.trigger_guard_condition).start()
    assert spin_until(executor, lambda: all(hand.got for hand in hands) and future.done())
    assert hands[0].got[0][0].data == 3
    assert hands[0].got[0][1]['source_timestamp'] <= time.time_ns()
    assert hands[1].got == [1]
    assert future.result().sum == 3
    assert hands[2].got[0][0].request_id.sequence_number == number
    assert hands[4].got == ['guard']
    assert asked.take_response(AddTwoInts.Response) == (None, None)


def test_executors_leave_entities_made_by_hand_alone(
    make_node: Make, executor: Any, spin_until: Make
) -> None:
    node = make_node()
    executor.add_node(node)
    profile = QoSProfile(depth=10).get_c_qos_profile()
    heard = _rclpy.Subscription(node.handle, Int64, 'x', profile)
    publisher = _rclpy.Publisher(node.handle, Int64, 'x', profile)
    publisher.owner.publish(Int64(data=1))
    assert not spin_until(executor, lambda: False, timeout=0.1)
    assert heard.take_message(Int64, True) is not None
    heard.destroy_when_not_in_use()
    with pytest.raises(InvalidHandle), heard:
        pass
