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

"""Filters of messages."""

from __future__ import annotations

from collections.abc import Callable
import itertools
import random
from typing import Any

import message_filters
from message_filters import (
    ApproximateTimeSynchronizer,
    Cache,
    Chain,
    SimpleFilter,
    TimeSynchronizer,
)
import pytest
import rclpy
from rclpy.clock import ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.time import Time
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Header, String

Make = Callable[..., Any]


def stamped(milliseconds: int) -> Any:
    """Return a message with a stamp."""
    return Stamped(Time(nanoseconds=milliseconds * 1_000_000).to_msg())


class Stamped:
    """A message of no type, with a header."""

    def __init__(self, stamp: Any) -> None:
        self.header = Header(stamp=stamp)


def ms(message: Any) -> int:
    """Return the stamp of a message [ms]."""
    return Time.from_msg(message.header.stamp).nanoseconds // 1_000_000


def at(milliseconds: float) -> Time:
    """Return a time."""
    return Time(nanoseconds=int(milliseconds * 1e6), clock_type=ClockType.ROS_TIME)


def test_callbacks_get_messages_and_what_was_registered() -> None:
    source, got = SimpleFilter(), []
    assert source.registerCallback(lambda *each: got.append(each), 'more', 3) == 0
    assert source.registerCallback(lambda *each: got.append(each)) == 1
    source.signalMessage('a', 'b')
    assert got == [('a', 'b', 'more', 3), ('a', 'b')]


def test_a_cache_is_asked_by_time() -> None:
    source, got = SimpleFilter(), []
    cache = Cache(source, 3)
    cache.registerCallback(got.append)
    assert (cache.getLast(), cache.getLastestTime(), cache.getOldestTime()) == (None, None, None)
    for time in (10, 20, 30, 40):
        source.signalMessage(stamped(time))
    assert [ms(each) for each in got] == [10, 20, 30, 40]
    assert [ms(each) for each in cache.getInterval(at(10), at(30))] == [20, 30]
    assert ms(cache.getElemAfterTime(at(20))) == 20
    assert ms(cache.getElemAfterTime(at(21))) == 30
    assert ms(cache.getElemBeforeTime(at(39))) == 30
    assert cache.getElemBeforeTime(at(19)) is None
    assert cache.getElemAfterTime(at(41)) is None
    assert (cache.getOldestTime(), cache.getLastestTime()) == (at(20), at(40))
    assert ms(cache.getLast()) == 40
    with pytest.raises(AssertionError, match='is empty'):
        cache.getInterval(at(2), at(1))


def test_messages_without_a_header(capfd: Any) -> None:
    source = SimpleFilter()
    strict, lenient = Cache(source), Cache(source, allow_headerless=True)
    source.signalMessage(String())
    assert strict.getLast() is None
    assert lenient.getLast() == String()
    assert "String'> has no header with a stamp and is dropped" in capfd.readouterr().err


def test_chains() -> None:
    source, got = SimpleFilter(), []
    chain = Chain(source)
    chain.registerCallback(got.append)
    source.signalMessage(stamped(1))
    first, second = Cache(SimpleFilter(), 5), Cache(SimpleFilter(), 5)
    chain.addFilter(first)
    chain.addFilter(second)
    assert chain.getFilter(0) is first
    source.signalMessage(stamped(2))
    assert [ms(each) for each in got] == [1, 2]
    assert ms(first.getLast()) == ms(second.getLast()) == 2
    with pytest.raises(RuntimeError, match='Already connected'):
        chain.connectInput(source)


def test_equal_stamps() -> None:
    sources, got = [SimpleFilter(), SimpleFilter(), SimpleFilter()], []
    TimeSynchronizer(sources, 2).registerCallback(lambda *each: got.append([ms(m) for m in each]))
    for time in (1, 2, 3):  # the first is dropped: two are kept
        sources[0].signalMessage(stamped(time))
        sources[1].signalMessage(stamped(time))
    for time in (1, 3, 4, 2):
        sources[2].signalMessage(stamped(time))
    assert got == [[3, 3, 3], [2, 2, 2]]


