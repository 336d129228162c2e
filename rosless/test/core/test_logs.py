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

"""Logging: format, levels, throttling, /rosout."""

from __future__ import annotations

from collections.abc import Callable
import re
import time
from typing import Any

import pytest
from rcl_interfaces.msg import Log
from rclpy.clock import ClockType, ROSClock
from rclpy.context import Context
from rclpy.impl import log_output
from rclpy.impl.logging_severity import LoggingSeverity
from rclpy.logging import (
    get_logger,
    get_logging_severity_from_string,
    set_logger_level,
)
from rclpy.node import Node
from rclpy.qos import qos_profile_rosout_default
from rclpy.time import Time

Make = Callable[..., Any]


@pytest.fixture(autouse=True)
def _default_levels() -> Any:
    yield
    log_output.reset()


def test_format(capsys: Any) -> None:
    get_logger('my.logger').warning('watch out')
    error = capsys.readouterr().err
    assert re.fullmatch(r'\[WARN\] \[\d{10}\.\d{9}\] \[my\.logger\]: watch out\n', error)


def test_format_from_the_environment(capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv('RCUTILS_CONSOLE_OUTPUT_FORMAT', '{name}|{message}|{function_name}')
    monkeypatch.setenv('RCUTILS_LOGGING_USE_STDOUT', '1')
    get_logger('x').error('broken')
    expected = 'x|broken|test_format_from_the_environment\n'
    assert capsys.readouterr().out == expected


def test_levels_are_inherited(capsys: Any) -> None:
    parent = get_logger('parent')
    child = parent.get_child('child')
    assert not child.debug('quiet')
    parent.set_level(LoggingSeverity.DEBUG)
    assert child.get_effective_level() == LoggingSeverity.DEBUG
    assert child.debug('heard')
    set_logger_level('parent.child', LoggingSeverity.ERROR)
    assert not child.warn('quiet')
    assert parent.is_enabled_for(LoggingSeverity.DEBUG)
    assert capsys.readouterr().err.count('heard') == 1


def test_once_and_skip_first(capsys: Any) -> None:
    logger = get_logger('x')
    assert [logger.info('a', once=True) for _ in range(3)] == [True, False, False]
    assert [logger.info('b', skip_first=True) for _ in range(3)] == [False, True, True]
    assert capsys.readouterr().err.count(']: a') == 1


def test_calls_in_one_line_are_told_apart(capsys: Any) -> None:
    logger = get_logger('x')
    told = [(logger.info('a'), logger.info('b', skip_first=True)) for _ in range(2)]
    assert told == [(True, False), (True, True)]
    assert capsys.readouterr().err.count(']: b') == 1


def test_throttle() -> None:
    logger = get_logger('x')
    clock = ROSClock()
    clock._set_ros_time_is_active(True)
    written = []
    for seconds in (10.0, 10.5, 11.1, 11.5, 12.2):
        clock.set_ros_time_override(Time(seconds=seconds, clock_type=ClockType.ROS_TIME))
        written.append(
            logger.info('x', throttle_duration_sec=1.0, throttle_time_source_type=clock)
        )
    assert written == [True, False, True, False, True]
    results = []
    for _ in range(2):
        results.append(logger.info('y', throttle_duration_sec=5.0))
        time.sleep(0.001)
    assert results == [True, False]


def test_misuse() -> None:
    logger = get_logger('x')
    with pytest.raises(TypeError, match='"whenever" is not one of the recognized logging options'):
        logger.info('x', whenever=True)

    def log(severity: int) -> None:
        logger.log('x', severity, once=True)

    log(LoggingSeverity.INFO)
    with pytest.raises(ValueError, match='severity cannot be changed between calls'):
        log(LoggingSeverity.WARN)

    def log_plainly(severity: int) -> None:
        logger.log('x', severity)

    log_plainly(LoggingSeverity.INFO)
    with pytest.raises(ValueError, match='severity cannot be changed between calls'):
        log_plainly(LoggingSeverity.WARN)
    with pytest.raises(ValueError, match='"7" is not a clock instance'):
        logger.info('x', throttle_duration_sec=1.0, throttle_time_source_type=7)
    with pytest.raises(RuntimeError, match="Failed to get severity name: 'loud'"):
        get_logging_severity_from_string('loud')


def test_levels_from_the_command_line(capsys: Any) -> None:
    context = Context()
    context.init(args=['x', '--ros-args', '--log-level', 'warn', '--log-level', 'talky:=debug'])
    try:
        assert not Node('quiet', context=context).get_logger().info('x')
        assert Node('talky', context=context).get_logger().debug('x')
    finally:
        context.try_shutdown()


def test_rosout(make_node: Make, executor: Any, spin_until: Make) -> None:
    node, listener = make_node('talker', namespace='ns'), make_node('listener')
    executor.add_node(listener)
    got: list[Log] = []
    node.get_logger().error('before')
    listener.create_subscription(Log, '/rosout', got.append, qos_profile_rosout_default)
    node.get_logger().get_child('part').warn('after')
    assert spin_until(executor, lambda: len(got) == 2)
    assert [(m.name, m.level, m.msg) for m in got] == [
        ('ns.talker', 40, 'before'),
        ('ns.talker.part', 30, 'after'),
    ]
    assert got[0].function == 'test_rosout'
    assert got[0].file.endswith('test_logs.py')


def test_rosout_can_be_left_out(make_node: Make) -> None:
    node = make_node(enable_rosout=False)
    assert '/rosout' not in dict(node.get_topic_names_and_types())
