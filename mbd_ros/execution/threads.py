"""
Shares of a batch on several threads.

Machine code runs without the interpreter's lock, so the shares really run at the same time. A
single state stays on the caller's thread: handing it over costs more than an evaluation.

"""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
import functools
import os
import statistics
import time

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.compiled import Compiled
from mbd_ros.execution.kernel import Executor, Kernel
from mbd_ros.execution.sweeps import Program
from mbd_ros.model import Model

SMALLEST_SHARE = 512
"""Rows below which a share does not repay the hand-over of some 20 us."""
LARGE_SHARE = 2048
"""Rows from which on there are more shares than threads, for threads that are held up."""


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

    """

    count: int
    inner: Executor = field(default_factory=Compiled)

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
        return ThreadedKernel(self.inner.kernel(program, model), self.count)


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
        number = max(1, min(self.count, count // SMALLEST_SHARE),
                     min(4 * self.count, count // LARGE_SHARE))
        shares = deque((count * k // number, count * (k + 1) // number) for k in range(number))
        finite: list[bool] = []

        def work() -> None:
            while shares:
                try:
                    first, last = shares.popleft()
                except IndexError:
                    return  # another thread was quicker
                finite.append(self.inner.run([a[first:last] for a in arguments], gravity,
                                             out[first:last]))

        others = [_pool(self.count - 1).submit(work) for _ in range(min(self.count, number) - 1)]
        work()
        for other in others:
            if not other.cancel():
                other.result()
        return all(finite)


@functools.cache
def hand_over() -> float:
    """Return the time to hand a share to another thread and to get its answer [s], measured."""
    times = []
    for _ in range(30):
        begin = time.perf_counter()
        _pool(1).submit(int).result()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


@functools.cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix='mbd_ros')


os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork
