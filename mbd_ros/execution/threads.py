"""
Shares of a batch on several threads.

Machine code runs without the interpreter's lock, so the shares really run at the same time. They
are handed out in native code (``shares_ir.py``). A single state stays on the caller's thread
unless subtrees of it are shared.

"""

from __future__ import annotations

from contextlib import suppress
import ctypes
from dataclasses import dataclass, field
import functools
import os
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.compiled import Compiled, compiled_kernel, CompiledKernel
from mbd_ros.execution.kernel import Batches, Executor, FastBatches, Kernel
from mbd_ros.execution.shares_ir import SMALLEST_SHARE
from mbd_ros.execution.subtrees import partition_of
from mbd_ros.execution.sweeps import Program
from mbd_ros.execution.workers import available, left_behind, native, workers
from mbd_ros.model import Model


@dataclass(frozen=True)
class Threads:
    """
    The executor that shares batches among threads.

    Parameters
    ----------
    count : int
        Number of threads, the caller's included; at least 1.
    inner : Executor
        Who runs each share.
    within_state : bool
        Whether one state is shared as well: subtrees of about equal work go to threads that wait
        for them without sleeping, for a while. It is for calls in quick succession on trees of
        some 20 bodies or more; other trees, chains, and what ``inner`` runs by straight-line
        code, run as ``inner`` runs them.

    """

    count: int
    inner: Executor = field(default_factory=Compiled)
    within_state: bool = False

    def __post_init__(self) -> None:
        """Check the number of threads."""
        if self.count < 1:
            raise InvalidValueError('count', self.count, 'at least one thread')

    @property
    def name(self) -> str:
        """Name that answers report."""
        return f'{self.count} threads, {self.inner.name}'

    def kernel(self, program: Program, model: Model) -> Kernel:
        """Return the kernel of a program for a model."""
        inner = self.inner.kernel(program, model)
        straight = isinstance(self.inner, Compiled) and self.inner.unrolls(program, model)
        way = (partition_of(program, model, self.count, self.inner == Compiled())
               if self.within_state and not straight else None)
        if way is not None:
            inner = compiled_kernel(program, model, True, way)
        return ThreadedKernel(inner, self.count)


@dataclass(frozen=True)
class ThreadedKernel:
    """A kernel whose batches run on several threads; see ``Kernel``."""

    inner: Kernel
    count: int

    @property
    def program(self) -> Program:
        """What it runs."""
        return self.inner.program

    @property
    def model(self) -> Model:
        """For which model."""
        return self.inner.model

    @property
    def name(self) -> str:
        """What runs one state; batches are shared."""
        return self.inner.name

    def how(self, count: int) -> str:
        """Return what runs so many states."""
        threads = self._threads(count)
        return self.inner.how(count) + (f', {threads} threads' if threads > 1 else '')

    def _threads(self, count: int) -> int:
        shared = isinstance(self.inner, CompiledKernel) and available()
        return max(1, min(self.count, count // SMALLEST_SHARE)) if shared else 1

    @property
    def fast_batches(self) -> FastBatches | None:
        """How batches run without Python in between, if they do."""
        if not isinstance(self.inner, CompiledKernel):
            return None
        return self.inner.fast_batches._replace(threads=self.count if available() else 1)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the result for one state."""
        return self.inner.shape

    @property
    def address(self) -> int | None:
        """Address of the machine code for one state, where there is some."""
        return self.inner.address

    def run(self, arguments: list[NDArray[np.float64]], gravity: NDArray[np.float64],
            out: NDArray[np.float64]) -> bool:
        """
        Run on N states; whoever is free takes the next block of them.

        What is not machine code runs on the caller's thread: others would wait for the lock.
        """
        threads = self._threads(len(out))
        if threads == 1 or not isinstance(self.inner, CompiledKernel):
            return self.inner.run(arguments, gravity, out)
        return share_rows(self.inner.batches, [*arguments, gravity], out, threads)


_LOCK = threading.Lock()
_LEFT_BEHIND: list[object] = []
"""What threads still read that lost the processor in the middle of a block."""
_PENDING = ctypes.c_int64(0)


def share_rows(batches: Batches, arrays: list[NDArray[np.float64]], out: NDArray[np.float64],
               threads: int) -> bool:
    """
    Run a batch on the caller's thread and others.

    Parameters
    ----------
    batches : Batches
        What runs some rows.
    arrays : list of array
        (N, size) each, and gravity (3,); C-contiguous.
    out : array
        (N, ...), C-contiguous; is filled.
    threads : int
        The most threads that are worth it.

    Returns
    -------
    bool
        Whether all numbers are finite.

    """
    forget_what_is_done()
    call = (batches.rows, len(out), 0, batches.lanes, out[0].nbytes, out.ctypes.data, len(arrays),
            *(array.ctypes.data for array in arrays))
    others: list[int] = []
    with suppress(RuntimeError):  # at the end of the interpreter threads are not to be had
        others = workers(threads - 1)
    answer = _share()((ctypes.c_int64 * len(call))(*call),
                      (ctypes.c_int64 * len(others))(*others), len(others))
    if answer & 2:
        leave_behind(batches, arrays)
    return bool(answer & 1)


def leave_behind(*things: object) -> None:
    """Keep what a thread may still read that lost the processor in the middle of a block."""
    with _LOCK:
        _LEFT_BEHIND.append(things)
        _PENDING.value = len(_LEFT_BEHIND)


def forget_what_is_done() -> None:
    """Let go of what was kept if no such thread is at it any more."""
    if _PENDING.value:
        with _LOCK:
            if not left_behind():
                _LEFT_BEHIND.clear()
                _PENDING.value = 0


def pending() -> ctypes.c_int64:
    """Return the word that is not zero while something is kept, for native code."""
    return _PENDING


@functools.cache
def _share() -> Any:
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(
        native().address('share'))


def _forget() -> None:
    """In the child of a fork: the threads that read have not come along."""
    global _LOCK
    _LOCK = threading.Lock()
    _LEFT_BEHIND.clear()
    _PENDING.value = 0


os.register_at_fork(after_in_child=_forget)
