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

"""Waitables of one's own: with guard conditions, timers and subscriptions."""

from __future__ import annotations

from collections.abc import Callable
import threading
import time
from typing import Any

import pytest
from rclpy.absent import NotInRosless
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.task import Future
from rclpy.waitable import NumberOfEntities, Waitable
from std_msgs.msg import Int64

Make = Callable[..., Any]


class Mailbox(Waitable[Any]):
    """Gets what other threads put into it."""

    def __init__(self, node: Any, group: Any = None) -> None:
        super().__init__(group or ReentrantCallbackGroup())
        self.guard = node.create_guard_condition(None)
        self.letters: list[str] = []
        self.read: list[Any] = []

    def put(self, letter: str) -> None:
        """Leave a letter."""
        self.letters.append(letter)
        self.guard.trigger()

    def add_to_wait_set(self, wait_set: Any) -> None:
        """Add the guard condition."""
        self.index = wait_set.add_guard_condition(self.guard)

    def is_ready(self, wait_set: Any) -> bool:
        """Tell whether there is a letter."""
        return wait_set.is_ready('guard_condition', self.index) or bool(self.letters)

    def take_data(self) -> Any:
        """Take a letter."""
        return self.letters.pop(0)

    async def execute(self, taken_data: Any) -> None:
        """Read it."""
        self.read.append(taken_data)

    def get_num_entities(self) -> NumberOfEntities:
        """Return one guard condition."""
        return NumberOfEntities(num_gcs=1)


class Alarm(Mailbox):
    """A timer instead."""

    def __init__(self, node: Any) -> None:
        super().__init__(node)
        self.timer = node.create_timer(0.02, None, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def add_to_wait_set(self, wait_set: Any) -> None:
        """Add the timer."""
        self.index = wait_set.add_timer(self.timer)

    def is_ready(self, wait_set: Any) -> bool:
        """Tell whether the time has come."""
        return wait_set.is_ready('timer', self.index)

    def take_data(self) -> Any:
        """Take the time."""
        return time.monotonic()


class Pairs(Mailbox):
    """Two subscriptions, whose messages are taken together."""

    def __init__(self, node: Any) -> None:
        super().__init__(node)
        self.subscriptions = [node.create_subscription(Int64, t, print, 10) for t in 'ab']

    def add_to_wait_set(self, wait_set: Any) -> None:
        """Add the subscriptions."""
        self.indices = [wait_set.add_subscription(each) for each in self.subscriptions]

    def is_ready(self, wait_set: Any) -> bool:
        """Tell whether both have a message."""
        return all(wait_set.is_ready('subscription', index) for index in self.indices)

    def take_data(self) -> Any:
        """Take a pair."""
        return tuple(each.take()[0].data for each in self.subscriptions)


def test_a_guard_condition_of_another_thread(make_node: Make, spinning: Make) -> None:
    node = make_node('node')
    mailbox = Mailbox(node)
    node.add_waitable(mailbox)
    assert list(node.waitables) == [mailbox]
    with spinning(node):
        time.sleep(0.05)  # the executor sleeps
        threading.Thread(target=mailbox.put, args=('first',)).start()
        limit = time.monotonic() + 60.0
        while not mailbox.read and time.monotonic() < limit:
            time.sleep(0.002)
        assert mailbox.read == ['first']


def test_added_and_removed_while_spinning(
    executor: Any, make_node: Make, spin_until: Make
) -> None:
    node = make_node('node')
    executor.add_node(node)
    executor.spin_once(timeout_sec=0)
    mailbox = Mailbox(node)
    node.add_waitable(mailbox)
    mailbox.put('a')
    mailbox.put('b')
    assert spin_until(executor, lambda: mailbox.read == ['a', 'b'])
    node.remove_waitable(mailbox)
    mailbox.put('c')
    assert not spin_until(executor, lambda: mailbox.letters == [], timeout=0.05)
    assert list(node.waitables) == []


def test_timers(executor: Any, make_node: Make, spin_until: Make) -> None:
    node = make_node('node')
    executor.add_node(node)
    begin = time.monotonic()
    alarm = Alarm(node)
    node.add_waitable(alarm)
    assert spin_until(executor, lambda: len(alarm.read) == 4)
    assert time.monotonic() - begin > 0.07
    node.destroy_node()
    assert alarm.timer.destroyed


def test_subscriptions(executor: Any, make_node: Make, spin_until: Make) -> None:
    node = make_node('node')
    executor.add_node(node)
    pairs = Pairs(node)
    node.add_waitable(pairs)
    publishers = [node.create_publisher(Int64, topic, 10) for topic in 'ab']
    assert spin_until(executor, lambda: all(p.get_subscription_count() for p in publishers))
    for number in range(3):
        publishers[0].publish(Int64(data=number))
    assert not spin_until(executor, lambda: pairs.read, timeout=0.05)
    for number in range(3):
        publishers[1].publish(Int64(data=-number))
    assert spin_until(executor, lambda: pairs.read == [(0, 0), (1, -1), (2, -2)])


def test_its_group_holds_while_it_waits(
    executor: Any, make_node: Make, spin_until: Make
) -> None:
    node = make_node('node')
    executor.add_node(node)
    gate = Future()

    class Slow(Mailbox):
        async def execute(self, taken_data: Any) -> None:
            self.read.append(taken_data)
            await gate

    slow = Slow(node, MutuallyExclusiveCallbackGroup())
    node.add_waitable(slow)
    slow.put('a')
    slow.put('b')
    assert not spin_until(executor, lambda: slow.read == ['a', 'b'], timeout=0.05)
    begin = time.thread_time()
    executor.spin_once(timeout_sec=2.0)
    assert time.thread_time() - begin < 0.1  # asleep, though a letter is there
    gate.set_result(None)
    assert spin_until(executor, lambda: slow.read == ['a', 'b'])


def test_what_a_wait_set_does_not_take(make_node: Make) -> None:
    node = make_node('node')

    class Odd(Mailbox):
        def add_to_wait_set(self, wait_set: Any) -> None:
            with pytest.raises(NotInRosless, match='rosless'):
                wait_set.add_event(object())
            wait_set.add_timer(self.guard)

    with pytest.raises(TypeError, match=r'Expected a Timer, got .*GuardCondition'):
        node.add_waitable(Odd(node))


def test_the_base_class_says_what_is_missing() -> None:
    waitable: Any = Waitable(ReentrantCallbackGroup())
    calls = [
        waitable.__enter__,
        lambda: waitable.__exit__(None, None, None),
        lambda: waitable.is_ready(None),
        waitable.take_data,
        lambda: waitable.execute(None).send(None),
        waitable.get_num_entities,
        lambda: waitable.add_to_wait_set(None),
    ]
    for call in calls:
        with pytest.raises(NotImplementedError, match='Must be implemented by subclass'):
            call()
    future = Future()
    waitable.add_future(future)
    waitable.remove_future(future)
    with pytest.raises(ValueError, match='not in list'):
        waitable.remove_future(future)


def test_numbers_of_entities() -> None:
    total = NumberOfEntities(1, 2, 3, 4, 5, 6) + NumberOfEntities(10, 20, 30, 40, 50, 60)
    assert repr(total) == '<NumberOfEntities(11, 22, 33, 44, 55, 66)>'
    total += NumberOfEntities(num_events=1)
    assert total.num_events == 67
