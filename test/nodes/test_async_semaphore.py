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

"""Turns of coroutines: how many at a time, in which order, and what becomes of those stopped."""

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.task import Future

from mbd_ros.nodes.serving.async_semaphore import AsyncSemaphore

pytestmark = pytest.mark.nodes


@pytest.fixture
def executor():
    context = Context()
    rclpy.init(args=[], context=context)
    yield SingleThreadedExecutor(context=context)
    rclpy.try_shutdown(context=context)


class Visitor:
    """A coroutine that stays in the block until it is told to leave."""

    def __init__(self, executor, turns, seen, cost=0.0, client=0):
        self.cost, self.client = cost, client
        self.leave = Future()
        self.seen = seen
        self.task = executor.create_task(self._visit, turns)
        settle(executor)   # it has come before the next; executors run the newest task first

    async def _visit(self, turns):
        async with turns.of(self.cost, self.client):
            self.seen.append(self)
            await self.leave


def settle(executor):
    """Run what can run."""
    for _ in range(20):
        executor.spin_once(timeout_sec=0)


@pytest.mark.parametrize('count', [1, 3])
def test_as_many_as_allowed_in_the_order_in_which_they_came(executor, count):
    turns, seen = AsyncSemaphore(count), []
    visitors = [Visitor(executor, turns, seen) for _ in range(7)]
    for left in range(7):
        settle(executor)
        assert seen == visitors[:left + count]
        seen[left].leave.set_result(None)
    settle(executor)
    assert all(visitor.task.done() for visitor in visitors)


def test_a_turn_that_ends_with_an_exception_is_given_on(executor):
    turns, seen = AsyncSemaphore(1), []
    first, second = (Visitor(executor, turns, seen) for _ in range(2))
    settle(executor)
    first.leave.set_exception(KeyError('my own'))
    with pytest.raises(KeyError, match='my own'):
        settle(executor)
    settle(executor)
    assert seen == [first, second]


@pytest.mark.parametrize('given', [False, True])
def test_who_is_stopped_while_waiting_keeps_no_turn(executor, given):
    turns, seen = AsyncSemaphore(1), []
    first, second, third = (Visitor(executor, turns, seen) for _ in range(3))
    settle(executor)
    if given:   # it has the turn, but has not run since
        first.leave.set_result(None)
        executor.spin_once(timeout_sec=0)
    second.task.cancel()
    first.leave.set_result(None)
    settle(executor)
    assert seen == [first, third]


def test_what_is_short_comes_first_and_nothing_waits_for_ever(executor):
    """
    Of clients of their own.

    Due are, in seconds: 20, 5, 20.5, then at 18 s those of 1 s each, 19 and later.
    """
    now = [0.0]
    turns, seen = AsyncSemaphore(1, clock=lambda: now[0]), []
    running = Visitor(executor, turns, seen)
    settle(executor)
    long, short, other = (Visitor(executor, turns, seen, cost, client)
                          for client, cost in enumerate((20.0, 5.0, 20.5)))
    settle(executor)
    assert len(turns) == 3
    now[0] = 18.0
    late = Visitor(executor, turns, seen, 1.0, 3)
    settle(executor)
    now[0] = 19.5
    later = Visitor(executor, turns, seen, 1.0, 4)
    for expected in (running, short, late, long, other, later):
        settle(executor)
        assert seen[-1] is expected
        expected.leave.set_result(None)
    settle(executor)
    assert len(turns) == 0


def test_many_of_one_client_do_not_delay_one_of_another(executor):
    """Each of the twenty is due a second after the one before, that of the other in two."""
    turns, seen = AsyncSemaphore(1, clock=lambda: 0.0), []
    many = [Visitor(executor, turns, seen, 1.0, 1) for _ in range(21)]
    other = Visitor(executor, turns, seen, 2.0, 2)
    for one in (*many[:3], other, *many[3:]):
        settle(executor)
        assert seen[-1] is one
        one.leave.set_result(None)
    settle(executor)
    assert len(turns) == 0


def test_nothing_is_kept_of_clients_that_were_served(executor):
    now = [0.0]
    turns, seen = AsyncSemaphore(1, clock=lambda: now[0]), []
    for client in range(50):
        now[0] += 10.0
        running, waiting = (Visitor(executor, turns, seen, 1.0, client) for _ in range(2))
        for one in (running, waiting):
            one.leave.set_result(None)
            settle(executor)
    assert len(turns._due) == 1
