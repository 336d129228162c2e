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

"""Log files, and levels set from outside."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import re
from typing import Any

import pytest
from rcl_interfaces.msg import LoggerLevel
from rcl_interfaces.srv import GetLoggerLevels, SetLoggerLevels
from rclpy.logging import (
    get_logger,
    get_logger_level,
    get_logging_directory,
    LoggingSeverity,
)

Make = Callable[..., Any]
PROGRAM = """
import rclpy, sys
rclpy.init(args=sys.argv)
node = rclpy.create_node('scribe')
node.get_logger().info('kept')
node.get_logger().debug('not kept')
rclpy.shutdown()
"""


@pytest.mark.parametrize('variable', ['ROS_LOG_DIR', 'ROS_HOME', 'HOME'])
def test_the_folder(monkeypatch: Any, tmp_path: Path, variable: str) -> None:
    for name in ('ROS_LOG_DIR', 'ROS_HOME'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    below = {'ROS_LOG_DIR': '', 'ROS_HOME': 'log', 'HOME': '.ros/log'}[variable]
    assert get_logging_directory() == tmp_path / below


def test_a_process_has_a_file(run_program: Make, tmp_path: Path) -> None:
    program = run_program(PROGRAM, ROS_LOG_DIR=str(tmp_path / 'log'))
    assert program.finish()[0] == 0
    (path,) = (tmp_path / 'log').iterdir()
    assert re.fullmatch(rf'python[\d.]*_{program.process.pid}_\d{{13}}\.log', path.name)
    assert re.fullmatch(r'\[INFO\] \[\d+\.\d{9}\] \[scribe\]: kept\n', path.read_text())


def test_its_name_and_whether_there_is_one(run_program: Make, tmp_path: Path) -> None:
    named = run_program(
        PROGRAM, '--ros-args', '--log-file-name', 'mine', ROS_LOG_DIR=str(tmp_path)
    )
    assert named.finish()[0] == 0
    (path,) = tmp_path.iterdir()
    assert path.name.startswith('mine_')
    none = run_program(
        PROGRAM, '--ros-args', '--disable-external-lib-logs', ROS_LOG_DIR=str(tmp_path)
    )
    assert none.finish()[0] == 0
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_written_is_told_once(run_program: Make, tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('')
    program = run_program(
        PROGRAM + "\nget = rclpy.logging.get_logger('x')\nget.info('more')\n",
        ROS_LOG_DIR=str(tmp_path / 'file' / 'log'),
    )
    code, _, errors = program.finish()
    assert code == 0
    assert errors.count('cannot write the log file') == 1
    assert 'kept' in errors


def test_levels_from_outside(make_node: Make, spinning: Make) -> None:
    server, caller = make_node('server', enable_logger_service=True), make_node('caller')
    spinning(server, caller)
    setter = caller.create_client(SetLoggerLevels, 'server/set_logger_levels')
    getter = caller.create_client(GetLoggerLevels, 'server/get_logger_levels')
    assert setter.wait_for_service(60.0)
    assert getter.wait_for_service(60.0)
    name = f'outside{os.getpid()}'
    levels = [
        LoggerLevel(name=name, level=LoggerLevel.LOG_LEVEL_DEBUG),
        LoggerLevel(name=name, level=17),
    ]
    results = setter.call(SetLoggerLevels.Request(levels=levels), timeout_sec=60.0).results
    assert [result.successful for result in results] == [True, False]
    assert results[1].reason == 'Failed reason: Invalid logger level.'
    assert get_logger_level(name) == LoggingSeverity.DEBUG
    found = getter.call(GetLoggerLevels.Request(names=[name, 'never']), timeout_sec=60.0).levels
    assert [(each.name, each.level) for each in found] == [(name, 10), ('never', 0)]
    assert get_logger(name).get_child('part').is_enabled_for(LoggingSeverity.DEBUG)


def test_no_such_services_by_default(make_node: Make) -> None:
    names = [name for name, _ in make_node('plain').get_service_names_and_types()]
    assert '/plain/get_parameters' in names
    assert '/plain/get_logger_levels' not in names
