"""A kernel that answers at once by rolled code while unrolled code is compiled."""

from __future__ import annotations

from collections.abc import Callable
import threading

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.executors.background import BACKGROUND
from mbd_ros.execution.executors.compiled import Compiled, compiled_kernel, CompiledKernel
from mbd_ros.execution.program.kernel import Kernel
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.model import Model

Array = NDArray[np.float64]


class ImprovingKernel:
    """
    A kernel that is exchanged for a faster one when that is ready; see ``Kernel``.

    Rolled code is compiled once on a machine for all robots with the same types of joints, so that
    it is nearly always there. The code of one state and that of batches are exchanged apart, each
    between two calls. Rolled and unrolled code round differently: the last bits of a result
    may change at that moment.

    Parameters
    ----------
    program : Program
        What it runs.
    model : Model
        For which model.

    """

    def __init__(self, program: Program, model: Model) -> None:
        self.program, self.model = program, model
        self._one: Kernel = compiled_kernel(program, model, True)
        self._many: Kernel = self._one
        self.shape = self._one.shape
        self._lock = threading.Lock()
        self._told: list[Callable[[int], None]] = []
        self._batches = False
        BACKGROUND.submit(self._improve_one)

    @property
    def name(self) -> str:
        """What runs one state now."""
        return self._one.name

    @property
    def address(self) -> int | None:
        """Address of the code for one state now."""
        return self._one.address

    def how(self, count: int) -> str:
        """Return what runs so many states now."""
        return (self._one if count == 1 else self._many).how(count)

    def run(self, arguments: list[Array], gravity: Array, out: Array) -> bool:
        """Run on N states; see ``Kernel``."""
        return self.now(len(out)).run(arguments, gravity, out)

    def now(self, count: int) -> Kernel:
        """Return the kernel that runs so many states now."""
        if count == 1:
            return self._one
        if not self._batches:
            self._batches = True
            BACKGROUND.submit(self._improve_many)
        return self._many

    def follow(self, told: Callable[[int], None]) -> None:
        """Tell somebody the address for one state, now and when it changes."""
        with self._lock:
            self._told.append(told)
            if self.address is not None:
                told(self.address)

    def _improve_one(self) -> None:
        better = Compiled().kernel(self.program, self.model)
        if better.address is None:  # a division by zero while tracing: rolled code finds it, too
            return
        with self._lock:
            self._one = better
            for told in self._told:
                told(better.address)

    def _improve_many(self) -> None:
        better = Compiled().kernel(self.program, self.model)
        if isinstance(better, CompiledKernel):
            assert better.batches  # compiled now
            self._many = better
