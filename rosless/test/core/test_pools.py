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

"""A pool of threads: what it takes, and when."""

from __future__ import annotations

from collections.abc import Callable
import threading
import time
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor

Make = Callable[..., Any]


def test_no_wake_is_lost(make_node: Make, spinning: Make) -> None:
    node = make_node()
    spinning(node)
    for _ in range(300):
        called = threading.Event()
        timer = node.create_timer(0.0, called.set, ReentrantCallbackGroup())
        assert called.wait(60.0)
        timer.destroy()
        called.clear()
        guard = node.create_guard_condition(called.set, ReentrantCallbackGroup())
        guard.trigger()
        assert called.wait(60.0)
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


def test_what_was_taken_when_a_pool_was_shut_down(context: Any, make_node: Make) -> None:
    """Nothing is left to run afterwards, and nothing is started that was taken meanwhile."""
    node = make_node()
    group = MutuallyExclusiveCallbackGroup()
    calls: list[None] = []
    timer = node.create_timer(0.0, lambda: calls.append(None), group)
    pool = MultiThreadedExecutor(2, context=context)
    pool.add_node(node)
    work = pool._next_work(1.0, None, None)
    assert work.entity is timer
    assert pool.shutdown(timeout_sec=5.0)
    pool._execute(work)
    assert not calls
    assert group.can_execute(timer)  # it was given back
    pool.spin_once(timeout_sec=0.0)
    assert pool._queue._waiter is None  # and stays closed
    assert pool._queue.next((node,)) is None
