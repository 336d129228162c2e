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

"""From the launch of a robot to its first effort command, its code compiled before or not."""

from __future__ import annotations

from collections.abc import Iterator
import os
from pathlib import Path
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray

ROBOTS = ('three_link_arm', 'puma560', 'panda', 'five_bar', 'delta', 'dual_arm', 'space_robot')
"""Of ``track.launch.py``."""
WARM = 3
"""Launches of a robot whose code is on disk, of which the fastest counts."""
_TIMEOUT = 300.0


def rows(robots: tuple[str, ...] = ROBOTS) -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    yield ('| robot | nothing on disk [s] | processor time of it [s] | after `mbd_ros cache warm` '
           '[s] | processor time of it [s] |')
    yield '|---|---:|---:|---:|---:|'
    for robot in robots:
        with tempfile.TemporaryDirectory() as cold, tempfile.TemporaryDirectory() as warm:
            first = _launch(robot, cold)
            subprocess.run([_program('mbd_ros'), 'cache', 'warm', robot], check=True,
                           stdout=subprocess.DEVNULL, env={**os.environ, 'MBD_ROS_CACHE': warm})
            second = min(_launch(robot, warm) for _ in range(WARM))
        yield (f'| {robot} | {first[0]:.1f} | {first[1]:.1f} | {second[0]:.1f} | '
               f'{second[1]:.1f} |')


def _launch(robot: str, cache: str) -> tuple[float, float]:
    """Return the time from the launch to the first effort command, and that of processors [s]."""
    came, mark = threading.Event(), f'COLD_START={uuid.uuid4().hex}'
    context = rclpy.Context()
    rclpy.init(context=context)
    node = Node('cold_start_benchmark', context=context)
    node.create_subscription(
        Float64MultiArray, 'effort_controller/commands', lambda message: came.set(), 10)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    threading.Thread(target=executor.spin, daemon=True).start()
    name, _, value = mark.partition('=')
    begin = time.monotonic()
    launched = subprocess.Popen(
        [_program('ros2'), 'launch', 'mbd_ros', 'track.launch.py', f'robot:={robot}',
         'viewer:=false', 'rviz:=false'], start_new_session=True, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env={**os.environ, 'MBD_ROS_CACHE': cache, name: value})
    try:
        if not came.wait(_TIMEOUT):
            raise SystemExit(f'{robot}: no effort command in {_TIMEOUT:g} s')
        return time.monotonic() - begin, _processor_time(mark)
    finally:
        os.killpg(launched.pid, signal.SIGINT)
        launched.wait(30.0)
        executor.shutdown()
        rclpy.try_shutdown(context=context)


def _processor_time(mark: str) -> float:
    """Return what the processes with a variable in their environment have used [s]."""
    ticks = 0
    for entry in Path('/proc').iterdir():
        try:
            if entry.name.isdecimal() and mark.encode() in (entry / 'environ').read_bytes():
                fields = (entry / 'stat').read_text().rpartition(')')[2].split()
                ticks += int(fields[11]) + int(fields[12])
        except OSError:
            continue   # it has ended
    return ticks / os.sysconf('SC_CLK_TCK')


def _program(name: str) -> str:
    """Return the path of a program beside Python, else its name."""
    path = Path(sys.executable).with_name(name)
    return str(path) if path.exists() else name
