"""
Shares of a batch on several threads.

Machine code runs without the interpreter's lock, so the shares really run at the same time. A
single state stays on the caller's thread: handing it over costs more than an evaluation.

"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
import functools
import os

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.compiled import Compiled, compiled_kernel
from mbd_ros.execution.cost_model import processors
from mbd_ros.execution.kernel import Executor, Kernel
from mbd_ros.execution.subtrees import partition_of
from mbd_ros.execution.sweeps import Program
from mbd_ros.model import Model

SMALLEST_SHARE = 512
"""Rows below which a share does not repay the hand-over of some 20 us."""
LARGE_SHARE = 2048
"""Rows from which on there are more shares than threads, for threads that are held up."""
LARGEST_SHARE = 16384
"""Rows of a share at most: about a millisecond for an arm, after which others have their turn."""


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
        threads = min(self.count, self._shares(count))
        return self.inner.how(count) + (f', {threads} threads' if threads > 1 else '')

    def _shares(self, count: int) -> int:
        return max(1, min(self.count, count // SMALLEST_SHARE),
                   min(4 * self.count, count // LARGE_SHARE), count // LARGEST_SHARE)

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
        Run on N states, in shares of about equal size.

        Whoever is free takes the next share. The caller takes all that nobody else has begun, so
        that threads which get no processor do not hold it up.
        """
        count = len(out)
        number = self._shares(count)
        shares = deque((count * k // number, count * (k + 1) // number) for k in range(number))
        finite: list[bool] = []

        def take() -> bool:
            try:
                first, last = shares.popleft()
            except IndexError:
                return False  # nothing is left
            finite.append(self.inner.run([a[first:last] for a in arguments], gravity,
                                         out[first:last]))
            return True

        def help_out() -> None:
            """Take one share, then queue up again: others' batches have their turn."""
            if take() and shares:
                ask_for_help()

        def ask_for_help() -> None:
            with suppress(RuntimeError):  # at the end of the interpreter threads are not to be had
                others.append(pool.submit(help_out))

        pool = _pool(max(self.count, processors(), 2) - 1)
        others: list[Future[None]] = []
        for _ in range(min(self.count, number) - 1):
            ask_for_help()
        while take():
            pass
        for other in others:  # grows while it is walked
            if not other.cancel():
                other.result()
        return all(finite)


@functools.cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix='mbd_ros')


os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork
