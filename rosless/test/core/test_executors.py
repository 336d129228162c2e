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
from rosless.dds.waiter import Waiter
from std_msgs.msg import String

Make = Callable[..., Any]


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
    executor.spin_until_future_complete(task, timeout_sec=2.0)
    assert task.result() == 'got it'


def test_coroutines_take_turns(executor: Any, spin_until: Make) -> None:
    steps = []

    async def count(name: str) -> None:
        for number in range(3):
            steps.append(f'{name}{number}')
            await asyncio.sleep(0)

    tasks = [executor.create_task(count, name) for name in 'ab']
    assert spin_until(executor, lambda: all(task.done() for task in tasks))
    assert steps == ['a0', 'b0', 'a1', 'b1', 'a2', 'b2']


def test_a_waiting_coroutine_takes_no_processor_time(executor: Any) -> None:
    async def wait() -> None:
        await Future()

    executor.create_task(wait)
    executor.spin_once(timeout_sec=0)
    begin = time.process_time()
    executor.spin_once(timeout_sec=0.3)
    assert time.process_time() - begin < 0.1  # polling would take the whole 0.3 s


def test_spin_once_times_out(executor: Any, make_node: Make) -> None:
    executor.add_node(make_node())
    for _ in range(20):  # what the new node brings along is looked at first
        executor.spin_once(timeout_sec=0)
    begin = time.monotonic()
    executor.spin_once(timeout_sec=0.1)
    assert 0.09 < time.monotonic() - begin < 0.4
    with pytest.raises(TimeoutException):
        executor.wait_for_ready_callbacks(timeout_sec=0.01)


def test_spin_until_future_complete_times_out(executor: Any) -> None:
    begin = time.monotonic()
    executor.spin_until_future_complete(Future(), timeout_sec=0.1)
    assert 0.09 < time.monotonic() - begin < 0.4


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
    assert pool.shutdown(timeout_sec=1.0)


def test_shutdown_of_the_context_ends_spin(context: Any, make_node: Make) -> None:
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(make_node())
    threading.Timer(0.1, context.try_shutdown).start()
    begin = time.monotonic()
    with pytest.raises(ExternalShutdownException):
        executor.spin()
    assert time.monotonic() - begin < 0.5


def test_shutdown_of_the_executor_ends_spin(context: Any, make_node: Make) -> None:
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(make_node())
    threading.Timer(0.1, executor.shutdown).start()
    begin = time.monotonic()
    executor.spin()
    assert time.monotonic() - begin < 0.5


def test_shutdown_waits_for_callbacks(context: Any, make_node: Make) -> None:
    node = make_node()
    pool = MultiThreadedExecutor(2, context=context)
    pool.add_node(node)
    started, ended = threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        time.sleep(0.2)
        ended.set()

    node.create_timer(0.01, work)
    thread = threading.Thread(target=pool.spin, daemon=True)
    thread.start()
    assert started.wait(2.0)
    assert not pool.shutdown(timeout_sec=0.01)
    assert pool.shutdown(timeout_sec=2.0)
    assert ended.is_set()
    thread.join(timeout=2.0)


def test_timers_keep_their_rate(executor: Any, make_node: Make, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    times: list[float] = []
    node.create_timer(0.02, lambda: times.append(time.monotonic()))
    begin = time.monotonic()
    assert spin_until(executor, lambda: len(times) >= 25)
    # late calls do not add up: 25 periods of 20 ms, and at most a few late at the end
    assert 0.48 < times[24] - begin < 0.65


def test_a_late_timer_skips(executor: Any, make_node: Make, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    calls: list[float] = []
    node.create_timer(0.02, lambda: calls.append(time.monotonic()))
    time.sleep(0.2)
    limit = time.monotonic() + 0.05
    while time.monotonic() < limit:
        executor.spin_once(timeout_sec=0.005)
    assert 1 <= len(calls) <= 4


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
    assert 0 < timer.time_until_next_call() <= 10_000_000
    assert spin_until(executor, lambda: calls)
    assert timer.time_since_last_call() >= 0
    timer.timer_period_ns = 10**9
    assert timer.time_until_next_call() > 10**8


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


def count_together(node: Any, groups: list[Any], spinning: Make) -> int:
    """Return how many of several callbacks ran at the same time."""
    lock = threading.Lock()
    running, most, ended = 0, 0, 0

    def work() -> None:
        nonlocal running, most, ended
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.05)
        with lock:
            running -= 1
            ended += 1

    for group in groups:
        node.create_timer(0.01, work, callback_group=group)
    spinning(node, num_threads=3)
    limit = time.monotonic() + 5.0
    while ended < 6 and time.monotonic() < limit:
        time.sleep(0.01)
    assert ended >= 6
    return most


def test_one_at_a_time_in_a_mutually_exclusive_group(make_node: Make, spinning: Make) -> None:
    group = MutuallyExclusiveCallbackGroup()
    assert count_together(make_node(), [group] * 3, spinning) == 1


def test_the_default_group_is_mutually_exclusive(make_node: Make, spinning: Make) -> None:
    assert count_together(make_node(), [None] * 3, spinning) == 1


def test_several_groups_run_side_by_side(make_node: Make, spinning: Make) -> None:
    groups = [MutuallyExclusiveCallbackGroup() for _ in range(3)]
    assert count_together(make_node(), groups, spinning) >= 2


def test_a_reentrant_group_runs_side_by_side_with_itself(make_node: Make, spinning: Make) -> None:
    assert count_together(make_node(), [ReentrantCallbackGroup()], spinning) >= 2


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
    assert called.wait(2.0)


def test_no_wake_is_lost(make_node: Make, spinning: Make) -> None:
    node = make_node()
    spinning(node)
    for _ in range(300):
        called = threading.Event()
        timer = node.create_timer(0.0, called.set, ReentrantCallbackGroup())
        assert called.wait(5.0)
        timer.destroy()
        called.clear()
        guard = node.create_guard_condition(called.set, ReentrantCallbackGroup())
        guard.trigger()
        assert called.wait(5.0)
        guard.destroy()


def test_calls_do_not_pile_up_in_the_pool(
    make_node: Make, spinning: Make, wait_until: Make
) -> None:
    node = make_node()
    spinning(node, num_threads=2)
    started: list[float] = []

    def slow() -> None:
        started.append(time.monotonic())
        time.sleep(0.02)

    timer = node.create_timer(0.0, slow, ReentrantCallbackGroup())  # always due
    assert wait_until(lambda: len(started) > 4)
    timer.destroy()
    before = len(started)
    time.sleep(0.2)
    assert len(started) <= before + 2  # one for each thread was on its way


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


def test_an_eager_wait_polls_while_answers_come_soon(context: Any) -> None:
    waiter = Waiter(context.participant.ref)
    try:
        assert waiter.wait(0.01, eagerly=True) == []
        assert not waiter._polling_pays  # nothing came in time
        begin = time.process_time()
        assert waiter.wait(0.2, eagerly=True) == []
        assert time.process_time() - begin < 0.1  # it slept
        waiter.wake()
        assert waiter.wait(None, eagerly=True) == []
        assert waiter._polling_pays
        waiter.wake()
        assert waiter.wait(None, eagerly=True) == []  # found by polling, and used up:
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
    begin = time.monotonic()
    executor.spin_until_future_complete(future, timeout_sec=5.0)
    assert time.monotonic() - begin < 2.0

    async def wait() -> Any:
        return await future

    task = executor.create_task(wait)
    executor.spin_until_future_complete(task, timeout_sec=5.0)
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
    rate = node.create_rate(50.0)
    begin = time.monotonic()
    for _ in range(10):
        rate.sleep()
    assert 0.15 < time.monotonic() - begin < 0.5
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
    assert 0.05 <= time.monotonic() - begin < 0.3
    threading.Timer(0.05, context.try_shutdown).start()
    assert not clock.sleep_for(Duration(seconds=5), context)
