"""First answers at once, and threads where they pay: decided for each call by what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
import functools

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.executors.background import BACKGROUND
from mbd_ros.execution.executors.compiled import Compiled, compiled_kernel, LONG_CHAIN, long_way
from mbd_ros.execution.executors.cost_model import (
    Candidate, cheapest, costs, operations, processors)
from mbd_ros.execution.executors.improving import ImprovingKernel
from mbd_ros.execution.executors.threads import ThreadedKernel
from mbd_ros.execution.ir.machine_code import vector_lanes
from mbd_ros.execution.program.kernel import Executor, Kernel
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.threads.partition import Partition
from mbd_ros.execution.threads.shares_ir import SMALLEST_SHARE
from mbd_ros.execution.threads.subtrees import partition_of
from mbd_ros.model import Model

Array = NDArray[np.float64]

WORTH = 10.0
"""Times to hand over a share that the time saved must exceed: a busy machine saves less of it."""

WORTH_WITHIN = 1.0
"""
The same for one state: threads that look for work take it in a fraction of a microsecond, and are
left alone while another program holds them up, which costs some of what smaller robots would save.
"""


@dataclass(frozen=True)
class Auto:
    """
    The executor that answers at once and shares a batch among threads when that saves time.

    Where straight-line code is the fastest but has to be compiled, rolled code answers until it
    is ready. The two round differently, so that the last bits of a result may depend on when it
    is computed; ``wait()`` ends that, and no other executor does it.

    Parameters
    ----------
    inner : Executor
        Who runs each share.
    count : int, optional
        The most threads; as many as there are processors if left out.

    """

    inner: Executor = field(default_factory=Compiled)
    count: int | None = None

    @property
    def name(self) -> str:
        """Name of the choice; ``Kernel.how`` says what it came to."""
        return f'auto, {self.inner.name}'

    def kernel(self, program: Program, model: Model) -> AutoKernel:
        """Return the kernel of a program for a model, made now or earlier."""
        return _kernel(self.inner, program, model, self.count or processors())

    @staticmethod
    def wait(timeout: float | None = None) -> bool:
        """Wait until nothing compiles in the background; return whether that is so."""
        return BACKGROUND.wait(timeout)


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
        self._count = count
        self.program, self.model, self.shape = inner.program, inner.model, inner.shape

    @property
    def name(self) -> str:
        """What runs one state now."""
        return self._inner.name

    @property
    def address(self) -> int | None:
        """Address of the machine code for one state now."""
        return self._inner.address

    def how(self, count: int) -> str:
        """Return what runs so many states now."""
        return self._chosen(count).how(count)

    def run(self, arguments: list[Array], gravity: Array, out: Array) -> bool:
        """Run on N states, on as many threads as ``threads(N)`` says."""
        return self._chosen(len(out)).run(arguments, gravity, out)

    def follow(self, told: Callable[[int], None]) -> None:
        """Tell somebody the address for one state, now and when it changes."""
        if isinstance(self._inner, ImprovingKernel):
            self._inner.follow(told)

    def threads(self, count: int) -> int:
        """Return on how many threads a batch of that many states runs."""
        if self._count == 1 or count < 2 * SMALLEST_SHARE:
            return 1
        alone = costs().batch * operations(self.program, self.model) * count
        best = cheapest((Candidate('here', alone), Candidate(
            'threads', alone / self._count + WORTH * costs().hand_over)))
        return self._count if best.name == 'threads' else 1

    def _chosen(self, count: int) -> Kernel:
        """Return what runs so many states; all shares of a batch run the same code."""
        now = self._inner.now(count) if isinstance(self._inner, ImprovingKernel) else self._inner
        threads = self.threads(count)
        return ThreadedKernel(now, threads) if threads > 1 else now


@functools.lru_cache(maxsize=256)
def _kernel(inner: Executor, program: Program, model: Model, count: int) -> AutoKernel:
    if inner != Compiled() or model.nb == 0:
        return AutoKernel(inner.kernel(program, model), count)
    if Compiled().unrolls(program, model):
        return AutoKernel(_improving(program, model), count)
    way = _shared(program, model, count)
    return AutoKernel(inner.kernel(program, model) if way is None
                      else compiled_kernel(program, model, True, way), count)


def _shared(program: Program, model: Model, count: int) -> Partition | None:
    """Return how one state is shared among threads; None where lanes do it or little is saved."""
    if count == 1 or (model.nb >= LONG_CHAIN and long_way(program, model, vector_lanes())):
        return None
    saved = costs().one * operations(program, model) * (1.0 - 1.0 / count)
    if saved < WORTH_WITHIN * costs().hand_over:
        return None
    return partition_of(program, model, count, folded=True)


_improving = functools.lru_cache(maxsize=256)(ImprovingKernel)
