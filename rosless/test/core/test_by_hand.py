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

"""What executors and nodes do by themselves, done by hand."""

from __future__ import annotations

from collections.abc import Callable
import threading
from typing import Any

from example_interfaces.action import Fibonacci
from example_interfaces.srv import AddTwoInts
from lifecycle_msgs.msg import Transition
import pytest
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import (
    default_cancel_callback,
    default_goal_callback,
    default_handle_accepted_callback,
    ServerGoalHandle,
)
from rclpy.callback_groups import (
    CallbackGroup,
    MutuallyExclusiveCallbackGroup,
    ReentrantCallbackGroup,
)
from rclpy.client import Client
from rclpy.executors import (
    await_or_execute,
    ConditionReachedException,
    MultiThreadedExecutor,
    ShutdownException,
    SingleThreadedExecutor,
    TimeoutObject,
)
from rclpy.experimental.events_executor import EventsExecutor
from rclpy.lifecycle import (
    LifecycleNode,
    LifecycleNodeMixin,
    LifecyclePublisher,
    NodeMixin,
    SimpleManagedEntity,
    TransitionCallbackReturn,
)
from rclpy.lifecycle.managed_entity import ManagedEntity
from rclpy.lifecycle.node import LifecycleState
from rclpy.task import Future, FutureState, Task
from std_msgs.msg import String

Make = Callable[..., Any]


@pytest.mark.parametrize('kind', [MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup])
def test_callback_groups_are_protocols(kind: type[CallbackGroup]) -> None:
    group, entity = kind(), threading.Event()
    group.add_entity(entity)
    assert group.has_entity(entity)
    assert group.can_execute(entity)
    assert group.beginning_execution(entity)
    assert group.can_execute(entity) == (kind is ReentrantCallbackGroup)
    assert group.beginning_execution(entity) == (kind is ReentrantCallbackGroup)
    group.ending_execution(entity)
    assert group.can_execute(entity)


def test_pending_requests_and_answers_by_hand(make_node: Make) -> None:
    node = make_node('node', namespace='/ns')
    client = node.create_client(AddTwoInts, 'add')
    service = node.create_service(AddTwoInts, 'add', lambda _, response: response)
    assert isinstance(client, Client)
    assert client.service_name == service.service_name == '/ns/add'
    assert client.logger_name == service.logger_name == 'ns.node'
    assert client.wait_for_service(60.0)
    future = client.call_async(AddTwoInts.Request())
    assert client.get_pending_request(1) is future
    taken = None
    while taken is None:
        taken = service.take_request()
    service.send_response(AddTwoInts.Response(sum=5), taken[1])
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    executor.spin_once_until_future_complete(future, 60.0)
    assert future.result().sum == 5
    assert future._state == FutureState.FINISHED
    service.destroy()
    client.destroy()
    assert (list(node.services)[6:], list(node.clients)) == ([], [])
    executor.shutdown()


def test_executors_by_hand(context: Any, make_node: Make) -> None:
    node = make_node()
    timer = node.create_timer(10.0, lambda: None)
    for kind in (SingleThreadedExecutor, MultiThreadedExecutor, EventsExecutor):
        executor = kind(context=context)
        executor.add_node(node)
        assert executor.context is context
        assert executor.can_execute(timer)
        future = executor.create_future()
        assert isinstance(future, Future)
        future.set_result(1)
        with pytest.raises(ConditionReachedException):
            executor.wait_for_ready_callbacks(1.0, None, future.done)
        executor.spin_once_until_future_complete(future, 1.0)
        executor.wake()
        executor.shutdown()
        with pytest.raises(ShutdownException):
            executor.wait_for_ready_callbacks(1.0)
    limit = TimeoutObject(1.0)
    limit.timeout = 2.0
    assert limit.timeout == 2.0


def test_futures_and_tasks_by_hand(executor: Any) -> None:
    future = Future()
    assert future._state == FutureState.PENDING
    future.add_done_callback(print)
    future.remove_done_callback(print)
    future.cancel()
    assert future._state == FutureState.CANCELLED

    async def twice(value: int) -> int:
        return 2 * await await_or_execute(lambda: value)

    task = executor.create_task(twice, 4)
    executor.spin_until_future_complete(task, 60.0)
    assert isinstance(task, Task)
    assert task.result() == 8
    assert not task.executing()
    other = executor.create_task(twice, 1)
    other.remove_done_callback(print)
    other.cancel()
    assert other.cancelled()


def test_callbacks_of_action_servers_can_be_changed(pair: Make, outcome: Make) -> None:
    server, client = pair(lambda goal_handle: Fibonacci.Result())
    assert isinstance(server, ActionServer)
    assert default_goal_callback(Fibonacci.Goal()) == GoalResponse.ACCEPT
    assert default_cancel_callback(None) == CancelResponse.REJECT

    def execute(goal_handle: ServerGoalHandle) -> Any:
        goal_handle.succeed()
        return Fibonacci.Result(sequence=[7])

    accepted: list[Any] = []

    def handle(goal_handle: ServerGoalHandle) -> None:
        accepted.append(goal_handle)
        default_handle_accepted_callback(goal_handle)

    server.register_execute_callback(execute)
    server.register_handle_accepted_callback(handle)
    server.register_cancel_callback(lambda _: CancelResponse.ACCEPT)
    goal = Fibonacci.Goal(order=1)
    first = outcome(client.send_goal_async(goal))
    assert outcome(first.get_result_async()).result.sequence.tolist() == [7]
    assert len(accepted) == 1
    server.register_goal_callback(lambda _: GoalResponse.REJECT)
    assert not outcome(client.send_goal_async(goal)).accepted
    server.notify_execute(accepted[0], None)
    server.notify_goal_done(accepted[0])


def test_managed_entities_by_hand(context: Any) -> None:
    node = LifecycleNode('managed', context=context)
    assert isinstance(node, LifecycleNodeMixin)
    assert NodeMixin is LifecycleNodeMixin
    assert isinstance(node.create_lifecycle_publisher(String, 'talk', 1), LifecyclePublisher)
    entity = SimpleManagedEntity()
    assert isinstance(entity, ManagedEntity)
    state = LifecycleState(label='inactive', state_id=2)
    assert (state.label, state.state_id) == ('inactive', 2)
    for each in (entity, ManagedEntityOfOurs()):
        for verb in ('configure', 'activate', 'deactivate', 'cleanup', 'shutdown', 'error'):
            answer = getattr(each, f'on_{verb}')(state)
            assert answer == TransitionCallbackReturn.SUCCESS
    names = 'on_configure on_activate on_deactivate on_cleanup on_shutdown on_error'
    assert all(hasattr(ManagedEntity, name) for name in names.split())
    assert Transition.TRANSITION_CONFIGURE == 1
    node.destroy_node()


class ManagedEntityOfOurs(ManagedEntity):
    """Takes part in transitions without doing anything."""
