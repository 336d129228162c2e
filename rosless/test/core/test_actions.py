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

"""Action servers and clients over real DDS."""

from __future__ import annotations

from collections.abc import Callable
import gc
import threading
import time
from typing import Any

from action_msgs.msg import GoalInfo, GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from example_interfaces.action import Fibonacci
import pytest
from rclpy._rclpy_pybind11 import RCLError
from rclpy.action import (
    ActionClient,
    ActionServer,
    CancelResponse,
    get_action_client_names_and_types_by_node,
    get_action_names_and_types,
    get_action_server_names_and_types_by_node,
    GoalResponse,
)
from rclpy.action.client import ClientGoalHandle
from rclpy.action.server import GoalEvent, ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_srvs.srv import Empty

Make = Callable[..., Any]
TYPE = 'example_interfaces/action/Fibonacci'


def fibonacci(goal_handle: Any) -> Any:
    """Send the sequence as it grows."""
    sequence = [0, 1]
    while len(sequence) < goal_handle.request.order:
        sequence.append(sequence[-1] + sequence[-2])
        goal_handle.publish_feedback(Fibonacci.Feedback(sequence=sequence))
    goal_handle.succeed()
    return Fibonacci.Result(sequence=sequence)


def test_goal_feedback_and_result(pair: Make) -> None:
    _, client = pair(fibonacci)
    feedback: list[list[int]] = []
    result = client.send_goal(
        Fibonacci.Goal(order=30),
        feedback_callback=lambda message: feedback.append(list(message.feedback.sequence)),
    )
    assert result.status == GoalStatus.STATUS_SUCCEEDED
    assert list(result.result.sequence)[:8] == [0, 1, 1, 2, 3, 5, 8, 13]
    # in order, and all before the result, though the history of feedback holds ten messages only
    lengths = [len(each) for each in feedback]
    assert lengths == sorted(lengths)
    assert lengths[-1] == 30


def test_feedback_in_steps_is_complete(pair: Make) -> None:
    def execute(goal_handle: Any) -> Any:
        for number in range(10):
            goal_handle.publish_feedback(Fibonacci.Feedback(sequence=[number]))
            time.sleep(0.01)
        goal_handle.succeed()
        return Fibonacci.Result()

    _, client = pair(execute)
    got: list[int] = []

    async def on_feedback(message: Any) -> None:
        got.append(message.feedback.sequence[0])

    client.send_goal(Fibonacci.Goal(), feedback_callback=on_feedback)
    assert got == list(range(10))


def test_the_goal_handle(pair: Make, wait_until: Make, gate: Any, outcome: Make) -> None:
    server, client = pair(gate)
    goal_handle = outcome(client.send_goal_async(Fibonacci.Goal(order=3)))
    assert isinstance(goal_handle, ClientGoalHandle)
    assert goal_handle.accepted
    assert wait_until(lambda: goal_handle.status == GoalStatus.STATUS_EXECUTING and gate.running)
    assert abs(goal_handle.stamp.sec - time.time()) < 100
    (served,) = gate.running
    assert isinstance(served, ServerGoalHandle)
    assert served.goal_id == goal_handle.goal_id
    assert served.request == Fibonacci.Goal(order=3)
    assert served.is_active
    assert not served.is_cancel_requested
    gate.open.set()
    assert outcome(goal_handle.get_result_async()).result.sequence[0] == 3
    assert goal_handle.status == GoalStatus.STATUS_SUCCEEDED
    assert not served.is_active
    # once more, after the goal has ended
    assert goal_handle.get_result().status == GoalStatus.STATUS_SUCCEEDED
    assert server.action_type is Fibonacci


def test_two_goals_at_once(pair: Make, wait_until: Make, gate: Any, outcome: Make) -> None:
    _, client = pair(gate)
    futures = [client.send_goal_async(Fibonacci.Goal(order=order)) for order in (7, 8)]
    handles = [outcome(future) for future in futures]
    results = [goal_handle.get_result_async() for goal_handle in handles]
    assert wait_until(lambda: len(gate.running) == 2)
    gate.open.set()
    assert [outcome(result).result.sequence[0] for result in results] == [7, 8]


def test_a_rejected_goal(pair: Make, outcome: Make) -> None:
    def decide(goal: Any) -> GoalResponse:
        return GoalResponse.ACCEPT if goal.order < 10 else GoalResponse.REJECT

    server, client = pair(fibonacci, goal_callback=decide)
    goal_handle = outcome(client.send_goal_async(Fibonacci.Goal(order=11), lambda _: None))
    assert not goal_handle.accepted
    assert client._feedback_callbacks == {}
    assert client.send_goal(Fibonacci.Goal(order=11)).status == GoalStatus.STATUS_UNKNOWN
    assert client.send_goal(Fibonacci.Goal(order=9)).status == GoalStatus.STATUS_SUCCEEDED
    assert len(server._goal_handles) == 1


