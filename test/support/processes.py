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

"""Commands that a test starts, each with its output, its processes and its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
import os
from pathlib import Path
import re
import shutil
import signal
import subprocess
import sys
import time
from typing import Any
import uuid

PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get('PATH', os.defpath)])
PATIENCE = 120.0   # s: far above what any step takes, so that only a hang exceeds it


class Running:
    """
    A command with its output, in a process group of its own.

    Parameters
    ----------
    command : list of str
        The command.
    log : Path
        Where its output goes.
    environment : mapping of str to str, optional
        Variables beside those of this process.

    """

    def __init__(self, command: list[str], log: Path,
                 environment: Mapping[str, str] | None = None) -> None:
        self.mark = uuid.uuid4().hex
        self.log = log
        with log.open('wb') as output:
            self.process = subprocess.Popen(
                command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, 'PATH': PATH, 'PYTHONUNBUFFERED': '1', **(environment or {}),
                     'MBD_TEST': self.mark})

    @property
    def output(self) -> str:
        """Return what the command has said."""
        return self.log.read_text(errors='replace')

    @property
    def up(self) -> bool:
        """Whether it runs."""
        return self.process.poll() is None

    def wait_for(self, pattern: str, timeout: float = PATIENCE) -> re.Match[str]:
        """Wait until a pattern is in the output."""
        end = time.monotonic() + timeout
        while True:
            found = re.search(pattern, self.output)
            if found:
                return found
            assert time.monotonic() < end, f'no {pattern!r} within {timeout} s in:\n{self.output}'
            assert self.up, f'it ended with {self.process.returncode}:\n{self.output}'
            time.sleep(0.05)

    def processes(self) -> dict[int, str]:
        """Return the processes that the command has started and that live, with their names."""
        found = {}
        for entry in Path('/proc').iterdir():
            if not entry.name.isdecimal():
                continue
            try:
                ours = f'MBD_TEST={self.mark}'.encode() in (entry / 'environ').read_bytes()
                if ours and ') Z ' not in (entry / 'stat').read_text():
                    found[int(entry.name)] = (entry / 'cmdline').read_text().replace('\0', ' ')
            except OSError:
                continue
        return found

    def interrupt(self, timeout: float = 60.0) -> float:
        """Press Ctrl-C, as a terminal does for the whole group; return how long the end took."""
        begin = time.monotonic()
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(timeout)
        return time.monotonic() - begin

    def close(self) -> None:
        """End everything, by force if need be."""
        try:
            if self.up:
                self.interrupt(30.0)
        except subprocess.TimeoutExpired:
            pass
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait(10)


def starting(folder: Path) -> Iterator[Callable[..., Running]]:
    """Give a function that starts a command, and end what it has started."""
    running: list[Running] = []

    def begin(*command: Any, environment: Mapping[str, str] | None = None) -> Running:
        one = Running([str(part) for part in command], folder / f'log{len(running)}.txt',
                      environment)
        running.append(one)
        return one

    try:
        yield begin
    finally:   # also when a run is interrupted
        for one in reversed(running):
            one.close()


def node_runner(start: Callable[..., Running]) -> Callable[..., Running]:
    """Return a function that starts one node with parameters."""
    def begin(name: str, parameters: dict[str, str], *more: str) -> Running:
        settings = [part for name_and_value in parameters.items()
                    for part in ('-p', ':='.join(name_and_value))]
        return start(sys.executable, '-m', f'mbd_ros.nodes.{name}', '--ros-args', *more, *settings)
    return begin


def launcher(start: Callable[..., Running]) -> Callable[..., Running]:
    """Return a function that starts ``ros2 launch mbd_ros FILE ARGUMENTS``."""
    ros2 = shutil.which('ros2', path=PATH)
    assert ros2 is not None, 'no ros2 command: make install provides it, or a ROS 2 installation'
    return lambda *arguments, **more: start(ros2, 'launch', 'mbd_ros', *arguments, **more)