def test_nearly_equal_stamps() -> None:
    sources, got = [SimpleFilter(), SimpleFilter()], []
    both = ApproximateTimeSynchronizer(sources, 10, 0.010)
    both.registerCallback(lambda *each: got.append(tuple(ms(m) for m in each)))
    for time in (0, 20, 40):
        sources[0].signalMessage(stamped(time))
    for time in (10, 29, 34, 45):  # ten is as far as the slop; 29 is nearer to 20 than to 40
        sources[1].signalMessage(stamped(time))
    assert got == [(20, 29), (40, 34)]
    assert [sorted(queue) for queue in both.queues] == [[0], [10_000_000, 45_000_000]]


def test_sets_span_less_than_the_slop_whatever_comes() -> None:
    # no message is used twice; a set contains the message that completed it, and of those that
    # would do, the nearest for the first filters
    numbers = random.Random(5)
    sources = [SimpleFilter() for _ in range(3)]
    sync = ApproximateTimeSynchronizer(sources, 100, 0.008)
    got: list[tuple[int, ...]] = []
    sync.registerCallback(lambda *each: got.append(tuple(ms(m) for m in each)))
    kept: list[dict[int, None]] = [{}, {}, {}]  # keys in the order they came
    expected: list[tuple[int, ...]] = []
    for _ in range(300):
        index, time = numbers.randrange(3), numbers.randrange(2000)
        kept[index][time] = None
        choices = [
            [time] if each == index else sorted(kept[each], key=lambda t: abs(t - time))
            for each in range(3)
        ]
        for times in itertools.product(*choices):
            near = all(abs(each - time) <= 8 for each in times)
            if near and max(times) - min(times) < 8:
                expected.append(times)
                for each, value in zip(kept, times):
                    del each[value]
                break
        sources[index].signalMessage(stamped(time))
    assert len(expected) > 10
    assert got == expected
    assert all(max(times) - min(times) < 8 for times in got)


def test_old_messages_of_a_full_queue_complete_nothing() -> None:
    sources, got = [SimpleFilter(), SimpleFilter()], []
    sync = ApproximateTimeSynchronizer(sources, 1, 0.1)
    sync.registerCallback(lambda *each: got.append(each))
    sources[0].signalMessage(stamped(1000))
    sources[1].signalMessage(stamped(500))
    sources[0].signalMessage(stamped(510))  # older than the one that is kept: dropped
    assert got == []


def test_subscribers_over_dds() -> None:
    context = rclpy.Context()
    context.init()
    node = Node('filters', context=context)
    got: list[Any] = []
    imu = message_filters.Subscriber(node, Imu, 'imu')
    joints = message_filters.Subscriber(node, JointState, 'joints', qos_profile=5)
    TimeSynchronizer([imu, joints], 10).registerCallback(lambda a, b: got.append((a, b)))
    assert (imu.getTopic(), joints.topic_name) == ('imu', '/joints')
    assert joints.qos_profile.depth == 5
    with pytest.raises(AttributeError, match='no attribute'):
        _ = imu.nonsense
    publishers = [
        node.create_publisher(Imu, 'imu', 10),
        node.create_publisher(JointState, 'joints', 10),
    ]
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    header = Header(stamp=at(7).to_msg())
    for _ in range(2000):
        if all(publisher.get_subscription_count() for publisher in publishers):
            break
        executor.spin_once(timeout_sec=0.02)
    publishers[0].publish(Imu(header=header))
    publishers[1].publish(JointState(header=header, name=['elbow']))
    for _ in range(2000):
        if got:
            break
        executor.spin_once(timeout_sec=0.02)
    assert got[0][1].name == ['elbow']
    executor.shutdown()
    context.shutdown()
