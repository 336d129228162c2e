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

"""Ctrl-C at some moment of a launch, and how each of its processes ends."""

from __future__ import annotations

from collections.abc import Sequence
import os
from pathlib import Path
import re
import signal
import time
from typing import NamedTuple

from processes import PATIENCE, Running

COLD_STARTS = {
    'delta': ('track.launch.py', 'robot:=delta'),
    'stewart': ('loops.launch.py', 'robot:=stewart'),
    'space_robot': ('track.launch.py', 'robot:=space_robot'),
    'delta, composed': ('track.launch.py', 'robot:=delta', 'composed:=true'),
    'quadruped': ('modules.launch.py', 'robot:=quadruped'),
    'services': ('dynamics_server.launch.py', 'robot:=stewart'),
    'flexible': ('flexible.launch.py',),
    'rov': ('swim.launch.py', 'robot:=rov'),
}
"""Arguments of launches whose robots take longest to compile; all launch files are there."""
LONGEST = 10.0   # s after which the last of them is compiled on a quiet machine
UP = 0.3         # s in which Python itself starts; before that no program can take a signal
LIMIT = 1.0      # s from the signal to the end of each process
LOOK = 0.005     # s between two looks
EXPECTED = re.compile(
    r'\[(INFO|WARNING)\]|\[\S+-\d+\] \[(INFO|WARN)\]|\s*$')
"""Lines of a log at Ctrl-C: of the launch or a node, below an error."""


class End(NamedTuple):
    """
    How a process has ended.

    Attributes
    ----------
    process : str
        Its name.
    seconds : float
        Time from the signal on.
    code : int or None
        Exit code.
    waited : float
        Of that time, what its threads have waited for a processor, on a busy machine [s].

    """

    process: str
    seconds: float
    code: int | None
    waited: float


class Interrupted(NamedTuple):
    """
    What followed Ctrl-C.

    Attributes
    ----------
    ends : list of End
        Of all processes that the launch had started.
    lost : float
        Longest time that the machine kept this program itself from running [s].
    lines : list of str
        What was written that is no ordinary line of a log.

    """

    ends: list[End]
    lost: float
    lines: list[str]

    def wrong(self) -> list[str]:
        """Return what is not as it should be: exit 0, within a second, nothing written."""
        late = LIMIT + self.lost
        return [f'{end.process} ended with {end.code} after {end.seconds:.2f} s'
                for end in self.ends
                if end.code != 0 or end.seconds > late + end.waited] + self.lines


def interrupt(launched: Running, delay: float) -> Interrupted:
    """
    Press Ctrl-C some time [s] after the first process of a launch has started, and Python in all.

    Parameters
    ----------
    launched : Running
        ``ros2 launch ...``.
    delay : float
        The time [s].

    """
    launched.wait_for('process started')
    time.sleep(delay)
    end = time.monotonic() + PATIENCE
    while True:
        started = dict(re.findall(r'\[([^\s\]]+)\]: process started with pid \[(\d+)\]',
                                  launched.output))
        if all(map(_listens, started.values())) or time.monotonic() > end:
            break
        time.sleep(LOOK)
    begin = last = time.monotonic()
    before = len(launched.output)
    os.killpg(launched.process.pid, signal.SIGINT)   # as a terminal does
    gone: dict[str, float] = {}
    waiting = {name: _waited(number) for name, number in started.items()}
    waited = dict.fromkeys(started, 0.0)
    lost = 0.0
    while launched.up and last < begin + PATIENCE:
        for name, number in started.items():
            if name in gone:
                continue
            if _ended(number):
                gone[name] = time.monotonic() - begin
            else:
                waited[name] = max(waited[name], _waited(number) - waiting[name])
        time.sleep(LOOK)
        now = time.monotonic()
        lost, last = max(lost, now - last - LOOK), now
    said = launched.output
    codes = dict.fromkeys(re.findall(r'\[([^\s\]]+)\]: process has finished cleanly', said), 0)
    codes |= {name: int(code) for name, code in re.findall(
        r'\[([^\s\]]+)\]: process has died \[pid \d+, exit code (-?\d+)', said)}
    return Interrupted(
        [End(name, gone.get(name, last - begin), codes.get(name), waited[name])
         for name in started], lost,
        [line for line in said[before:].splitlines() if not EXPECTED.match(line)])


def _listens(number: str) -> bool:
    """Return whether a process takes SIGTERM, or has ended; Python, as it starts, does not."""
    try:
        caught, = re.findall(r'SigCgt:\s*(\w+)', Path('/proc', number, 'status').read_text())
    except (OSError, ValueError):
        return True
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def _ended(number: str) -> bool:
    try:
        return ') Z ' in Path('/proc', number, 'stat').read_text()
    except OSError:
        return True


def _waited(number: str) -> float:
    """Return how long the threads of a process have waited for a processor so far [s]."""
    try:
        return 1e-9 * sum(int(one.read_text().split()[1])
                          for one in Path('/proc', number, 'task').glob('*/schedstat'))
    except OSError:   # it has just ended
        return 0.0


def table(rows: Sequence[tuple[str, float, Interrupted]]) -> list[str]:
    """Return a Markdown table of launches: the moments [s], and when the last process ended."""
    lines = ['| launch | Ctrl-C after [s]: its last process ends after [s] | exit codes |',
             '|---|---|---|']
    for name in dict.fromkeys(name for name, _, _ in rows):
        own = [(delay, found) for other, delay, found in rows if other == name]
        codes = sorted({str(end.code) for _, found in own for end in found.ends})
        lines.append(f'| {name} | ' + ', '.join(
            f'{delay:.2f}: {max(end.seconds for end in found.ends):.2f}' for delay, found in own)
            + f' | {", ".join(codes)} |')
    return lines
