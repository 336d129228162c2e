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

"""Simulated time: /clock, timers, jumps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rclpy.clock import ClockChange, ClockType, JumpThreshold, ROSClock
from rclpy.duration import Duration
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.time import Time
from rosgraph_msgs.msg import Clock

Make = Callable[..., Any]
SIMULATED = [Parameter('use_sim_time', value=True)]


@pytest.fixture
def simulation(make_node: Make, executor: Any, spin_until: Make) -> Any:
    """Return a node on simulated time, and a function that sets that time [s]."""
    node, simulator = make_node(parameter_overrides=SIMULATED), make_node('simulator')
    executor.add_node(node)
    profile = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    publisher = simulator.create_publisher(Clock, '/clock', profile)
    assert spin_until(executor, lambda: publisher.get_subscription_count() == 1)

    def set_time(seconds: float) -> None:
        wanted = Time(seconds=seconds, clock_type=ClockType.ROS_TIME)
        publisher.publish(Clock(clock=wanted.to_msg()))
        assert spin_until(executor, lambda: node.get_clock().now() == wanted)

    return node, set_time


def test_now_follows_the_clock_topic(simulation: Any) -> None:
    node, set_time = simulation
    assert node.get_clock().ros_time_is_active
    assert node.get_clock().now().nanoseconds == 0
    set_time(12.5)
    assert node.get_clock().now().seconds_nanoseconds() == (12, 500_000_000)


def test_timers_run_on_simulated_time(simulation: Any, executor: Any, spin_until: Make) -> None:
    node, set_time = simulation
    set_time(100.0)
    calls: list[float] = []
    node.create_timer(1.0, lambda: calls.append(node.get_clock().now().nanoseconds / 1e9))
    assert not spin_until(executor, lambda: calls, 0.1)
    set_time(100.9)
    assert not spin_until(executor, lambda: calls, 0.05)
    set_time(101.0)
    assert spin_until(executor, lambda: calls == [101.0])
    set_time(102.5)
    assert spin_until(executor, lambda: calls == [101.0, 102.5])


def test_a_jump_backward_starts_timers_anew(
    simulation: Any, executor: Any, spin_until: Make
) -> None:
    node, set_time = simulation
    set_time(100.0)
    calls: list[int] = []
    node.create_timer(1.0, lambda: calls.append(1))
    set_time(10.0)
    set_time(10.9)
    assert not spin_until(executor, lambda: calls, 0.05)
    set_time(11.1)
    assert spin_until(executor, lambda: calls == [1])


def test_switching_at_run_time(make_node: Make) -> None:
    node = make_node()
    assert not node.get_clock().ros_time_is_active
    assert node.set_parameters(SIMULATED)[0].successful
    assert node.get_clock().ros_time_is_active
    node.set_parameters([Parameter('use_sim_time', value=False)])
    assert not node.get_clock().ros_time_is_active


def test_jump_callbacks() -> None:
    clock = ROSClock()
    seen: list[Any] = []
    clock.create_jump_callback(
        JumpThreshold(min_forward=Duration(seconds=1), min_backward=Duration(seconds=-1)),
        pre_callback=lambda: seen.append('before'),
        post_callback=seen.append,
    )
    clock._set_ros_time_is_active(True)
    assert seen.pop().clock_change == ClockChange.ROS_TIME_ACTIVATED
    seen.clear()
    clock.set_ros_time_override(Time(seconds=0.5, clock_type=ClockType.ROS_TIME))
    assert seen == []
    clock.set_ros_time_override(Time(seconds=5, clock_type=ClockType.ROS_TIME))
    before, jump = seen
    assert before == 'before'
    assert jump.clock_change == ClockChange.ROS_TIME_NO_CHANGE
    assert jump.delta == Duration(seconds=4.5)


def test_times_and_durations() -> None:
    one, other = Time(seconds=1), Time(seconds=3)
    assert other - one == Duration(seconds=2)
    assert one + Duration(seconds=2) == other
    assert one < other
    assert Time.from_msg(other.to_msg(), ClockType.SYSTEM_TIME) == other
    assert Duration.from_msg(Duration(seconds=-1.5).to_msg()) == Duration(seconds=-1.5)
    with pytest.raises(TypeError, match="Can't compare times with different clock types"):
        _ = one < Time(seconds=1, clock_type=ClockType.ROS_TIME)
    with pytest.raises(ValueError, match='negative'):
        one - Duration(seconds=5)
    with pytest.raises(ValueError, match='Seconds value must not be negative'):
        Time(seconds=-1)
