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
Threads that wait for work in native code.

They are ordinary daemon threads of Python that have entered ``serve`` and left the interpreter's
lock behind. A caller in native code hands a task over in a few hundred nanoseconds while they look
for work, and wakes them by a byte in a pipe when they sleep. They are made when a kernel that
uses them is, and end with the process. A child of ``fork`` has none until it makes such a kernel;
its calls do all work themselves until then.

"""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import threading

from mbd_ros.execution.ir.machine_code import MachineCode
from mbd_ros.execution.ir.shares_ir import shares_ir
from mbd_ros.execution.ir.workers_ir import CLAIMED, LOST, WORDS, workers_ir

_LOCK = threading.Lock()
_WORKERS: list[_Worker] = []
_RUNNING = ctypes.c_int64(0)


class _Worker:
    """One thread and the words that it shares with callers, which stay where they are."""

    def __init__(self) -> None:
        memory = ctypes.create_string_buffer(8 * WORDS + 128)
        self.address = -(-ctypes.addressof(memory) // 128) * 128
        self._memory = memory
        self.words = (ctypes.c_int64 * WORDS).from_address(self.address)
        self.thread: threading.Thread | None = None

    def start(self) -> None:
        ctypes.memset(self.address, 0, 8 * WORDS)
        self.words[5], self.words[6] = os.pipe()
        serve = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(native().address('serve'))
        self.thread = threading.Thread(target=serve, args=(self.address,), daemon=True,
                                       name='mbd_ros worker')
        self.thread.start()

    def stop(self) -> None:
        """End the thread; calls that still come do all work themselves."""
        if self.thread is not None:
            self.words[4] = 1
            os.write(self.words[6], b'.')
            self.thread.join(timeout=1.0)


@functools.cache
def native() -> MachineCode:
    """Return what threads and callers do, as machine code that is never released."""
    return MachineCode(workers_ir() + shares_ir(), optimization=2)


def available() -> bool:
    """Return whether such threads can be had here: it takes POSIX pipes and ``sched_yield``."""
    return os.name == 'posix'


def workers(count: int) -> list[int]:
    """Return the addresses of so many workers, whose threads run."""
    with _LOCK:
        while len(_WORKERS) < count:
            _WORKERS.append(_Worker())
        for worker in _WORKERS[:count]:
            if worker.thread is None:
                worker.start()
        _RUNNING.value = len([worker for worker in _WORKERS if worker.thread is not None])
        return [worker.address for worker in _WORKERS[:count]]


def running() -> ctypes.c_int64:
    """Return the word that holds how many workers have a thread, for native code."""
    return _RUNNING


def left_behind() -> bool:
    """Return whether a thread still is at a task that its caller no longer waits for."""
    return any(worker.words[0] == LOST for worker in _WORKERS)


def _stop() -> None:
    for worker in _WORKERS:
        worker.stop()


def _forget() -> None:
    """In the child of a fork: no thread has come along; nobody may claim their workers."""
    for worker in _WORKERS:
        if worker.thread is not None:
            worker.thread = None
            worker.words[0] = CLAIMED
            for end in worker.words[5:7]:
                os.close(end)
    _RUNNING.value = 0
    _LOCK.release()


atexit.register(_stop)
os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_forget)
