"""Threads where they pay: decided for each batch by two times measured on this machine."""

from __future__ import annotations

from dataclasses import dataclass, field
import functools
import os
import time

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.compiled import Compiled
from mbd_ros.execution.kernel import Executor, Kernel
from mbd_ros.execution.sweeps import Program
from mbd_ros.execution.threads import hand_over, SMALLEST_SHARE, ThreadedKernel
from mbd_ros.model import Model

Array = NDArray[np.float64]

WORTH = 10.0
"""Times to hand over a share that the time saved must exceed: a busy machine saves less of it."""
_WARM_UP = 16


@dataclass(frozen=True)
class Auto:
    """
    The executor that shares a batch among threads when that saves time.

    Parameters
    ----------
    inner : Executor
        Who runs each share.

    """

    inner: Executor = field(default_factory=Compiled)

    @property
    def name(self) -> str:
        """Name that answers report."""
        return f'auto, {self.inner.name}'

    def kernel(self, program: Program, model: Model) -> AutoKernel:
        """Return the kernel of a program for a model, with what it has measured so far."""
        return _kernel(self.inner, program, model)


class AutoKernel:
    """
    A kernel that runs a batch here or on all processors; see ``Kernel``.

    Parameters
    ----------
    inner : Kernel
        What runs.
    count : int
        Number of threads to choose from.

    """

    def __init__(self, inner: Kernel, count: int) -> None:
        self._inner = inner
        self._threads = ThreadedKernel(inner, count)
        self._count = count
        self._time_per_state: float | None = None
        self.program, self.model = inner.program, inner.model
        self.shape, self.address, self.name = inner.shape, inner.address, inner.name

    def run(self, arguments: list[Array], gravity: Array, out: Array) -> bool:
        """Run on N states, on as many threads as ``threads(N)`` says."""
        count = len(out)
        if self._time_per_state is None and self._count > 1 and count >= 2 * SMALLEST_SHARE:
            self._time_per_state = self._measure(arguments, gravity, out)
        chosen = self._threads if self.threads(count) > 1 else self._inner
        return chosen.run(arguments, gravity, out)

    def threads(self, count: int) -> int:
        """Return on how many threads a batch of that many states runs."""
        if self._time_per_state is None or count < 2 * SMALLEST_SHARE:
            return 1
        saved = self._time_per_state * count * (1.0 - 1.0 / self._count)
        return self._count if saved > WORTH * hand_over() else 1

    def _measure(self, arguments: list[Array], gravity: Array, out: Array) -> float:
        """Return the time per state [s] on one thread, after what is to compile is compiled."""
        for rows in (_WARM_UP, SMALLEST_SHARE):
            begin = time.perf_counter()
            self._inner.run([a[:rows] for a in arguments], gravity, out[:rows])
        return (time.perf_counter() - begin) / SMALLEST_SHARE


@functools.lru_cache(maxsize=256)
def _kernel(inner: Executor, program: Program, model: Model) -> AutoKernel:
    return AutoKernel(inner.kernel(program, model), processors())


@functools.cache
def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, 'sched_getaffinity'):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
