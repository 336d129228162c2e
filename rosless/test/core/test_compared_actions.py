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

"""What the same programs with actions did with rclpy 9.1.2, and where rosless does better."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
import gc
from typing import Any

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from example_interfaces.action import Fibonacci
import pytest
from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor

Make = Callable[..., Any]


def succeed(goal_handle: Any) -> Any:
    """Reach the goal at once."""
    goal_handle.succeed()
    return Fibonacci.Result(sequence=[goal_handle.request.order])


def test_the_result_of_a_rejected_goal_is_unknown(pair: Make, outcome: Make) -> None:
    _, client = pair(succeed, goal_callback=lambda goal: GoalResponse.REJECT)
    result = client.send_goal(Fibonacci.Goal(order=3))
    assert result.status == GoalStatus.STATUS_UNKNOWN
    assert list(result.result.sequence) == []


def test_a_goal_rejected_for_its_id_has_no_status(pair: Make, outcome: Make) -> None:
    _, client = pair(succeed)
    first = outcome(client.send_goal_async(Fibonacci.Goal()))
    assert first.get_result().status == GoalStatus.STATUS_SUCCEEDED
    goal_id = first.goal_id
    del first
    gc.collect()
    second = outcome(client.send_goal_async(Fibonacci.Goal(), goal_uuid=goal_id))
    assert (second.accepted, second.status) == (False, GoalStatus.STATUS_UNKNOWN)


def test_the_result_of_a_destroyed_goal_is_there_but_its_status_is_not(
    pair: Make, outcome: Make
) -> None:
    answers: list[Any] = []

    def execute(goal_handle: Any) -> Any:
        result = succeed(goal_handle)
        goal_handle.destroy()
        answers.extend([goal_handle.status, goal_handle.is_active])
        goal_handle.succeed()  # nothing: there is no state any more
        goal_handle.publish_feedback(Fibonacci.Feedback())
        return result

    _, client = pair(execute)
    result = client.send_goal(Fibonacci.Goal(order=4))
    assert answers == [GoalStatus.STATUS_UNKNOWN, False]
    assert result.status == GoalStatus.STATUS_UNKNOWN
    assert list(result.result.sequence) == [4]


def test_a_server_wants_something_that_executes(make_node: Make) -> None:
    node = make_node()
    with pytest.raises(TypeError, match='execute_callback must be callable, not None'):
        ActionServer(node, Fibonacci, 'fibonacci', None)  # type: ignore[arg-type]
    server = ActionServer(node, Fibonacci, 'fibonacci', succeed)
    with pytest.raises(TypeError, match='execute_callback must be callable, not None'):
        server.register_execute_callback(None)  # type: ignore[arg-type]


def _with_goal(make_node: Make, executor: Any, spin_until: Make, **kwargs: Any) -> Any:
    """Return the handle of a goal that is accepted and waits, with an executor in this thread."""
    server_node, client_node = make_node('server'), make_node('client')
    kept: list[Any] = []
    ActionServer(
        server_node,
        Fibonacci,
        'fibonacci',
        succeed,
        callback_group=ReentrantCallbackGroup(),
        handle_accepted_callback=kept.append,
        **kwargs,
    )
    client = ActionClient(client_node, Fibonacci, 'fibonacci')
    executor.add_node(server_node)
    executor.add_node(client_node)
    assert spin_until(executor, client.server_is_ready)
    sent = client.send_goal_async(Fibonacci.Goal())
    assert spin_until(executor, lambda: sent.done() and kept)
    return sent.result(), kept[0], client


def test_a_cancel_callback_that_raises_refuses(
    make_node: Make, executor: Any, spin_until: Make
) -> None:
    # the real one leaves the client without an answer
    def decide(goal_handle: Any) -> Any:
        raise KeyError('cannot decide')

    goal_handle, handle, _ = _with_goal(make_node, executor, spin_until, cancel_callback=decide)
    answer = goal_handle.cancel_goal_async()
    with pytest.raises(KeyError, match='cannot decide'):
        spin_until(executor, answer.done)
    assert spin_until(executor, answer.done)
    assert answer.result().return_code == CancelGoal.Response.ERROR_REJECTED
    assert answer.result().goals_canceling == []
    assert handle.status == GoalStatus.STATUS_ACCEPTED


def test_all_goals_are_cancelled_by_one_request_and_by_the_stamp_the_client_knows(
    make_node: Make, executor: Any, spin_until: Make
) -> None:
    # the real one passes over every second goal, and keeps stamps that clients are not told
    first, _, client = _with_goal(
        make_node, executor, spin_until, cancel_callback=lambda _: CancelResponse.ACCEPT
    )
    others = [client.send_goal_async(Fibonacci.Goal(order=n)) for n in range(3)]
    assert spin_until(executor, lambda: all(other.done() for other in others))
    cancel = client._node.create_client(CancelGoal, 'fibonacci/_action/cancel_goal')
    assert spin_until(executor, cancel.service_is_ready)
    request = CancelGoal.Request()
    request.goal_info.stamp = first.stamp
    answer = cancel.call_async(request)
    assert spin_until(executor, answer.done)
    assert [info.goal_id for info in answer.result().goals_canceling] == [first.goal_id]
    answer = cancel.call_async(CancelGoal.Request())
    assert spin_until(executor, answer.done)
    assert len(answer.result().goals_canceling) == 3


@pytest.mark.parametrize('wrong', [None, Fibonacci.Feedback()])
def test_a_result_of_another_kind_aborts_nothing_and_is_answered(
    make_node: Make, executor: Any, spin_until: Make, wrong: Any
) -> None:
    # the real one takes any object with the same fields, and leaves the client without an answer
    # if the fields are not there
    goal_handle, handle, _ = _with_goal(make_node, executor, spin_until)

    def execute(handle: Any) -> Any:
        handle.succeed()
        return wrong

    handle.execute(execute)
    result = goal_handle.get_result_async()
    with pytest.raises(TypeError, match=r"execute callback of action '/fibonacci' must return"):
        spin_until(executor, result.done)
    assert spin_until(executor, result.done)
    assert result.result().status == GoalStatus.STATUS_SUCCEEDED
    assert list(result.result().result.sequence) == []


def test_no_feedback_is_lost_before_the_result(pair: Make, wait_until: Make) -> None:
    # of five messages in one go, three came with the real one
    def execute(goal_handle: Any) -> Any:
        for number in range(5):
            goal_handle.publish_feedback(Fibonacci.Feedback(sequence=[number]))
        return succeed(goal_handle)

    seen: list[int] = []
    _, client = pair(execute)
    client.send_goal(
        Fibonacci.Goal(), feedback_callback=lambda told: seen.append(told.feedback.sequence[0])
    )
    assert wait_until(lambda: len(seen) == 5)
    assert sorted(seen) == [0, 1, 2, 3, 4]


def test_goals_are_awaited_in_coroutines_of_asyncio(make_node: Make, spinning: Make) -> None:
    server_node, node = make_node('server'), make_node('client')
    ActionServer(server_node, Fibonacci, 'fibonacci', succeed)
    spinning(server_node)
    client = ActionClient(node, Fibonacci, 'fibonacci')
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)

    async def spin() -> None:
        while True:
            executor.spin_once(timeout_sec=0.001)
            await asyncio.sleep(0.001)

    async def send(order: int) -> int:
        goal_handle = await client.send_goal_async(Fibonacci.Goal(order=order))
        answer = await goal_handle.get_result_async()
        return int(answer.result.sequence[0])

    async def everything() -> list[int]:
        turning = asyncio.ensure_future(spin())
        while not client.server_is_ready():
            await asyncio.sleep(0.001)
        found = await asyncio.wait_for(asyncio.gather(send(3), send(4)), 60.0)
        turning.cancel()
        return list(found)

    assert asyncio.run(everything()) == [3, 4]
    assert executor.shutdown(timeout_sec=60.0)
