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

"""Clocks, jumps, timers and who tells the time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rclpy import time_source
from rclpy._rclpy_pybind11 import RCLError
from rclpy.clock import Clock, ClockChange, JumpHandle, JumpThreshold, ROSClock, TimeJump
from rclpy.clock_type import ClockType
from rclpy.duration import Duration, Infinite
from rclpy.time import Time
from rclpy.timer import TimerInfo

Make = Callable[..., Any]


def test_timers_tell_when_they_were_due(
    make_node: Make, executor: Any, spin_until: Make
) -> None:
    node = make_node()
    executor.add_node(node)
    told: list[TimerInfo] = []

    def tell(info):  # type: ignore[no-untyped-def]  # annotated below, as text is no annotation
        told.append(info)

    tell.__annotations__['info'] = TimerInfo
    timer = node.create_timer(0.01, tell, autostart=False)
    executor.spin_once(timeout_sec=0.05)
    assert told == []
    assert timer.is_canceled()
    assert not timer.is_ready()
    timer.timer_period_ns = 20_000_000
    assert timer.timer_period_ns == 20_000_000
    timer.reset()
    assert spin_until(executor, lambda: len(told) == 2)
    assert told[0].expected_call_time <= told[0].actual_call_time
    assert told[1].expected_call_time - told[0].expected_call_time >= 20_000_000


def test_only_an_annotation_asks_for_the_info(make_node: Make, executor: Any) -> None:
    # found in rclpy 9.1.2, where the annotation has to be the class
    def plain(info: Any) -> None:
        raise AssertionError('called')

    def as_text(info: TimerInfo) -> None:
        raise AssertionError('called')

    node = make_node()
    executor.add_node(node)
    for callback in (plain, as_text):
        timer = node.create_timer(0.0, callback)
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'info'"):
            executor.spin_once(timeout_sec=5.0)
        timer.destroy()


def test_sums_of_durations() -> None:
    second, half = Duration(seconds=1), Duration(seconds=0.5)
    assert second + half == Duration(nanoseconds=1_500_000_000)
    assert half - second == Duration(seconds=-0.5)
    assert second * 3 == Duration(seconds=3)
    assert second * 0.25 == Duration(seconds=0.25)
    assert second * float('inf') == Infinite
    for wrong in (lambda: second + 1, lambda: second - 1, lambda: second * 'x'):
        with pytest.raises(TypeError, match=r'unsupported operand|non-int'):
            wrong()


def test_a_period_is_not_negative(make_node: Make) -> None:
    with pytest.raises(RCLError, match='timer period must be non-negative'):
        make_node('node').create_timer(-1.0, print)


def test_clocks_and_jumps() -> None:
    clock = ROSClock()
    clock._set_ros_time_is_active(True)
    jumps: list[Any] = []
    threshold = JumpThreshold(
        min_forward=Duration(nanoseconds=1), min_backward=Duration(nanoseconds=-1)
    )
    handle = clock.create_jump_callback(threshold, post_callback=jumps.append)
    assert isinstance(handle, JumpHandle)
    clock.set_ros_time_override(Time(seconds=5, clock_type=ClockType.ROS_TIME))
    handle.unregister()
    clock.set_ros_time_override(Time(seconds=9, clock_type=ClockType.ROS_TIME))
    assert [jump.delta for jump in jumps] == [Duration(seconds=5)]
    jump = TimeJump(ClockChange.ROS_TIME_NO_CHANGE, Duration(seconds=5))
    assert (jump.clock_change, jump.delta.nanoseconds) == (1, 5 * 10**9)
    assert Infinite.nanoseconds == 2**63 - 1


def test_sleeping_until_a_time(context: Any) -> None:
    for clock in (Clock(clock_type=ClockType.STEADY_TIME), ROSClock()):
        until = clock.now() + Duration(nanoseconds=10_000_000)
        assert clock.sleep_until(until, context)
        assert clock.now() >= until


def test_time_sources_feed_clocks(make_node: Make) -> None:
    node = make_node()
    source = time_source.TimeSource(node=node)
    clock = ROSClock()
    source.attach_clock(clock)
    source.ros_time_is_active = True
    assert source.ros_time_is_active
    message = Time(seconds=3).to_msg()
    source.clock_callback(type('Clock', (), {'clock': message})())
    assert clock.now().nanoseconds == 3 * 10**9
    message.sec = -1   # no time: passed over
    source.clock_callback(type('Clock', (), {'clock': message})())
    assert clock.now().nanoseconds == 3 * 10**9
    source.detach_node()
    source.attach_node(node)
    assert (time_source.CLOCK_TOPIC, time_source.USE_SIM_TIME_NAME) == ('/clock', 'use_sim_time')
