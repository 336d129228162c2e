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

"""What the same program did with rclpy 9.1.2: executors, tasks, futures and clocks."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
import threading
from typing import Any

import pytest
from rclpy.clock import ClockType, ROSClock
from rclpy.duration import Duration
from rclpy.executors import (
    ExternalShutdownException,
    MultiThreadedExecutor,
    SingleThreadedExecutor,
)
from rclpy.task import Future
from rclpy.time import Time

Make = Callable[..., Any]


def test_a_pool_returns_when_the_context_is_shut_down(context: Any, make_node: Make) -> None:
    # as in rclpy 9.1.2, whose single-threaded executor raises
    pool = MultiThreadedExecutor(2, context=context)
    pool.add_node(make_node())
    threading.Timer(0.1, context.try_shutdown).start()
    pool.spin()
    pool.spin_once(timeout_sec=0.1)
    with pytest.raises(ExternalShutdownException):
        pool.wait_for_ready_callbacks(timeout_sec=0.1)


@pytest.mark.parametrize('kind', [SingleThreadedExecutor, MultiThreadedExecutor])
def test_a_callback_may_shut_its_executor_down(context: Any, make_node: Make, kind: Any) -> None:
    executor = kind(context=context)
    node = make_node()
    executor.add_node(node)
    ended: list[bool] = []
    node.create_timer(0.01, lambda: ended.append(executor.shutdown()))
    executor.spin()
    assert executor.shutdown(timeout_sec=5.0)
    assert ended == [True]


def test_a_pool_of_one_thread_is_warned_of(context: Any) -> None:
    with pytest.warns(UserWarning, match='MultiThreadedExecutor is used with a single thread'):
        pool = MultiThreadedExecutor(1, context=context)
    assert pool.shutdown(wait_for_threads=False)


def test_a_result_after_a_cancellation_counts() -> None:
    future: Future = Future()
    future.cancel()
    assert (future.done(), future.cancelled()) == (False, True)
    future.set_result(3)
    assert (future.done(), future.cancelled(), future.result()) == (True, False, 3)
    future.cancel()
    assert future.done()
    other: Future = Future()
    other.cancel()
    other.set_exception(KeyError('my own'))
    assert (other.done(), other.cancelled()) == (True, False)
    with pytest.raises(KeyError, match='my own'):
        other.result()


def test_a_done_callback_that_comes_late_may_raise() -> None:
    future: Future = Future()
    future.set_result(1)
    with pytest.raises(ZeroDivisionError):
        future.add_done_callback(lambda _: 1 / 0)


def test_the_task_of_a_callback_has_no_result(executor: Any, make_node: Make) -> None:
    node = make_node()
    executor.add_node(node)
    guard = node.create_guard_condition(lambda: 7)
    guard.trigger()
    entity, task = None, None
    while entity is not guard:
        task, entity, _ = executor.wait_for_ready_callbacks(timeout_sec=5.0)
        task()
    assert task is not None
    assert task.done()
    assert task.result() is None


def test_a_coroutine_goes_on_without_other_events(executor: Any) -> None:
    # in rclpy 9.1.2 it goes on when the executor wakes for something else
    async def inner() -> int:
        return 4

    async def outer() -> Any:
        return await executor.create_task(inner)

    task = executor.create_task(outer)
    executor.spin_until_future_complete(task, timeout_sec=30.0)
    assert task.result() == 4


def test_a_function_may_return_a_coroutine(
    executor: Any, make_node: Make, spin_until: Make
) -> None:
    # rclpy 9.1.2 awaits coroutine functions only
    seen: list[int] = []

    async def later() -> None:
        seen.append(1)

    node = make_node()
    executor.add_node(node)
    timer = node.create_timer(0.0, lambda: (timer.cancel(), later())[1])
    assert spin_until(executor, lambda: seen, 30.0)


def test_a_time_that_has_come_needs_no_sleep(context: Any) -> None:
    # rclpy 9.1.2 sleeps until simulated time changes next
    clock = ROSClock()
    clock._set_ros_time_is_active(True)
    clock.set_ros_time_override(Time(seconds=3, clock_type=ClockType.ROS_TIME))
    for seconds in (0, 2, 3):
        until = Time(seconds=seconds, clock_type=ClockType.ROS_TIME)
        assert clock.sleep_until(until, context=context)


def test_a_node_that_is_removed_or_destroyed_has_no_executor(
    executor: Any, make_node: Make
) -> None:
    removed, destroyed = make_node('removed'), make_node('destroyed')
    for node in (removed, destroyed):
        executor.add_node(node)
    executor.remove_node(removed)
    destroyed.destroy_node()
    assert removed.executor is None
    assert executor.get_nodes() == []


def test_a_destroyed_rate(make_node: Make, spinning: Make) -> None:
    node = make_node()
    spinning(node)
    rate = node.create_rate(0.01)
    sleeping, slept = threading.Event(), threading.Event()

    def sleep() -> None:
        sleeping.set()
        with suppress(RuntimeError):  # if it is destroyed before the sleep begins
            rate.sleep()
        slept.set()

    threading.Thread(target=sleep, daemon=True).start()
    assert sleeping.wait(60.0)
    node.destroy_rate(rate)
    assert slept.wait(60.0)
    with pytest.raises(RuntimeError, match='Rate cannot sleep because it has been destroyed'):
        rate.sleep()


@pytest.mark.parametrize('value', [Time(seconds=1), Duration(seconds=1)])
def test_times_are_no_keys(value: Any) -> None:
    with pytest.raises(TypeError, match='unhashable type'):
        hash(value)
