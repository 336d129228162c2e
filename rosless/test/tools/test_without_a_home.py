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

"""Where log files go on systems with nothing to write to, and what other systems are told."""

from __future__ import annotations

import os
from pathlib import Path
import pwd
import subprocess
import sys
import tempfile
from typing import Any

from launch.logging.config import LaunchConfig
import pytest
from rclpy.impl import log_files
from rosless.dds import waiter


@pytest.fixture
def no_home(monkeypatch: Any) -> None:
    """Have neither HOME nor an entry in the list of users."""
    def unknown(uid: int) -> None:
        raise KeyError(f'getpwuid(): uid not found: {uid}')

    for name in ('HOME', 'ROS_HOME', 'ROS_LOG_DIR'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, 'getpwuid', unknown)


def test_without_a_home_logs_of_a_launch_are_temporary(no_home: None) -> None:
    folder = Path(LaunchConfig().log_dir)
    assert folder.parent == Path(tempfile.gettempdir())
    folder.rmdir()


def test_where_nothing_can_be_written_one_line_says_so(no_home: None, monkeypatch: Any) -> None:
    monkeypatch.setattr(tempfile, 'tempdir', '/proc')
    for home, reason in ((None, 'there is no home directory'), ('/proc', 'No such file or')):
        if home is not None:
            monkeypatch.setenv('HOME', home)
        with pytest.raises(RuntimeError, match=rf'not below .*\.ros/log \({reason}.*ROS_LOG_DIR'):
            print(LaunchConfig().log_dir)   # a RuntimeError is one line of `ros2 launch`


def test_a_node_without_a_home_says_one_line(no_home: None, capsys: Any) -> None:
    assert log_files._open('node') is None
    said = capsys.readouterr().err
    assert said.startswith('cannot write the log file node_') and said.count('\n') == 1
    assert 'set ROS_LOG_DIR' in said


@pytest.mark.parametrize('package', ['rclpy', 'mbd_ros'])
def test_windows_is_told_of_wsl2_in_one_sentence(package: str) -> None:
    if package == 'mbd_ros':
        pytest.importorskip('mbd_ros')   # rosless is tested alone, too
    done = subprocess.run(
        [sys.executable, '-c', f"import sys; sys.platform = 'win32'; import {package}"],
        check=False, capture_output=True, text=True)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith('ImportError: ') and 'on Windows use it inside WSL2' in last


def test_waiting_gives_way_with_or_without_sched_yield() -> None:
    assert waiter.give_way is os.sched_yield   # on Linux; macOS has a sleep of no time
    waiter.give_way()


OTHER_RELEASE = """
import sys
from types import SimpleNamespace
handle = SimpleNamespace(_name='libm.so.6')   # a library without the functions of release 11
sys.modules['cyclonedds'] = SimpleNamespace(__path__=[])
sys.modules['cyclonedds.internal'] = SimpleNamespace(DDS=SimpleNamespace(_dll_handle=handle))
import rosless.dds.library
"""


def test_a_dds_library_of_another_release_is_named() -> None:
    done = subprocess.run([sys.executable, '-c', OTHER_RELEASE], check=False,
                          capture_output=True, text=True)
    last = done.stderr.splitlines()[-1]
    assert last.startswith('ImportError: libm.so.6 has no function dds_')
    assert 'cyclonedds>=11.0.1,<12' in last


WITHOUT_DDS = ("import sys; sys.modules['cyclonedds'] = None; sys.argv = ['x']\n"
               'from {} import {} as main; sys.exit(main({}))')


@pytest.mark.parametrize('program', [
    ('ros2cli.cli', 'main', ['topic', 'list']),
    ('mbd_ros.nodes.executables', 'simulator', None),
    ('mbd_ros.cli.command', 'main', ['cache', 'warm', 'three_link_arm'])])
def test_without_a_dds_library_one_line_names_the_way(program: tuple[str, str, Any]) -> None:
    module, function, arguments = program
    if module.startswith('mbd_ros'):
        pytest.importorskip('mbd_ros')   # rosless is tested alone, too
    code = WITHOUT_DDS.format(module, function, '' if arguments is None else arguments)
    done = subprocess.run([sys.executable, '-c', code], check=False, capture_output=True,
                          text=True)
    assert done.returncode != 0
    (line,) = done.stderr.splitlines()
    assert "no module 'cyclonedds'" in line and 'make cyclone' in line
