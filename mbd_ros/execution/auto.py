"""First answers at once, and threads where they pay: decided for each call by what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
import functools

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.background import BACKGROUND
from mbd_ros.execution.compiled import Compiled
from mbd_ros.execution.cost_model import Candidate, cheapest, costs, operations, processors
from mbd_ros.execution.improving import ImprovingKernel
from mbd_ros.execution.kernel import Executor, Kernel
from mbd_ros.execution.sweeps import Program
from mbd_ros.execution.threads import SMALLEST_SHARE, ThreadedKernel
from mbd_ros.model import Model

Array = NDArray[np.float64]

WORTH = 10.0
"""Times to hand over a share that the time saved must exceed: a busy machine saves less of it."""


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
    improves = inner == Compiled() and model.nb > 0 and Compiled().unrolls(program, model)
    return AutoKernel(_improving(program, model) if improves
                      else inner.kernel(program, model), count)


_improving = functools.lru_cache(maxsize=256)(ImprovingKernel)
