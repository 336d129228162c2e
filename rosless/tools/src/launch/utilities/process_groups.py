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

"""
The process groups of a launch: one for each process it starts.

A signal is sent to the group, so that it reaches what the process itself has started (a shell and
its command). Groups that outlive the launch's own escalation are ended here, and a guard process
ends them should the launch itself be killed.

"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
import ctypes
import os
from pathlib import Path
import signal
import subprocess
import sys

PR_SET_PDEATHSIG = 1
POLL_INTERVAL = 0.02  # s
END_STEPS = ((0, 2.0), (signal.SIGTERM, 5.0), (signal.SIGKILL, 1.0))  # signal, time for it [s]


def child_setup() -> Callable[[], None]:
    """
    Return the function to run in a new process before its program starts.

    It makes the process leader of a group of its own, asks the kernel (Linux) to kill it when the
    launch dies, and gives SIGINT back its default meaning, which shells take away from programs
    that they start in the background.

    """
    parent = os.getpid()
    libc = ctypes.CDLL(None, use_errno=True) if sys.platform == 'linux' else None

    def setup() -> None:
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if libc is not None:
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)

    return setup


def signal_group(group: int, number: int) -> bool:
    """Send a signal to a process group; return False if it has no members any more."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


class ProcessGroups:
    """The groups that may still have members."""

    def __init__(self) -> None:
        self._groups: set[int] = set()
        self._guard: subprocess.Popen[bytes] | None = None

    def add(self, group: int) -> None:
        """Watch over a new group."""
        self._groups.add(group)
        if self._guard is None:
            self._guard = subprocess.Popen(
                [sys.executable, '-I', '-S', str(Path(__file__).with_name('_guard.py'))],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True)
        self._tell(f'+{group}')

    def leader_exited(self, group: int) -> None:
        """Forget the group of a process that has ended, unless others are still in it."""
        if not signal_group(group, 0):
            self._forget(group)

    async def end_all(self) -> None:
        """End what is left of all groups: wait for them, then SIGTERM, then SIGKILL."""
        for number, patience in END_STEPS:
            for group in list(self._groups):
                signal_group(group, number)
            if await self._gone_within(patience):
                break
        self.close()

    def close(self) -> None:
        """Dismiss the guard."""
        if self._guard is not None and self._guard.stdin is not None:
            self._guard.stdin.close()
            self._guard.wait()
            self._guard = None

    async def _gone_within(self, patience: float) -> bool:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience
        while True:
            for group in list(self._groups):
                self.leader_exited(group)
            if not self._groups:
                return True
            if loop.time() > deadline:
                return False
            await asyncio.sleep(POLL_INTERVAL)

    def _forget(self, group: int) -> None:
        self._groups.discard(group)
        self._tell(f'-{group}')

    def _tell(self, line: str) -> None:
        if self._guard is not None and self._guard.stdin is not None:
            try:
                self._guard.stdin.write(f'{line}\n'.encode())
                self._guard.stdin.flush()
            except BrokenPipeError:
                pass
