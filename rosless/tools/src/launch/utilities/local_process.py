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

"""A process on this machine whose output and end are delivered to an asyncio loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
import os
import subprocess
import threading

from launch.utilities.process_groups import child_setup

READ_SIZE = 65536
DRAIN_TIME = 0.25  # s that output still in the pipes may take after the end of the process


class LocalProcess:
    """
    Start a process and follow it.

    Parameters
    ----------
    cmd : sequence of str
        Program and arguments.
    cwd : str, optional
        Working directory.
    env : mapping
        Environment.
    shell : bool
        Whether a shell runs the command.
    emulate_tty : bool
        Whether the output goes to pseudo-terminals instead of pipes.
    on_output : callable
        Takes ``'stdout'`` or ``'stderr'`` and the bytes; called in the thread of the loop.

    Raises
    ------
    OSError
        If the process cannot be started.

    """

    def __init__(
        self,
        cmd: Sequence[str],
        *,
        cwd: str | None,
        env: Mapping[str, str],
        shell: bool,
        emulate_tty: bool,
        on_output: Callable[[str, bytes], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_output = on_output
        self._open: dict[str, int] = {}
        self._drained = asyncio.Event()
        self._returncode: asyncio.Future[int] = self._loop.create_future()
        ends = {name: os.openpty() if emulate_tty else os.pipe()
                for name in ('stdout', 'stderr')}
        try:
            self._popen = subprocess.Popen(
                ' '.join(cmd) if shell else list(cmd), cwd=cwd, env=env, shell=shell,
                stdin=subprocess.PIPE, stdout=ends['stdout'][1], stderr=ends['stderr'][1],
                preexec_fn=child_setup())
        except BaseException:
            for read_end, _ in ends.values():
                os.close(read_end)
            raise
        finally:
            for _, write_end in ends.values():
                os.close(write_end)
        for name, (read_end, _) in ends.items():
            os.set_blocking(read_end, False)
            self._open[name] = read_end
            self._loop.add_reader(read_end, self._read, name, read_end)
        threading.Thread(target=self._wait, daemon=True).start()

    @property
    def pid(self) -> int:
        """Process id, which is also that of its group."""
        return self._popen.pid

    @property
    def returncode(self) -> int | None:
        """Exit status; None while the process runs, negative for a signal."""
        return self._popen.returncode

    async def finished(self) -> int:
        """Wait for the end of the process and of its output; return the exit status."""
        returncode = await self._returncode
        try:
            await asyncio.wait_for(self._drained.wait(), DRAIN_TIME)
        except asyncio.TimeoutError:
            for name, descriptor in list(self._open.items()):
                self._close(name, descriptor)
        return returncode

    def _wait(self) -> None:
        returncode = self._popen.wait()
        if self._popen.stdin is not None:
            self._popen.stdin.close()
        try:
            self._loop.call_soon_threadsafe(self._ended, returncode)
        except RuntimeError:
            pass  # the loop is closed: nobody waits any more

    def _ended(self, returncode: int) -> None:
        if not self._returncode.done():
            self._returncode.set_result(returncode)

    def _read(self, name: str, descriptor: int) -> None:
        try:
            data = os.read(descriptor, READ_SIZE)
        except BlockingIOError:
            return
        except OSError:
            data = b''  # a pseudo-terminal whose other side is closed answers EIO
        if data:
            self._on_output(name, data)
        else:
            self._close(name, descriptor)

    def _close(self, name: str, descriptor: int) -> None:
        self._loop.remove_reader(descriptor)
        os.close(descriptor)
        self._open.pop(name, None)
        if not self._open:
            self._drained.set()