def test_a_goal_callback_that_returns_something_else_rejects(
    pair: Make, capfd: Any, outcome: Make
) -> None:
    _, client = pair(fibonacci, goal_callback=lambda goal: True)
    assert not outcome(client.send_goal_async(Fibonacci.Goal())).accepted
    assert "must return a GoalResponse, not <class 'bool'>" in capfd.readouterr().err


def test_an_id_that_is_in_use_is_rejected(pair: Make, outcome: Make) -> None:
    server, client = pair(fibonacci)
    first = outcome(client.send_goal_async(Fibonacci.Goal()))
    with pytest.raises(RCLError, match='has been sent already'):
        client.send_goal_async(Fibonacci.Goal(), goal_uuid=first.goal_id)
    first.get_result()
    goal_id = first.goal_id
    del first
    gc.collect()
    assert not outcome(client.send_goal_async(Fibonacci.Goal(), goal_uuid=goal_id)).accepted
    assert len(server._goal_handles) == 1


def test_execution_can_be_put_off(pair: Make, wait_until: Make, outcome: Make) -> None:
    waiting: list[Any] = []
    _, client = pair(fibonacci, handle_accepted_callback=waiting.append)
    goal_handle = outcome(client.send_goal_async(Fibonacci.Goal(order=5)))
    result = goal_handle.get_result_async()
    assert wait_until(lambda: waiting)
    assert not result.done()

    def other(served: Any) -> Any:
        served.abort()
        return Fibonacci.Result(sequence=[9])

    waiting[0].execute(other)
    assert outcome(result).status == GoalStatus.STATUS_ABORTED
    assert list(outcome(result).result.sequence) == [9]
    with pytest.raises(
        RCLError,
        match='from state ABORTED with event EXECUTE; possible events: none, the goal has ended',
    ):
        waiting[0].execute()


def test_an_exception_aborts_the_goal(pair: Make, capfd: Any) -> None:
    def fail(goal_handle: Any) -> Any:
        raise ValueError('the well is dry')

    _, client = pair(fail)
    for _ in range(2):  # and the server lives on
        result = client.send_goal(Fibonacci.Goal())
        assert result.status == GoalStatus.STATUS_ABORTED
        assert result.result == Fibonacci.Result()
    errors = capfd.readouterr().err
    assert errors.count('Error raised in execute callback: the well is dry') == 2
    assert errors.count('Goal state not set, assuming aborted. Goal ID: [') == 2
    assert 'Traceback' in errors


def test_a_goal_that_is_not_ended_is_aborted(pair: Make, capfd: Any) -> None:
    _, client = pair(lambda goal_handle: Fibonacci.Result(sequence=[1]))
    result = client.send_goal(Fibonacci.Goal())
    assert result.status == GoalStatus.STATUS_ABORTED
    assert list(result.result.sequence) == [1]
    assert 'Goal state not set, assuming aborted' in capfd.readouterr().err


