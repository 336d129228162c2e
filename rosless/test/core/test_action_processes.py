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

"""Action servers and clients in several processes, and what strangers may send them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalStatus
from example_interfaces.action import Fibonacci
from rclpy.action import (
    ActionClient,
)

Make = Callable[..., Any]
TYPE = 'example_interfaces/action/Fibonacci'


SERVER = """
import sys, threading, time, rclpy
from example_interfaces.action import Fibonacci
from rclpy.action import ActionServer, CancelResponse
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
rclpy.init(args=[])
node = rclpy.create_node('server')
def execute(goal):
    for number in range(goal.request.order):
        if goal.is_cancel_requested:
            goal.canceled()
            print('canceled', flush=True)
            return Fibonacci.Result(sequence=[-1])
        goal.publish_feedback(Fibonacci.Feedback(sequence=[number]))
        time.sleep(0.01)
    goal.succeed()
    print('succeeded', flush=True)
    return Fibonacci.Result(sequence=range(goal.request.order))
server = ActionServer(node, Fibonacci, 'fibonacci', execute,
                      cancel_callback=lambda goal: CancelResponse.ACCEPT)
print('ready', flush=True)
try:
    rclpy.spin(node, MultiThreadedExecutor(3))
except (KeyboardInterrupt, ExternalShutdownException):
    pass
"""

CLIENT = """
import sys, rclpy
from example_interfaces.action import Fibonacci
from rclpy.action import ActionClient
rclpy.init(args=[])
node = rclpy.create_node('caller')
client = ActionClient(node, Fibonacci, 'fibonacci')
assert client.wait_for_server(60.0)
future = client.send_goal_async(Fibonacci.Goal(order=30))
rclpy.spin_until_future_complete(node, future, timeout_sec=60.0)
result = future.result().get_result_async()
print('accepted', flush=True)
rclpy.spin_until_future_complete(node, result, timeout_sec=60.0)
"""


def test_two_processes(
    run_program: Make, make_node: Make, executor: Any, spin_until: Make
) -> None:
    node = make_node()
    executor.add_node(node)
    client = ActionClient(node, Fibonacci, 'fibonacci')
    server = run_program(SERVER)
    assert server.wait_for_line() == 'ready'
    assert client.wait_for_server(60.0)
    got: list[int] = []
    goals = [
        client.send_goal_async(
            Fibonacci.Goal(order=order), lambda m: got.append(m.feedback.sequence[0])
        )
        for order in (5, 100_000)  # the longer one takes a quarter of an hour
    ]
    assert spin_until(executor, lambda: all(goal.done() for goal in goals))
    short, long = (goal.result() for goal in goals)
    results = [short.get_result_async(), long.get_result_async()]
    assert spin_until(executor, results[0].done)
    assert list(results[0].result().result.sequence) == [0, 1, 2, 3, 4]
    assert spin_until(executor, lambda: len(got) > 10)
    canceled = long.cancel_goal_async()
    assert spin_until(executor, lambda: canceled.done() and results[1].done())
    assert len(canceled.result().goals_canceling) == 1
    assert results[1].result().status == GoalStatus.STATUS_CANCELED
    assert [server.wait_for_line(), server.wait_for_line()] == ['succeeded', 'canceled']


def test_a_client_that_dies_does_not_disturb_the_server(
    run_program: Make, make_node: Make, executor: Any, spin_until: Make
) -> None:
    node = make_node()
    executor.add_node(node)
    server = run_program(SERVER)
    assert server.wait_for_line() == 'ready'
    caller = run_program(CLIENT)
    assert caller.wait_for_line() == 'accepted'
    caller.process.kill()
    assert server.wait_for_line() == 'succeeded'
    client = ActionClient(node, Fibonacci, 'fibonacci')
    assert client.wait_for_server(60.0)
    goal = client.send_goal_async(Fibonacci.Goal(order=2))
    assert spin_until(executor, goal.done)
    result = goal.result().get_result_async()
    assert spin_until(executor, result.done)
    assert result.result().status == GoalStatus.STATUS_SUCCEEDED
    server.process.terminate()
    _, _, errors = server.finish()
    assert 'Traceback' not in errors


def one(goal_handle: Any) -> Any:
    """Succeed."""
    goal_handle.succeed()
    return Fibonacci.Result(sequence=[1])


def test_malformed_packets_do_no_harm(pair: Make, context: Any, wait_until: Make) -> None:
    _, client = pair(one)
    topics = {
        'rq/fibonacci/_action/send_goalRequest': 'action::dds_::Fibonacci_SendGoal_Request_',
        'rq/fibonacci/_action/get_resultRequest': 'action::dds_::Fibonacci_GetResult_Request_',
        'rr/fibonacci/_action/send_goalReply': 'action::dds_::Fibonacci_SendGoal_Response_',
        'rt/fibonacci/_action/feedback': 'action::dds_::Fibonacci_FeedbackMessage_',
    }
    from rosless.dds.qos import Profile

    for topic, kind in topics.items():
        writer = context.participant.writer(topic, 'example_interfaces::' + kind, Profile())
        assert wait_until(lambda writer=writer: writer.matched())
        for size in (4, 16, 20, 40):
            writer.write(b'\0\1\0\0' + b'\xff' * size)
    assert client.send_goal(Fibonacci.Goal(order=3)).status == GoalStatus.STATUS_SUCCEEDED
