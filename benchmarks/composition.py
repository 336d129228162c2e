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

"""The control loop over DDS, effort to state to effort: nodes in one process and in several."""

from __future__ import annotations

from collections.abc import Iterator
import os
from pathlib import Path
import signal
import statistics
import subprocess
import sys
import threading
import time

from diagnostic_msgs.msg import DiagnosticArray
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

ROUNDS = 3
STEP = 0.002
"""Simulated seconds from one state to the next."""
SECONDS = 6.0
_TIMEOUT = 120.0


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    yield '| nodes | one step of the loop [ms] | of them all runs: fastest, slowest [ms] |'
    yield '|---|---|---|'
    found: dict[str, list[float]] = {'false': [], 'true': []}
    for _ in range(ROUNDS):
        for composed, times in found.items():
            times.append(_step(composed))
    for composed, times in found.items():
        name = 'one process, `composed:=true`' if composed == 'true' else 'one process each'
        yield (f'| {name} | {1e3 * statistics.median(times):.3f} | {1e3 * min(times):.3f}, '
               f'{1e3 * max(times):.3f} |')


def _step(composed: str) -> float:
    """Return the wall time of a step: in lockstep, as fast as simulator and controller can."""
    ros2 = Path(sys.executable).with_name('ros2')
    launched = subprocess.Popen(
        [str(ros2) if ros2.exists() else 'ros2', 'launch', 'mbd_ros', 'track.launch.py',
         f'composed:={composed}', 'viewer:=false', 'rviz:=false', 'use_sim_time:=true',
         'real_time_factor:=0', f'rate:={1.0 / STEP}'],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return _watch()
    finally:
        os.killpg(launched.pid, signal.SIGINT)
        launched.wait(30.0)


def _watch() -> float:
    samples: list[tuple[float, float]] = []

    def heard(message: DiagnosticArray) -> None:
        for status in message.status:
            for pair in status.values:
                if pair.key == 'simulated time [s]' and float(pair.value) > 1.0:
                    samples.append((time.monotonic(), float(pair.value)))

    context = rclpy.Context()
    rclpy.init(context=context)
    node = Node('composition_benchmark', context=context)
    node.create_subscription(DiagnosticArray, '/diagnostics', heard, 10)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin, daemon=True)
    thread.start()
    end = time.monotonic() + _TIMEOUT
    while time.monotonic() < end and (
            len(samples) < 2 or samples[-1][0] - samples[0][0] < SECONDS):
        time.sleep(0.05)
    executor.shutdown()
    rclpy.try_shutdown(context=context)
    if len(samples) < 2:
        raise SystemExit('the simulation does not run')
    (first, begun), (last, reached) = samples[0], samples[-1]
    return (last - first) * STEP / (reached - begun)