def test_a_result_of_another_type(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    ActionServer(node, Fibonacci, 'fibonacci', lambda goal_handle: goal_handle.succeed())
    client = ActionClient(node, Fibonacci, 'fibonacci')
    assert client.wait_for_server(60.0)
    future = client.send_goal_async(Fibonacci.Goal())
    with pytest.raises(
        TypeError,
        match=r"execute callback of action '/fibonacci' must return "
        r".*Fibonacci_Result.*, not <class 'NoneType'>",
    ):
        spin_until(executor, lambda: False, 60.0)
    assert spin_until(executor, future.done)
    result = future.result().get_result_async()
    assert spin_until(executor, result.done)
    assert result.result().status == GoalStatus.STATUS_SUCCEEDED


def test_a_goal_callback_that_fails_rejects_and_is_reported(
    make_node: Make, executor: Any, spin_until: Make
) -> None:
    node = make_node()
    executor.add_node(node)

    def fail(goal: Any) -> Any:
        raise ValueError('what is that')

    ActionServer(node, Fibonacci, 'fibonacci', fibonacci, goal_callback=fail)
    client = ActionClient(node, Fibonacci, 'fibonacci')
    assert client.wait_for_server(60.0)
    future = client.send_goal_async(Fibonacci.Goal())
    with pytest.raises(ValueError, match='what is that'):
        spin_until(executor, lambda: False, 60.0)
    assert spin_until(executor, future.done)
    assert not future.result().accepted


def test_coroutines_in_one_thread(make_node: Make, executor: Any, spin_until: Make) -> None:
    # the execution awaits a service of the same node, and meanwhile the goal is cancelled
    node = make_node()
    executor.add_node(node)
    group = ReentrantCallbackGroup()
    node.create_service(Empty, 'work', lambda _, answer: answer, callback_group=group)
    worker = node.create_client(Empty, 'work', callback_group=group)

    async def execute(goal_handle: Any) -> Any:
        count = 0
        while not goal_handle.is_cancel_requested:
            await worker.call_async(Empty.Request())
            count += 1
            goal_handle.publish_feedback(Fibonacci.Feedback(sequence=[count]))
        goal_handle.canceled()
        return Fibonacci.Result(sequence=[count])

    async def decide(_: Any) -> GoalResponse:
        return GoalResponse.ACCEPT

    async def allow(_: Any) -> CancelResponse:
        return CancelResponse.ACCEPT

    ActionServer(
        node, Fibonacci, 'fibonacci', execute, goal_callback=decide, cancel_callback=allow
    )
    client = ActionClient(node, Fibonacci, 'fibonacci')
    assert client.wait_for_server(60.0)
    assert worker.wait_for_service(60.0)
    got: list[Any] = []

    async def whole() -> Any:
        goal_handle = await client.send_goal_async(Fibonacci.Goal(), feedback_callback=got.append)
        result = goal_handle.get_result_async()
        while len(got) < 3:
            await worker.call_async(Empty.Request())
        assert len((await goal_handle.cancel_goal_async()).goals_canceling) == 1
        return await result

    task = executor.create_task(whole)
    assert spin_until(executor, task.done)
    assert task.result().status == GoalStatus.STATUS_CANCELED
    assert task.result().result.sequence[0] >= 3


def test_done_callbacks_in_the_form_of_the_tutorial(
    make_node: Make, executor: Any, spin_until: Make
) -> None:
    node = make_node()
    executor.add_node(node)
    ActionServer(node, Fibonacci, 'fibonacci', fibonacci)
    client = ActionClient(node, Fibonacci, 'fibonacci')
    assert client.wait_for_server(60.0)
    got: list[Any] = []

    def on_answer(future: Any) -> None:
        future.result().get_result_async().add_done_callback(
            lambda result: got.append(list(result.result().result.sequence))
        )

    client.send_goal_async(Fibonacci.Goal(order=4)).add_done_callback(on_answer)
    assert spin_until(executor, lambda: got == [[0, 1, 1, 2]])


def test_results_are_kept_for_a_while(
    pair: Make, wait_until: Make, gate: Any, outcome: Make
) -> None:
    server, client = pair(gate, result_timeout=1.0)
    goal_handle = outcome(client.send_goal_async(Fibonacci.Goal()))
    result = goal_handle.get_result_async()
    gate.open.set()
    assert outcome(result).status == GoalStatus.STATUS_SUCCEEDED
    second = outcome(client.send_goal_async(Fibonacci.Goal()))
    assert wait_until(lambda: not server._goal_handles)
    for each in (goal_handle, second):
        late = each.get_result()
        assert late.status == GoalStatus.STATUS_UNKNOWN
        assert late.result == Fibonacci.Result()
    response = goal_handle.cancel_goal()
    assert response.return_code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID


def test_results_are_kept_for_ever_if_so_wished(pair: Make, outcome: Make) -> None:
    server, client = pair(fibonacci, result_timeout=-1)
    goal_handle = outcome(client.send_goal_async(Fibonacci.Goal()))
    goal_handle.get_result()
    assert server._expiry.is_canceled()
    assert len(server._goal_handles) == 1


def test_the_status_reaches_late_joiners(pair: Make, wait_until: Make, outcome: Make) -> None:
    _, client = pair(fibonacci)
    goal_handle = outcome(client.send_goal_async(Fibonacci.Goal()))
    goal_handle.get_result()
    got: list[Any] = []
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    client._node.create_subscription(
        GoalStatusArray, 'fibonacci/_action/status', got.append, latched
    )
    assert wait_until(lambda: got)
    (state,) = got[-1].status_list
    assert state.status == GoalStatus.STATUS_SUCCEEDED
    assert state.goal_info.goal_id == goal_handle.goal_id
    assert state.goal_info.stamp == goal_handle.stamp


def test_names_and_types(pair: Make, wait_until: Make) -> None:
    _, client = pair(fibonacci)
    node = client._node
    expected = [('/fibonacci', [TYPE])]
    assert wait_until(lambda: get_action_names_and_types(node) == expected)
    assert get_action_server_names_and_types_by_node(node, 'server', '/') == expected
    assert get_action_server_names_and_types_by_node(node, 'client', '/') == []
    assert get_action_client_names_and_types_by_node(node, 'client', '/') == expected
    services = dict(node.get_service_names_and_types())
    assert services['/fibonacci/_action/send_goal'] == [TYPE + '_SendGoal']
    assert services['/fibonacci/_action/get_result'] == [TYPE + '_GetResult']
    assert services['/fibonacci/_action/cancel_goal'] == ['action_msgs/srv/CancelGoal']
    topics = dict(node.get_topic_names_and_types())
    assert topics['/fibonacci/_action/feedback'] == [TYPE + '_FeedbackMessage']
    assert topics['/fibonacci/_action/status'] == ['action_msgs/msg/GoalStatusArray']
    assert list(node.waitables) == [client]


def test_names_are_relative_and_remapped(make_node: Make) -> None:
    node = make_node('server', namespace='/arm', cli_args=['--ros-args', '-r', 'fibonacci:=other'])
    ActionServer(node, Fibonacci, 'fibonacci', fibonacci)
    ActionServer(node, Fibonacci, '~/own', fibonacci)
    assert [name for name, _ in get_action_names_and_types(node)] == [
        '/arm/other',
        '/arm/server/own',
    ]


def test_destroying(make_node: Make, spinning: Make, wait_until: Make) -> None:
    server_node, client_node = make_node('server'), make_node('client')
    server = ActionServer(server_node, Fibonacci, 'fibonacci', fibonacci)
    client = ActionClient(client_node, Fibonacci, 'fibonacci')
    spinning(server_node, client_node)
    assert client.wait_for_server(60.0)
    client.send_goal(Fibonacci.Goal())
    server.destroy()
    server.destroy()
    assert wait_until(lambda: not client.server_is_ready())
    assert not client.wait_for_server(timeout_sec=0.05)
    assert wait_until(lambda: client_node.count_publishers('fibonacci/_action/status') == 0)
    again = ActionServer(server_node, Fibonacci, 'fibonacci', fibonacci)
    assert client.wait_for_server(60.0)
    assert client.send_goal(Fibonacci.Goal()).status == GoalStatus.STATUS_SUCCEEDED
    client.destroy()
    assert again.entities
    server_node.destroy_node()
    assert again.entities == []
    assert get_action_names_and_types(client_node) == []


def test_wrong_use(make_node: Make) -> None:
    node = make_node()
    with pytest.raises(RuntimeError, match='The action type provided is not valid'):
        ActionServer(node, Empty, 'a', fibonacci)
    with pytest.raises(RuntimeError, match='The action type provided is not valid'):
        ActionClient(node, Empty, 'a')
    with pytest.raises(TypeError, match='execute_callback must be callable, not 3'):
        ActionServer(node, Fibonacci, 'a', 3)  # type: ignore[arg-type]
    client = ActionClient(node, Fibonacci, 'a')
    with pytest.raises(TypeError, match=r'Expected .*Fibonacci_Goal.*, got .*Empty_Request'):
        client.send_goal_async(Empty.Request())
    server = ActionServer(node, Fibonacci, 'a', fibonacci)
    goal_handle = ServerGoalHandle(server, GoalInfo(), Fibonacci.Goal())
    with pytest.raises(TypeError, match=r'Expected .*Fibonacci_Feedback.*, got <class .int.>'):
        goal_handle.publish_feedback(3)
    with pytest.raises(
        RCLError,
        match='from state ACCEPTED with event SUCCEED; possible events: EXECUTE, CANCEL_GOAL',
    ):
        goal_handle.succeed()
    goal_handle.destroy()
    assert goal_handle.status == GoalStatus.STATUS_UNKNOWN
    goal_handle.succeed()
    assert [event.name for event in GoalEvent][0] == 'EXECUTE'


def test_shutdown_ends_a_blocking_call(make_node: Make, context: Any) -> None:
    client = ActionClient(make_node(), Fibonacci, 'nowhere')
    threading.Timer(0.1, context.try_shutdown).start()
    with pytest.raises(RCLError, match="waiting for the answer to a goal of action '/nowhere'"):
        client.send_goal(Fibonacci.Goal())
