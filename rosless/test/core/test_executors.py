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

"""Executors, tasks, futures, timers and callback groups."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
import threading
import time
from typing import Any

import pytest
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import ROSInterruptException
from rclpy.executors import (
    ExternalShutdownException,
    MultiThreadedExecutor,
    SingleThreadedExecutor,
    TimeoutException,
)
from rclpy.task import Future, Task
from rclpy.timer import TimerInfo
from rosless.dds.waiter import Waiter
from std_msgs.msg import String

Make = Callable[..., Any]
PERIOD = 20_000_000  # ns, of the timers whose calls are looked at


def test_a_task_runs(executor: Any, spin_until: Make) -> None:
    task = executor.create_task(lambda a, b: a + b, 1, b=2)
    assert not task.done()
    executor.spin_once(timeout_sec=0)
    assert task.done()
    assert task.result() == 3


def test_a_coroutine_waits_for_a_future(executor: Any, spin_until: Make) -> None:
    future: Future = Future()

    async def wait() -> str:
        return 'got ' + await future

    task = executor.create_task(wait)
    executor.spin_once(timeout_sec=0)
    assert not task.done()
    threading.Timer(0.05, lambda: future.set_result('it')).start()
    executor.spin_until_future_complete(task, timeout_sec=60.0)
    assert task.result() == 'got it'


def test_coroutines_take_turns(executor: Any, spin_until: Make) -> None:
    steps = []

    async def count(name: str) -> None:
        for number in range(3):
            steps.append(f'{name}{number}')
            await asyncio.sleep(0)

    tasks = [executor.create_task(count, name) for name in 'ab']
    assert spin_until(executor, lambda: all(task.done() for task in tasks))
    # the newest first, as in ROS 2
    assert steps == ['b0', 'a0', 'a1', 'b1', 'b2', 'a2']


def test_a_waiting_coroutine_takes_no_processor_time(executor: Any) -> None:
    async def wait() -> None:
        await Future()

    executor.create_task(wait)
    executor.spin_once(timeout_sec=0)
    begin = time.thread_time()
    executor.spin_once(timeout_sec=2.0)
    # a look at the tasks; polling would take what other programs leave of the 2 s
    assert time.thread_time() - begin < 0.1


def test_spin_once_times_out(executor: Any, make_node: Make) -> None:
    executor.add_node(make_node())
    for _ in range(20):  # what the new node brings along is looked at first
        executor.spin_once(timeout_sec=0)
    begin = time.monotonic()
    executor.spin_once(timeout_sec=0.1)
    assert 0.09 < time.monotonic() - begin < 60.0
    with pytest.raises(TimeoutException):
        executor.wait_for_ready_callbacks(timeout_sec=0.01)


def test_spin_until_future_complete_times_out(executor: Any) -> None:
    begin = time.monotonic()
    executor.spin_until_future_complete(Future(), timeout_sec=0.1)
    assert 0.09 < time.monotonic() - begin < 60.0


def test_an_exception_in_a_callback_leaves_spin(executor: Any, make_node: Make) -> None:
    node = make_node()
    executor.add_node(node)

    def fail() -> None:
        raise KeyError('my own')

    timer = node.create_timer(0.01, fail)
    with pytest.raises(KeyError, match='my own'):
        executor.spin()
    timer.cancel()
    executor.spin_once(timeout_sec=0)


def test_an_exception_in_a_pool_thread_leaves_spin(context: Any, make_node: Make) -> None:
    node = make_node()
    pool = MultiThreadedExecutor(2, context=context)
    pool.add_node(node)

    def fail() -> None:
        raise KeyError('my own')

    node.create_timer(0.01, fail)
    with pytest.raises(KeyError, match='my own'):
        pool.spin()
    assert pool.shutdown(timeout_sec=60.0)


def test_shutdown_of_the_context_ends_spin(context: Any, make_node: Make) -> None:
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(make_node())
    threading.Timer(0.1, context.try_shutdown).start()
    with pytest.raises(ExternalShutdownException):
        executor.spin()  # nothing else would ever wake it


def test_shutdown_of_the_executor_ends_spin(context: Any, make_node: Make) -> None:
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(make_node())
    threading.Timer(0.1, executor.shutdown).start()
    executor.spin()  # nothing else would ever wake it


def test_shutdown_waits_for_callbacks(context: Any, make_node: Make) -> None:
    node = make_node()
    pool = MultiThreadedExecutor(2, context=context)
    pool.add_node(node)
    started, may_end, ended = (threading.Event() for _ in range(3))

    def work() -> None:
        started.set()
        may_end.wait(60.0)
        time.sleep(0.05)
        ended.set()

    node.create_timer(0.01, work)
    thread = threading.Thread(target=pool.spin, daemon=True)
    thread.start()
    assert started.wait(60.0)
    assert not pool.shutdown(timeout_sec=0.01)
    may_end.set()
    assert pool.shutdown(timeout_sec=60.0)
    assert ended.is_set()
    thread.join(timeout=60.0)


def teller(told: list[TimerInfo]) -> Callable[..., None]:
    """Return a timer callback that keeps what it gets, for which its argument is annotated."""

    def tell(info):  # type: ignore[no-untyped-def]
        told.append(info)

    tell.__annotations__['info'] = TimerInfo  # the class: here annotations are text otherwise
    return tell


def test_timers_keep_their_rate(executor: Any, make_node: Make, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    told: list[TimerInfo] = []
    begin = node.get_clock().now().nanoseconds
    node.create_timer(0.02, teller(told))
    assert spin_until(executor, lambda: len(told) >= 25)
    due = [info.expected_call_time for info in told]
    assert due[0] - begin >= PERIOD
    for info, following in zip(told, due[1:]):
        # late calls do not add up, and those that are later than a period are left out
        assert info.actual_call_time >= info.expected_call_time
        gap = following - info.expected_call_time
        assert gap % PERIOD == 0
        assert gap == PERIOD or 0 < following - info.actual_call_time <= PERIOD


def test_a_late_timer_skips(executor: Any, make_node: Make, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    told: list[TimerInfo] = []
    node.create_timer(0.02, teller(told))
    time.sleep(0.2)
    assert spin_until(executor, lambda: len(told) == 2)
    late, following = told
    assert late.actual_call_time - late.expected_call_time > 8 * PERIOD
    assert following.expected_call_time >= late.actual_call_time


def test_cancel_and_reset(executor: Any, make_node: Make, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    calls: list[int] = []
    timer = node.create_timer(0.01, lambda: calls.append(1))
    assert spin_until(executor, lambda: calls)
    timer.cancel()
    assert timer.is_canceled()
    assert timer.time_until_next_call() is None
    calls.clear()
    assert not spin_until(executor, lambda: calls, 0.05)
    timer.reset()
    assert timer.time_until_next_call() <= 10_000_000
    assert spin_until(executor, lambda: calls)
    assert timer.time_since_last_call() >= 0
    timer.timer_period_ns = 10**12
    assert timer.time_until_next_call() > 10**11


def test_a_timer_on_steady_time(executor: Any, make_node: Make, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    calls: list[int] = []
    clock = Clock(clock_type=ClockType.STEADY_TIME)
    node.create_timer(0.01, lambda: calls.append(1), clock=clock)
    assert spin_until(executor, lambda: len(calls) == 3)


def test_guard_conditions(executor: Any, make_node: Make, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    calls: list[int] = []
    guard = node.create_guard_condition(lambda: calls.append(1))
    executor.spin_once(timeout_sec=0)
    assert calls == []
    threading.Timer(0.05, guard.trigger).start()
    assert spin_until(executor, lambda: calls == [1])
    guard.destroy()
    assert list(node.guards) == []


@pytest.fixture
def count_together(make_node: Make, spinning: Make, wait_until: Make) -> Make:
    """Return a function that counts how many callbacks of several groups run at a time."""

    def count(groups: list[Any]) -> int:
        node, lock = make_node(), threading.Lock()
        running, most, ended = 0, 0, 0

        def work() -> None:
            nonlocal running, most, ended
            with lock:
                running += 1
                most = max(most, running)
            time.sleep(0.02)
            with lock:
                running -= 1
                ended += 1

        for group in groups:
            node.create_timer(0.01, work, callback_group=group)
        spinning(node, num_threads=3)
        assert wait_until(lambda: most > 1 or ended >= 20)  # a busy machine may need some calls
        return most

    return count


def test_one_at_a_time_in_a_mutually_exclusive_group(count_together: Make) -> None:
    assert count_together([MutuallyExclusiveCallbackGroup()] * 3) == 1


def test_the_default_group_is_mutually_exclusive(count_together: Make) -> None:
    assert count_together([None] * 3) == 1


def test_several_groups_run_side_by_side(count_together: Make) -> None:
    assert count_together([MutuallyExclusiveCallbackGroup() for _ in range(3)]) >= 2


def test_a_reentrant_group_runs_side_by_side_with_itself(count_together: Make) -> None:
    assert count_together([ReentrantCallbackGroup()]) >= 2


def test_a_coroutine_holds_its_group(executor: Any, make_node: Make, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    group = MutuallyExclusiveCallbackGroup()
    future: Future = Future()
    calls: list[str] = []

    async def slow() -> None:
        first.cancel()
        await future
        calls.append('slow')

    first = node.create_timer(0.01, slow, callback_group=group)
    second = node.create_timer(0.02, lambda: calls.append('other'), callback_group=group)
    assert not spin_until(executor, lambda: calls, 0.1)
    future.set_result(None)
    assert spin_until(executor, lambda: len(calls) >= 2)
    assert calls[0] == 'slow'
    second.cancel()


def test_a_node_changes_its_executor(context: Any, make_node: Make, spin_until: Make) -> None:
    node = make_node()
    one, other = (SingleThreadedExecutor(context=context) for _ in range(2))
    calls: list[int] = []
    node.create_timer(0.01, lambda: calls.append(1))
    assert one.add_node(node)
    assert not one.add_node(node)
    assert spin_until(one, lambda: calls)
    other.add_node(node)
    assert one.get_nodes() == []
    assert node.executor is other
    calls.clear()
    assert spin_until(other, lambda: calls)
    other.remove_node(node)
    assert node.executor is None
    for each in (one, other):
        assert each.shutdown()


def test_entities_made_while_spinning_are_noticed(make_node: Make, spinning: Make) -> None:
    node = make_node()
    spinning(node)
    time.sleep(0.05)
    called = threading.Event()
    node.create_timer(0.01, called.set)
    assert called.wait(60.0)


def test_who_always_has_data_starves_nobody(
    executor: Any, make_node: Make, spin_until: Make
) -> None:
    node = make_node('node')
    executor.add_node(node)
    echo = node.create_publisher(String, 'echo', 1)
    other = node.create_publisher(String, 'other', 1)
    rounds: list[Any] = []
    heard: list[int] = []

    def again(message: Any) -> None:
        rounds.append(message)
        echo.publish(message)
        if len(rounds) == 100:
            other.publish(message)

    node.create_subscription(String, 'echo', again, 1)
    node.create_subscription(String, 'other', lambda _: heard.append(len(rounds)), 1)
    assert spin_until(executor, lambda: echo.get_subscription_count() == 1)
    echo.publish(String())
    assert spin_until(executor, lambda: heard)
    assert heard[0] <= 100 + 3  # rounds: the next look is in the second one after


def test_an_eager_wait_polls_while_answers_come_soon(context: Any, wait_until: Make) -> None:
    waiter = Waiter(context.participant.ref)

    def found_soon() -> bool:
        waiter.wake()
        assert waiter.wait(None, eagerly=True) == []
        return waiter._polling_pays

    try:
        assert waiter.wait(0.01, eagerly=True) == []
        assert not waiter._polling_pays  # nothing came in time
        begin = time.thread_time()
        assert waiter.wait(2.0, eagerly=True) == []
        assert time.thread_time() - begin < 0.1  # it slept
        assert wait_until(found_soon)  # not at once on a machine that is busy just then
        assert wait_until(found_soon)  # found by polling, and used up:
        begin = time.monotonic()
        assert waiter.wait(0.05) == []
        assert time.monotonic() - begin > 0.04
    finally:
        waiter.close()


def test_done_callbacks_run_in_the_executor(executor: Any) -> None:
    future: Future = Future(executor=executor)
    seen: list[Any] = []
    future.add_done_callback(lambda f: seen.append(f.result()))
    future.set_result(7)
    assert seen == []
    executor.spin_once(timeout_sec=0)
    assert seen == [7]


def test_a_cancelled_future_is_waited_for_no_longer(executor: Any) -> None:
    future: Future = Future(executor=executor)
    executor.create_task(future.cancel)
    executor.spin_until_future_complete(future)  # for ever, if the end went unnoticed

    async def wait() -> Any:
        return await future

    task = executor.create_task(wait)
    executor.spin_until_future_complete(task, timeout_sec=60.0)
    assert task.done()
    assert task.result() is None


def test_futures() -> None:
    future: Future = Future()
    assert not future.done()
    assert future.result() is None
    future.cancel()
    assert future.cancelled()
    assert not future.done()  # "finished": as in ROS 2, a cancelled future is not
    failed: Future = Future()
    failed.set_exception(ValueError('x'))
    with pytest.raises(ValueError, match='x'):
        failed.result()
    assert isinstance(failed.exception(), ValueError)


def test_forgotten_exceptions_are_told(capsys: Any) -> None:
    future: Future = Future()
    future.set_exception(ValueError('lost'))
    del future
    assert "never retrieved: ValueError('lost')" in capsys.readouterr().err


def test_a_task_without_executor() -> None:
    task = Task(lambda: 5)
    task()
    assert task.result() == 5


def test_rates_sleep(make_node: Make, spinning: Make, context: Any) -> None:
    node = make_node()
    spinning(node)
    begin = time.monotonic()
    rate = node.create_rate(50.0)
    for _ in range(10):
        rate.sleep()
    assert 0.19 < time.monotonic() - begin < 60.0  # ten ticks, each a period after the one before
    threading.Timer(0.05, rate.destroy).start()
    slow = node.create_rate(0.1)
    threading.Timer(0.1, context.try_shutdown).start()
    with pytest.raises(ROSInterruptException):
        slow.sleep()


def test_clock_sleep(context: Any) -> None:
    from rclpy.duration import Duration

    clock = Clock(clock_type=ClockType.STEADY_TIME)
    begin = time.monotonic()
    assert clock.sleep_for(Duration(seconds=0.05), context)
    assert 0.05 <= time.monotonic() - begin < 60.0
    threading.Timer(0.05, context.try_shutdown).start()
    assert not clock.sleep_for(Duration(seconds=600), context)
