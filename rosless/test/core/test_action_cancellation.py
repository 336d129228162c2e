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

"""Cancelling goals over real DDS."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any

from action_msgs.msg import GoalInfo, GoalStatus
from action_msgs.srv import CancelGoal
from builtin_interfaces.msg import Time
from example_interfaces.action import Fibonacci
from rclpy.action import (
    CancelResponse,
)
from rclpy.action.client import ClientGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup

Make = Callable[..., Any]
TYPE = 'example_interfaces/action/Fibonacci'


def accept(goal_handle: Any) -> CancelResponse:
    """Let every goal be cancelled."""
    return CancelResponse.ACCEPT


def test_cancel(pair: Make, wait_until: Make, gate: Any, outcome: Make) -> None:
    _, client = pair(gate, cancel_callback=accept)
    goal_handle = outcome(client.send_goal_async(Fibonacci.Goal()))
    result = goal_handle.get_result_async()
    assert wait_until(lambda: gate.running)
    response = goal_handle.cancel_goal()
    assert response.return_code == CancelGoal.Response.ERROR_NONE
    assert [info.goal_id for info in response.goals_canceling] == [goal_handle.goal_id]
    assert outcome(result).status == GoalStatus.STATUS_CANCELED
    assert list(outcome(result).result.sequence) == [-1]
    # too late
    response = goal_handle.cancel_goal()
    assert response.return_code == CancelGoal.Response.ERROR_GOAL_TERMINATED
    assert response.goals_canceling == []


def test_cancel_is_refused_by_default(
    pair: Make, wait_until: Make, gate: Any, outcome: Make
) -> None:
    _, client = pair(gate)
    goal_handle = outcome(client.send_goal_async(Fibonacci.Goal(order=4)))
    assert wait_until(lambda: gate.running)
    response = outcome(goal_handle.cancel_goal_async())
    assert response.goals_canceling == []
    assert response.return_code == CancelGoal.Response.ERROR_NONE   # as in Humble
    gate.open.set()
    assert goal_handle.get_result().status == GoalStatus.STATUS_SUCCEEDED


def test_cancel_by_id_stamp_and_all(
    pair: Make, make_node: Make, wait_until: Make, gate: Any, outcome: Make
) -> None:
    _, client = pair(gate, num_threads=8, cancel_callback=accept)
    node = client._node
    canceler = node.create_client(CancelGoal, 'fibonacci/_action/cancel_goal')
    assert canceler.wait_for_service(60.0)
    handles = []
    for _ in range(5):
        handles.append(outcome(client.send_goal_async(Fibonacci.Goal())))
        time.sleep(0.002)
    assert wait_until(lambda: len(gate.running) == 5)
    results = [goal_handle.get_result_async() for goal_handle in handles]

    def cancel(**info: Any) -> Any:
        request = CancelGoal.Request(goal_info=GoalInfo(**info))
        response = canceler.call(request, timeout_sec=60.0)
        found = [
            handles.index(ClientGoalHandle(client, i.goal_id, None))
            for i in response.goals_canceling
        ]
        return response.return_code, sorted(found)

    assert cancel(goal_id=type(handles[0].goal_id)(uuid=[7] * 16)) == (
        CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID,
        [],
    )
    assert cancel(stamp=Time(sec=-1)) == (0, [])   # before all goals
    assert cancel(goal_id=handles[4].goal_id) == (0, [4])
    assert cancel(stamp=handles[1].stamp) == (0, [0, 1])
    assert [outcome(results[i]).status for i in (0, 1, 4)] == [GoalStatus.STATUS_CANCELED] * 3
    assert not results[2].done()
    assert cancel(goal_id=handles[3].goal_id, stamp=handles[1].stamp) == (0, [3])
    assert cancel() == (0, [2])
    assert outcome(results[2]).status == GoalStatus.STATUS_CANCELED
    assert wait_until(lambda: not any(each.is_active for each in gate.running))
    assert cancel() == (0, [])


def test_a_cancellation_that_comes_too_late(
    pair: Make, wait_until: Make, gate: Any, outcome: Make
) -> None:
    # the goal ends while the callback is making up its mind
    def slow(goal_handle: Any) -> CancelResponse:
        gate.open.set()
        limit = time.monotonic() + 60.0
        while goal_handle.is_active and time.monotonic() < limit:
            time.sleep(0.001)
        return CancelResponse.ACCEPT

    _, client = pair(gate, cancel_callback=slow, callback_group=ReentrantCallbackGroup())
    goal_handle = outcome(client.send_goal_async(Fibonacci.Goal(order=2)))
    response = goal_handle.cancel_goal()
    assert response.goals_canceling == []
    assert goal_handle.get_result().status == GoalStatus.STATUS_SUCCEEDED


def test_many_cancellations_race_with_the_end(pair: Make, outcome: Make) -> None:
    def execute(goal_handle: Any) -> Any:
        time.sleep(0.003)
        if goal_handle.is_cancel_requested:
            goal_handle.canceled()
        else:
            # a cancellation may still come in between: succeed is allowed then, too
            goal_handle.succeed()
        return Fibonacci.Result()

    _, client = pair(execute, cancel_callback=accept)
    for number in range(20):
        goal_handle = outcome(client.send_goal_async(Fibonacci.Goal()))
        result = goal_handle.get_result_async()
        time.sleep(0.0004 * number)
        response = goal_handle.cancel_goal()
        status = outcome(result).status
        assert status in (GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED)
        if not response.goals_canceling:
            assert status == GoalStatus.STATUS_SUCCEEDED


def test_a_goal_cancelled_before_it_is_executed(
    pair: Make, wait_until: Make, gate: Any, outcome: Make
) -> None:
    waiting: list[Any] = []
    _, client = pair(gate, handle_accepted_callback=waiting.append, cancel_callback=accept)
    goal_handle = outcome(client.send_goal_async(Fibonacci.Goal()))
    assert wait_until(lambda: waiting and goal_handle.status == GoalStatus.STATUS_ACCEPTED)
    assert len(goal_handle.cancel_goal().goals_canceling) == 1
    assert waiting[0].is_cancel_requested
    waiting[0].execute()
    assert goal_handle.get_result().status == GoalStatus.STATUS_CANCELED
